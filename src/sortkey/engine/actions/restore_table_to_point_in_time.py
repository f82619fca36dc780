"""RestoreTableToPointInTime: a new table with the items that another one had at some second."""

import re
from datetime import UTC, datetime
from typing import Annotated, Any, NotRequired

from sortkey.engine.database import Database
from sortkey.engine.definitions.descriptions import describe_creating, recoverable_table
from sortkey.engine.definitions.restored import RestoreOverrides, restored_table
from sortkey.engine.definitions.shapes import NewTableName
from sortkey.engine.journal import MICROSECONDS
from sortkey.engine.past import begin_past
from sortkey.engine.recovery import window
from sortkey.engine.restores import begin_restore, refuse_target
from sortkey.engine.shapes import Length, ResourceName
from sortkey.engine.table import StoredTable
from sortkey.engine.upkeep import finish_unless_tended
from sortkey.wire.errors import (
    InvalidRestoreTimeException,
    PointInTimeRecoveryUnavailableException,
    ValidationException,
)

_TABLE_ARN = re.compile(r"arn:[^:]+:dynamodb:[^:]*:[^:]*:table/[a-zA-Z0-9_.-]+")


class RestoreTableToPointInTime(RestoreOverrides):
    """The request."""

    SourceTableArn: NotRequired[Annotated[str, Length(1, 1024)]]
    SourceTableName: NotRequired[ResourceName]
    TargetTableName: NewTableName
    UseLatestRestorableTime: NotRequired[bool]
    RestoreDateTime: NotRequired[float]


def restore_table_to_point_in_time(
    db: Database, request: RestoreTableToPointInTime
) -> dict[str, Any]:
    """Begin the restore; the table is CREATING here and ACTIVE once it is complete."""
    name = _source_name(request)
    _refuse_times(request)
    with db.transaction():
        source = recoverable_table(db, name)
        second = _restored_second(db, source, request)
        summary = {"SourceTableArn": source.arn, "RestoreDateTime": second}
        definition = restored_table(source.definition, request, round(db.clock(), 3), summary)
        refuse_target(db, request["TargetTableName"])
        # All that was committed before the next second is restored.
        past = begin_past(db, source, (second + 1) * MICROSECONDS)
        table = begin_restore(db, definition, {"Past": past})
        description = describe_creating(db, table)
    finish_unless_tended(db)
    return {"TableDescription": description}


def _source_name(request: RestoreTableToPointInTime) -> str:
    arn, name = request.get("SourceTableArn"), request.get("SourceTableName")
    if arn is not None and name is not None:
        raise ValidationException(
            "Invalid Request: Must provide exactly one of: sourceTableArn, sourceTableName"
        )
    found = arn or name
    if found is None:
        raise ValidationException(
            "The parameter 'TableName' is required but was not present in the request"
        )
    if arn is not None and not _TABLE_ARN.fullmatch(arn):
        raise ValidationException("Invalid Request: sourceTableArn is not a valid ARN")
    return found


def _refuse_times(request: RestoreTableToPointInTime) -> None:
    is_latest = request.get("UseLatestRestorableTime", False)
    if is_latest and "RestoreDateTime" in request:
        raise ValidationException(
            "Invalid Request: Both RestoreDateTime and UseLatestRestorableTime cannot be set for "
            "point-in-time restore request. Please specify either RestoreDateTime time or "
            "UseLatestRestorableTime"
        )
    if not is_latest and "RestoreDateTime" not in request:
        raise ValidationException(
            "Invalid Request: Either one of RestoreDateTime or UseLatestRestorableTime must be "
            "specified, but not both"
        )


def _restored_second(db: Database, source: StoredTable, request: RestoreTableToPointInTime) -> int:
    """Return the second to restore to, which must be within the window of the source."""
    if "Recovery" not in source.definition:
        raise PointInTimeRecoveryUnavailableException(
            f"Point in time recovery is not enabled for table '{source.name}'"
        )
    now = db.storage.timestamp(db.clock())
    earliest, latest = window(source.definition, now)
    if "RestoreDateTime" not in request:
        return latest
    second = int(request["RestoreDateTime"] // 1)
    # DynamoDB accepts times up to the latest only; in fair weather every change is restorable at
    # once.
    last = now // MICROSECONDS
    if db.weather is not None and db.weather.scenario.change_seconds:
        last = latest
    if not earliest <= second <= last:
        raise InvalidRestoreTimeException(
            f"RestoreDateTime '{_shown(second)}' must be within EarliestRestorableDateTime "
            f"'{_shown(earliest)}' and LatestRestorableDateTime '{_shown(latest)}'"
        )
    return second


def _shown(second: int) -> str:
    """Return a time as the error shows it; one beyond all years is shown as a number."""
    try:
        return f"{datetime.fromtimestamp(second, UTC):%Y-%m-%dT%H:%M:%SZ}"
    except (OverflowError, ValueError, OSError):
        return str(second)
