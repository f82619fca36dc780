"""UpdateContinuousBackups: enable or disable point-in-time recovery, or change its window."""

from typing import Annotated, Any, NotRequired, TypedDict

from sortkey.engine.database import Database
from sortkey.engine.definitions.descriptions import table_with_backups
from sortkey.engine.recovery import (
    MOST_DAYS,
    describe_recovery,
    disable_recovery,
    enable_recovery,
)
from sortkey.engine.shapes import NumberRange, TableName
from sortkey.wire.errors import ValidationException


class PointInTimeRecoverySpecification(TypedDict):
    """Whether a table can be restored, and for how many days."""

    PointInTimeRecoveryEnabled: bool
    RecoveryPeriodInDays: NotRequired[Annotated[int, NumberRange(1, MOST_DAYS)]]


class UpdateContinuousBackups(TypedDict):
    """The request; its members are in the order in which DynamoDB validates them."""

    TableName: TableName
    PointInTimeRecoverySpecification: PointInTimeRecoverySpecification


def update_continuous_backups(db: Database, request: UpdateContinuousBackups) -> dict[str, Any]:
    """Change the setting at once, and return it."""
    wanted = request["PointInTimeRecoverySpecification"]
    is_enabled = wanted["PointInTimeRecoveryEnabled"]
    if not is_enabled and "RecoveryPeriodInDays" in wanted:
        raise ValidationException(
            "Invalid Request: Cannot specify RecoveryPeriodInDays when disabling point-in-time "
            "recovery."
        )
    with db.transaction():
        table = table_with_backups(db, request["TableName"])
        if is_enabled:
            changed = enable_recovery(db, table, wanted.get("RecoveryPeriodInDays"))
        else:
            changed = disable_recovery(db, table)
        return describe_recovery(changed.definition, db.storage.timestamp(db.clock()))
