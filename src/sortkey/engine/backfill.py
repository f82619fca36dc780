"""Back-fill: a new index receives the items that were there before it, a batch at a time.

Until it is done the index is CREATING: writes go into it, reads are refused. How far it has come is
part of the table's definition, so that it goes on after a restart, in any process.
"""

import copy
from typing import Any

import orjson

from sortkey.engine.changes import index_entry
from sortkey.engine.database import Database
from sortkey.engine.keys import LAST, RowKey
from sortkey.engine.table import Definition, Index, Table
from sortkey.wire.values import Item

BATCH = 500


def fill_some(db: Database) -> bool:
    """Bring every index that is being made a batch further; whether any is left."""
    more = False
    for name in db.names:
        table = db.find(name)
        if table is not None and any(index.status == "CREATING" for index in table):
            more |= _fill(db, name)
    return more


def _fill(db: Database, name: str) -> bool:
    with db.transaction():
        table = db.find(name)
        index = table and next((each for each in table if each.status == "CREATING"), None)
        if not table or not index:
            return False
        start = [bytes.fromhex(part) for part in index.definition.get("FilledTo", ["", ""])]
        rows = db.storage.execute(table.rows.sql.scan, (*start, LAST, BATCH)).fetchall()
        for raw, size, partition, position in rows:
            _add(db, index, RowKey(partition, position), orjson.loads(raw), size)
        definition = copy.deepcopy(table.definition)
        mine = _definition_of(definition, index.name)
        if len(rows) == BATCH:
            mine["FilledTo"] = [rows[-1][2].hex(), rows[-1][3].hex()]
        else:
            mine.pop("FilledTo", None)
            mine["IndexStatus"] = "ACTIVE"
            mine["Backfilling"] = False
            # Items deleted before they were reached were counted out without being counted in.
            db.storage.recount(index.rows.number, index.rows.sql.count)
        saved = db.save(table.rows.number, definition)
    return any(each.status == "CREATING" for each in saved)


def _add(db: Database, index: Index, key: RowKey, item: Item, size: int) -> None:
    """Add an item that has no entry yet; one written since the index was made has its own."""
    entry = index_entry(index, key, item, size)
    if entry is None:
        return
    storage, sql = db.storage, index.rows.sql
    if storage.execute(sql.get_size, entry.key).fetchone() is None:
        storage.execute(sql.put, (*entry.key, orjson.dumps(entry.item), entry.size))
        storage.add_total(index.rows.number, 1, entry.size)


def _definition_of(definition: Definition, name: str) -> dict[str, Any]:
    return next(each for each in definition["GlobalSecondaryIndexes"] if each["IndexName"] == name)


def is_filling(table: Table) -> bool:
    """Whether an index of the table is being made."""
    return any(index.status == "CREATING" for index in table)
