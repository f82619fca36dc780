"""Point-in-time recovery: how far back a table can be restored.

The journal of a table with recovery reaches back to the time when it was enabled, but no further
than its window. A wider window is filled as time passes; a narrower one applies at once.
"""

from typing import Any, Literal, NamedTuple

from sortkey.engine.database import Database
from sortkey.engine.journal import MICROSECONDS
from sortkey.engine.streams import settle_shards
from sortkey.engine.table import Definition, StoredTable

MOST_DAYS = 35
_DAY_SECONDS = 24 * 3600
# DynamoDB needs about five minutes until a change can be restored.
_DELAY_SECONDS = 300


class Window(NamedTuple):
    """The first and the last second to which a table can be restored."""

    earliest: int
    latest: int


def window(definition: Definition, now: int) -> Window:
    """Return the window of a table with recovery at this time, in microseconds."""
    since: int = definition["Recovery"]["Since"]
    earliest = _earliest(definition, now)
    latest = max(since, now - _DELAY_SECONDS * MICROSECONDS)
    return Window(earliest // MICROSECONDS, latest // MICROSECONDS)


def _earliest(definition: Definition, now: int) -> int:
    recovery = definition["Recovery"]
    return max(recovery["Since"], now - recovery["Days"] * _DAY_SECONDS * MICROSECONDS)


def describe_recovery(
    definition: Definition, now: int, status: Literal["ENABLED", "DISABLED"] = "ENABLED"
) -> dict[str, Any]:
    """Return the ContinuousBackupsDescription of a table at this time."""
    description: dict[str, Any] = {"PointInTimeRecoveryStatus": "DISABLED"}
    if "Recovery" in definition:
        earliest, latest = window(definition, now)
        description = {
            "PointInTimeRecoveryStatus": "ENABLED",
            "RecoveryPeriodInDays": definition["Recovery"]["Days"],
            "EarliestRestorableDateTime": earliest,
            "LatestRestorableDateTime": latest,
        }
    return {
        "ContinuousBackupsDescription": {
            "ContinuousBackupsStatus": status,
            "PointInTimeRecoveryDescription": description,
        }
    }


def enable_recovery(db: Database, table: StoredTable, days: int | None) -> StoredTable:
    """Begin recovery, or change its window; the caller is in a transaction."""
    now = db.storage.timestamp(db.clock())
    current: dict[str, int] | None = table.definition.get("Recovery")
    # What a narrower window did not keep is lost.
    since = now if current is None else _earliest(table.definition, now)
    if days is None:
        days = MOST_DAYS if current is None else current["Days"]
    return _save(db, table, table.definition | {"Recovery": {"Days": days, "Since": since}})


def disable_recovery(db: Database, table: StoredTable) -> StoredTable:
    """End recovery; the caller is in a transaction."""
    definition = dict(table.definition)
    definition.pop("Recovery", None)
    return _save(db, table, definition)


def _save(db: Database, table: StoredTable, definition: Definition) -> StoredTable:
    db.storage.wrote()
    settle_shards(db, table, definition)
    return db.save(table.rows.number, definition)
