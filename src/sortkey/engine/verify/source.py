"""A database file that may be damaged: read as far as possible, and never changed."""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

import orjson

from sortkey.engine.backups import Backup, read_backup
from sortkey.engine.jobs import Job, read_job
from sortkey.engine.keys import RowKey
from sortkey.engine.past import is_sound_past
from sortkey.engine.storage import StorageError, files, sql
from sortkey.engine.storage.checksums import checksum, is_sound
from sortkey.engine.storage.sql import past_statements
from sortkey.engine.table import Rows, StoredIndex, StoredTable
from sortkey.wire.values import Item, item_size

_LOG_MODE = 2
_LOG_MODE_AT = 18


class SourceRow(NamedTuple):
    """The columns of a row as they are stored, whatever their types."""

    raw: Any
    size: Any
    checksum: Any
    partition: Any
    position: Any
    expires: Any


class SourceItem(NamedTuple):
    """An item, and the key and the size that follow from it."""

    key: RowKey
    item: Item
    size: int


class UnreadableRowsError(Exception):
    """Not all rows could be read; the message is SQLite's."""


class SourceFile:
    """A file, open for reading: at one moment if it is in use."""

    def __init__(self, path: Path) -> None:
        self.path = path
        file = files.real_path(str(path))
        if not file.is_file() or not file.stat().st_size:
            raise StorageError(f"{path} is not a file, or it has zero bytes")
        self._file = file
        self._has_log = has_log = files.has_log(file)
        # A file without a log is not in use, so it can be read without locks, which would keep
        # others from opening it.
        options = ("mode=ro",) if has_log else ("mode=ro", "immutable=1")
        self.may_lack_log = not has_log and _has_log_mode(file)
        try:
            self._connection = sqlite3.connect(
                files.address(file, *options), isolation_level=None, uri=True
            )
            # A damaged text does not match its checksum; it must not be an error here.
            self._connection.text_factory = _text
            self.execute = self._connection.execute
            self.execute("BEGIN")
            [found] = self.execute("PRAGMA user_version").fetchone()
            self.schema = set(self.execute("SELECT type, name, sql FROM sqlite_master"))
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            with suppress(AttributeError):  # there was no connection yet
                self._connection.close()
            raise StorageError(f"{path} cannot be read as a database: {error}") from error
        if found != sql.FORMAT:
            self._connection.close()
            raise StorageError(
                f"{path} has the format {found}, not {sql.FORMAT}. If it is an older database of "
                "sortkey, open it once, which upgrades it"
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._connection.close()

    def refuse_use(self) -> None:
        """Raise an error if another process has opened the file, which was read without locks."""
        if not self._has_log and files.has_log(self._file):
            raise StorageError(
                f"another process has opened {self.path} while it was verified: verify it again"
            )

    def tables(self) -> Iterator[tuple[str, StoredTable | None]]:
        """Yield each table's name with the table, or None if its definition is damaged."""
        for name, number, definition, found in self.execute(sql.READ_TABLES).fetchall():
            yield str(name), _table(name, number, definition, found)

    def backups(self) -> Iterator[tuple[str, Backup | None]]:
        """Yield each backup's ARN with the backup, or None if it is damaged."""
        for row in self.execute(sql.READ_BACKUPS).fetchall():
            yield str(row[0]), read_backup(row)

    def jobs(self) -> Iterator[tuple[str, Job | None]]:
        """Yield each job's ARN with the job, or None if it is damaged."""
        for row in self.execute(sql.READ_JOBS).fetchall():
            yield str(row[0]), read_job(row)

    def pasts(self) -> Iterator[tuple[int, StoredTable | None]]:
        """Yield the number of each past with its table, or None if it is damaged."""
        for row in self.execute(sql.READ_PASTS).fetchall():
            is_sound = is_sound_past(row)
            yield row[0], StoredTable(row[1], orjson.loads(row[2])) if is_sound else None

    def has_rows(self, number: int) -> bool:
        """Return whether there are rows with this number."""
        return any(name == f"rows_{number}" for _, name, _ in self.schema)

    def rows(self, number: int, *, backward: bool = False) -> Iterator[SourceRow]:
        """Yield the rows of a table or index in order.

        Raises:
            UnreadableRowsError: SQLite cannot read further.
        """
        order = "partition DESC, position DESC" if backward else "partition, position"
        columns = "item, size, checksum, partition, position, expires"
        statement = f"SELECT {columns} FROM rows_{number} ORDER BY {order}"
        try:
            for row in self.execute(statement):
                yield SourceRow(*row)
        except sqlite3.DatabaseError as error:
            raise UnreadableRowsError(str(error)) from error

    def get(self, number: int, key: RowKey) -> SourceRow | None:
        """Return the row with this key, or None if there is none or it cannot be read."""
        columns = "item, size, checksum, partition, position, expires"
        statement = f"SELECT {columns} FROM rows_{number} WHERE partition = ? AND position = ?"
        try:
            row = self.execute(statement, key).fetchone()
        except sqlite3.DatabaseError:
            return None
        return None if row is None else SourceRow(*row)


def _text(stored: bytes) -> str:
    return stored.decode("utf-8", "replace")


def _has_log_mode(file: Path) -> bool:
    # No process has the file open, so closing it here releases no lock of this process.
    with file.open("rb") as opened:
        header = opened.read(_LOG_MODE_AT + 1)
    return header[_LOG_MODE_AT:] == bytes((_LOG_MODE,))


def _table(name: Any, number: Any, definition: Any, found: Any) -> StoredTable | None:
    try:
        if checksum(name.encode(), definition.encode(), number) != found:
            return None
        return StoredTable(number, orjson.loads(definition))
    except Exception:  # noqa: BLE001 - whatever it is, it is not a definition
        return None


def is_intact(row: SourceRow) -> bool:
    """Return whether the row matches its checksum."""
    return is_sound(row.position, row.raw, row.size, row.checksum)


def item_in(table: StoredTable, index: StoredIndex | None, row: SourceRow) -> SourceItem | None:
    """Return the row's item with its own key and size, or None if it is not a valid item."""
    try:
        item: Item = orjson.loads(row.raw)
        primary = table.stored_key(item)
        key = primary if index is None else index.key_of(item, primary)
        return None if key is None else SourceItem(key, item, item_size(item))
    except Exception:  # noqa: BLE001 - whatever it is, it is not an item
        return None


def expected_schema(
    tables: Iterable[StoredTable], plain: Iterable[Rows], pasts: Iterable[int]
) -> set[tuple[str, str, str | None]]:
    """Return the schema of a file with these tables, rows without indexes, and pasts."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as memory:
        for statement in sql.CREATE_CATALOG:
            memory.execute(statement)
        for table in tables:
            memory.execute(table.rows.sql.create)
            memory.execute(table.rows.sql.index_expiry)
            for index in table:
                memory.execute(index.rows.sql.create)
        for rows in plain:
            memory.execute(rows.sql.create)
            memory.execute(rows.sql.index_expiry)
        for number in pasts:
            memory.execute(past_statements(number).create)
        return set(memory.execute("SELECT type, name, sql FROM sqlite_master"))
