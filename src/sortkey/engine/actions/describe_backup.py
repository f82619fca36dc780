"""DescribeBackup: a backup, and the table that it was made from."""

from typing import Any, TypedDict

from sortkey.engine.backups import backup_with
from sortkey.engine.database import Database
from sortkey.engine.definitions.backups import backup_description
from sortkey.engine.shapes import BackupArn
from sortkey.engine.upkeep import finish_unless_tended


class DescribeBackup(TypedDict):
    """The request."""

    BackupArn: BackupArn


def describe_backup(db: Database, request: DescribeBackup) -> dict[str, Any]:
    """Return the backup with the definition of its table at that time."""
    # Another process may have ended before its backup was complete.
    finish_unless_tended(db)
    return {"BackupDescription": backup_description(backup_with(db, request["BackupArn"]))}
