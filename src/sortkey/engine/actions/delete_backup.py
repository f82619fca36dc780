"""DeleteBackup: delete a backup that is not in use."""

from datetime import UTC, datetime
from typing import Any, TypedDict

from sortkey.engine.backups import backup_with, delete_backup_rows, refuse_in_use
from sortkey.engine.database import Database
from sortkey.engine.definitions.backups import backup_description
from sortkey.engine.shapes import BackupArn
from sortkey.wire.errors import ValidationException


class DeleteBackup(TypedDict):
    """The request."""

    BackupArn: BackupArn


def delete_backup(db: Database, request: DeleteBackup) -> dict[str, Any]:
    """Delete the backup, and return its last description, which is DELETED."""
    with db.transaction():
        backup = backup_with(db, request["BackupArn"])
        if backup.expires is not None:
            expiry = datetime.fromtimestamp(backup.expires // 1000, UTC)
            raise ValidationException(
                "Invalid Request: User is not allowed to delete the system backup with arn "
                f"{backup.arn}. It will automatically expire on {expiry:%Y-%m-%dT%H:%M:%SZ}"
            )
        refuse_in_use(db, backup, "table")
        delete_backup_rows(db, backup)
    return {"BackupDescription": backup_description(backup, "DELETED")}
