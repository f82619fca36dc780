"""UpdateContinuousBackups."""

import pytest
from tests.engine.recoverable import DAY, START, Recoverable, recoverable

from sortkey.wire.errors import (
    InvalidRestoreTimeException,
    TableNotFoundException,
    ValidationException,
)


@pytest.fixture
def shop() -> Recoverable:
    return recoverable()


class TestValidation:
    @pytest.mark.parametrize("days", [0, 36])
    def test_the_window_has_1_to_35_days(self, shop: Recoverable, days: int) -> None:
        with pytest.raises(ValidationException, match="recoveryPeriodInDays"):
            shop.recover(days)

    def test_no_window_goes_with_disabling(self, shop: Recoverable) -> None:
        with pytest.raises(ValidationException, match="Cannot specify RecoveryPeriodInDays when"):
            shop.recover(3, enabled=False)

    def test_an_unknown_table_is_named(self, shop: Recoverable) -> None:
        with pytest.raises(TableNotFoundException, match="Table not found: nowhere"):
            shop.ask(
                "UpdateContinuousBackups",
                TableName="nowhere",
                PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True},
            )


class TestBehaviour:
    def test_the_response_describes_the_setting(self, shop: Recoverable) -> None:
        assert shop.recover() == {
            "PointInTimeRecoveryStatus": "ENABLED",
            "RecoveryPeriodInDays": 35,
            "EarliestRestorableDateTime": START,
            "LatestRestorableDateTime": START,
        }
        assert shop.recover(enabled=False) == {"PointInTimeRecoveryStatus": "DISABLED"}

    def test_enabling_again_changes_nothing(self, shop: Recoverable) -> None:
        shop.recover(7)
        shop.clock.move(60)
        again = shop.recover()
        assert (again["RecoveryPeriodInDays"], again["EarliestRestorableDateTime"]) == (7, START)

    def test_a_narrower_window_applies_at_once(self, shop: Recoverable) -> None:
        shop.recover()
        shop.clock.move(10 * DAY)
        narrow = shop.recover(2)
        assert narrow["EarliestRestorableDateTime"] == START + 8 * DAY

    def test_a_wider_window_is_filled_as_time_passes(self, shop: Recoverable) -> None:
        shop.recover(1)
        shop.put("a")
        shop.clock.move(10 * DAY)
        shop.tend()
        wide = shop.recover(35)
        assert wide["EarliestRestorableDateTime"] == START + 9 * DAY

        shop.clock.move(3 * DAY)
        assert shop.recover()["EarliestRestorableDateTime"] == START + 9 * DAY

    def test_disabling_forgets_the_past(self, shop: Recoverable) -> None:
        shop.recover()
        shop.put("a")
        shop.clock.move(60)
        shop.recover(enabled=False)
        shop.tend()
        assert shop.count("journal") == 0

        shop.recover()
        with pytest.raises(InvalidRestoreTimeException):
            shop.restore("past", 30)

    def test_a_table_without_recovery_writes_no_journal(self, shop: Recoverable) -> None:
        shop.put("a")
        shop.recover()
        shop.recover(enabled=False)
        shop.put("b")
        assert shop.count("journal") == 0

    def test_the_stream_of_the_table_goes_on(self, shop: Recoverable) -> None:
        stream = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
        shop.ask("UpdateTable", TableName="orders", StreamSpecification=stream)
        [opened] = shop.ask("ListStreams")["Streams"]
        arn = opened["StreamArn"]
        before = shop.ask("DescribeStream", StreamArn=arn)["StreamDescription"]["Shards"]
        shop.recover()
        shop.put("a")
        shop.recover(enabled=False)
        shop.put("a", colour="blue")

        after = shop.ask("DescribeStream", StreamArn=arn)["StreamDescription"]["Shards"]
        assert [shard["ShardId"] for shard in after] == [shard["ShardId"] for shard in before]
        iterator = shop.ask(
            "GetShardIterator",
            StreamArn=arn,
            ShardId=after[0]["ShardId"],
            ShardIteratorType="TRIM_HORIZON",
        )
        records = shop.ask("GetRecords", **iterator)["Records"]
        assert [record["eventName"] for record in records] == ["INSERT", "MODIFY"]
        assert not any("OldImage" in record["dynamodb"] for record in records)
