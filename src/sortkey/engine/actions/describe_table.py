"""DescribeTable: a table's definition, its state and how much is in it."""

from typing import Any, TypedDict

from sortkey.engine.database import Database
from sortkey.engine.definitions.descriptions import describe, described_table
from sortkey.engine.shapes import TableName


class DescribeTable(TypedDict):
    """The request."""

    TableName: TableName


def describe_table(db: Database, request: DescribeTable) -> dict[str, Any]:
    """The table's description."""
    db.refresh()
    return {"Table": describe(db, described_table(db, request["TableName"]))}
