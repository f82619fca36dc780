"""A change to one item: its effect on the table and each index, and its cost.

A change is planned before anything is written, so that an error has nothing to undo; a
transaction plans all its changes and then makes them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple
from zlib import adler32

import orjson

from sortkey.engine.capacity import Usage, write_units
from sortkey.engine.database import Database, EngineItem
from sortkey.engine.journal import Journal
from sortkey.engine.keys import RowKey
from sortkey.engine.lag import ItemState, ItemWrite
from sortkey.engine.promptness import STEP_BYTES, refuse_long
from sortkey.engine.storage import Storage, sql
from sortkey.engine.storage.checksums import checksum
from sortkey.engine.table import StoredIndex, StoredTable
from sortkey.engine.weather import Demand
from sortkey.wire.errors import ValidationException
from sortkey.wire.limits import ITEM_BYTES
from sortkey.wire.values import Item, item_size, same_value

# What it takes to write any row of a table or an index.
_ROW_STEPS = 10
TOO_LARGE_TO_UPDATE = "Item size to update has exceeded the maximum allowed size"


class Entry(NamedTuple):
    """An item's row in an index."""

    key: RowKey
    item: Item
    size: int

    @property
    def row(self) -> tuple[bytes, bytes, bytes, int, int]:
        """The values of the row."""
        partition, position = self.key
        raw = orjson.dumps(self.item)
        return partition, position, raw, self.size, checksum(position, raw, self.size)


@dataclass(frozen=True, slots=True)
class IndexChange:
    """The effect of a change on one index: the entry before and the entry after."""

    index: StoredIndex
    before: Entry | None
    after: Entry | None

    @property
    def growth(self) -> int:
        """The number of bytes that the index grows by."""
        return (self.after.size if self.after else 0) - (self.before.size if self.before else 0)

    @property
    def moves(self) -> bool:
        """Whether the item gets another key in the index."""
        before, after = self.before, self.after
        return before is not None and after is not None and before.key != after.key

    @property
    def units(self) -> float:
        """Write units: the larger of both entries, or each of them when the key moves."""
        if self.before is None:
            return write_units(self.after.size) if self.after else 0.0
        if self.after is None:
            return write_units(self.before.size)
        if not self.moves:
            return write_units(max(self.before.size, self.after.size))
        return write_units(self.before.size) + write_units(self.after.size)


class ItemChange:
    """One item put or deleted."""

    __slots__ = ("after", "before", "indexes", "key", "size", "table")

    def __init__(
        self,
        table: StoredTable,
        key: RowKey,
        before: EngineItem | None,
        after: Item | None,
        size: int,
    ) -> None:
        self.table = table
        self.key = key
        self.before = before
        self.after = after
        self.size = size
        self.indexes = _index_changes(table, key, before, after, size) if table.indexes else ()

    @property
    def units(self) -> float:
        """Write units of the table itself: the larger of the item before and after."""
        return write_units(max(self.size, self.before.size if self.before else 0))

    def charge(self, usage: Usage, factor: float = 1.0) -> None:
        """Add the units of the table, multiplied in a transaction, and of each changed index."""
        usage.write(self.units * factor)
        for change in self.indexes:
            usage.write(change.units, change.index.name)

    def demands(self, factor: float = 1.0) -> list[Demand]:
        """Return the units that the change needs of the table and of each index, by row."""
        table = self.table
        own = self.units * factor
        demands: list[Demand] = []
        for change in self.indexes:
            if not change.index.is_global:
                own += change.units
                continue
            entries = [entry for entry in (change.before, change.after) if entry is not None]
            if change.moves:
                demands += [
                    Demand(table, change.index, "Write", entry.key, write_units(entry.size))
                    for entry in entries
                ]
            else:
                demands.append(Demand(table, change.index, "Write", entries[-1].key, change.units))
        return [Demand(table, None, "Write", self.key, own), *demands]

    @property
    def steps(self) -> int:
        """About how many steps it takes to write the change."""
        size = max(self.size, self.before.size if self.before else 0)
        return (_ROW_STEPS + size // STEP_BYTES) * (1 + len(self.indexes))

    def make(self, db: Database, at: int | None = None, *, by_expiry: bool = False) -> None:
        """Write the change, journalled at this time if need be; the caller is in a transaction."""
        if self.indexes:
            refuse_long(self.steps)
        storage = db.storage
        table, before, after = self.table, self.before, self.after
        raw = b"" if after is None else orjson.dumps(after)
        storage.wrote()
        statements = table.rows.sql
        partition, position = self.key
        old_size = 0 if before is None else before.size
        if after is None:
            if before is None:
                return
            storage.execute(statements.delete, self.key)
            storage.add_total(table.rows.number, -1, -old_size)
        else:
            seal = checksum(position, raw, self.size)
            if table.expiry_attribute is None:
                storage.execute(statements.put, (partition, position, raw, self.size, seal))
            else:
                expires = expiry_of(after, table.expiry_attribute)
                storage.execute(
                    statements.put_expiring, (partition, position, raw, self.size, seal, expires)
                )
            added = 1 if before is None else 0
            if added or self.size != old_size:
                storage.add_total(table.rows.number, added, self.size - old_size)
        for change in self.indexes:
            self._make_index(db, change)
        if table.local_indexes:
            growth = self._collection_growth()
            storage.execute(sql.ADD_COLLECTION, (table.rows.number, partition, growth))
        if table.journal is not None and not self.is_same(raw):
            if at is None:
                at = storage.timestamp(db.clock(), is_recorded=True)
            self._journal(storage, at, table.journal, raw, by_expiry=by_expiry)

    def is_same(self, raw: bytes) -> bool:
        """Return whether the write leaves the item as it was; ``raw`` is the one after it."""
        before, after = self.before, self.after
        if before is None or after is None or before.size != self.size:
            return False
        if before.raw == raw:
            return True
        # Equal values are of the same bytes, in another order: the lower half of an Adler-32 is
        # their sum.
        if (adler32(before.raw) ^ adler32(raw)) & 0xFFFF:
            return False
        return same_value({"M": before.item}, {"M": after})

    def _journal(
        self, storage: Storage, at: int, journal: Journal, raw: bytes, *, by_expiry: bool
    ) -> None:
        before, after = self.before, self.after
        journal.write(
            storage,
            self.table.partitions.of(self.key.partition).shard or 0,
            at,
            after or (before.item if before else {}),
            old=None if before is None else before.raw,
            new=None if after is None else raw,
            by_expiry=by_expiry,
        )

    def _collection_growth(self) -> int:
        """Return how many bytes the item's collection grows, in the table and local indexes."""
        growth = self.size - (self.before.size if self.before else 0)
        for change in self.indexes:
            if not change.index.is_global:
                growth += change.growth
        return growth

    def _make_index(self, db: Database, change: IndexChange) -> None:
        storage, rows = db.storage, change.index.rows
        before, after = change.before, change.after
        if before is not None and change.index.status == "CREATING":
            # The back-fill may not have reached this item yet.
            found = storage.execute(rows.sql.get_size, before.key).fetchone()
            before = before if found else None
        if before is not None and (after is None or before.key != after.key):
            storage.execute(rows.sql.delete, before.key)
        if after is not None:
            storage.execute(rows.sql.put, after.row)
        storage.add_total(
            rows.number,
            (after is not None) - (before is not None),
            (after.size if after else 0) - (before.size if before else 0),
        )


def make_one(db: Database, change: ItemChange) -> None:
    """Write the change of a request about one item; the caller is in a transaction."""
    if db.weather is None:
        change.make(db)
    else:
        db.weather.admit(change.demands())
        make_recorded(db, change)


def make_recorded(
    db: Database, change: ItemChange, at: int | None = None, *, by_expiry: bool = False
) -> None:
    """Write the change, and record it if the weather lets reads miss it."""
    lag = None if db.weather is None else db.weather.lag
    if lag is None:
        change.make(db, at, by_expiry=by_expiry)
        return
    before = change.before
    if before is not None and not before.raw:
        # Only its size was read.
        stored = db.get(change.table, change.key)
        change = ItemChange(change.table, change.key, stored, change.after, change.size)
    change.make(db, at, by_expiry=by_expiry)
    write = write_of(change, db.clock(), db.storage)
    if write is not None:
        lag.record(write)


def write_of(change: ItemChange, at: float, open_in: object | None = None) -> ItemWrite | None:
    """Return the record of a change for reads that miss it, or None if it leaves the item as is."""
    before, after = change.before, change.after
    raw = b"" if after is None else orjson.dumps(after)
    if (before is None and after is None) or change.is_same(raw):
        return None
    rows: dict[int, Sequence[RowKey]] = {change.table.rows.number: (change.key,)}
    for each in change.indexes:
        entries = (each.before, each.after)
        rows[each.index.rows.number] = [entry.key for entry in entries if entry is not None]
    return ItemWrite(
        at,
        change.table,
        change.key,
        None if before is None else ItemState(before.raw, before.size),
        None if after is None else ItemState(raw, change.size),
        rows,
        open_in,
    )


def make_all(db: Database, changes: Iterable[ItemChange], *, by_expiry: bool = False) -> None:
    """Write several changes, at one time; the caller is in a transaction."""
    planned = list(changes)
    refuse_long(sum(change.steps for change in planned))
    is_journalled = any(change.table.journal for change in planned)
    at = db.storage.timestamp(db.clock(), is_recorded=True) if is_journalled else None
    if db.weather is None:
        for change in planned:
            change.make(db, at, by_expiry=by_expiry)
    else:
        for change in planned:
            make_recorded(db, change, at, by_expiry=by_expiry)


def update_change(
    table: StoredTable, key: RowKey, before: EngineItem | None, item: Item, size: int
) -> ItemChange:
    """Return the change that replaces the stored item by this one, if it is valid."""
    if size > ITEM_BYTES:
        raise ValidationException(TOO_LARGE_TO_UPDATE)
    table.refuse_index_keys(item, updated=True)
    return ItemChange(table, key, before, item, size)


def delete_change(table: StoredTable, key: RowKey, before: EngineItem | None) -> ItemChange:
    """Return the change that deletes the item with this key, if there is one."""
    return ItemChange(table, key, before, None, 0)


def index_entry(index: StoredIndex, key: RowKey, item: Item, size: int) -> Entry | None:
    """Return the item's row in an index, or nothing if it does not appear there."""
    found = index.key_of(item, key)
    if found is None:
        return None
    if index.projects_all:
        return Entry(found, item, size)
    projected = index.project(item)
    return Entry(found, projected, item_size(projected))


def _index_changes(
    table: StoredTable, key: RowKey, before: EngineItem | None, after: Item | None, size: int
) -> list[IndexChange]:
    changes: list[IndexChange] = []
    for index in table:
        old = None if before is None else index_entry(index, key, before.item, before.size)
        new = None if after is None else index_entry(index, key, after, size)
        if old != new and not _same_entry(old, new):
            changes.append(IndexChange(index, old, new))
    return changes


def _same_entry(old: Entry | None, new: Entry | None) -> bool:
    """Return whether two entries differ in nothing but the order of a set's members."""
    if old is None or new is None or old.key != new.key:
        return False
    return same_value({"M": old.item}, {"M": new.item})


def expiry_of(item: Item, attribute: str) -> int | None:
    """Return the second after which an item may be deleted, if its attribute is a number."""
    value = item.get(attribute)
    if value is None or "N" not in value:
        return None
    seconds = int(Decimal(value["N"]))
    return seconds if 0 < seconds < 1 << 62 else None
