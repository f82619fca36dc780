"""ListBackups."""

import pytest
from tests.engine.recoverable import DAY, START, TABLE, Recoverable, recoverable

from sortkey.wire.errors import ValidationException


@pytest.fixture
def shop() -> Recoverable:
    """A table with three backups, each a second after the other, and one of another table."""
    opened = recoverable()
    opened.ask("CreateTable", **TABLE | {"TableName": "bikes"})
    opened.ask("CreateBackup", TableName="bikes", BackupName="of_bikes")
    for name in ("one", "two", "three"):
        opened.clock.move(1)
        opened.back_up(name)
    return opened


def names(shop: Recoverable, **filters: object) -> list[str]:
    return [backup["BackupName"] for backup in shop.backups(**filters)]


@pytest.mark.parametrize(
    "wrong",
    [
        {"Limit": 0},
        {"Limit": 101},
        {"BackupType": "user"},
        {"ExclusiveStartBackupArn": "x"},
        {"TableName": ""},
        {"TimeRangeLowerBound": 2, "TimeRangeUpperBound": 1},
    ],
)
def test_a_request_that_does_not_fit_is_rejected(
    shop: Recoverable, wrong: dict[str, object]
) -> None:
    with pytest.raises(ValidationException):
        shop.backups(**wrong)


def test_the_oldest_is_first(shop: Recoverable) -> None:
    assert names(shop) == ["of_bikes", "one", "two", "three"]
    assert names(shop, TableName="orders") == ["one", "two", "three"]
    assert names(shop, TableName="arn:aws:dynamodb:us-east-1:000000000000:table/bikes") == [
        "of_bikes"
    ]
    assert names(shop, TableName="nowhere") == []


def test_the_first_time_is_included_and_the_last_is_not(shop: Recoverable) -> None:
    assert names(shop, TimeRangeLowerBound=START + 1, TimeRangeUpperBound=START + 3) == [
        "one",
        "two",
    ]
    assert names(shop, TimeRangeLowerBound=START + 2.001) == ["three"]
    assert names(shop, TimeRangeUpperBound=START + 2.001) == ["of_bikes", "one", "two"]


def test_a_time_beyond_all_others_is_a_bound(shop: Recoverable) -> None:
    assert len(names(shop, TimeRangeLowerBound=-1e308, TimeRangeUpperBound=1e308)) == 4
    assert names(shop, TimeRangeLowerBound=1e308) == names(shop, TimeRangeUpperBound=-1e308) == []


def test_a_page_says_where_the_next_begins(shop: Recoverable) -> None:
    first = shop.ask("ListBackups", Limit=3)
    last = first["LastEvaluatedBackupArn"]
    rest = shop.ask("ListBackups", Limit=1, ExclusiveStartBackupArn=last)

    assert [backup["BackupName"] for backup in rest["BackupSummaries"]] == ["three"]
    assert last == first["BackupSummaries"][-1]["BackupArn"]
    assert "LastEvaluatedBackupArn" not in rest

    shop.ask("DeleteBackup", BackupArn=last)
    assert names(shop, ExclusiveStartBackupArn=last) == ["three"]


def test_a_summary_has_the_table(shop: Recoverable) -> None:
    table = shop.ask("DescribeTable", TableName="bikes")["Table"]
    [backup] = shop.backups(TableName="bikes")

    assert backup.pop("BackupArn").startswith(f"{table['TableArn']}/backup/")
    assert backup == {
        "TableName": "bikes",
        "TableId": table["TableId"],
        "TableArn": table["TableArn"],
        "BackupName": "of_bikes",
        "BackupSizeBytes": 0,
        "BackupStatus": "AVAILABLE",
        "BackupType": "USER",
        "BackupCreationDateTime": START,
    }


class TestDeletedTables:
    def test_the_backup_of_a_deleted_table_is_of_the_system(self, shop: Recoverable) -> None:
        shop.recover()
        shop.put("a")
        shop.ask("DeleteTable", TableName="orders")
        shop.ask("DeleteTable", TableName="bikes")

        [backup] = shop.backups(BackupType="SYSTEM")

        assert backup["BackupName"] == "orders$DeletedTableBackup"
        assert backup["BackupArn"].endswith(f"0{START + 3}000-00000000")
        assert backup["BackupStatus"] == "AVAILABLE"
        assert backup["BackupExpiryDateTime"] == START + 3 + 35 * DAY
        assert names(shop) == ["of_bikes", "one", "two", "three"]
        assert len(names(shop, BackupType="ALL")) == 5
        assert names(shop, BackupType="AWS_BACKUP") == []
        described = shop.ask("DescribeBackup", BackupArn=backup["BackupArn"])["BackupDescription"]
        assert described["SourceTableFeatureDetails"] == {}

    def test_it_is_restored_to_the_state_before_the_deletion(self, shop: Recoverable) -> None:
        shop.recover()
        shop.put("a")
        shop.ask("DeleteTable", TableName="orders")
        [backup] = shop.backups(BackupType="SYSTEM")

        shop.ask("RestoreTableFromBackup", BackupArn=backup["BackupArn"], TargetTableName="orders")

        assert shop.items() == shop.items(IndexName="by_colour") == {("a", 1): "red"}

    def test_it_is_kept_for_35_days(self, shop: Recoverable) -> None:
        shop.ask("DeleteTable", TableName="bikes")
        before = shop.stored()
        shop.recover()
        shop.ask("DeleteTable", TableName="orders")

        shop.clock.move(35 * DAY - 1)
        shop.tend()
        assert len(names(shop, BackupType="SYSTEM")) == 1
        shop.clock.move(1)
        shop.tend()

        assert names(shop, BackupType="SYSTEM") == []
        assert shop.stored() <= before

    def test_it_waits_for_a_restore_that_reads_it(self) -> None:
        shop = recoverable(grouped=True)
        shop.recover()
        shop.put("a")
        shop.ask("DeleteTable", TableName="orders")
        [backup] = shop.backups(BackupType="SYSTEM")
        shop.ask("RestoreTableFromBackup", BackupArn=backup["BackupArn"], TargetTableName="orders")
        shop.clock.move(36 * DAY)
        shop.tend()

        assert shop.items() == {("a", 1): "red"}
        assert shop.backups(BackupType="SYSTEM") == []
