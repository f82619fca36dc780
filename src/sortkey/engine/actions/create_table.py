"""CreateTable: a new, empty table with its indexes."""

from typing import Any, NotRequired, TypedDict
from uuid import uuid4

from sortkey.engine.arns import table_arn
from sortkey.engine.database import Database
from sortkey.engine.definitions import refuse_table
from sortkey.engine.descriptions import describe
from sortkey.engine.storage import sql
from sortkey.engine.storage.sql import row_statements
from sortkey.engine.table import Definition
from sortkey.engine.table_shapes import (
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
from sortkey.engine.throughput import (
    described_throughput,
    refuse_index_throughput,
    refuse_throughput,
)
from sortkey.wire.errors import ResourceInUseException, ValidationException


class CreateTable(TypedDict):
    """The request, its members in the order in which DynamoDB complains about them."""

    AttributeDefinitions: list[AttributeDefinition]
    # Required, but its absence is reported in words of its own.
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


def create_table(db: Database, request: CreateTable) -> dict[str, Any]:
    """The description of the table; it is CREATING in this answer and ACTIVE in the next."""
    if "TableName" not in request:
        raise ValidationException(
            "The parameter 'TableName' is required but was not present in the request"
        )
    refuse_throughput(request)
    refuse_table(request)
    for index in request.get("GlobalSecondaryIndexes", ()):
        refuse_index_throughput(index, request.get("BillingMode", "PROVISIONED"))

    name = request["TableName"]
    with db.transaction():
        if db.find(name) is not None:
            raise ResourceInUseException(f"Table already exists: {name}")
        definition = _definition(request, name, round(db.clock(), 3))
        number = _make_rows(db)
        for member in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
            for index in definition.get(member, ()):
                index["Number"] = _make_rows(db)
        table = db.save(number, definition)

    description = describe(db, table, "CREATING")
    for index in description.get("GlobalSecondaryIndexes", ()):
        index["IndexStatus"] = "CREATING"
    return {"TableDescription": description}


def _make_rows(db: Database) -> int:
    """The number of new, empty rows."""
    db.storage.wrote()
    [number] = db.storage.execute(sql.TAKE_ID).fetchone()
    db.storage.execute(row_statements(number).create)
    db.storage.execute(sql.START_TOTALS, (number,))
    return number


def _definition(request: CreateTable, name: str, now: float) -> Definition:
    definition: Definition = {
        "AttributeDefinitions": request["AttributeDefinitions"],
        "TableName": name,
        "KeySchema": request["KeySchema"],
        "CreationDateTime": now,
        "ProvisionedThroughput": described_throughput(request.get("ProvisionedThroughput")),
        "TableArn": table_arn(name),
        "TableId": str(uuid4()),
        "DeletionProtectionEnabled": request.get("DeletionProtectionEnabled", False),
    }
    if request.get("BillingMode") == "PAY_PER_REQUEST":
        definition["BillingModeSummary"] = {
            "BillingMode": "PAY_PER_REQUEST",
            "LastUpdateToPayPerRequestDateTime": now,
        }
    if "TableClass" in request:
        definition["TableClassSummary"] = {"TableClass": request["TableClass"]}
    if "LocalSecondaryIndexes" in request:
        definition["LocalSecondaryIndexes"] = [
            {**index, "IndexArn": f"{table_arn(name)}/index/{index['IndexName']}"}
            for index in request["LocalSecondaryIndexes"]
        ]
    if "GlobalSecondaryIndexes" in request:
        definition["GlobalSecondaryIndexes"] = [
            {
                **index,
                "IndexStatus": "ACTIVE",
                "IndexArn": f"{table_arn(name)}/index/{index['IndexName']}",
                "ProvisionedThroughput": described_throughput(index.get("ProvisionedThroughput")),
            }
            for index in request["GlobalSecondaryIndexes"]
        ]
    return definition
