"""Changes of tables that take time, and limits on how often they are made."""

from typing import Any

import pytest

from sortkey.engine import Engine
from sortkey.engine.weather import scenario
from sortkey.wire.errors import (
    ContinuousBackupsUnavailableException,
    InvalidRestoreTimeException,
    LimitExceededException,
    ResourceInUseException,
    ResourceNotFoundException,
    ValidationException,
)

SECONDS = 20
HOUR = 3600
INDEX = {
    "IndexName": "ByCustomer",
    "KeySchema": [{"AttributeName": "customer", "KeyType": "HASH"}],
    "Projection": {"ProjectionType": "ALL"},
}


class Service:
    """An engine whose changes take time, with a clock that stands still unless it is moved."""

    def __init__(self, weather: str | None = "slow-changes", *, grouped: bool = False) -> None:
        self.time = 1_000_000_000.0
        found = None if weather is None else scenario(weather)
        self.engine = Engine.memory(clock=lambda: self.time, weather=found, grouped=grouped)

    def create(self, **settings: Any) -> dict[str, Any]:
        return self.answer(
            "CreateTable",
            **{
                "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
                "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
                "BillingMode": "PAY_PER_REQUEST",
                **settings,
            },
        )

    def made(self, **settings: Any) -> "Service":
        self.create(**settings)
        self.time += SECONDS
        return self

    def answer(self, operation: str, **request: Any) -> dict[str, Any]:
        return self.engine.answer(operation, {"TableName": "orders", **request})

    def put(self, number: int = 1) -> None:
        self.answer("PutItem", Item={"id": {"S": str(number)}, "customer": {"S": "ada"}})

    def add_index(self) -> None:
        self.answer(
            "UpdateTable",
            AttributeDefinitions=[{"AttributeName": "customer", "AttributeType": "S"}],
            GlobalSecondaryIndexUpdates=[{"Create": INDEX}],
        )

    @property
    def status(self) -> str:
        return self.answer("DescribeTable")["Table"]["TableStatus"]


# -- creation and deletion --------------------------------------------------------------------


def test_a_new_table_is_creating_and_has_no_items_yet() -> None:
    service = Service()
    service.create()

    assert service.status == "CREATING"
    with pytest.raises(ResourceNotFoundException, match="Requested resource not found"):
        service.put()

    service.time += SECONDS
    assert service.status == "ACTIVE"
    service.put()


@pytest.mark.parametrize("operation", ["DeleteTable", "UpdateTable"])
def test_a_table_that_is_being_created_cannot_be_changed(operation: str) -> None:
    service = Service()
    service.create()

    with pytest.raises(ResourceInUseException, match="Table is being created: orders"):
        service.answer(operation, **({"TableClass": "STANDARD"} if operation[0] == "U" else {}))


def test_a_deleted_table_is_deleting_and_its_name_is_in_use() -> None:
    service = Service().made()
    service.answer("DeleteTable")

    assert service.status == "DELETING"
    assert service.engine.answer("ListTables", {})["TableNames"] == ["orders"]
    with pytest.raises(ResourceInUseException, match="Table is being deleted: orders"):
        service.create()
    with pytest.raises(ResourceNotFoundException):
        service.put()

    service.time += SECONDS
    assert service.engine.answer("ListTables", {})["TableNames"] == []
    with pytest.raises(ResourceNotFoundException):
        service.answer("DescribeTable")
    service.create()


@pytest.mark.parametrize(
    "operation", ["DeleteTable", "UpdateTable", "UpdateTimeToLive", "TagResource"]
)
def test_a_table_that_is_being_deleted_cannot_be_changed(operation: str) -> None:
    service = Service().made()
    deleted = service.answer("DeleteTable")["TableDescription"]
    requests: dict[str, dict[str, Any]] = {
        "DeleteTable": {},
        "UpdateTable": {"TableClass": "STANDARD"},
        "UpdateTimeToLive": {"TimeToLiveSpecification": {"AttributeName": "ends", "Enabled": True}},
        "TagResource": {"ResourceArn": deleted["TableArn"], "Tags": [{"Key": "a", "Value": "b"}]},
    }

    with pytest.raises(ResourceInUseException, match="Table is being deleted: orders"):
        service.answer(operation, **requests[operation])

    service.time += SECONDS
    with pytest.raises(ResourceNotFoundException):
        service.answer(operation, **requests[operation])


def test_the_time_to_live_is_described_once_the_table_is_active() -> None:
    service = Service()
    service.create()
    with pytest.raises(ValidationException, match="Current table state is CREATING"):
        service.answer("DescribeTimeToLive")
    with pytest.raises(ResourceInUseException, match="Table orders is being created"):
        expire_by(service, "ends", enabled=True)

    service.time += SECONDS
    service.answer("DescribeTimeToLive")
    expire_by(service, "ends", enabled=True)

    service.answer("DeleteTable")
    with pytest.raises(ValidationException, match="Current table state is DELETING"):
        service.answer("DescribeTimeToLive")


def test_a_table_has_backups_once_it_is_active() -> None:
    service = Service()
    service.create()
    recovery = {"PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True}}

    with pytest.raises(ContinuousBackupsUnavailableException, match="for the table: orders"):
        service.answer("UpdateContinuousBackups", **recovery)
    with pytest.raises(ContinuousBackupsUnavailableException):
        service.answer("CreateBackup", BackupName="backup")

    def status() -> str:
        described = service.answer("DescribeContinuousBackups")["ContinuousBackupsDescription"]
        return described["ContinuousBackupsStatus"]

    assert status() == "DISABLED"
    service.time += SECONDS
    assert status() == "ENABLED"
    service.answer("UpdateContinuousBackups", **recovery)
    service.answer("CreateBackup", BackupName="backup")


def test_a_restored_table_is_creating_for_a_while() -> None:
    service = Service().made()
    backup = service.answer("CreateBackup", BackupName="backup")["BackupDetails"]["BackupArn"]
    restored = {"TargetTableName": "restored", "BackupArn": backup}
    service.engine.answer("RestoreTableFromBackup", restored)

    described = service.engine.answer("DescribeTable", {"TableName": "restored"})
    assert described["Table"]["TableStatus"] == "CREATING"


# -- changes ----------------------------------------------------------------------------------


def test_a_changed_table_is_updating_and_can_be_used() -> None:
    service = Service().made()
    service.answer("UpdateTable", DeletionProtectionEnabled=True)

    assert service.status == "UPDATING"
    service.put()
    with pytest.raises(ResourceInUseException, match="Table is being updated: orders"):
        service.answer("UpdateTable", DeletionProtectionEnabled=False)

    service.time += SECONDS
    assert service.status == "ACTIVE"


def test_a_new_index_is_allocated_before_it_is_filled() -> None:
    service = Service().made()
    service.put()
    service.add_index()

    [index] = service.answer("DescribeTable")["Table"]["GlobalSecondaryIndexes"]
    assert (index["IndexStatus"], index["Backfilling"]) == ("CREATING", False)
    with pytest.raises(ValidationException, match="Cannot read from backfilling"):
        service.answer("Scan", IndexName="ByCustomer")

    service.time += SECONDS
    [index] = service.answer("DescribeTable")["Table"]["GlobalSecondaryIndexes"]
    assert index["IndexStatus"] == "ACTIVE"
    assert service.answer("Scan", IndexName="ByCustomer")["Count"] == 1


def test_the_progress_of_a_back_fill_is_a_metric() -> None:
    service = Service().made()
    service.put()
    service.add_index()

    metrics = service.engine.answer("DescribeMeters", {})["Metrics"]

    [progress] = [each for each in metrics if each["MetricName"].startswith("OnlineIndex")]
    assert progress["Dimensions"]["GlobalSecondaryIndexName"] == "ByCustomer"
    assert progress["Total"]["Sum"] == 0


def test_the_progress_grows_while_a_server_fills_the_index() -> None:
    service = Service(grouped=True).made()
    for number in range(1_200):
        service.put(number)
    service.add_index()

    def progress() -> list[float]:
        metrics = service.engine.answer("DescribeMeters", {})["Metrics"]
        return [
            each["Total"]["Sum"] for each in metrics if each["MetricName"].startswith("OnlineIndex")
        ]

    def described() -> tuple[str, bool | None]:
        [index] = service.answer("DescribeTable")["Table"]["GlobalSecondaryIndexes"]
        return index["IndexStatus"], index.get("Backfilling")

    service.engine.tend()
    assert (progress(), described()) == ([0], ("CREATING", False))
    service.time += SECONDS

    # 500 items at a time.
    seen: list[float] = []
    for _ in range(3):
        service.engine.tend()
        seen += progress()
        assert described() == ("CREATING", True)
    assert seen == pytest.approx([42, 83, 100], abs=4)
    assert service.status == "ACTIVE"
    with pytest.raises(ResourceInUseException, match="while indexes are being created"):
        service.answer("DeleteTable")
    service.engine.tend()
    assert (progress(), described()) == ([], ("ACTIVE", None))
    service.answer("DeleteTable")


# -- limits -----------------------------------------------------------------------------------


def expire_by(service: Service, attribute: str, *, enabled: bool) -> None:
    service.answer(
        "UpdateTimeToLive",
        TimeToLiveSpecification={"AttributeName": attribute, "Enabled": enabled},
    )


def test_the_time_to_live_changes_once_an_hour() -> None:
    service = Service().made()
    expire_by(service, "ends", enabled=True)

    service.time += HOUR - 1
    with pytest.raises(ValidationException, match="modified multiple times within a fixed"):
        expire_by(service, "ends", enabled=False)

    service.time += 1
    expire_by(service, "ends", enabled=False)


def test_a_change_of_the_time_to_live_is_under_way_for_a_while() -> None:
    service = Service().made()
    expire_by(service, "ends", enabled=True)

    def status() -> str:
        described = service.answer("DescribeTimeToLive")
        return described["TimeToLiveDescription"]["TimeToLiveStatus"]

    assert status() == "ENABLING"
    service.time += SECONDS
    assert status() == "ENABLED"
    service.time += HOUR
    expire_by(service, "ends", enabled=False)
    assert status() == "DISABLING"


def units(reads: int, writes: int = 5) -> dict[str, Any]:
    return {"ProvisionedThroughput": {"ReadCapacityUnits": reads, "WriteCapacityUnits": writes}}


def test_a_table_becomes_on_demand_four_times_in_24_hours() -> None:
    service = Service().made()

    def switch() -> None:
        service.answer("UpdateTable", BillingMode="PROVISIONED", **units(5))
        service.time += SECONDS
        service.answer("UpdateTable", BillingMode="PAY_PER_REQUEST")
        service.time += SECONDS

    for _ in range(4):
        switch()
    with pytest.raises(LimitExceededException, match="4 times in 24 hour"):
        switch()

    service.time += 24 * HOUR
    service.answer("UpdateTable", BillingMode="PAY_PER_REQUEST")


def test_a_throughput_is_decreased_four_times_a_day_and_then_once_an_hour() -> None:
    service = Service().made(BillingMode="PROVISIONED", **units(50))

    def decrease_to(reads: int) -> None:
        service.answer("UpdateTable", **units(reads))
        service.time += SECONDS

    for reads in (40, 30, 20, 10):
        decrease_to(reads)
    with pytest.raises(LimitExceededException, match=r"Number of decreases today: 4\. Last"):
        decrease_to(9)

    service.time += HOUR
    decrease_to(9)
    with pytest.raises(LimitExceededException, match="Number of decreases today: 5"):
        decrease_to(8)
    decrease_to(90)


def test_the_latest_five_minutes_cannot_be_restored() -> None:
    service = Service().made()
    service.answer(
        "UpdateContinuousBackups",
        PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True},
    )
    service.time += HOUR

    def restore(name: str, at: float) -> None:
        service.engine.answer(
            "RestoreTableToPointInTime",
            {"SourceTableName": "orders", "TargetTableName": name, "RestoreDateTime": at},
        )

    with pytest.raises(InvalidRestoreTimeException, match="LatestRestorableDateTime"):
        restore("too-late", service.time - 299)
    restore("in-time", service.time - 300)


# -- fair weather -----------------------------------------------------------------------------


@pytest.mark.parametrize("weather", [None, "fair", "hot-day"])
def test_in_other_weather_nothing_takes_time_or_is_limited(weather: str | None) -> None:
    service = Service(weather)
    service.create()
    service.put()

    for enabled in (True, False, True):
        expire_by(service, "ends", enabled=enabled)
    for _ in range(6):
        service.answer("UpdateTable", BillingMode="PROVISIONED", **units(50))
        for reads in range(49, 40, -1):
            service.answer("UpdateTable", **units(reads))
        service.answer("UpdateTable", BillingMode="PAY_PER_REQUEST")
    service.add_index()

    assert service.status == "ACTIVE"
    assert service.answer("Scan", IndexName="ByCustomer")["Count"] == 1
    service.answer("DeleteTable")
    service.create()
