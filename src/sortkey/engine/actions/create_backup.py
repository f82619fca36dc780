"""CreateBackup: copy a table as it is now."""

from typing import Any, TypedDict

from sortkey.engine.backups import begin_backup
from sortkey.engine.database import Database
from sortkey.engine.definitions.backups import backup_details
from sortkey.engine.definitions.descriptions import table_with_backups
from sortkey.engine.shapes import ResourceName, TableName
from sortkey.engine.upkeep import finish_unless_tended


class CreateBackup(TypedDict):
    """The request; its members are in the order in which DynamoDB validates them."""

    TableName: TableName
    BackupName: ResourceName


def create_backup(db: Database, request: CreateBackup) -> dict[str, Any]:
    """Begin the backup, which is CREATING here and AVAILABLE once it is complete."""
    with db.transaction():
        table = table_with_backups(db, request["TableName"])
        details = backup_details(begin_backup(db, table, request["BackupName"]))
    finish_unless_tended(db)
    return {"BackupDetails": details}
