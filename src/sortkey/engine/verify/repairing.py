"""Copying what can be trusted into a new file, with new indexes and counts.

A row can be trusted if it matches its checksum. It also can if only its key or its size was
damaged: both follow from the item, and with them the checksum matches. An item that is lost in the
table is taken from an index that has all attributes. The other rows are written to a file for
people to read.
"""

import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

import orjson

from sortkey.engine.backups import save_backup
from sortkey.engine.changes import ItemChange
from sortkey.engine.database import Database
from sortkey.engine.jobs import save_job
from sortkey.engine.storage import Storage, StorageError, sql
from sortkey.engine.storage.checksums import checksum, is_sound_token
from sortkey.engine.storage.sql import row_statements
from sortkey.engine.streams import new_journal
from sortkey.engine.table import StoredTable
from sortkey.engine.verify.source import (
    SourceFile,
    SourceItem,
    SourceRow,
    UnreadableRowsError,
    is_intact,
    item_in,
)

_BATCH = 1000


@dataclass(slots=True)
class Repair:
    """What was copied, what was restored, and what could not be."""

    file: Path
    exported_to: Path
    items: int = 0
    restored: int = 0
    exported: int = 0
    unreadable: int = 0


def repair(source: SourceFile, progress: Callable[[int], object] = lambda _: None) -> Repair:
    """Write a new file beside the source with everything that can be trusted.

    Raises:
        StorageError: A file with the name of a new one exists already.
    """
    path = source.path
    result = Repair(
        path.with_name(f"{path.stem}.repaired{path.suffix}"),
        path.with_name(f"{path.stem}.damaged.jsonl"),
    )
    for new in (result.file, result.exported_to):
        if new.exists():
            raise StorageError(f"{new} exists already: move or delete it, and repair again")
    storage = Storage(str(result.file), grouped=True)
    try:
        with _private(result.exported_to) as export:
            _Repairing(source, Database(storage, time.time), result, export, progress).run()
    except sqlite3.DatabaseError as error:
        raise StorageError(
            f"{path} is too damaged to be copied, SQLite reports: {error}. "
            f"{result.file} is incomplete"
        ) from error
    finally:
        storage.close()
    if not result.exported:
        result.exported_to.unlink()
    return result


def _private(path: Path) -> TextIO:
    """Open a new file that only its owner can read."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w")


class _Repairing:
    """One repair."""

    def __init__(
        self,
        source: SourceFile,
        target: Database,
        result: Repair,
        export: TextIO,
        progress: Callable[[int], object],
    ) -> None:
        self._source = source
        self._target = target
        self._result = result
        self._export = export
        self._progress = progress

    def run(self) -> None:
        """Copy the definitions, the items and the tokens."""
        known: set[str] = set()
        tables: list[StoredTable] = []
        for name, table in self._source.tables():
            if table is None:
                self._write({"place": f"the definition of the table {name}"})
                continue
            known |= {f"rows_{each.rows.number}" for each in (table, *table)}
            if table.is_creating:
                work = "restore" if "Restore" in table.definition else "import"
                self._write({"place": f"the table {name}, whose {work} is not complete"})
            else:
                tables.append(self._define(table))
        for table in tables:
            if self._source.has_rows(table.rows.number):
                self._copy(table)
            else:
                self._result.unreadable += 1
            self._restore(table)
        known |= self._copy_backups()
        for kind, name, _ in sorted(self._source.schema, key=str):
            if kind == "table" and str(name).startswith("rows_") and name not in known:
                self._export_all(name)
        self._copy_tokens()
        self._copy_jobs()
        self._target.storage.flush()
        self._source.refuse_use()

    def _define(self, table: StoredTable) -> StoredTable:
        db = self._target
        with db.transaction():
            _make_rows(db.storage, table)
            definition = new_journal(db, table.rows.number, table.definition)
            return db.save(table.rows.number, definition)

    def _copy_backups(self) -> set[str]:
        """Copy complete backups, and return the names of the rows of all."""
        known: set[str] = set()
        for arn, backup in self._source.backups():
            if backup is None or backup.past is not None:
                self._write({"place": f"the backup {arn}, which is not complete or damaged"})
            else:
                storage = self._target.storage
                with storage.transaction():
                    _make_rows(storage, backup.table)
                    save_backup(self._target, backup)
                self._copy(backup.table)
            known |= set() if backup is None else {f"rows_{backup.number}"}
        return known

    def _copy(self, table: StoredTable) -> None:
        rows = table.rows
        for row in self._readable(rows.number):
            stored = item_in(table, None, row)
            if stored is None or not _is_proven(row, stored):
                self._export_row(rows.place_of(row.partition, row.position), row)
                continue
            if not is_intact(row) or stored.key != (row.partition, row.position):
                self._result.restored += 1
            self._put(table, stored)

    def _readable(self, number: int) -> Iterator[SourceRow]:
        """Yield all rows that SQLite can read: from the start, and then from the end."""
        try:
            yield from self._source.rows(number)
        except UnreadableRowsError:
            self._result.unreadable += 1
            with suppress(UnreadableRowsError):
                yield from self._source.rows(number, backward=True)

    def _restore(self, table: StoredTable) -> None:
        """Take items that the table has lost from indexes with all attributes."""
        for index in table:
            if not index.projects_all or not self._source.has_rows(index.rows.number):
                continue
            for row in self._readable(index.rows.number):
                entry = item_in(table, index, row)
                if entry is not None and is_intact(row):
                    item = SourceItem(table.stored_key(entry.item), entry.item, entry.size)
                    self._result.restored += self._put(table, item)

    def _put(self, table: StoredTable, stored: SourceItem) -> bool:
        """Write an item unless it is there already, and return whether it was written."""
        db = self._target
        if db.measure(table, stored.key) is not None:
            return False
        with db.transaction():
            ItemChange(table, stored.key, None, stored.item, stored.size).make(db)
        self._result.items += 1
        if not self._result.items % _BATCH:
            db.storage.flush()
            self._progress(self._result.items)
        return True

    def _copy_tokens(self) -> None:
        storage = self._target.storage
        with storage.transaction():
            storage.wrote()
            for token in self._source.execute(sql.READ_TOKENS):
                if is_sound_token(*token):
                    storage.execute(sql.WRITE_TOKEN, token)

    def _copy_jobs(self) -> None:
        """Copy the records of complete exports and imports; the others cannot go on."""
        with self._target.transaction():
            for arn, job in self._source.jobs():
                if job is None or job.ended is None:
                    self._write({"place": f"the record of {arn}, which is not complete or damaged"})
                else:
                    save_job(self._target, job)

    def _export_all(self, name: str) -> None:
        for row in self._readable(int(name.removeprefix("rows_"))):
            self._export_row(f"{name}, whose table is not known", row)

    def _export_row(self, place: str, row: SourceRow) -> None:
        self._write(
            {"place": place, **{name: _shown(value) for name, value in row._asdict().items()}}
        )

    def _write(self, line: dict[str, Any]) -> None:
        self._result.exported += 1
        self._export.write(orjson.dumps(line).decode() + "\n")


def _make_rows(storage: Storage, table: StoredTable) -> None:
    """Create the rows of a table and its indexes under their own numbers."""
    storage.wrote()
    for each in (table, *table):
        number = each.rows.number
        storage.execute(row_statements(number).create)
        storage.execute(sql.START_TOTALS, (number,))
        storage.execute(sql.SKIP_IDS, (number + 1,))
    storage.execute(table.rows.sql.index_expiry)


def _is_proven(row: SourceRow, stored: SourceItem) -> bool:
    """Return whether the row matches its checksum, with the key and size that its item implies."""
    try:
        return checksum(stored.key.position, row.raw, stored.size) == row.checksum
    except TypeError:
        return False


def _shown(value: Any) -> Any:
    """Return a stored value as JSON: text as it is, other bytes in hexadecimal."""
    if not isinstance(value, bytes):
        return value
    try:
        return value.decode()
    except UnicodeDecodeError:
        return {"hex": value.hex()}
