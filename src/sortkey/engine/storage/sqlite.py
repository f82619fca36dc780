"""One SQLite connection, its transactions and its file format.

Writes are transactions that lock the file from their start, so what a transaction has read stays
true until it commits. With ``grouped``, transactions that follow each other share one commit, made
by `flush`; no grouped write may be acknowledged before `flush` returns.

No connection to a file is open while the process forks. SQLite's knowledge of a file's locks would
be copied into the child and be wrong there: a lock that is never released, and a log that is
removed while a child still writes to it.
"""

import os
import sqlite3
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import RLock
from types import TracebackType
from typing import Any, Literal, TypeAlias, get_args
from weakref import WeakSet

from sortkey.engine.storage import sql
from sortkey.errors import SortkeyError
from sortkey.wire.errors import InternalServerError, ServiceError
from sortkey.wire.limits import PAGE_BYTES

Durability = Literal["normal", "full"]

# An item's JSON and size, its partition and its position.
WalkedRow: TypeAlias = tuple[bytes, int, bytes, bytes]

MEMORY = ":memory:"
_LOCK_WAIT_SECONDS = 30.0
_PAGE_BYTES = 8192
# Both are limits, not reservations. The inner pages of a table of ten million items fit into the
# cache, and a file is read through the mapping as far as SQLite can map one.
_CACHE_KIB = 256 * 1024
_MAPPED_BYTES = 0x7FFF0000
_CACHED_STATEMENTS = 1024


def _nothing() -> None:
    return


class StorageError(SortkeyError):
    """The database file cannot be used; the message says why and what to do."""


def _unusable(path: str, error: sqlite3.DatabaseError) -> StorageError:
    return StorageError(f"{path} cannot be opened as a sortkey database: {error}")


class _SqliteConnection(sqlite3.Connection):
    """A connection that closes itself, since a database need not be closed by hand.

    Python 3.13 and later emit a ResourceWarning for a connection that is left open.
    """

    def __del__(self) -> None:
        with suppress(sqlite3.ProgrammingError):  # a file that could not be opened
            self.close()


class Storage:
    """A database file, or memory, shared safely with other threads and processes."""

    def __init__(
        self, path: str, *, durability: Durability = "normal", grouped: bool = False
    ) -> None:
        self.path = path
        self.grouped = grouped
        self.lock = RLock()
        self.shared = path != MEMORY
        self.writing = False
        self.broken = False
        self._dirty = False
        self._closed = False
        self._totals: dict[int, list[int]] = {}
        # Callbacks of the database: when a write begins, and after one was rolled back.
        self.on_begin: Callable[[], object] = _nothing
        self.on_roll_back: Callable[[], object] = _nothing
        # Absolute, since the process may change its working directory.
        self._file = Path(path).absolute() if self.shared else path
        self._durability = durability
        self._connect()
        if self.shared:
            _files.add(self)

    def _connect(self) -> None:
        try:
            self._connection = sqlite3.connect(
                self._file,
                timeout=_LOCK_WAIT_SECONDS,
                isolation_level=None,
                check_same_thread=False,
                cached_statements=_CACHED_STATEMENTS,
                factory=_SqliteConnection,
            )
        except sqlite3.DatabaseError as error:
            raise _unusable(self.path, error) from error
        self.execute = self._connection.execute
        try:
            self._refuse_format()
            self._configure()
            self._open_format()
        except BaseException as error:
            self._connection.close()
            self.execute = self._execute_anew
            if isinstance(error, sqlite3.DatabaseError):
                raise _unusable(self.path, error) from error
            raise

    def let_go(self) -> None:
        """Close the file until it is used again; the caller holds the lock."""
        if not self._closed:
            try:
                self.flush()
            except (sqlite3.Error, InternalServerError):
                self.broken = (
                    self.grouped
                )  # `flush` reports the failure of the writes that are rolled back
            self._connection.close()
            self.execute = self._execute_anew

    def _execute_anew(self, statement: str, parameters: tuple[Any, ...] = ()) -> sqlite3.Cursor:
        self._connect()
        return self.execute(statement, parameters)

    def _configure(self) -> None:
        durability = self._durability
        if durability not in get_args(Durability):
            raise StorageError(f'durability is "normal" or "full", not "{durability}"')
        settings = {
            "page_size": _PAGE_BYTES,
            "cache_size": -_CACHE_KIB,
            "mmap_size": _MAPPED_BYTES,
            "journal_mode": "WAL" if self.shared else "MEMORY",
            "synchronous": durability if self.shared else "OFF",
            "temp_store": "MEMORY",
        }
        for name, value in settings.items():
            self.execute(f"PRAGMA {name} = {value}")

    def _refuse_format(self) -> None:
        """Reject a file of another program, or of a newer format, before changing it."""
        with self.snapshot():  # another process may be creating the file right now
            found = self._format()
            [objects] = self.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if found == 0 and objects:
            raise StorageError(
                f"{self.path} is an SQLite database of another program; "
                "choose a new file, or one that sortkey created"
            )
        if found > sql.FORMAT:
            raise StorageError(
                f"{self.path} was written by a newer sortkey (format {found}; this one knows "
                f"up to {sql.FORMAT}); upgrade sortkey to open it"
            )

    def _open_format(self) -> None:
        """Initialize a new file, or upgrade an older one."""
        if self._format() == sql.FORMAT:
            return
        with self.transaction():
            found = self._format()  # another process may have been faster
            if found == 0:
                for statement in sql.CREATE_CATALOG.split(";"):
                    self.execute(statement)
            for version in range(max(found, 1), sql.FORMAT):
                for statement in sql.UPGRADES[version]:
                    self.execute(statement)
            self.execute(f"PRAGMA user_version = {sql.FORMAT}")
        self.flush()

    def _format(self) -> int:
        [found] = self.execute("PRAGMA user_version").fetchone()
        return found

    # -- transactions -----------------------------------------------------------------------

    def transaction(self) -> "WriteTransaction":
        """Return a write transaction for a ``with`` block, which holds the write lock."""
        return WriteTransaction(self)

    @contextmanager
    def snapshot(self) -> Generator[None]:
        """Give all reads inside the ``with`` block one snapshot."""
        with self.lock:
            if self.writing:
                yield
                return
            self.execute("BEGIN")
            try:
                yield
            finally:
                self.execute("COMMIT")

    @contextmanager
    def impatient(self) -> Generator[None]:
        """Fail at once inside the ``with`` block if another process has locked the file."""
        if not self.shared:
            yield
            return
        self.execute("PRAGMA busy_timeout = 0")
        try:
            yield
        finally:
            self.execute(f"PRAGMA busy_timeout = {int(_LOCK_WAIT_SECONDS * 1000)}")

    def begin(self) -> None:
        """Open a write transaction, or join the group's."""
        if self.broken:
            raise InternalServerError("A write that shared this commit failed")
        if not self.writing:
            self.execute("BEGIN IMMEDIATE")
            self.writing = True
            if self.shared:
                try:
                    self.on_begin()
                except BaseException:
                    self._roll_back()
                    raise

    def wrote(self) -> None:
        """Record that the open transaction has changes, which an error must roll back."""
        self._dirty = True

    def add_total(self, number: int, items: int, size: int) -> None:
        """Count rows and bytes added to a table or index, as part of this transaction."""
        total = self._totals.get(number)
        if total is None:
            self._totals[number] = [items, size]
        else:
            total[0] += items
            total[1] += size

    def flush(self) -> None:
        """Commit grouped transactions; after this they may be acknowledged."""
        with self.lock:
            if self.broken:
                self.broken = False
                raise InternalServerError("A write that shared this commit failed")
            if self.writing:
                try:
                    self._commit()
                except BaseException:
                    self._roll_back()
                    raise

    def finish(self, error: BaseException | None) -> None:
        """End one transaction: commit it, keep it for the group, or roll it back."""
        if error is None:
            self._dirty = False
            if not self.grouped:
                try:
                    self._commit()
                except BaseException:
                    self._roll_back()
                    raise
        elif self.grouped and isinstance(error, ServiceError) and not self._dirty:
            pass  # failed before it wrote anything: the group continues
        else:
            self._roll_back()
            self.broken = self.grouped

    def _commit(self) -> None:
        for number, (items, size) in self._totals.items():
            self.execute(sql.ADD_TOTALS, (items, size, number))
        self._totals.clear()
        self.execute("COMMIT")
        self.writing = False

    def _roll_back(self) -> None:
        self._totals.clear()
        self._dirty = False
        if self._connection.in_transaction:
            self.execute("ROLLBACK")
        self.writing = False
        self.on_roll_back()

    def close(self) -> None:
        """Commit open writes and release the file."""
        with self.lock:
            self._closed = True
            _files.discard(self)
            try:
                self.flush()
            finally:
                self._connection.close()

    def failure(self, error: sqlite3.Error) -> SortkeyError:
        """Return the error for a caller whose statement failed."""
        if self._closed:
            return StorageError(f"{self.path} has been closed; open it again to use it")
        if "locked" in str(error):
            return InternalServerError(
                f"Another process has kept {self.path} locked for {_LOCK_WAIT_SECONDS:.0f} seconds"
            )
        return InternalServerError(f"The storage failed: {error}")

    def image(self) -> bytes:
        """Return all stored data as the bytes of a database file."""
        with self.lock:
            self.flush()
            self.catalog_version()  # reopens a file that was closed
            return self._connection.serialize()

    def load(self, image: bytes) -> None:
        """Replace all data in memory by an earlier image."""
        if self.shared:
            raise StorageError(
                f"{self.path} is a file: only a database in memory can load an image"
            )
        with self.lock:
            self.flush()
            self._connection.deserialize(image)
            self.on_roll_back()

    # -- the catalog ------------------------------------------------------------------------

    def catalog_version(self) -> int:
        """Return a number that changes whenever any process changes a table's definition."""
        with self.lock:
            [version] = self.execute(sql.READ_VERSION).fetchone()
        return version

    def totals(self, number: int) -> tuple[int, int]:
        """Return the number of rows of a table or index, and their size in bytes."""
        with self.lock:
            items, size = self.execute(sql.READ_TOTALS, (number,)).fetchone() or (0, 0)
            pending = self._totals.get(number, (0, 0))
        return items + pending[0], size + pending[1]


def page_of(rows: sqlite3.Cursor) -> list[WalkedRow]:
    """Return rows up to the size of a page, so that large items do not fill the memory."""
    page: list[WalkedRow] = []
    total = 0
    for row in rows:
        page.append(row)
        total += row[1]
        if total >= PAGE_BYTES:
            break
    rows.close()
    return page


class WriteTransaction:
    """The ``with`` block of a write transaction."""

    __slots__ = ("_storage",)

    def __init__(self, storage: Storage) -> None:
        self._storage = storage

    def __enter__(self) -> None:
        storage = self._storage
        storage.lock.acquire()
        try:
            storage.begin()
        except BaseException:
            storage.lock.release()
            raise

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self._storage.finish(error)
        finally:
            self._storage.lock.release()


_files: WeakSet[Storage] = WeakSet()
_forking = RLock()
_held: list[Any] = []  # locks, in the order in which they were taken


def _before_fork() -> None:
    """Wait until no thread uses a file, and close them all."""
    _forking.acquire()
    _held.append(_forking)
    for storage in list(_files):
        storage.lock.acquire()
        _held.append(storage.lock)
        storage.let_go()


def _after_fork() -> None:
    """Let parent and child continue, each with its own connections."""
    while _held:
        _held.pop().release()


if hasattr(os, "register_at_fork"):  # not on Windows, which does not fork
    os.register_at_fork(
        before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork
    )
