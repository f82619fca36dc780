"""DescribeTable: a table's definition, state and size."""

from typing import Any, TypedDict

from sortkey.engine.backfill import finish_unless_tended
from sortkey.engine.database import Database
from sortkey.engine.definitions.descriptions import describe, described_table
from sortkey.engine.shapes import TableName


class DescribeTable(TypedDict):
    """The request."""

    TableName: TableName


def describe_table(db: Database, request: DescribeTable) -> dict[str, Any]:
    """Return the table's description."""
    db.refresh()
    # Another process may have ended before its new index was complete.
    finish_unless_tended(db)
    return {"Table": describe(db, described_table(db, request["TableName"]))}
