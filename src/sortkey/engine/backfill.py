"""Back-fill: what is new about a table reaches the items that were there before, in batches.

A new index receives them; until then it is CREATING: writes go into it, reads are refused. A
new expiry attribute gives each its time; until then none expires. How far it has come is part of
the table's definition, so that it goes on after a restart, in any process.
"""

import copy
from collections.abc import Sequence

import orjson

from sortkey.engine.changes import expiry_of, index_entry
from sortkey.engine.database import Database
from sortkey.engine.keys import RowKey
from sortkey.engine.storage import WalkedRow, page_of
from sortkey.engine.table import Definition, Index, Table
from sortkey.wire.values import Item

BATCH = 500


def fill_some(db: Database) -> bool:
    """Bring every table that is being filled a batch further; whether any is left."""
    more = False
    for name in db.names:
        table = db.find(name)
        if table is not None and _is_filling(table):
            more |= _fill(db, name)
    return more


def finish_unless_tended(db: Database) -> None:
    """Fill all tables to the end where nobody else would: a server tends, a program does not."""
    if not db.storage.grouped:
        while fill_some(db):
            pass


def _is_filling(table: Table) -> bool:
    return _index_in(table) is not None or "ExpiryFilledTo" in table.definition


def _index_in(table: Table) -> Index | None:
    """The index that is being made, if one is."""
    return next((index for index in table if index.status == "CREATING"), None)


def _fill(db: Database, name: str) -> bool:
    """Fill a batch; whether there is more."""
    with db.transaction():
        table = db.find(name)
        if table is None or not _is_filling(table):
            return False
        definition = copy.deepcopy(table.definition)
        index = _index_in(table)
        if index is not None:
            _fill_index(db, table, index, definition)
        else:
            _fill_expiry(db, table, definition)
        return _is_filling(db.save(table.rows.number, definition))


def _fill_index(db: Database, table: Table, index: Index, definition: Definition) -> None:
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


def _add(db: Database, index: Index, key: RowKey, item: Item, size: int) -> None:
    """Add an item that has no entry yet; one written since the index was made has its own."""
    entry = index_entry(index, key, item, size)
    if entry is None:
        return
    storage, sql = db.storage, index.rows.sql
    if storage.execute(sql.get_size, entry.key).fetchone() is None:
        storage.execute(sql.put, (*entry.key, orjson.dumps(entry.item), entry.size))
        storage.add_total(index.rows.number, 1, entry.size)


def _fill_expiry(db: Database, table: Table, definition: Definition) -> None:
    rows = _batch(db, table, definition["ExpiryFilledTo"])
    for raw, _, partition, position in rows:
        expires = expiry_of(orjson.loads(raw), definition["TimeToLive"])
        db.storage.execute(table.rows.sql.set_expiry, (expires, partition, position))
    if rows:
        definition["ExpiryFilledTo"] = _end(rows)
    else:
        del definition["ExpiryFilledTo"]


def _batch(db: Database, table: Table, after: Sequence[str]) -> list[WalkedRow]:
    """The next items behind a place; none at the end."""
    db.storage.wrote()
    start = [bytes.fromhex(part) for part in after]
    return page_of(db.storage.execute(table.rows.sql.walk, (*start, BATCH)))


def _end(rows: Sequence[WalkedRow]) -> list[str]:
    _, _, partition, position = rows[-1]
    return [partition.hex(), position.hex()]
