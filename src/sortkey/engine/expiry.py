"""Expiry: delete items some time after their expiry time, as DynamoDB does.

How long after it can be set. Until an item is deleted, reads return it, and a write that gives it
a later time keeps it.
"""

from sortkey.engine.changes import ItemChange, delete_change, expiry_of, make_all
from sortkey.engine.database import Database, EngineItem
from sortkey.engine.keys import RowKey
from sortkey.engine.storage import page_of
from sortkey.engine.table import StoredTable
from sortkey.wire.limits import EXPIRY_WINDOW_SECONDS

BATCH = 100


def expire_some(db: Database) -> bool:
    """Delete a few expired items of a table, and return whether there may be more."""
    for name in db.names:
        table = db.find(name)
        if (
            table is not None
            and _expires(table)
            and _anything(db, table)
            and _expire(db, table.name)
        ):
            return True
    return False


def _expires(table: StoredTable) -> bool:
    """Return whether items of the table expire, and all have their expiry time stored."""
    return table.expiry_attribute is not None and "ExpiryFilledTo" not in table.definition


def _bounds(db: Database) -> tuple[int, int]:
    """Return the bounds of the expiry times whose items are deleted now.

    They have passed by the delay, but by less than five years, as in DynamoDB.
    """
    now = int(db.clock())
    return now - db.ttl_delay, now - EXPIRY_WINDOW_SECONDS


def _anything(db: Database, table: StoredTable) -> bool:
    """Return whether any item has expired, without taking the write lock."""
    with db.storage.lock:
        row = db.storage.execute(table.rows.sql.expired, (*_bounds(db), 1)).fetchone()
    return row is not None


def _expire(db: Database, name: str) -> bool:
    """Delete a few expired items, and return whether there were any."""
    with db.transaction():
        table = db.find(name)
        if table is None or table.expiry_attribute is None or not _expires(table):
            return False
        latest, earliest = _bounds(db)
        cursor = db.storage.execute(table.rows.sql.expired, (latest, earliest, BATCH))
        changes: list[ItemChange] = []
        for raw, size, partition, position in page_of(cursor, _leave):
            stored = EngineItem(raw, size)
            expires = expiry_of(stored.item, table.expiry_attribute)
            if expires is not None and earliest < expires <= latest:
                changes.append(delete_change(table, RowKey(partition, position), stored))
        make_all(db, changes, by_expiry=True)
        if db.weather is not None and changes:
            db.weather.meters.expired(name, len(changes), db.clock())
    return bool(changes)


def _leave(partition: bytes, position: bytes) -> None:
    """Keep a damaged item: reads report it, and `sortkey verify` does."""
