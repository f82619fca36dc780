"""CreateTable: a new, empty table with its indexes."""

from typing import Any, NotRequired, TypedDict

from sortkey.engine.database import Database
from sortkey.engine.definitions.descriptions import describe
from sortkey.engine.definitions.new import new_table, refuse_new_table
from sortkey.engine.definitions.shapes import (
    AttributeDefinition,
    BillingMode,
    GlobalSecondaryIndex,
    LocalSecondaryIndex,
    NewTableName,
    OnDemandThroughput,
    ProvisionedThroughput,
    SSESpecification,
    StreamSpecification,
    TableClass,
    TableKeySchema,
    Tag,
    WarmThroughput,
)
from sortkey.engine.definitions.tags import refuse_tag_count, refuse_tags, tagged
from sortkey.engine.definitions.vectors import VectorIndex, refuse_vector_indexes
from sortkey.engine.rows import make_all_rows
from sortkey.engine.streams import settle_stream
from sortkey.wire.errors import ResourceInUseException, ValidationException


class CreateTable(TypedDict):
    """The request; its members are in the order in which DynamoDB validates them."""

    AttributeDefinitions: list[AttributeDefinition]
    # Required, but its absence has its own error message.
    TableName: NotRequired[NewTableName]
    BillingMode: NotRequired[BillingMode]
    ProvisionedThroughput: NotRequired[ProvisionedThroughput]
    KeySchema: TableKeySchema
    LocalSecondaryIndexes: NotRequired[list[LocalSecondaryIndex]]
    GlobalSecondaryIndexes: NotRequired[list[GlobalSecondaryIndex]]
    StreamSpecification: NotRequired[StreamSpecification]
    SSESpecification: NotRequired[SSESpecification]
    Tags: NotRequired[list[Tag]]
    TableClass: NotRequired[TableClass]
    DeletionProtectionEnabled: NotRequired[bool]
    OnDemandThroughput: NotRequired[OnDemandThroughput]
    WarmThroughput: NotRequired[WarmThroughput]
    ResourcePolicy: NotRequired[str]
    VectorIndexes: NotRequired[list[VectorIndex]]


def create_table(db: Database, request: CreateTable) -> dict[str, Any]:
    """Create the table, and return its description, which is CREATING here and ACTIVE later."""
    if "TableName" not in request:
        raise ValidationException(
            "The parameter 'TableName' is required but was not present in the request"
        )
    name = request["TableName"]
    refuse_vector_indexes(request.get("VectorIndexes", ()))
    refuse_new_table(request)
    refuse_tags(request.get("Tags", ()))
    refuse_tag_count(tagged(request.get("Tags", ())))
    definition = new_table(request, round(db.clock(), 3))

    with db.transaction():
        if db.weather is not None:
            db.weather.changes.refuse_deleted(name)
        if db.find(name) is not None:
            raise ResourceInUseException(f"Table already exists: {name}")
        if db.find_creating(name) is not None:
            raise ResourceInUseException(f"Table is being used: {name}")
        number = make_all_rows(db, definition)
        settle_stream(db, number, definition)
        table = db.save(number, definition)
        if db.weather is not None:
            db.weather.changes.begin(number, "CREATING")
        description = describe(db, table, "CREATING")

    for index in description.get("GlobalSecondaryIndexes", ()):
        index["IndexStatus"] = "CREATING"
    return {"TableDescription": description}
