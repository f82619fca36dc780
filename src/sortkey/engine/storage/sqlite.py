"""One SQLite connection, its transactions and its file format.

Writes are transactions that lock the file from their start, so what a transaction has read stays
true until it commits. With ``grouped``, transactions that follow each other share one commit, made
by `flush`; no grouped write may be acknowledged before `flush` returns.

No connection to a file is open while the process forks. SQLite's knowledge of a file's locks would
be copied into the child and be wrong there: a lock that is never released, and a log that is
removed while a child still writes to it.
"""

import logging
import os
import sqlite3
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import RLock
from types import TracebackType
from typing import Any, Literal, TypeAlias, get_args
from weakref import WeakSet

from sortkey.engine.promptness import IsLocked, NotPrompt, are_beside, are_prompt
from sortkey.engine.storage import files, sql
from sortkey.engine.storage.checksums import checksum, is_sound
from sortkey.engine.storage.upgrades import UPGRADES
from sortkey.errors import SortkeyError
from sortkey.wire.errors import InternalServerError
from sortkey.wire.limits import PAGE_BYTES

_log = logging.getLogger(__name__)

Durability = Literal["normal", "full"]

# An item's JSON and size, its partition and its position.
WalkedRow: TypeAlias = tuple[bytes, int, bytes, bytes]

MEMORY = ":memory:"
LOCK_WAIT_SECONDS = 30.0
# A lock of another process is tried this long before the storage is free for reads in between.
_LOCK_TRY_MILLISECONDS = 5
_LOCK_PAUSE_SECONDS = 0.005
# Both are limits, not reservations. The inner pages of a table of ten million items fit into the
# cache, and a file is read through the mapping as far as SQLite can map one.
_CACHE_KIB = 256 * 1024
_MAPPED_BYTES = 0x7FFF0000
_CACHED_STATEMENTS = 1024


def _nothing() -> None:
    return


class StorageError(SortkeyError):
    """The database file cannot be used; the message says why and what to do."""


# Errors that the request of one caller can raise.
_HARMLESS = (SortkeyError, NotPrompt)


def _is_locked(error: Exception) -> bool:
    return "locked" in str(error)


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
        # Whether prompt calls of a group need not try, as another process has locked the file.
        self.is_locked = False
        self.read_only = False
        # False if another process has locked the file since before it was opened here.
        self._has_log = True
        self._dirty = False
        self._closed = False
        # Whether there may be threads beside the event loop.
        self._has_threads = False
        self._totals: dict[int, list[int]] = {}
        # The time of the latest change, once this transaction has journalled one.
        self._latest: int | None = None
        self._stores_latest = False
        # The latest time after the last commit, and the version of the data that it belongs to.
        self._known_latest: int | None = None
        self._known_version = 0
        # Callbacks of the database: when a write begins, is committed, or is rolled back.
        self.on_begin: Callable[[], object] = _nothing
        self.on_commit: Callable[[], object] | None = None
        self.on_roll_back: Callable[[], object] = _nothing
        # Absolute, since the process may change its working directory.
        self._file = files.real_path(path) if self.shared else path
        self._durability: Durability = durability
        self._connect()
        if self.shared:
            _files.add(self)

    def _connect(self) -> None:
        try:
            if isinstance(self._file, Path):
                self._open_file(self._file)
            else:
                self._open_memory()
        except BaseException as error:
            with suppress(AttributeError):  # there was no connection yet
                self._connection.close()
            self.execute = self._execute_anew
            # SQLite's message about a damaged schema quotes it, and may not be Unicode.
            if isinstance(error, sqlite3.DatabaseError | OSError | UnicodeDecodeError):
                raise StorageError(
                    f"{self.path} cannot be opened as a sortkey database: {error}"
                ) from error
            raise

    def beside(self) -> "Storage":
        """Return the storage for threads beside an event loop, which has its own for a file."""
        self._has_threads = True
        if not self.shared:
            return self
        other = Storage(str(self._file), durability=self._durability, grouped=self.grouped)
        other._has_threads = True
        return other

    def _open_memory(self) -> None:
        self._use(MEMORY)
        self._configure()
        for statement in (*sql.CREATE_CATALOG, f"PRAGMA user_version = {sql.FORMAT}"):
            self.execute(statement)

    def _open_file(self, file: Path) -> None:
        """Connect to the file, and bring it to the current format."""
        self._create_or_refuse(file)
        self.read_only = not files.is_writable(file)
        for _ in range(files.ATTEMPTS):
            had_log = files.has_log(file)
            self._use(files.address(file, f"mode={'ro' if self.read_only else 'rw'}"))
            if not self._may_lack_log(had_log=had_log):
                break
            # Another process may be opening or closing the file at this moment.
            self._connection.close()
            files.pause()
        else:
            _log.warning("%s", files.log_warning(self.path))
            self._use(files.address(file, f"mode={'ro' if self.read_only else 'rw'}"))
        if not self.read_only:
            self._connection.file = file
            self._configure()
            self._has_log = False
            for _ in range(files.ATTEMPTS):
                if self._use_log():
                    break
                files.pause()
        self._upgrade()
        self.execute(f"PRAGMA busy_timeout = {_LOCK_TRY_MILLISECONDS}")

    def _use(self, database: str) -> None:
        self._connection = sqlite3.connect(
            database,
            timeout=LOCK_WAIT_SECONDS,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=_CACHED_STATEMENTS,
            factory=files.FileConnection,
            uri=self.shared,
        )
        self.execute = self._connection.execute
        self._known_latest = None

    def _create_or_refuse(self, file: Path) -> None:
        """Create a missing file; reject one of which something is missing."""
        log = files.beside(file, "-wal").name
        if not file.exists():
            if files.has_log(file):
                raise StorageError(
                    f"{self.path} does not exist, but its log {log} does: put the file back, or "
                    "delete the log to begin with an empty database"
                )
            if not file.parent.is_dir():
                raise StorageError(
                    f"{self.path} cannot be created: there is no folder {file.parent}. Create it "
                    "first"
                )
            files.create(file)
        elif file.is_file() and file.stat().st_size == 0:
            raise StorageError(
                f"{self.path} has zero bytes, which a sortkey database never has, not even a new "
                "one: restore it from a backup, or delete it to begin with an empty database"
            )

    def _may_lack_log(self, *, had_log: bool) -> bool:
        """Reject a file of another format; return whether it may have lost its log."""
        with self.snapshot():  # another process may be upgrading the file right now
            found = self._format()
        if found <= 0:
            raise StorageError(
                f"{self.path} is an SQLite database, but not one of sortkey, or its header is "
                "damaged; choose a new file, or one that sortkey created"
            )
        if found > sql.FORMAT:
            raise StorageError(
                f"{self.path} was written by a newer sortkey (format {found}; this one knows "
                f"up to {sql.FORMAT}); upgrade sortkey to open it"
            )
        [mode] = self.execute("PRAGMA journal_mode").fetchone()
        # The first format did not set the mode back.
        return mode == "wal" and not had_log and found > 1

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
            "page_size": files.PAGE_BYTES,
            "cache_size": -_CACHE_KIB,
            "mmap_size": _MAPPED_BYTES,
            **({} if self.shared else {"journal_mode": "MEMORY"}),
            "synchronous": durability if self.shared else "OFF",
            "temp_store": "MEMORY",
        }
        for name, value in settings.items():
            self.execute(f"PRAGMA {name} = {value}")

    def _use_log(self) -> bool:
        """Begin the log mode if no other process has locked the file, and return whether."""
        try:
            self.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if not _is_locked(error):
                raise
            return False
        self._has_log = True
        return True

    def _upgrade(self) -> None:
        """Upgrade a file of an older format."""
        if self._format() == sql.FORMAT:
            return
        if self.read_only:
            raise StorageError(
                f"{self.path} has an older format and is read-only here: open it once where it "
                "can be written, to upgrade it"
            )
        self._connection.create_function("checksum", 3, checksum, deterministic=True)
        with self.transaction():
            for version in range(self._format(), sql.FORMAT):  # another process may be faster
                UPGRADES[version](self.execute)
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
        """Try the lock of the file only once inside the ``with`` block."""
        self.execute("PRAGMA busy_timeout = 0")
        try:
            yield
        finally:
            self.execute(f"PRAGMA busy_timeout = {_LOCK_TRY_MILLISECONDS}")

    @contextmanager
    def overwriting(self) -> Generator[None]:
        """Fill the place of content that is deleted inside the ``with`` block with zeros."""
        [before] = self.execute("PRAGMA secure_delete").fetchone()
        self.execute("PRAGMA secure_delete = ON")
        try:
            yield
        finally:
            self.execute(f"PRAGMA secure_delete = {('OFF', 'ON', 'FAST')[before]}")

    def vacuum(self) -> None:
        """Write the whole file again, without traces of deleted content in unused pages."""
        with self.lock:
            self.flush()
            self.execute("VACUUM")

    def empty_log(self) -> bool:
        """Move the log into the file, and return whether no other process has prevented it."""
        with self.lock:
            self.flush()
            [busy, *_] = self.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        return not busy

    def begin(self) -> None:
        """Open a write transaction, or join the group's."""
        if self._has_threads and are_beside():
            self._end_group()
        elif self.broken:
            raise InternalServerError("A write that shared this commit failed")
        if not self.writing:
            if not self._has_log:
                self._use_log()
            if self.is_locked and are_prompt():
                raise IsLocked
            try:
                self.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError as error:
                self._await_lock(error)
            self.writing = True
            if self.shared:
                try:
                    self.on_begin()
                except BaseException:
                    self._roll_back()
                    raise

    def _await_lock(self, error: sqlite3.OperationalError) -> None:
        """Begin once no other process writes; reads of other threads go on meanwhile."""
        give_up = time.monotonic() + LOCK_WAIT_SECONDS
        while True:
            if not _is_locked(error):
                raise error
            if are_prompt():
                self.is_locked = self.grouped
                raise IsLocked from error
            if time.monotonic() > give_up:
                raise error
            self.lock.release()
            try:
                time.sleep(_LOCK_PAUSE_SECONDS)
            finally:
                self.lock.acquire()
            try:
                self.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError as again:
                error = again
            else:
                return

    def _end_group(self) -> None:
        """Commit the open group of the event loop, which learns of a failure when it flushes."""
        if self.writing:
            try:
                self._commit()
            except Exception:  # noqa: BLE001 - the writes are repeated, each alone
                self._roll_back()
                self.broken = True

    @property
    def _is_grouping(self) -> bool:
        """Whether transactions of this thread share their commit."""
        return self.grouped and not (self._has_threads and are_beside())

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

    def timestamp(self, now: float, *, is_recorded: bool = False) -> int:
        """Return the time of a change in microseconds, never before that of an earlier one.

        It is stored by itself, unless it is that of a record in the journal.
        """
        latest = self._latest
        if latest is None:
            latest = self.latest_time()
        self._latest = latest = max(int(now * 1_000_000), latest)
        self._stores_latest = self._stores_latest or not is_recorded
        return latest

    def latest_time(self) -> int:
        """Return the latest time of a change, in microseconds."""
        with self.lock:
            version = self._known_version
            if self.shared:
                [version] = self.execute(sql.READ_DATA_VERSION).fetchone()
            known = self._known_latest
            # The version changes when another connection has committed anything.
            if known is None or version != self._known_version:
                [known] = self.execute(sql.READ_TIME).fetchone()
                self._known_latest, self._known_version = known, version
            return known

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
            if not self._is_grouping:
                try:
                    self._commit()
                except BaseException:
                    self._roll_back()
                    raise
        elif self._is_grouping and isinstance(error, _HARMLESS) and not self._dirty:
            pass  # failed before it wrote anything: the group continues
        else:
            self._roll_back()
            if self._is_grouping:
                self.broken = True

    def _commit(self) -> None:
        for number, (items, size) in self._totals.items():
            self.execute(sql.ADD_TOTALS, (items, size, number))
        self._totals.clear()
        if self._stores_latest:
            self.execute(sql.WRITE_TIME, (self._latest,))
        self.execute("COMMIT")
        if self._latest is not None:
            self._known_latest = self._latest
            self._latest = None
            self._stores_latest = False
        self.writing = False
        if self.on_commit is not None:
            self.on_commit()

    def _roll_back(self) -> None:
        self._totals.clear()
        self._latest = self._known_latest = None
        self._stores_latest = False
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

    def failure(self, error: sqlite3.Error | UnicodeDecodeError) -> SortkeyError:
        """Return the error for a caller whose statement failed."""
        if self._closed:
            return StorageError(f"{self.path} has been closed; open it again to use it")
        if _is_locked(error):
            return InternalServerError(
                f"Another process has kept {self.path} locked for {LOCK_WAIT_SECONDS:.0f} seconds"
            )
        if self.read_only and "readonly" in str(error):
            return StorageError(
                f"{self.path} is read-only here: the file and its folder must be writable to "
                "change it"
            )
        if _is_damage(error):
            return self.damage("SQLite reports", f'"{error}"')
        return InternalServerError(f"The storage failed: {error}")

    def damage(self, place: str, reason: str) -> StorageError:
        """Return the error for content that is not as it was written."""
        return StorageError(
            f"{self.path} is damaged: {place} {reason}. "
            f"Run `sortkey verify {self.path}` to see all damage"
        )

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
            self._known_latest = None
            self.on_roll_back()

    # -- the catalog ------------------------------------------------------------------------

    def catalog_version(self) -> int:
        """Return a number that changes whenever any process changes a table's definition."""
        with self.lock:
            row = self.execute(sql.READ_VERSION).fetchone()
        if row is None:
            raise self.damage("the catalog", "is empty")
        return row[0]

    def totals(self, number: int) -> tuple[int, int]:
        """Return the number of rows of a table or index, and their size in bytes."""
        with self.lock:
            items, size = self.execute(sql.READ_TOTALS, (number,)).fetchone() or (0, 0)
            pending = self._totals.get(number, (0, 0))
        return items + pending[0], size + pending[1]


def _is_damage(error: sqlite3.Error | UnicodeDecodeError) -> bool:
    """Return whether SQLite cannot read its own structures, or misses a part of them."""
    if isinstance(error, UnicodeDecodeError):
        return True
    name: str = getattr(error, "sqlite_errorname", "")
    return name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")) or str(error).startswith(
        ("no such table", "no such column", "Could not decode")
    )


def page_of(rows: sqlite3.Cursor, on_damage: Callable[[bytes, bytes], object]) -> list[WalkedRow]:
    """Return rows up to the size of a page, so that large items do not fill the memory.

    Damaged rows are left out, and ``on_damage`` is called with the key of each.
    """
    page: list[WalkedRow] = []
    total = 0
    for item, size, found, partition, position in rows:
        if not is_sound(position, item, size, found):
            on_damage(partition, position)
            continue
        page.append((item, size, partition, position))
        total += size
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
