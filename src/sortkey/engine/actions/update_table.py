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
from sortkey.engine.definitions.throughput import (
    ON_DEMAND,
    billing_mode,
    change_billing,
    refuse_units,
)
from sortkey.engine.definitions.vectors import VectorIndexUpdate, refuse_vector_updates
from sortkey.engine.rows import drop_rows, make_index_rows, refuse_long_drop
from sortkey.engine.shapes import TableName
from sortkey.engine.streams import settle_stream
from sortkey.engine.table import Definition, StoredTable
from sortkey.engine.upkeep import finish_unless_tended
from sortkey.engine.weather.changes import SlowChanges
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
        if db.weather is not None:
            db.weather.changes.refuse_busy(table.name, table.rows.number)
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
        if db.weather is not None:
            _limit(db.weather.changes, table, definition)
        # Nothing is rejected from here on, so no write has to be undone.
        before = describe(db, table)
        for index in definition.get("GlobalSecondaryIndexes", ()):
            if "Number" not in index:
                index["Number"] = make_index_rows(db)
                if db.weather is not None:
                    db.weather.changes.allocate(index["Number"])
        for rows in dropped:
            drop_rows(db, rows)
        settle_stream(db, table.rows.number, definition)
        after = describe(db, db.save(table.rows.number, definition))
        if db.weather is not None:
            db.weather.changes.begin(table.rows.number, "UPDATING")
            db.weather.forget(dropped)
    finish_unless_tended(db)
    return {"TableDescription": under_way(before, after)}


def _limit(changes: SlowChanges, table: StoredTable, definition: Definition) -> None:
    """Refuse a change of billing or throughput that was made too often."""
    before = table.definition
    if billing_mode(definition) != billing_mode(before):
        if billing_mode(definition) == ON_DEMAND:
            changes.switch_to_on_demand(table.rows.number)
        return
    if billing_mode(definition) == ON_DEMAND:
        return
    changes.refuse_decrease(before["ProvisionedThroughput"], definition["ProvisionedThroughput"])
    known = {each["IndexName"]: each for each in before.get("GlobalSecondaryIndexes", ())}
    for index in definition.get("GlobalSecondaryIndexes", ()):
        if index["IndexName"] in known:
            changes.refuse_decrease(
                known[index["IndexName"]]["ProvisionedThroughput"], index["ProvisionedThroughput"]
            )


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
