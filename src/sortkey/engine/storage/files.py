"""The file of a database, and how a lost log is noticed.

While a database is in use, SQLite keeps its latest commits in a log beside it, ``app.db-wal``. The
header of the main file says whether there is one: the first process that opens the file sets it
to the log mode, and the last one that closes it moves the log into the file and sets it back. A
killed process leaves both the mode and the log, and the next one carries on. The mode without a
log means that commits may be missing: the log was removed, or the file was copied without it. It
can also mean that another SQLite program closed the file last, or copied it whole; nothing in the
file tells one from the other, so this is logged as a warning and not an error.

A new file appears complete and readable by its owner only, so a sortkey database never has zero
bytes.
"""

import os
import random
import sqlite3
import time
from contextlib import closing, suppress
from pathlib import Path
from tempfile import mkstemp

from sortkey.engine.storage import sql

PAGE_BYTES = 8192
ATTEMPTS = 20
_LONGEST_PAUSE_SECONDS = 0.01


def real_path(path: str) -> Path:
    """Return the file behind symbolic links; SQLite keeps the log beside that one."""
    return Path(os.path.realpath(path))


def beside(file: Path, ending: str) -> Path:
    """Return a file that SQLite keeps beside a database: its -wal or its -journal."""
    return file.with_name(file.name + ending)


def has_log(file: Path) -> bool:
    """Return whether SQLite has left a log beside the file, though it may be empty."""
    return beside(file, "-wal").exists() or beside(file, "-journal").exists()


def log_warning(path: Path | str) -> str:
    """Return the warning about a database in the log mode that has no log."""
    log = beside(Path(path), "-wal").name
    return (
        f"{path} has no log {log}, and sortkey was not the last program to close it. If the log "
        "was removed, or the file was copied without it, the latest writes are missing: restore "
        "a backup. If another SQLite program closed or copied the database, it is complete."
    )


def is_writable(file: Path) -> bool:
    """Return whether this process may change the file, and create its log beside it."""
    return os.access(file, os.W_OK) and os.access(file.parent, os.W_OK)


def address(file: Path, *options: str) -> str:
    """Return the file as a URI that SQLite opens, and never creates."""
    return f"{file.as_uri()}?{'&'.join(options)}"


def create(file: Path) -> None:
    """Create an empty database; keep one that another process creates at the same time."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as memory:
        memory.execute(f"PRAGMA page_size = {PAGE_BYTES}")
        for statement in sql.CREATE_CATALOG:
            memory.execute(statement)
        memory.execute(f"PRAGMA user_version = {sql.FORMAT}")
        image = memory.serialize()
    handle, temporary = mkstemp(prefix=f".{file.name}-", dir=file.parent)
    try:
        with os.fdopen(handle, "wb") as new:
            new.write(image)
            new.flush()
            os.fsync(new.fileno())
        _name(Path(temporary), file)
    finally:
        Path(temporary).unlink(missing_ok=True)


def _name(temporary: Path, file: Path) -> None:
    try:
        os.link(temporary, file)
    except FileExistsError:
        pass
    except OSError:
        # A file system without hard links.
        if not file.exists():
            temporary.rename(file)


class FileConnection(sqlite3.Connection):
    """A connection that closes itself, since a database need not be closed by hand.

    Python 3.13 and later emit a ResourceWarning for a connection that is left open.
    """

    # The file to set back from the log mode, once it has been opened well.
    file: Path | None = None

    def close(self) -> None:
        """Close the connection; if it is the file's last, move the log into the file."""
        file, self.file = self.file, None
        is_settled = file is None or self._leave_log()
        super().close()
        if file is not None and not is_settled:
            _settle(file)

    def _leave_log(self) -> bool:
        """Move the log into the file; return False if another connection is open."""
        try:
            self.rollback()
            self.execute("PRAGMA journal_mode = DELETE")
        except sqlite3.Error:
            return False
        return True

    def __del__(self) -> None:
        with suppress(sqlite3.ProgrammingError):  # a file that could not be opened
            self.close()


def _settle(file: Path) -> None:
    """Set a file back from the log mode if its last connections were closed at the same time."""
    for _ in range(ATTEMPTS):
        if has_log(file):
            return  # it is open again, or a process was killed
        with suppress(sqlite3.Error), closing(_plain_connection(file)) as connection:
            connection.execute("PRAGMA journal_mode = DELETE")
            return
        pause()


def _plain_connection(file: Path) -> sqlite3.Connection:
    return sqlite3.connect(address(file, "mode=rw"), timeout=0, isolation_level=None, uri=True)


def pause() -> None:
    """Wait a little, so that processes that disturb each other do so no longer."""
    time.sleep(random.uniform(0, _LONGEST_PAUSE_SECONDS))  # noqa: S311 - no secret
