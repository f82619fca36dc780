"""Restores: a new table is filled from a backup or from the past of another table, in pieces.

The progress is part of the new table's definition, so that a restore that was interrupted goes on,
in any process. Until it is complete, the table is CREATING, and no other request finds it.
"""

from collections.abc import Mapping
from typing import Any

import orjson

from sortkey.engine.backups import backup_with
from sortkey.engine.changes import ItemChange
from sortkey.engine.database import Database
from sortkey.engine.past import (
    START,
    Past,
    PastPage,
    end_past,
    key_in_text,
    key_text,
    rows_after,
)
from sortkey.engine.rows import make_all_rows
from sortkey.engine.table import Definition, StoredTable
from sortkey.wire.errors import (
    LimitExceededException,
    TableAlreadyExistsException,
    TableInUseException,
)

_AT_ONCE = 50


def refuse_target(db: Database, name: str) -> None:
    """Reject a restore to a table that exists or is being restored, or one restore too many."""
    if db.find(name) is not None:
        raise TableAlreadyExistsException(f"Table already exists: {name}")
    other = db.find_creating(name)
    if other is not None:
        if "Restore" not in other.definition:
            raise TableInUseException(f"Table is being created: {name}")
        summary = other.definition["RestoreSummary"]
        source = (
            f"backup: {summary['SourceBackupArn']}"
            if "SourceBackupArn" in summary
            else f"table: {summary['SourceTableArn']}"
        )
        raise TableInUseException(f"Table: {name} is already being restored from {source}")
    if len(db.restoring) >= _AT_ONCE:
        raise LimitExceededException(
            f"Subscriber limit exceeded: Only {_AT_ONCE} restore operations can be done "
            "simultaneously"
        )


def begin_restore(db: Database, definition: Definition, source: Mapping[str, Any]) -> StoredTable:
    """Create the table, to be filled from a Backup or a Past; the caller is in a transaction."""
    number = make_all_rows(db, definition)
    if db.weather is not None:
        db.weather.changes.begin(number, "CREATING")
    return db.save(number, definition | {"Restore": dict(source)})


def restore_piece(db: Database, name: str) -> None:
    """Restore a page of items."""
    with db.transaction():
        table = db.find_creating(name)
        if table is None or "Restore" not in table.definition:
            return
        definition = dict(table.definition)
        restore = definition.pop("Restore")
        past = Past(db, restore["Past"]) if "Past" in restore else None
        page = _next_page(db, restore, past)
        if page is None:
            return
        for key, raw, size in page.items:
            ItemChange(table, key, None, orjson.loads(raw), size).make(db)
        if page.end is not None:
            definition["Restore"] = restore | {"FilledTo": key_text(page.end)}
        else:
            del definition["RestoreSummary"]
            if past is not None:
                end_past(db, past)
        db.save(table.rows.number, definition)


def _next_page(db: Database, restore: Mapping[str, Any], past: Past | None) -> PastPage | None:
    after = key_in_text(restore["FilledTo"]) if "FilledTo" in restore else START
    if past is not None:
        return past.read(after)
    return rows_after(db, backup_with(db, restore["Backup"]).table.rows, after)
