"""ListBackups: backups of a table or of all, a page at a time."""

from typing import Annotated, Any, NotRequired, TypedDict

from sortkey.engine.backups import Backup, all_backups, place_of
from sortkey.engine.database import Database
from sortkey.engine.definitions.backups import backup_summary
from sortkey.engine.named_tables import bare_name
from sortkey.engine.shapes import BackupArn, NumberRange, OneOf, TableName
from sortkey.wire.errors import ValidationException

_MOST = 100
_MILLISECONDS = 1000


class ListBackups(TypedDict):
    """The request; its members are in the order in which DynamoDB validates them."""

    TableName: NotRequired[TableName]
    Limit: NotRequired[Annotated[int, NumberRange(1, _MOST)]]
    TimeRangeLowerBound: NotRequired[float]
    TimeRangeUpperBound: NotRequired[float]
    ExclusiveStartBackupArn: NotRequired[BackupArn]
    BackupType: NotRequired[Annotated[str, OneOf(("ALL", "SYSTEM", "USER", "AWS_BACKUP"))]]


def list_backups(db: Database, request: ListBackups) -> dict[str, Any]:
    """Return the backups after one, the oldest first, also of deleted tables."""
    lower, upper = request.get("TimeRangeLowerBound"), request.get("TimeRangeUpperBound")
    if lower is not None and upper is not None and lower > upper:
        raise ValidationException(
            "Invalid Request: Time range lower bound must be less than or equal to upper bound"
        )
    start = request.get("ExclusiveStartBackupArn")
    found = [
        backup
        for backup in all_backups(db)
        if _is_wanted(backup, request) and (start is None or place_of(backup.arn) > place_of(start))
    ]
    page = found[: request.get("Limit", _MOST)]
    answer: dict[str, Any] = {"BackupSummaries": [backup_summary(backup) for backup in page]}
    return answer | ({"LastEvaluatedBackupArn": page[-1].arn} if len(page) < len(found) else {})


def _is_wanted(backup: Backup, request: ListBackups) -> bool:
    name = request.get("TableName")
    if name is not None and backup.definition["TableName"] != bare_name(name):
        return False
    if request.get("BackupType", "USER") not in {"ALL", backup.kind}:
        return False
    lower, upper = request.get("TimeRangeLowerBound"), request.get("TimeRangeUpperBound")
    created = backup.created / _MILLISECONDS
    return (lower is None or created >= lower) and (upper is None or created < upper)
