"""Back-fill: existing items get into a new index, or get their expiry time, in batches.

Until a new index has all items, it is CREATING: writes go into it, reads are rejected. Until all
items have their expiry time, none expires. The progress is part of the table's definition, so
that the back-fill resumes after a restart, in any process.
"""

import copy
from collections.abc import Sequence

import orjson

from sortkey.engine.changes import expiry_of, index_entry
from sortkey.engine.database import Database
from sortkey.engine.keys import RowKey
from sortkey.engine.promptness import STEP_BYTES, refuse_long
from sortkey.engine.storage import WalkedRow, page_of
from sortkey.engine.table import Definition, StoredIndex, StoredTable
from sortkey.wire.values import Item

BATCH = 500


def fill_some(db: Database) -> bool:
    """Fill a batch of a table that needs it, and return whether more may be left."""
    for name in db.names:
        table = db.find(name)
        if table is not None and _is_filling(db, table):
            _fill(db, name)
            return True
    return False


def _is_filling(db: Database, table: StoredTable) -> bool:
    return _index_in(db, table) is not None or "ExpiryFilledTo" in table.definition


def _index_in(db: Database, table: StoredTable) -> StoredIndex | None:
    """Return the index that is being created and can be filled, or None."""
    for index in table:
        if index.status == "CREATING":
            return (
                index
                if db.weather is None or db.weather.changes.may_fill(index.rows.number)
                else None
            )
    return None


def _fill(db: Database, name: str) -> None:
    """Fill a batch of the table."""
    with db.transaction():
        table = db.find(name)
        if table is None or not _is_filling(db, table):
            return
        definition = copy.deepcopy(table.definition)
        index = _index_in(db, table)
        if index is not None:
            _fill_index(db, table, index, definition)
        else:
            _fill_expiry(db, table, definition)
        db.save(table.rows.number, definition)


def _fill_index(
    db: Database, table: StoredTable, index: StoredIndex, definition: Definition
) -> None:
    rows = _batch(db, table, index.definition.get("FilledTo", ("", "")))
    for raw, size, partition, position in rows:
        _add(db, index, RowKey(partition, position), orjson.loads(raw), size)
    mine = next(
        each for each in definition["GlobalSecondaryIndexes"] if each["IndexName"] == index.name
    )
    if rows:
        mine["FilledTo"] = _end(rows)
        mine["Backfilling"] = True
    else:
        mine.pop("FilledTo", None)
        mine.pop("Backfilling", None)
        mine["IndexStatus"] = "ACTIVE"


def _add(db: Database, index: StoredIndex, key: RowKey, item: Item, size: int) -> None:
    """Add an item unless it has an entry, as items written since the index was created do."""
    entry = index_entry(index, key, item, size)
    if entry is None:
        return
    storage, sql = db.storage, index.rows.sql
    if storage.execute(sql.get_size, entry.key).fetchone() is None:
        storage.execute(sql.put, entry.row)
        storage.add_total(index.rows.number, 1, entry.size)


def _fill_expiry(db: Database, table: StoredTable, definition: Definition) -> None:
    rows = _batch(db, table, definition["ExpiryFilledTo"])
    for raw, _, partition, position in rows:
        expires = expiry_of(orjson.loads(raw), definition["TimeToLive"])
        db.storage.execute(table.rows.sql.set_expiry, (expires, partition, position))
    if rows:
        definition["ExpiryFilledTo"] = _end(rows)
    else:
        del definition["ExpiryFilledTo"]


def _batch(db: Database, table: StoredTable, after: Sequence[str]) -> list[WalkedRow]:
    """Return the next items after a position, which are to be changed; none at the end."""
    start = [bytes.fromhex(part) for part in after]
    cursor = db.storage.execute(table.rows.sql.walk, (*start, BATCH))

    def refuse(partition: bytes, position: bytes) -> None:
        raise db.damage(table.rows, partition, position)

    rows = page_of(cursor, refuse)
    refuse_long(sum(len(raw) for raw, *_ in rows) // STEP_BYTES)
    db.storage.wrote()
    return rows


def _end(rows: Sequence[WalkedRow]) -> list[str]:
    _, _, partition, position = rows[-1]
    return [partition.hex(), position.hex()]
