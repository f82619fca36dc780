"""DeleteBackup."""

import pytest
from tests.engine.recoverable import Recoverable, recoverable

from sortkey.wire.errors import (
    BackupInUseException,
    BackupNotFoundException,
    ValidationException,
)


@pytest.fixture
def shop() -> Recoverable:
    return recoverable(grouped=True)


def test_a_deleted_backup_is_gone_with_its_rows(shop: Recoverable) -> None:
    shop.put("a")
    before = shop.stored()
    arn = shop.back_up()
    shop.tend()

    deleted = shop.ask("DeleteBackup", BackupArn=arn)["BackupDescription"]

    assert deleted["BackupDetails"]["BackupStatus"] == "DELETED"
    assert deleted["SourceTableDetails"]["TableName"] == "orders"
    assert shop.backups() == []
    assert shop.stored() == before
    with pytest.raises(BackupNotFoundException):
        shop.ask("DeleteBackup", BackupArn=arn)


def test_a_backup_that_is_being_created_is_in_use(shop: Recoverable) -> None:
    shop.put("a")
    arn = shop.back_up()
    with pytest.raises(BackupInUseException, match="Backup is being created"):
        shop.ask("DeleteBackup", BackupArn=arn)


def test_a_backup_that_is_being_restored_is_in_use(shop: Recoverable) -> None:
    shop.put("a")
    arn = shop.back_up()
    shop.tend()
    shop.ask("RestoreTableFromBackup", BackupArn=arn, TargetTableName="copy")
    with pytest.raises(BackupInUseException, match=f"being used to restore table: {arn}"):
        shop.ask("DeleteBackup", BackupArn=arn)

    shop.tend()
    shop.ask("DeleteBackup", BackupArn=arn)
    assert shop.items("copy") == {("a", 1): "red"}


def test_the_backup_of_a_deleted_table_stays(shop: Recoverable) -> None:
    shop.recover()
    shop.ask("DeleteTable", TableName="orders")
    [backup] = shop.backups(BackupType="SYSTEM")
    with pytest.raises(ValidationException) as refused:
        shop.ask("DeleteBackup", BackupArn=backup["BackupArn"])
    assert refused.value.message == (
        "Invalid Request: User is not allowed to delete the system backup with arn "
        f"{backup['BackupArn']}. It will automatically expire on 2027-02-19T08:00:00Z"
    )
