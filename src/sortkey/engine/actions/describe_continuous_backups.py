"""DescribeContinuousBackups: whether and how far back a table can be restored."""

from typing import Any, TypedDict

from sortkey.engine.database import Database
from sortkey.engine.definitions.descriptions import recoverable_table
from sortkey.engine.journal import journal_now
from sortkey.engine.recovery import describe_recovery
from sortkey.engine.shapes import TableName


class DescribeContinuousBackups(TypedDict):
    """The request."""

    TableName: TableName


def describe_continuous_backups(db: Database, request: DescribeContinuousBackups) -> dict[str, Any]:
    """Return the setting, and the first and last time that the table can be restored to."""
    table = recoverable_table(db, request["TableName"])
    weather = db.weather
    has_backups = weather is None or weather.changes.has_backups(table.rows.number)
    now = journal_now(db.storage, db.clock())
    return describe_recovery(table.definition, now, "ENABLED" if has_backups else "DISABLED")
