"""RestoreTableFromBackup: a new table with the items of a backup."""

from typing import Any

from sortkey.engine.backups import backup_with, refuse_in_use
from sortkey.engine.database import Database
from sortkey.engine.definitions.descriptions import describe_creating
from sortkey.engine.definitions.restored import RestoreOverrides, restored_table
from sortkey.engine.definitions.shapes import NewTableName
from sortkey.engine.restores import begin_restore, refuse_target
from sortkey.engine.shapes import BackupArn
from sortkey.engine.upkeep import finish_unless_tended


class RestoreTableFromBackup(RestoreOverrides):
    """The request."""

    TargetTableName: NewTableName
    BackupArn: BackupArn


def restore_table_from_backup(db: Database, request: RestoreTableFromBackup) -> dict[str, Any]:
    """Begin the restore; the table is CREATING here and ACTIVE once it is complete."""
    with db.transaction():
        backup = backup_with(db, request["BackupArn"])
        refuse_in_use(db, backup, "another table")
        summary = {
            "SourceBackupArn": backup.arn,
            "SourceTableArn": backup.definition["TableArn"],
            "RestoreDateTime": backup.created / 1000,
        }
        definition = restored_table(backup.definition, request, round(db.clock(), 3), summary)
        refuse_target(db, request["TargetTableName"])
        table = begin_restore(db, definition, {"Backup": backup.arn})
        description = describe_creating(db, table)
    finish_unless_tended(db)
    return {"TableDescription": description}
