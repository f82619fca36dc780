"""DeleteTable: delete a table with its indexes and items."""

from typing import Any, TypedDict

from sortkey.engine.backups import keep_deleted
from sortkey.engine.database import Database
from sortkey.engine.definitions.descriptions import describe, described_table
from sortkey.engine.named_tables import bare_name
from sortkey.engine.rows import drop_rows, refuse_long_drop, release_rows
from sortkey.engine.shapes import TableName
from sortkey.engine.streams import end_journal
from sortkey.engine.table import StoredTable
from sortkey.wire.errors import ResourceInUseException, ValidationException

# DynamoDB returns a shorter description than in other responses.
_LEFT_OUT = (
    "AttributeDefinitions",
    "CreationDateTime",
    "GlobalSecondaryIndexes",
    "KeySchema",
    "LocalSecondaryIndexes",
)


class DeleteTable(TypedDict):
    """The request."""

    TableName: TableName


def delete_table(db: Database, request: DeleteTable) -> dict[str, Any]:
    """Delete the table, and return its last description; keep a backup if it has recovery."""
    with db.transaction():
        table = _deletable(db, request["TableName"])
        if table.definition["DeletionProtectionEnabled"]:
            raise ValidationException(
                "Resource cannot be deleted as it is currently protected against deletion. "
                "Disable deletion protection first."
            )
        is_kept = "Recovery" in table.definition or "Copies" in table.definition
        indexes = [index.rows for index in table]
        refuse_long_drop(db, indexes if is_kept else [table.rows, *indexes])
        if db.weather is not None:
            db.weather.changes.refuse_unready(index.status for index in table)
            db.weather.changes.refuse_busy(table.name, table.rows.number)
        description = describe(db, table, "DELETING")
        if "Recovery" in table.definition:
            keep_deleted(db, table)
        end_journal(db, table.rows.number, table.definition)
        db.forget(table.name)
        for rows in indexes:
            drop_rows(db, rows)
        release_rows(db, table.rows)

    if db.weather is not None:
        db.weather.changes.delete(table.name, dict(description))
        db.weather.forget([table.rows, *indexes])
    for member in _LEFT_OUT:
        description.pop(member, None)
    return {"TableDescription": description}


def _deletable(db: Database, name: str) -> StoredTable:
    if db.find_creating(name) is not None:
        raise ResourceInUseException(
            "Attempt to change a resource which is still in use: Table is being created: "
            f"{bare_name(name)}"
        )
    return described_table(db, name)
