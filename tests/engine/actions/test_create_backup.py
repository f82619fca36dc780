"""CreateBackup."""

import pytest
from tests.engine.recoverable import START, Recoverable, recoverable

from sortkey.wire.errors import TableNotFoundException, ValidationException


@pytest.fixture
def shop() -> Recoverable:
    return recoverable()


class TestShape:
    @pytest.mark.parametrize("name", ["ab", "x" * 256, "a b"])
    def test_a_name_has_3_to_255_characters_of_names(self, shop: Recoverable, name: str) -> None:
        with pytest.raises(ValidationException, match="backupName"):
            shop.back_up(name)

    def test_both_members_are_required(self, shop: Recoverable) -> None:
        with pytest.raises(ValidationException, match="2 validation errors"):
            shop.ask("CreateBackup")


def test_an_unknown_table_is_named(shop: Recoverable) -> None:
    with pytest.raises(TableNotFoundException) as refused:
        shop.ask("CreateBackup", TableName="nowhere", BackupName="first")
    assert refused.value.message == "Table not found: nowhere"


class TestBehaviour:
    def test_the_response_has_the_details(self, shop: Recoverable) -> None:
        shop.put("a")

        details = shop.ask("CreateBackup", TableName="orders", BackupName="first")["BackupDetails"]

        arn = details.pop("BackupArn")
        assert arn.startswith("arn:aws:dynamodb:us-east-1:000000000000:table/orders/backup/")
        assert arn.rpartition("/")[2].startswith(f"0{START}000-")
        assert details == {
            "BackupName": "first",
            "BackupSizeBytes": 2 + 1 + 4 + 2 + 6 + 3,
            "BackupStatus": "CREATING",
            "BackupType": "USER",
            "BackupCreationDateTime": START,
        }
        assert shop.status(arn) == "AVAILABLE"

    def test_a_name_may_be_used_again(self, shop: Recoverable) -> None:
        assert shop.back_up() != shop.back_up()
        assert [backup["BackupName"] for backup in shop.backups()] == ["first", "first"]

    def test_a_table_is_also_found_by_its_arn(self, shop: Recoverable) -> None:
        arn = shop.ask("DescribeTable", TableName="orders")["Table"]["TableArn"]
        shop.ask("CreateBackup", TableName=arn, BackupName="first")
        assert len(shop.backups()) == 1

    def test_a_server_completes_it_in_its_upkeep(self) -> None:
        shop = recoverable(grouped=True)
        shop.put("a")
        arn = shop.back_up()
        assert shop.status(arn) == "CREATING"

        shop.tend()

        assert shop.status(arn) == "AVAILABLE"

    def test_later_changes_are_not_in_it(self, shop: Recoverable) -> None:
        shop.put("a")
        arn = shop.back_up()
        shop.put("a", colour="blue")
        shop.put("b")

        shop.ask("RestoreTableFromBackup", BackupArn=arn, TargetTableName="copy")

        assert shop.items("copy") == {("a", 1): "red"}
