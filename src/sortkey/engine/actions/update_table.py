"""UpdateTable: add and remove indexes, and change settings."""

import copy
from collections.abc import Mapping
from typing import Any, NotRequired, TypedDict

from sortkey.engine.database import Database
from sortkey.engine.definitions.descriptions import describe, described_table, under_way
from sortkey.engine.definitions.index_updates import (
    GlobalSecondaryIndexUpdate,
    change_indexes,
    refuse_index_updates,
)
from sortkey.engine.definitions.new import set_options
from sortkey.engine.definitions.schemas import INVALID
from sortkey.engine.definitions.shapes import (
    AttributeDefinition,
    BillingMode,
    OnDemandThroughput,
    ProvisionedThroughput,
    SSESpecification,
    StreamSpecification,
    TableClass,
    WarmThroughput,
)
from sortkey.engine.definitions.streams import change_stream
from sortkey.engine.definitions.throughput import change_billing, refuse_units
from sortkey.engine.definitions.vectors import VectorIndexUpdate, refuse_vector_updates
from sortkey.engine.rows import drop_rows, make_index_rows, refuse_long_drop
from sortkey.engine.shapes import TableName
from sortkey.engine.streams import settle_stream
from sortkey.engine.upkeep import finish_unless_tended
from sortkey.wire.errors import ValidationException


class UpdateTable(TypedDict):
    """The request; its members are in the order in which DynamoDB validates them."""

    TableName: TableName
    AttributeDefinitions: NotRequired[list[AttributeDefinition]]
    ProvisionedThroughput: NotRequired[ProvisionedThroughput]
    BillingMode: NotRequired[BillingMode]
    GlobalSecondaryIndexUpdates: NotRequired[list[GlobalSecondaryIndexUpdate]]
    StreamSpecification: NotRequired[StreamSpecification]
    SSESpecification: NotRequired[SSESpecification]
    TableClass: NotRequired[TableClass]
    DeletionProtectionEnabled: NotRequired[bool]
    OnDemandThroughput: NotRequired[OnDemandThroughput]
    WarmThroughput: NotRequired[WarmThroughput]
    VectorIndexUpdates: NotRequired[list[VectorIndexUpdate]]


_CHANGES = UpdateTable.__optional_keys__ - {
    "AttributeDefinitions",
    "GlobalSecondaryIndexUpdates",
    "VectorIndexUpdates",
}


def update_table(db: Database, request: UpdateTable) -> dict[str, Any]:
    """Change the table, and return its description; only a new index is filled later."""
    refuse_vector_updates(request.get("VectorIndexUpdates", ()))
    _refuse(request)
    with db.transaction():
        table = described_table(db, request["TableName"])
        now = round(db.clock(), 3)
        definition = copy.deepcopy(table.definition)
        change_billing(definition, request, now)
        change_indexes(definition, request, now)
        if "StreamSpecification" in request:
            change_stream(definition, request["StreamSpecification"])
        set_options(definition, request)

        kept = {each["IndexName"] for each in definition.get("GlobalSecondaryIndexes", ())}
        dropped = [index.rows for index in table if index.is_global and index.name not in kept]
        refuse_long_drop(db, dropped)
        # Nothing is rejected from here on, so no write has to be undone.
        before = describe(db, table)
        for index in definition.get("GlobalSecondaryIndexes", ()):
            if "Number" not in index:
                index["Number"] = make_index_rows(db)
        for rows in dropped:
            drop_rows(db, rows)
        settle_stream(db, table.rows.number, definition)
        after = describe(db, db.save(table.rows.number, definition))
    finish_unless_tended(db)
    return {"TableDescription": under_way(before, after)}


def _refuse(request: Mapping[str, Any]) -> None:
    updates = request.get("GlobalSecondaryIndexUpdates")
    if not updates and not _CHANGES & request.keys():
        raise ValidationException(
            "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, "
            "GlobalSecondaryIndexUpdates or SSESpecification or ReplicaUpdates is required"
        )
    throughput: ProvisionedThroughput | None = request.get("ProvisionedThroughput")
    if request.get("BillingMode") == "PROVISIONED" and throughput is None:
        raise ValidationException(
            f"{INVALID}ProvisionedThroughput must be specified when BillingMode is PROVISIONED"
        )
    if throughput is not None:
        refuse_units(throughput)
    refuse_index_updates(updates or ())
