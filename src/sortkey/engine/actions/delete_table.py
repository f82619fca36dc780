"""DeleteTable: delete a table with its indexes and items."""

from typing import Any, TypedDict

from sortkey.engine.database import Database
from sortkey.engine.definitions.descriptions import describe, described_table
from sortkey.engine.rows import drop_rows, refuse_long_drop
from sortkey.engine.shapes import TableName
from sortkey.engine.streams import end_journal
from sortkey.wire.errors import ValidationException

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
    """Delete the table, and return its last description, which is DELETING."""
    with db.transaction():
        table = described_table(db, request["TableName"])
        if table.definition["DeletionProtectionEnabled"]:
            raise ValidationException(
                "Resource cannot be deleted as it is currently protected against deletion. "
                "Disable deletion protection first."
            )
        dropped = (table.rows, *(index.rows for index in table))
        refuse_long_drop(db, dropped)
        description = describe(db, table, "DELETING")
        end_journal(db, table.rows.number, table.definition)
        db.forget(table.name)
        for rows in dropped:
            drop_rows(db, rows)

    for member in _LEFT_OUT:
        description.pop(member, None)
    return {"TableDescription": description}
