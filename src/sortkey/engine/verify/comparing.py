"""Everything that is stored, compared with everything that follows from it.

An item implies its key, its size, its expiry time, its entries in the indexes, and its share of the
counts. Each row of a table is compared with its entries, and each entry with its row, one by one in
the order of their keys, so that the memory does not grow with the file.
"""

import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import orjson

from sortkey.engine.changes import expiry_of, index_entry
from sortkey.engine.journal import is_sound_record, shard_of
from sortkey.engine.storage import sql
from sortkey.engine.storage.checksums import is_sound_token
from sortkey.engine.storage.sql import past_statements
from sortkey.engine.table import Rows, StoredIndex, StoredTable, table_without_indexes
from sortkey.engine.verify.source import (
    SourceFile,
    SourceItem,
    SourceRow,
    UnreadableRowsError,
    expected_schema,
    is_intact,
    item_in,
)
from sortkey.wire.values import same_value

# What is kept of the damage; all of it is counted.
MOST_SHOWN = 1000
_MOST_OF_SQLITE = 100
_PROGRESS_ROWS = 1000

Progress = Callable[[int], object]


@dataclass(frozen=True, slots=True)
class Damage:
    """A place that is not as it was written, and what is wrong there."""

    place: str
    reason: str

    def __str__(self) -> str:
        return f"{self.place} {self.reason}"


@dataclass(slots=True)
class Verification:
    """What was read, and the damage that was found."""

    tables: int = 0
    rows: int = 0
    # Whether the latest writes may be missing: a removed log leaves no other trace in the file.
    may_lack_log: bool = False
    damage_count: int = 0
    damage: list[Damage] = field(default_factory=list[Damage])

    def add(self, damage: Damage) -> None:
        """Count the damage, and keep it if it is among the first."""
        self.damage_count += 1
        if len(self.damage) < MOST_SHOWN:
            self.damage.append(damage)


def verify(source: SourceFile, progress: Progress = lambda _: None) -> Verification:
    """Read the whole file and report all damage; ``progress`` gets the number of rows read."""
    found = Verification(may_lack_log=source.may_lack_log)
    for damage in _all_damage(source, found, progress):
        found.add(damage)
    source.refuse_use()
    return found


def _all_damage(source: SourceFile, found: Verification, progress: Progress) -> Iterator[Damage]:
    yield from _as_far_as_readable("the structure of the file", _structure_damage(source))
    tables: list[StoredTable] = []
    yield from _as_far_as_readable("the list of tables", _definition_damage(source, tables))
    found.tables = len(tables)
    kept = _KeptRows(tables)
    yield from _as_far_as_readable("the list of backups", kept.damage(source))
    yield from _schema_damage(source, tables, kept)
    yield from _as_far_as_readable("the catalog", _catalog_damage(source, tables, kept))
    for table in (*tables, *kept.tables):
        compared = _TableComparison(source, table, found, progress).damage()
        yield from _as_far_as_readable(table.rows.place, compared)
    yield from _as_far_as_readable("the list of request tokens", _token_damage(source))
    yield from _as_far_as_readable("the list of exports and imports", _job_damage(source))
    yield from _as_far_as_readable("the journal", _journal_damage(source, tables))


def _as_far_as_readable(place: str, damage: Iterator[Damage]) -> Iterator[Damage]:
    try:
        yield from damage
    except sqlite3.DatabaseError as error:
        yield Damage(place, f"cannot be read completely, SQLite reports: {error}")


def _structure_damage(source: SourceFile) -> Iterator[Damage]:
    for [line] in source.execute(f"PRAGMA integrity_check({_MOST_OF_SQLITE})"):
        if line != "ok":
            yield Damage("the structure of the file", f"is damaged, SQLite reports: {line}")


def _definition_damage(source: SourceFile, tables: list[StoredTable]) -> Iterator[Damage]:
    """Report damaged definitions, and collect the tables of the others."""
    for name, table in source.tables():
        if table is None:
            yield Damage(f"the definition of the table {name}", "does not match its checksum")
        else:
            tables.append(table)


class _KeptRows:
    """Rows that are not those of a table: of backups, and of deleted tables that are read."""

    def __init__(self, tables: list[StoredTable]) -> None:
        self._known = {table.rows.number for table in tables}
        self.tables: list[StoredTable] = []
        self.pasts: list[int] = []

    @property
    def numbers(self) -> list[int]:
        """The numbers of the rows and of the pasts."""
        return [*(table.rows.number for table in self.tables), *self.pasts]

    def damage(self, source: SourceFile) -> Iterator[Damage]:
        """Report damaged backups and pasts, and collect the rows of the others."""
        for arn, backup in source.backups():
            if backup is None:
                yield Damage(f"the backup {arn}", "does not match its checksum")
            else:
                self._keep(backup.table)
        for number, table in source.pasts():
            if table is None:
                yield Damage(f"the past {number}", "does not match its checksum")
                continue
            self.pasts.append(number)
            self._keep(table_without_indexes(table))
            [lost] = source.execute(past_statements(number).count_lost).fetchone()
            if lost:
                yield Damage(
                    f"the past {number}", f"has {lost} records that are not in the journal"
                )

    def _keep(self, table: StoredTable) -> None:
        if table.rows.number not in self._known:
            self._known.add(table.rows.number)
            self.tables.append(table)


def _token_damage(source: SourceFile) -> Iterator[Damage]:
    for token, expires, digest, seal in source.execute(sql.READ_TOKENS):
        if not is_sound_token(token, expires, digest, seal):
            yield Damage(f"the request token {token}", "does not match its checksum")


def _job_damage(source: SourceFile) -> Iterator[Damage]:
    for arn, job in source.jobs():
        if job is None:
            yield Damage(f"the record of {arn}", "does not match its checksum")


def _journal_damage(source: SourceFile, tables: list[StoredTable]) -> Iterator[Damage]:
    shards = {shard for shard, *_ in source.execute(sql.READ_SHARDS)}
    for table in tables:
        for partition in table.partitions.all:
            if table.journal is not None and partition.shard not in shards:
                yield Damage(f"a shard of the journal of {table.rows.place}", "is missing")
    latest: dict[int, int] = {}
    for row in source.execute(sql.READ_JOURNAL):
        place = f"the record {row[0]} of the journal"
        if not is_sound_record(row):
            yield Damage(place, "does not match its checksum")
        elif shard_of(row[0]) not in shards:
            yield Damage(place, "belongs to no shard")
        else:
            if row[1] < latest.get(shard_of(row[0]), 0):
                yield Damage(place, "has a time before that of the record before it")
            latest[shard_of(row[0])] = row[1]


def _schema_damage(
    source: SourceFile, tables: list[StoredTable], kept: _KeptRows
) -> Iterator[Damage]:
    expected = expected_schema(tables, [table.rows for table in kept.tables], kept.pasts)
    present = {name for _, name, _ in source.schema}
    for kind, name, _ in sorted(expected - source.schema, key=str):
        reason = "is not as sortkey created it" if name in present else "is missing"
        yield Damage(f"the SQLite {kind} {name}", reason)
    known = {name for _, name, _ in expected}
    for kind, name, _ in sorted(source.schema - expected, key=str):
        if name not in known:
            yield Damage(f"the SQLite {kind} {name}", "belongs to no table")


def _catalog_damage(
    source: SourceFile, tables: list[StoredTable], kept: _KeptRows
) -> Iterator[Damage]:
    numbers = {number for table in tables for number in _numbers(table)} | set(kept.numbers)
    rows = source.execute("SELECT version, next_id FROM catalog").fetchall()
    if len(rows) != 1 or not all(isinstance(value, int) for value in rows[0]):
        yield Damage("the catalog", "does not have its only row")
    elif rows[0][1] <= max(numbers, default=0):
        yield Damage("the catalog", "would give a new table the rows of another one")
    for name in ("totals", "collections"):
        for [number] in source.execute(f"SELECT DISTINCT id FROM {name}").fetchall():
            if number not in numbers:
                yield Damage(f"a row of {name}", f"belongs to no table: {number}")


def _numbers(table: StoredTable) -> list[int]:
    return [table.rows.number, *(index.rows.number for index in table)]


class _TableComparison:
    """The comparison of a table with its indexes."""

    def __init__(
        self, source: SourceFile, table: StoredTable, found: Verification, progress: Progress
    ) -> None:
        self._source = source
        self._table = table
        self._found = found
        self._progress = progress
        # Entries of an index that is still being filled may be missing.
        self._filled = [
            index
            for index in table
            if index.status == "ACTIVE" and source.has_rows(index.rows.number)
        ]

    def damage(self) -> Iterator[Damage]:
        """Yield all damage of the table and its indexes."""
        if self._source.has_rows(self._table.rows.number):
            yield from self._rows_damage(self._table.rows, None)
            if self._table.local_indexes:
                yield from self._collection_damage()
        for index in self._table:
            if self._source.has_rows(index.rows.number):
                yield from self._rows_damage(index.rows, index)

    def _rows_damage(self, rows: Rows, index: StoredIndex | None) -> Iterator[Damage]:
        items = total = 0
        last: tuple[bytes, bytes] | None = None
        try:
            for row in self._source.rows(rows.number):
                self._found.rows += 1
                if not self._found.rows % _PROGRESS_ROWS:
                    self._progress(self._found.rows)
                place = rows.place_of(row.partition, row.position)
                items += 1
                total += row.size if isinstance(row.size, int) else 0
                stored = item_in(self._table, index, row)
                if not is_intact(row):
                    yield Damage(place, "does not match its checksum")
                elif stored is None:
                    yield Damage(place, "is not a valid item")
                elif stored.key != (row.partition, row.position):
                    yield Damage(place, "is stored under another key than its own")
                elif stored.size != row.size:
                    yield Damage(place, f"has the size {row.size} instead of {stored.size}")
                else:
                    if last is not None and last >= stored.key:
                        yield Damage(place, "is not in order")
                    last = stored.key
                    if index is None:
                        yield from self._item_damage(place, row, stored)
                    else:
                        yield from self._entry_damage(index, place, stored)
        except UnreadableRowsError as error:
            yield Damage(rows.place, f"cannot be read completely, SQLite reports: {error}")
            return
        counted = self._source.execute(sql.READ_TOTALS, (rows.number,)).fetchone()
        if counted != (items, total):
            yield Damage(f"the counts of {rows.place}", f"are {counted}, not {(items, total)}")

    def _item_damage(self, place: str, row: SourceRow, stored: SourceItem) -> Iterator[Damage]:
        """Compare an item with its expiry time and its entries in the indexes."""
        attribute = self._table.expiry_attribute
        if attribute is not None and "ExpiryFilledTo" not in self._table.definition:
            expires = expiry_of(stored.item, attribute)
            if row.expires != expires:
                yield Damage(place, f"has the expiry time {row.expires} instead of {expires}")
        for index in self._filled:
            entry = index_entry(index, stored.key, stored.item, stored.size)
            if entry is None:
                continue
            found = self._source.get(index.rows.number, entry.key)
            where = index.rows.place_of(*entry.key)
            if found is None:
                yield Damage(where, "is missing")
            elif (
                is_intact(found)
                and found.raw != orjson.dumps(entry.item)
                and not same_value({"M": orjson.loads(found.raw)}, {"M": entry.item})
            ):
                yield Damage(where, "differs from the item in the table")

    def _entry_damage(self, index: StoredIndex, place: str, entry: SourceItem) -> Iterator[Damage]:
        """Compare an entry of an index with its item."""
        primary = self._table.stored_key(entry.item)
        row = self._source.get(self._table.rows.number, primary)
        if row is None:
            yield Damage(place, "has no item in the table")
            return
        stored = item_in(self._table, None, row)
        if not is_intact(row) or stored is None:
            return  # reported with the table
        expected = index_entry(index, primary, stored.item, stored.size)
        if expected is None or expected.key != entry.key:
            yield Damage(place, "does not belong to the item in the table")

    def _collection_damage(self) -> Iterator[Damage]:
        """Compare the sizes of the item collections."""
        number = self._table.rows.number
        place = f"the collection sizes of {self._table.rows.place}"
        parts = " UNION ALL ".join(
            f"SELECT partition, size FROM rows_{each}"
            for each in (number, *(index.rows.number for index in self._table.local_indexes))
            if self._source.has_rows(each)
        )
        partitions = f"SELECT DISTINCT partition FROM rows_{number} ORDER BY partition"
        total = f"SELECT sum(size) FROM ({parts}) WHERE partition = ?"
        for [partition] in self._source.execute(partitions):
            [size] = self._source.execute(total, (partition,)).fetchone()
            row = self._source.execute(sql.READ_COLLECTION, (number, partition)).fetchone()
            if row != (size,):
                shown = self._table.rows.place_of(partition, b"")
                yield Damage(place, f"have {row and row[0]} instead of {size} bytes for {shown}")
        unused = self._source.execute(
            f"SELECT count(*) FROM collections WHERE id = ? AND bytes <> 0 AND NOT EXISTS "
            f"(SELECT 1 FROM rows_{number} AS r WHERE r.partition = collections.partition)",
            (number,),
        )
        [count] = unused.fetchone()
        if count:
            yield Damage(place, f"have {count} without items")
