"""The past of a table: its items at an earlier moment, a page at a time, while writes go on.

A table at a moment is the table now, with every change since undone: a key that has changed has
the old image of its first change since, and every other key has the row that it has now. So no
copy of a table is needed to know its past, and the journal can be trimmed by deleting records.

To read a past takes many pages. The keys that have changed are collected in a table of their own,
each with its first record in the journal. Before a page is read, in the same transaction, the
records that were written meanwhile are collected too. So all pages are of the same moment, and a
reader that is killed continues where it was. While a past is read, the table is journalled, its
journal is not trimmed, and its rows are kept, even if the table is deleted.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import orjson

from sortkey.engine import keys
from sortkey.engine.database import Database
from sortkey.engine.journal import (
    ChangeKind,
    Record,
    first_id,
    is_sound_record,
    position_at,
    records_after,
)
from sortkey.engine.keys import RowKey
from sortkey.engine.rows import release_rows
from sortkey.engine.storage import page_of, sql
from sortkey.engine.storage.checksums import checksum, is_sound
from sortkey.engine.storage.sql import past_statements
from sortkey.engine.streams import Shard, settle_shards
from sortkey.engine.table import Rows, StoredTable
from sortkey.wire.limits import PAGE_BYTES
from sortkey.wire.values import item_size

BATCH = 500
# The records that are collected at once, if they are small: more than are written meanwhile.
_COLLECTED = 4000
_LARGE_BYTES = 1000
START = RowKey(keys.FIRST, keys.FIRST)


class PastItem(NamedTuple):
    """An item as it was: its key, its JSON and its size."""

    key: RowKey
    raw: bytes
    size: int


class PastPage(NamedTuple):
    """Items in the order of their keys, and the key to go on after, or None at the end."""

    items: list[PastItem]
    end: RowKey | None


class Past:
    """A past that is being read; every call is within a transaction."""

    def __init__(self, db: Database, number: int) -> None:
        """Find the past with this number."""
        self._db = db
        self.number = number
        row = db.storage.execute(sql.FIND_PAST, (number,)).fetchone()
        if row is None or not is_sound_past(row):
            raise db.storage.damage(f"the past {number}", "does not match its checksum")
        _, source, definition, positions, _ = row
        self.table = StoredTable(source, orjson.loads(definition))
        # Of each shard, the last record whose key was collected.
        self._positions: dict[str, int] = orjson.loads(positions)

    def read(self, after: RowKey, before: bytes = keys.LAST) -> PastPage | None:
        """Return the next items after a key, of partitions before this one.

        Returns None if so much was written meanwhile that this call has collected changed keys
        only: the next call goes on with them.
        """
        if not self.collect():
            return None
        rows = rows_after(self._db, self.table.rows, after, before)
        changed, reached = self.changed_after(after, before)
        ends = [end for end in (rows.end, reached) if end is not None]
        end = min(ends, default=None)
        items = {item.key: item for item in rows.items}
        for key, record in changed.items():
            items.pop(key, None)
            if record.old is not None:
                items[key] = PastItem(key, record.old, item_size(orjson.loads(record.old)))
        found = [items[key] for key in sorted(items) if end is None or key <= end]
        return PastPage(found, end)

    def image(self, key: RowKey) -> bytes | None:
        """Return the JSON of the item with this key, or None; all changed keys are collected."""
        record = self.record(key)
        if record is not None:
            return record.old
        stored = self._db.get(self.table, key)
        return None if stored is None else stored.raw

    def record(self, key: RowKey) -> Record | None:
        """Return the record that was collected for a key, or None if it has not changed."""
        row = self._db.storage.execute(past_statements(self.number).get, key).fetchone()
        return None if row is None else self._sound(row)

    def collect(self) -> bool:
        """Collect a bounded number of changed keys, and return whether there are no more."""
        storage, room = self._db.storage, _COLLECTED
        shards = storage.execute(sql.TABLE_SHARDS, (self.table.rows.number,)).fetchall()
        # Parents come first, so that the first change of a key is the first to be collected.
        for shard in map(Shard._make, shards):
            last = self._positions.setdefault(str(shard.id), first_id(shard.id))
            while room > 0 and (shard.last_record is None or last < shard.last_record):
                records = records_after(storage, last, room, PAGE_BYTES)
                if not records:
                    break
                self.add(records)
                last = self._positions[str(shard.id)] = records[-1].id
                room -= sum(cost_of(record) for record in records)
        if room < _COLLECTED:
            _save(self._db, self.number, self.table, self._positions)
        return room > 0

    def add(self, records: Sequence[Record], *, replace: bool = False) -> None:
        """Collect the keys of records; of each, keep the first record, or the last one."""
        storage, statements = self._db.storage, past_statements(self.number)
        add = statements.replace if replace else statements.add
        storage.wrote()
        for record in records:
            if record.kind is ChangeKind.FORGOTTEN:
                continue
            key = self.table.stored_key(orjson.loads(record.keys))
            storage.execute(add, (*key, record.id))

    def changed_after(
        self, after: RowKey, before: bytes
    ) -> tuple[dict[RowKey, Record], RowKey | None]:
        """Return the records of changed keys, and the last of these keys if there are more."""
        found: dict[RowKey, Record] = {}
        total = 0
        cursor = self._db.storage.execute(
            past_statements(self.number).walk, (*after, before, BATCH)
        )
        for row in cursor:
            record = self._sound(row)
            found[RowKey(*row[:2])] = record
            total += len(record.old or b"")
            if total >= PAGE_BYTES:
                break
        is_all = len(found) < BATCH and total < PAGE_BYTES
        cursor.close()
        return found, None if is_all else max(found)

    def _sound(self, row: Sequence[Any]) -> Record:
        """Return the record of the journal that a key was joined with."""
        _, _, number, *columns = row
        if not is_sound_record(columns):
            place = f"the record {number} of the journal"
            raise self._db.storage.damage(place, "is missing or does not match its checksum")
        record, written, kind, keys, old, new, _ = columns
        return Record(record, written, ChangeKind(kind), keys, old, new)


def cost_of(record: Record) -> int:
    """Return how many small records this one counts as."""
    return 1 + (len(record.old or b"") + len(record.new or b"")) // _LARGE_BYTES


def rows_after(db: Database, rows: Rows, after: RowKey, before: bytes = keys.LAST) -> PastPage:
    """Return the next rows after a key, of partitions before this one, as they are now."""

    def refuse(partition: bytes, position: bytes) -> None:
        raise db.damage(rows, partition, position)

    found = page_of(db.storage.execute(rows.sql.scan, (*after, before, BATCH)), refuse)
    items = [
        PastItem(RowKey(partition, position), raw, size) for raw, size, partition, position in found
    ]
    is_all = len(items) < BATCH and sum(item.size for item in items) < PAGE_BYTES
    return PastPage(items, None if is_all else items[-1].key)


def begin_past(db: Database, table: StoredTable, at: int) -> int:
    """Keep the past of a table before this time for reading, and return its number.

    A time that has not come yet means now. The caller is in a transaction.
    """
    storage = db.storage
    storage.wrote()
    at = min(at, storage.timestamp(db.clock()) + 1)
    [number] = storage.execute(sql.TAKE_ID).fetchone()
    storage.execute(past_statements(number).create)
    definition = table.definition | {"Copies": [*table.definition.get("Copies", ()), number]}
    settle_shards(db, table, definition)
    kept = db.save(table.rows.number, definition)
    shards = [shard for shard, *_ in storage.execute(sql.TABLE_SHARDS, (kept.rows.number,))]
    _save(db, number, kept, {str(shard): position_at(storage, shard, at) for shard in shards})
    return number


def end_past(db: Database, past: Past) -> None:
    """Forget a past that has been read; the caller is in a transaction."""
    storage, number = db.storage, past.number
    storage.wrote()
    storage.execute(past_statements(number).drop)
    storage.execute(sql.DELETE_PAST, (number,))
    table = db.find(past.table.name)
    if table is None or table.rows.number != past.table.rows.number:
        release_rows(db, past.table.rows)
        return
    definition = dict(table.definition)
    others = [each for each in definition.pop("Copies") if each != number]
    if others:
        definition["Copies"] = others
    settle_shards(db, table, definition)
    db.save(table.rows.number, definition)


def _save(db: Database, number: int, table: StoredTable, positions: dict[str, int]) -> None:
    definition, place = orjson.dumps(table.definition), orjson.dumps(positions)
    seal = checksum(place, definition, table.rows.number)
    row = (number, table.rows.number, definition.decode(), place.decode(), seal)
    db.storage.execute(sql.WRITE_PAST, row)


def is_sound_past(row: Sequence[Any]) -> bool:
    """Return whether a stored past has its checksum; damage may have changed the types too."""
    _, source, definition, positions, found = row
    try:
        return is_sound(positions.encode(), definition.encode(), source, found)
    except AttributeError:
        return False


def key_text(key: RowKey) -> list[str]:
    """Return a key as a definition can store it."""
    return [part.hex() for part in key]


def key_in_text(text: Sequence[str]) -> RowKey:
    """Return the key that `key_text` has stored."""
    partition, position = text
    return RowKey(bytes.fromhex(partition), bytes.fromhex(position))
