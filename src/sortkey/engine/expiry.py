"""Expiry: items whose time has passed are removed, some time after, as DynamoDB does."""

from sortkey.engine.changes import delete_change
from sortkey.engine.database import Database, Stored
from sortkey.engine.keys import RowKey
from sortkey.engine.storage import page_of
from sortkey.engine.table import Table
from sortkey.wire.limits import EXPIRY_WINDOW_SECONDS

BATCH = 100


def expire_some(db: Database) -> bool:
    """Remove a few expired items; whether there may be more."""
    more = False
    for name in db.names:
        table = db.find(name)
        if table is not None and _expires(table) and _anything(db, table):
            more |= _expire(db, table.name)
    return more


def _expires(table: Table) -> bool:
    """Whether items of the table expire by an attribute, and each has its time by now."""
    return table.expiry_attribute is not None and "ExpiryFilledTo" not in table.definition


def _bounds(db: Database) -> tuple[int, int]:
    """Up to now, but no more than five years back: what is older was no time, or a mistake."""
    now = int(db.clock())
    return now, now - EXPIRY_WINDOW_SECONDS


def _anything(db: Database, table: Table) -> bool:
    """Whether anything has expired, without taking the write lock to find out."""
    with db.storage.lock:
        row = db.storage.execute(table.rows.sql.expired, (*_bounds(db), 1)).fetchone()
    return row is not None


def _expire(db: Database, name: str) -> bool:
    with db.transaction():
        table = db.find(name)
        if table is None or not _expires(table):
            return False
        rows = page_of(db.storage.execute(table.rows.sql.expired, (*_bounds(db), BATCH)))
        for raw, size, partition, position in rows:
            delete_change(table, RowKey(partition, position), Stored(raw, size)).make(db)
    return bool(rows)
