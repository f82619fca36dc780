"""The parts that PutItem, UpdateItem and DeleteItem share: conditions and return values."""

from collections.abc import Mapping
from typing import Any

import orjson

from sortkey.engine.capacity import Usage, write_units
from sortkey.engine.changes import ItemChange
from sortkey.engine.database import Database, EngineItem
from sortkey.engine.keys import RowKey
from sortkey.engine.promptness import condition_steps, refuse_long
from sortkey.engine.storage import sql
from sortkey.engine.table import StoredTable
from sortkey.engine.transactions import TargetItem
from sortkey.engine.weather import Demand
from sortkey.expressions.evaluate import condition_weight, holds
from sortkey.expressions.tree import Condition
from sortkey.wire.errors import ConditionalCheckFailedException
from sortkey.wire.limits import KB
from sortkey.wire.values import Item

_GB = 1 << 30
_LARGE_BYTES = 16 * KB


def refuse_unless(
    condition: Condition | None, before: EngineItem | None, request: Mapping[str, Any]
) -> None:
    """Raise the failed condition, with the stored item if the request asks for it."""
    if condition is None:
        return
    if before is not None and before.size > _LARGE_BYTES:
        refuse_long(condition_steps(len(before.raw), condition_weight(condition)))
    if holds(condition, before.item if before else {}):
        return
    wanted = request.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD"
    raise ConditionalCheckFailedException(item=before.item if before and wanted else None)


def refuse_write_unless(
    db: Database,
    condition: Condition | None,
    target: TargetItem,
    before: EngineItem | None,
    request: Mapping[str, Any],
) -> None:
    """Raise the failed condition of a write, which costs as much as the write of this item."""
    try:
        refuse_unless(condition, before, request)
    except ConditionalCheckFailedException:
        if db.weather is not None:
            units = write_units(before.size if before else 0)
            db.weather.admit([Demand(target.table, None, "Write", target.key, units)])
        raise


def whole(stored: EngineItem | None) -> dict[str, Any]:
    """Return the Attributes member with a stored item, or no member if there was none."""
    return {} if stored is None else {"Attributes": orjson.Fragment(stored.raw)}


def written(db: Database, request: Mapping[str, Any], change: ItemChange) -> dict[str, Any]:
    """Return the members about consumed capacity that the request asks for."""
    answer: dict[str, Any] = {}
    wanted = request.get("ReturnConsumedCapacity", "NONE")
    if wanted != "NONE":
        usage = Usage(change.table, request["TableName"])
        change.charge(usage)
        answer["ConsumedCapacity"] = usage.report(wanted)
    if request.get("ReturnItemCollectionMetrics") == "SIZE" and change.table.local_indexes:
        item = change.after or (change.before.item if change.before else None)
        if item is not None:
            answer["ItemCollectionMetrics"] = collection_metrics(db, change.table, change.key, item)
    return answer


def collection_metrics(db: Database, table: StoredTable, key: RowKey, item: Item) -> dict[str, Any]:
    """Return the key and the size of the item collection, in the table and its local indexes."""
    row = db.storage.execute(sql.READ_COLLECTION, (table.rows.number, key.partition)).fetchone()
    total: int = row[0] if row else 0
    gigabytes = total // _GB
    return {
        "ItemCollectionKey": {table.partition.name: item[table.partition.name]},
        "SizeEstimateRangeGB": [float(gigabytes), float(gigabytes + 1)],
    }
