"""RestoreTableFromBackup."""

from typing import Any

import pytest
from tests.engine.recoverable import START, TABLE, Recoverable, recoverable

from sortkey.wire.errors import (
    BackupInUseException,
    BackupNotFoundException,
    LimitExceededException,
    ResourceInUseException,
    ResourceNotFoundException,
    TableAlreadyExistsException,
    TableInUseException,
    TableNotFoundException,
    ValidationException,
)

[GLOBAL], [LOCAL] = TABLE["GlobalSecondaryIndexes"], TABLE["LocalSecondaryIndexes"]
UNITS = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 6}


@pytest.fixture
def shop() -> Recoverable:
    return recoverable()


@pytest.fixture
def served() -> Recoverable:
    """An engine that is tended by hand, as a server tends it."""
    return recoverable(grouped=True)


def restore(shop: Recoverable, arn: str, target: str = "copy", **more: Any) -> dict[str, Any]:
    answer = shop.ask("RestoreTableFromBackup", BackupArn=arn, TargetTableName=target, **more)
    return answer["TableDescription"]


def described(shop: Recoverable, name: str = "copy") -> dict[str, Any]:
    return shop.ask("DescribeTable", TableName=name)["Table"]


class TestValidation:
    @pytest.mark.parametrize("name", ["ab", "a b"])
    def test_the_name_is_that_of_a_table(self, shop: Recoverable, name: str) -> None:
        with pytest.raises(ValidationException, match="targetTableName"):
            restore(shop, shop.back_up(), name)

    def test_the_backup_must_exist(self, shop: Recoverable) -> None:
        arn = shop.back_up()
        shop.ask("DeleteBackup", BackupArn=arn)
        with pytest.raises(BackupNotFoundException):
            restore(shop, arn)

    def test_the_table_must_be_new(self, shop: Recoverable) -> None:
        with pytest.raises(TableAlreadyExistsException, match="Table already exists: orders"):
            restore(shop, shop.back_up(), "orders")

    @pytest.mark.parametrize(
        ("override", "reason"),
        [
            (
                {"ProvisionedThroughputOverride": UNITS},
                "Cannot override ProvisionedThroughput unless BillingMode is PROVISIONED",
            ),
            (
                {
                    "BillingModeOverride": "PAY_PER_REQUEST",
                    "ProvisionedThroughputOverride": UNITS,
                },
                "Cannot override ProvisionedThroughput if BillingMode is overridden to PAY_PER",
            ),
            (
                {"BillingModeOverride": "PROVISIONED"},
                "Must override ProvisionedThroughput if BillingMode is overridden to PROVISIONED",
            ),
            (
                {"BillingModeOverride": "PROVISIONED", "ProvisionedThroughputOverride": UNITS},
                "overridden to PROVISIONED for index by_colour",
            ),
            (
                {
                    "BillingModeOverride": "PROVISIONED",
                    "ProvisionedThroughputOverride": UNITS,
                    "GlobalSecondaryIndexOverride": [GLOBAL],
                },
                "Must specify provisioned throughput for index by_colour",
            ),
            (
                {"GlobalSecondaryIndexOverride": [GLOBAL | {"ProvisionedThroughput": UNITS}]},
                "PAY_PER_REQUEST for index by_colour",
            ),
            (
                {
                    "BillingModeOverride": "PROVISIONED",
                    "ProvisionedThroughputOverride": UNITS,
                    "OnDemandThroughputOverride": {"MaxReadRequestUnits": 5},
                },
                "Cannot override MaxReadRequestUnits for OnDemandThroughput unless",
            ),
            (
                {
                    "GlobalSecondaryIndexOverride": [
                        GLOBAL | {"Projection": {"ProjectionType": "KEYS_ONLY"}}
                    ]
                },
                "Index by_colour does not match a secondary index that existed in the source",
            ),
            (
                {
                    "LocalSecondaryIndexOverride": [
                        LOCAL | {"IndexName": "new", "Projection": {"ProjectionType": "ALL"}}
                    ]
                },
                "Index new does not match a secondary index that existed in the source table",
            ),
            (
                {
                    "GlobalSecondaryIndexOverride": [
                        GLOBAL | {"WarmThroughput": {"ReadUnitsPerSecond": 5}}
                    ]
                },
                "WarmThroughput",
            ),
            ({"VectorIndexOverride": [{"IndexName": "near"}]}, "Index near does not match"),
        ],
    )
    def test_overrides_fit_the_source(
        self, shop: Recoverable, override: dict[str, Any], reason: str
    ) -> None:
        with pytest.raises(ValidationException, match=reason):
            restore(shop, shop.back_up(), **override)
        assert shop.ask("ListTables")["TableNames"] == ["orders"]


class TestWhatIsRestored:
    def test_items_and_indexes_are_restored(self, shop: Recoverable) -> None:
        for number in range(5):
            shop.put("a", number)
        arn = shop.back_up()
        shop.delete("a", 3)

        restore(shop, arn)

        expected = {("a", number): "red" for number in range(5)}
        assert shop.items("copy") == shop.items("copy", IndexName="by_colour") == expected
        table = described(shop)
        assert (table["ItemCount"], table["TableStatus"]) == (5, "ACTIVE")
        assert table["LocalSecondaryIndexes"][0]["ItemCount"] == 5
        assert "RestoreSummary" not in table

    def test_settings_are_restored_or_not(self, shop: Recoverable) -> None:
        setting = {"Enabled": True, "AttributeName": "ends"}
        shop.ask("UpdateTimeToLive", TableName="orders", TimeToLiveSpecification=setting)
        shop.ask(
            "UpdateTable",
            TableName="orders",
            StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"},
            SSESpecification={"Enabled": True},
            OnDemandThroughput={"MaxReadRequestUnits": 7},
            TableClass="STANDARD_INFREQUENT_ACCESS",
            DeletionProtectionEnabled=True,
        )
        source = described(shop, "orders")
        tags = [{"Key": "team", "Value": "shop"}]
        shop.ask("TagResource", ResourceArn=source["TableArn"], Tags=tags)
        shop.recover()

        restore(shop, shop.back_up())

        table = described(shop)
        restored = ("KeySchema", "AttributeDefinitions", "SSEDescription", "OnDemandThroughput")
        assert all(table[member] == source[member] for member in restored)
        assert table["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
        gone = {"StreamSpecification", "LatestStreamArn", "TableClassSummary"}
        assert not gone & table.keys()
        assert table["DeletionProtectionEnabled"] is False
        assert table["TableId"] != source["TableId"]
        left = shop.ask("DescribeTimeToLive", TableName="copy")["TimeToLiveDescription"]
        assert left == {"TimeToLiveStatus": "DISABLED"}
        assert shop.ask("ListTagsOfResource", ResourceArn=table["TableArn"])["Tags"] == []
        recovery = shop.ask("DescribeContinuousBackups", TableName="copy")
        assert recovery["ContinuousBackupsDescription"]["PointInTimeRecoveryDescription"] == {
            "PointInTimeRecoveryStatus": "DISABLED"
        }

    def test_the_settings_are_those_of_the_backup(self, shop: Recoverable) -> None:
        arn = shop.back_up()
        delete = {"Delete": {"IndexName": "by_colour"}}
        shop.ask("UpdateTable", TableName="orders", GlobalSecondaryIndexUpdates=[delete])

        restore(shop, arn)

        assert described(shop)["GlobalSecondaryIndexes"][0]["IndexName"] == "by_colour"

    def test_throughput_and_encryption_can_be_overridden(self, shop: Recoverable) -> None:
        restore(
            shop,
            shop.back_up(),
            BillingModeOverride="PROVISIONED",
            ProvisionedThroughputOverride=UNITS,
            GlobalSecondaryIndexOverride=[GLOBAL | {"ProvisionedThroughput": UNITS}],
            SSESpecificationOverride={"Enabled": True},
        )

        table = described(shop)
        [index] = table["GlobalSecondaryIndexes"]
        assert table["ProvisionedThroughput"] == {"NumberOfDecreasesToday": 0, **UNITS}
        assert index["ProvisionedThroughput"] == {"NumberOfDecreasesToday": 0, **UNITS}
        assert "BillingModeSummary" not in table
        assert table["SSEDescription"]["Status"] == "ENABLED"

    def test_indexes_can_be_left_out_and_renamed(self, shop: Recoverable) -> None:
        shop.put("a")
        arn = shop.back_up()

        restore(shop, arn, GlobalSecondaryIndexOverride=[], LocalSecondaryIndexOverride=[])
        renamed = [GLOBAL | {"IndexName": "colours"}]
        restore(shop, arn, "renamed", GlobalSecondaryIndexOverride=renamed)

        bare = described(shop)
        assert not {"GlobalSecondaryIndexes", "LocalSecondaryIndexes"} & bare.keys()
        assert [each["AttributeName"] for each in bare["AttributeDefinitions"]] == ["id", "line"]
        assert shop.items("renamed", IndexName="colours") == {("a", 1): "red"}


class TestWhileItIsRestored:
    @pytest.fixture
    def arn(self, served: Recoverable) -> str:
        """A backup from which the table copy is being restored."""
        served.put("a")
        arn = served.back_up()
        served.tend()
        restore(served, arn)
        return arn

    def test_it_is_described_and_listed(self, served: Recoverable, arn: str) -> None:
        table = described(served)
        assert (table["TableStatus"], table["ItemCount"]) == ("CREATING", 0)
        assert table["RestoreSummary"] == {
            "SourceBackupArn": arn,
            "SourceTableArn": "arn:aws:dynamodb:us-east-1:000000000000:table/orders",
            "RestoreDateTime": START,
            "RestoreInProgress": True,
        }
        assert served.ask("ListTables")["TableNames"] == ["copy", "orders"]

    @pytest.mark.usefixtures("arn")
    def test_other_requests_do_not_find_it(self, served: Recoverable) -> None:
        copy = {"TableName": "copy"}
        setting = {"Enabled": True, "AttributeName": "ends"}
        for operation, more in (
            ("Scan", {}),
            ("GetItem", {"Key": {"id": {"S": "a"}, "line": {"N": "1"}}}),
            ("UpdateTable", {"DeletionProtectionEnabled": True}),
            ("UpdateTimeToLive", {"TimeToLiveSpecification": setting}),
        ):
            with pytest.raises(ResourceNotFoundException):
                served.ask(operation, **copy, **more)
        with pytest.raises(TableNotFoundException, match="Table not found: copy"):
            served.ask("CreateBackup", **copy, BackupName="first")
        with pytest.raises(ResourceInUseException):
            served.ask("DeleteTable", **copy)
        with pytest.raises(ResourceInUseException, match="Table is being used: copy"):
            served.ask("CreateTable", **TABLE | copy)

    def test_the_backup_feeds_no_other_restore(self, served: Recoverable, arn: str) -> None:
        with pytest.raises(BackupInUseException, match="to restore another table"):
            restore(served, arn, "another")

        served.tend()
        restore(served, arn, "another")

    def test_the_name_is_taken(self, served: Recoverable, arn: str) -> None:
        other = served.back_up()
        served.engine.tend()
        served.ask("CreateTable", **TABLE | {"TableName": "bikes"})
        served.tend()
        restore(served, arn, "slow")
        with pytest.raises(TableInUseException) as refused:
            restore(served, other, "slow")
        assert refused.value.message == (
            f"Table: slow is already being restored from backup: {arn}"
        )

    def test_fifty_are_restored_at_once(self, served: Recoverable) -> None:
        served.recover()
        for number in range(50):
            served.restore(f"past_{number}", 0)
        with pytest.raises(LimitExceededException, match="Only 50 restore operations"):
            served.restore("past", 0)
