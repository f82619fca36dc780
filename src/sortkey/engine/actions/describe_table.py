"""DescribeTable: a table's definition, state and size."""

from typing import Any, TypedDict

from sortkey.engine.database import Database
from sortkey.engine.definitions.descriptions import (
    describe,
    describe_creating,
    described_table,
)
from sortkey.engine.named_tables import bare_name
from sortkey.engine.shapes import TableName
from sortkey.engine.upkeep import finish_unless_tended


class DescribeTable(TypedDict):
    """The request."""

    TableName: TableName


def describe_table(db: Database, request: DescribeTable) -> dict[str, Any]:
    """Return the table's description."""
    db.refresh()
    # Another process may have ended before its new index, its restore or its import was complete.
    finish_unless_tended(db)
    creating = db.find_creating(request["TableName"])
    if creating is not None:
        return {"Table": describe_creating(db, creating)}
    if db.weather is None:
        return {"Table": describe(db, described_table(db, request["TableName"]))}
    deleted = db.weather.changes.deleted(bare_name(request["TableName"]))
    if deleted is not None:
        return {"Table": deleted}
    table = described_table(db, request["TableName"])
    return {"Table": describe(db, table, db.weather.changes.status(table.rows.number))}
