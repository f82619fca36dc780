"""The engine's tables and items, for the actions."""

import sqlite3
from collections.abc import Generator
from itertools import islice
from typing import Any, TypeAlias
from zlib import adler32

import orjson

from sortkey.clock import Clock
from sortkey.engine.keys import RowKey
from sortkey.engine.named_tables import bare_name
from sortkey.engine.promptness import MOST_STEPS, STEP_BYTES, refuse_long
from sortkey.engine.sources import BucketSource
from sortkey.engine.storage import Storage, StorageError, WriteTransaction, sql
from sortkey.engine.storage.checksums import checksum, is_sound
from sortkey.engine.table import Definition, Rows, StoredIndex, StoredTable
from sortkey.engine.weather import EngineWeather
from sortkey.folders.buckets import Buckets
from sortkey.wire.errors import ResourceNotFoundException, ValidationException
from sortkey.wire.limits import SHORTEST_TABLE_NAME
from sortkey.wire.values import Item

_MOST_PARSED_BYTES = MOST_STEPS * STEP_BYTES

# An item's JSON and size, the checksum, its partition (None in the rows of a Query, which knows it)
# and its position.
PageRow: TypeAlias = tuple[bytes, int, int, bytes | None, bytes]


class EngineItem:
    """A stored item: its JSON, its size, and its attributes, which are parsed on demand."""

    __slots__ = ("_item", "raw", "size")

    def __init__(self, raw: bytes, size: int) -> None:
        self.raw = raw
        self.size = size
        self._item: Item | None = None

    @property
    def steps(self) -> int:
        """About how many steps it takes to parse the item."""
        return len(self.raw) // STEP_BYTES

    @property
    def item(self) -> Item:
        """The item's attributes."""
        item = self._item
        if item is None:
            if len(self.raw) > _MOST_PARSED_BYTES:
                refuse_long(self.steps)
            item = self._item = orjson.loads(self.raw)
        return item


class Database:
    """All tables of one storage."""

    def __init__(
        self,
        storage: Storage,
        clock: Clock,
        ttl_delay: int = 0,
        weather: EngineWeather | None = None,
        buckets: Buckets | None = None,
    ) -> None:
        self.storage = storage
        self.clock = clock
        # None if there are no exports and imports.
        self.buckets = buckets
        # None in fair weather: nothing is throttled.
        self.weather = weather
        # The seconds from an item's expiry time until upkeep deletes it.
        self.ttl_delay = ttl_delay
        # The objects that are being read here, by the ARN of the job.
        self.sources: dict[str, BucketSource] = {}
        self._tables: dict[str, StoredTable] = {}
        # Tables that a restore or an import fills; only that itself and DescribeTable find them.
        self._creating: dict[str, StoredTable] = {}
        # The definition of each table, so that only changed ones are rebuilt.
        self._known: dict[str, tuple[int, str, StoredTable]] = {}
        self._version = 0
        with storage.snapshot():
            self.refresh()
            self._refuse_missing_rows()
        storage.on_begin = self.refresh
        if weather is not None and weather.lag is not None:
            storage.on_commit = self._note_commit
        storage.on_roll_back = self._reload

    def close_sources(self) -> None:
        """Close the objects that are being read; a job that goes on opens its own again."""
        while self.sources:
            _, source = self.sources.popitem()
            source.close()

    # -- tables -----------------------------------------------------------------------------

    def refresh(self) -> bool:
        """Read the definitions again if any process changed one, and return whether one did."""
        storage = self.storage
        with storage.lock:
            version = storage.catalog_version()
            if version == self._version:
                return False
            known, self._known = self._known, {}
            for name, number, definition, seal in storage.execute(sql.READ_TABLES):
                found = known.get(name)
                if found is None or found[:2] != (number, definition):
                    if not is_sound(_encoded(name), _encoded(definition), number, seal):
                        place = f"the definition of the table {name}"
                        raise storage.damage(place, "does not match its checksum")
                    found = (number, definition, StoredTable(number, orjson.loads(definition)))
                self._known[name] = found
            tables = {name: table for name, (_, _, table) in self._known.items()}
            self._creating = {name: each for name, each in tables.items() if each.is_creating}
            self._tables = {name: each for name, each in tables.items() if not each.is_creating}
            self._version = version
        return True

    def _refuse_missing_rows(self) -> None:
        stored = {name for [name] in self.storage.execute(sql.READ_STORED)}
        for *_, table in self._known.values():
            for rows in (table.rows, *(index.rows for index in table)):
                if f"rows_{rows.number}" not in stored:
                    raise self.storage.damage(f"{rows.place}", "has no rows")

    def _reload(self) -> None:
        """Forget definitions that were saved in a transaction that is rolled back."""
        self._version = 0
        self.refresh()
        if self.weather is not None and self.weather.lag is not None:
            self.weather.lag.versions.roll_back(self.storage)

    def _note_commit(self) -> None:
        if self.weather is not None and self.weather.lag is not None:
            self.weather.lag.versions.commit(self.storage)

    def find(self, name: str) -> StoredTable | None:
        """Return the table with this name or ARN, or None."""
        bare = bare_name(name)
        table = self._tables.get(bare)
        if table is None and self.refresh():
            table = self._tables.get(bare)
        # An ARN of another region or account does not match.
        return table if table is not None and name in {table.name, table.arn} else None

    def find_creating(self, name: str) -> StoredTable | None:
        """Return the table with this name or ARN that a restore or an import fills, or None."""
        self.refresh()
        table = self._creating.get(bare_name(name))
        return table if table is not None and name in {table.name, table.arn} else None

    @property
    def restoring(self) -> list[StoredTable]:
        """The tables whose restore is not complete."""
        return [table for table in self._creating.values() if "Restore" in table.definition]

    def table(self, name: str) -> StoredTable:
        """Return the table with this name or ARN, for reading or writing items."""
        table = self._tables.get(name) or self.find(name)
        if table is None:
            if len(bare_name(name)) < SHORTEST_TABLE_NAME:
                raise ValidationException(
                    "Invalid table/index name.  Table/index names must be between 3 and 255 "
                    "characters long, and may contain only the characters a-z, A-Z, 0-9, '_', '-', "
                    "and '.'"
                )
            raise ResourceNotFoundException("Requested resource not found")
        if (
            self.weather is not None
            and self.weather.changes.status(table.rows.number) == "CREATING"
        ):
            raise ResourceNotFoundException("Requested resource not found")
        return table

    def index(self, table: StoredTable, name: str) -> StoredIndex:
        """Return the index of a table with this name, for reading."""
        index = table.indexes.get(name)
        if (index is None or index.status != "ACTIVE") and self.refresh():
            index = self.table(table.name).indexes.get(name)
        if index is None:
            raise ValidationException(f"The table does not have the specified index: {name}")
        if index.status == "CREATING":
            raise ValidationException(
                f"Cannot read from backfilling global secondary index: {name}"
            )
        return index

    @property
    def names(self) -> list[str]:
        """The names of all tables, in order."""
        self.refresh()
        return sorted(self._known, key=str.encode)

    def save(self, number: int, definition: Definition) -> StoredTable:
        """Store a table's definition, new or changed; the caller is in a transaction."""
        self.storage.wrote()
        name: str = definition["TableName"]
        text = orjson.dumps(definition)
        seal = checksum(name.encode(), text, number)
        self.storage.execute(sql.WRITE_TABLE, (name, number, text.decode(), seal))
        self._changed()
        return self._known[name][2]

    def forget(self, name: str) -> None:
        """Remove a table's definition; the caller is in a transaction."""
        self.storage.wrote()
        self.storage.execute(sql.DELETE_TABLE, (name,))
        self._changed()

    def _changed(self) -> None:
        self.storage.execute(sql.BUMP_VERSION)
        self.refresh()

    # -- items ------------------------------------------------------------------------------

    def transaction(self) -> WriteTransaction:
        """Return a ``with`` block whose reads stay valid and whose writes are one commit."""
        return self.storage.transaction()

    def get(self, table: StoredTable, key: RowKey) -> EngineItem | None:
        """Return the stored item, or None."""
        storage = self.storage
        with storage.lock:
            row = storage.execute(table.rows.sql.get, key).fetchone()
        if row is None:
            return None
        item, size, found = row
        try:
            # `checksum`, without the cost of a call.
            if adler32(item, adler32(key[1], size)) == found:
                return EngineItem(item, size)
        except TypeError:
            pass  # damage has changed a type
        raise self.damage(table.rows, *key)

    def measure(self, table: StoredTable, key: RowKey) -> EngineItem | None:
        """Return the stored item's size without its content, which is not verified."""
        storage = self.storage
        with storage.lock:
            row = storage.execute(table.rows.sql.get_size, key).fetchone()
        return None if row is None else EngineItem(b"", *row)

    def page(
        self,
        source: StoredTable | StoredIndex,
        statement: str,
        bounds: tuple[Any, ...],
        room: int,
        given: Generator[PageRow] | None = None,
    ) -> tuple[list[bytes], int]:
        """Return the rows that the statement finds, or the given ones, and their size.

        A page ends with the item that fills it. The caller holds the lock.
        """
        if given is None and not self.storage.shared:
            # No disk has damaged what is in memory.
            return self._unverified_page(source.rows.sql.unverified[statement], bounds, room)
        rows: sqlite3.Cursor | Generator[PageRow] = (
            self.storage.execute(statement, bounds) if given is None else given
        )
        raws: list[bytes] = []
        total = 0
        only: bytes = bounds[0]
        partition: bytes | None = only
        position = b""
        try:
            while True:
                before = len(raws)
                for raw, size, found, partition, position in islice(rows, MOST_STEPS):
                    # `checksum`, without the cost of a call.
                    if adler32(raw, adler32(position, size)) != found:
                        raise self.damage(source.rows, partition or only, position)
                    raws.append(raw)
                    total += size
                    if total >= room:
                        return raws, total
                if len(raws) - before < MOST_STEPS:
                    return raws, total
                refuse_long(len(raws) + 1)
        except TypeError:  # damage has changed a type
            raise self.damage(source.rows, partition or only, position) from None
        finally:
            rows.close()

    def _unverified_page(
        self, statement: str, bounds: tuple[Any, ...], room: int
    ) -> tuple[list[bytes], int]:
        rows = self.storage.execute(statement, bounds)
        raws: list[bytes] = []
        total = 0
        try:
            while True:
                before = len(raws)
                for raw, size in islice(rows, MOST_STEPS):
                    raws.append(raw)
                    total += size
                    if total >= room:
                        return raws, total
                if len(raws) - before < MOST_STEPS:
                    return raws, total
                refuse_long(len(raws) + 1)
        finally:
            rows.close()

    @property
    def present(self) -> "Database":
        """The database as it is now, for a request that has also parts that may lag."""
        return self

    def damage(self, rows: Rows, partition: bytes, position: bytes) -> StorageError:
        """Return the error for a row that was read and does not match its checksum."""
        place = rows.place_of(partition, position)
        return self.storage.damage(place, "does not match its checksum")


def _encoded(text: Any) -> bytes | None:
    """Return the bytes of a text; damage may have changed its type."""
    return text.encode() if isinstance(text, str) else None
