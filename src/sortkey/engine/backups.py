"""Backups: the items of a table at a moment, in rows of their own.

A backup is copied from the past of its table, in pieces, and is CREATING until it is complete. The
backup of a deleted table needs no copy: it takes over the rows of the table.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import orjson

from sortkey.engine.database import Database
from sortkey.engine.journal import MICROSECONDS
from sortkey.engine.past import START, Past, begin_past, end_past, key_in_text, key_text
from sortkey.engine.rows import drop_rows, make_table_rows, refuse_long_drop
from sortkey.engine.storage import sql
from sortkey.engine.storage.checksums import checksum, is_sound
from sortkey.engine.table import Definition, StoredTable, table_without_indexes
from sortkey.wire.errors import BackupInUseException, BackupNotFoundException, ValidationException

# How long the backup of a deleted table is kept.
KEPT_SECONDS = 35 * 24 * 3600
_MILLISECONDS = 1000
_SYSTEM = "SYSTEM"


class Backup(NamedTuple):
    """A backup: the number of its rows, the past that it is copied from, and its content."""

    arn: str
    number: int
    past: int | None
    # In milliseconds, for the backup of a deleted table.
    expires: int | None
    content: dict[str, Any]

    @property
    def name(self) -> str:
        """Its name, which need not be unique."""
        return self.content["Name"]

    @property
    def definition(self) -> Definition:
        """The definition of the table when the backup was requested."""
        return self.content["Definition"]

    @property
    def created(self) -> int:
        """The time of the request, in milliseconds."""
        return self.content["Created"]

    @property
    def kind(self) -> str:
        """The BackupType."""
        return "USER" if self.expires is None else _SYSTEM

    @property
    def status(self) -> str:
        """The BackupStatus."""
        return "AVAILABLE" if self.past is None else "CREATING"

    @property
    def table(self) -> StoredTable:
        """The rows of the backup, as a table without indexes."""
        table = table_without_indexes(StoredTable(self.number, self.definition))
        table.rows.place = f"the backup {self.name} of the table {table.name}"
        return table


# -- reading --------------------------------------------------------------------------------------


def backup_with(db: Database, arn: str) -> Backup:
    """Return the backup with this ARN, or raise DynamoDB's error."""
    if "/backup/" not in arn:
        raise ValidationException("Invalid Request: Invalid Backup ARN")
    with db.storage.lock:
        row = db.storage.execute(sql.FIND_BACKUP, (arn,)).fetchone()
    if row is None:
        raise BackupNotFoundException(f"Backup not found: {arn}")
    return _backup(db, row)


def all_backups(db: Database) -> Iterator[Backup]:
    """Yield all backups, the oldest first."""
    with db.storage.lock:
        rows = db.storage.execute(sql.READ_BACKUPS).fetchall()
    yield from sorted((_backup(db, row) for row in rows), key=lambda backup: place_of(backup.arn))


def place_of(arn: str) -> tuple[str, str]:
    """Return the place of a backup in the list of all: its time comes first in its id."""
    table, _, name = arn.rpartition("/backup/")
    return name, table


def read_backup(row: Sequence[Any]) -> Backup | None:
    """Return the backup in a row, or None if the row is damaged."""
    arn, number, past, expires, content, found = row
    try:
        if not is_sound(arn.encode(), content.encode(), _sealed(number, past, expires), found):
            return None
        return Backup(arn, number, past, expires, orjson.loads(content))
    except (AttributeError, TypeError):  # damage has changed a type
        return None


def _backup(db: Database, row: Sequence[Any]) -> Backup:
    backup = read_backup(row)
    if backup is None:
        raise db.storage.damage(f"the backup {row[0]}", "does not match its checksum")
    return backup


# -- changing; the caller is in a transaction -----------------------------------------------------


def begin_backup(db: Database, table: StoredTable, name: str) -> Backup:
    """Begin to copy a table as it is now."""
    past = begin_past(db, table, db.storage.timestamp(db.clock()) + 1)
    number = make_table_rows(db)
    arn, content = _content(db, table, name, f"{number:08x}")
    return save_backup(db, Backup(arn, number, past, None, content))


def keep_deleted(db: Database, table: StoredTable) -> None:
    """Make a backup of a table that is being deleted from its own rows."""
    arn, content = _content(db, table, f"{table.name}$DeletedTableBackup", "00000000")
    expires = content["Created"] + KEPT_SECONDS * _MILLISECONDS
    save_backup(db, Backup(arn, table.rows.number, None, expires, content))


def _content(
    db: Database, table: StoredTable, name: str, ending: str
) -> tuple[str, dict[str, Any]]:
    """Return the ARN of a new backup of a table, and its content."""
    storage = db.storage
    created = storage.timestamp(db.clock()) * _MILLISECONDS // MICROSECONDS
    while storage.execute(sql.FIND_BACKUP, (_arn(table, created, ending),)).fetchone():
        created += 1
    items, size = storage.totals(table.rows.number)
    return _arn(table, created, ending), {
        "Name": name,
        "Created": created,
        "Items": items,
        "Bytes": size,
        "Definition": table.definition,
    }


def _arn(table: StoredTable, created: int, ending: str) -> str:
    return f"{table.arn}/backup/{created:014}-{ending}"


def _sealed(number: int, past: int | None, expires: int | None) -> int:
    """Return the numbers of a backup as the one that its checksum covers."""
    return (number + ((past or 0) << 8) + (expires or 0)) & 0xFFFFFFFF


def save_backup(db: Database, backup: Backup) -> Backup:
    """Store a backup, new or changed."""
    storage = db.storage
    arn, number, past, expires, content = backup
    text = orjson.dumps(content)
    seal = checksum(arn.encode(), text, _sealed(number, past, expires))
    storage.wrote()
    storage.execute(sql.WRITE_BACKUP, (arn, number, past, expires, text.decode(), seal))
    return backup


def delete_backup_rows(db: Database, backup: Backup) -> None:
    """Delete a backup that is not in use."""
    refuse_long_drop(db, [backup.table.rows])
    db.storage.wrote()
    db.storage.execute(sql.DELETE_BACKUP, (backup.arn,))
    drop_rows(db, backup.table.rows)


def is_restoring_from(db: Database, backup: Backup) -> bool:
    """Return whether a table is being restored from a backup."""
    return any(table.definition["Restore"].get("Backup") == backup.arn for table in db.restoring)


def refuse_in_use(db: Database, backup: Backup, use: str) -> None:
    """Reject the use of a backup that is being created, or restored to a table."""
    if backup.past is not None:
        raise BackupInUseException(f"Backup is being created: {backup.arn}")
    if is_restoring_from(db, backup):
        raise BackupInUseException(f"Backup is being used to restore {use}: {backup.arn}")


# -- upkeep ---------------------------------------------------------------------------------------


def incomplete_backup(db: Database) -> Backup | None:
    """Return a backup that is not complete, or None."""
    with db.storage.lock:
        row = db.storage.execute(sql.INCOMPLETE_BACKUP).fetchone()
    return None if row is None else _backup(db, row)


def copy_piece(db: Database, arn: str) -> None:
    """Copy a page of a table into its backup."""
    with db.transaction():
        row = db.storage.execute(sql.FIND_BACKUP, (arn,)).fetchone()
        backup = None if row is None else _backup(db, row)
        if backup is None or backup.past is None:
            return
        past = Past(db, backup.past)
        start = backup.content.get("FilledTo")
        page = past.read(START if start is None else key_in_text(start))
        if page is None:
            return
        put = backup.table.rows.sql.put
        db.storage.wrote()
        for key, raw, size in page.items:
            db.storage.execute(put, (*key, raw, size, checksum(key.position, raw, size)))
            db.storage.add_total(backup.number, 1, size)
        content = dict(backup.content)
        content.pop("FilledTo", None)
        if page.end is None:
            end_past(db, past)
            save_backup(db, backup._replace(past=None, content=content))
        else:
            save_backup(db, backup._replace(content=content | {"FilledTo": key_text(page.end)}))


def expire_backup(db: Database) -> bool:
    """Delete a backup of a deleted table whose time is over, and return whether one was."""
    now = int(db.clock() * _MILLISECONDS)
    with db.storage.lock:
        rows = db.storage.execute(sql.EXPIRED_BACKUPS, (now,)).fetchall()
    for row in rows:
        with db.transaction():
            backup = _backup(db, row)
            again = db.storage.execute(sql.FIND_BACKUP, (backup.arn,)).fetchone()
            if again is not None and not is_restoring_from(db, backup):
                delete_backup_rows(db, backup)
                return True
    return False
