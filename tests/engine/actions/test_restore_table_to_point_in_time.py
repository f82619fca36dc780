"""RestoreTableToPointInTime."""

from typing import Any

import pytest
from tests.engine.recoverable import DAY, START, Recoverable, recoverable

from sortkey.wire.errors import (
    InvalidRestoreTimeException,
    PointInTimeRecoveryUnavailableException,
    TableAlreadyExistsException,
    TableNotFoundException,
    ValidationException,
)

ARN = "arn:aws:dynamodb:us-east-1:000000000000:table/"
LATEST = {"UseLatestRestorableTime": True, "TargetTableName": "past"}


@pytest.fixture
def shop() -> Recoverable:
    opened = recoverable()
    opened.recover()
    return opened


class TestValidation:
    @pytest.mark.parametrize(
        ("request_", "reason"),
        [
            (LATEST, "The parameter 'TableName' is required"),
            (
                LATEST | {"SourceTableName": "orders", "SourceTableArn": f"{ARN}orders"},
                "Must provide exactly one of: sourceTableArn, sourceTableName",
            ),
            (LATEST | {"SourceTableArn": "orders"}, "sourceTableArn is not a valid ARN"),
            (
                LATEST | {"SourceTableName": "orders", "RestoreDateTime": START},
                "Both RestoreDateTime and UseLatestRestorableTime cannot be set",
            ),
            (
                {"SourceTableName": "orders", "TargetTableName": "past"},
                "Either one of RestoreDateTime or UseLatestRestorableTime must be specified",
            ),
            (
                LATEST | {"SourceTableName": "orders", "UseLatestRestorableTime": False},
                "Either one of RestoreDateTime or UseLatestRestorableTime must be specified",
            ),
            (LATEST | {"SourceTableName": "orders", "TargetTableName": "a b"}, "targetTableName"),
        ],
    )
    def test_a_source_and_a_time_are_given(
        self, shop: Recoverable, request_: dict[str, Any], reason: str
    ) -> None:
        with pytest.raises(ValidationException, match=reason):
            shop.ask("RestoreTableToPointInTime", **request_)

    def test_the_source_must_exist(self, shop: Recoverable) -> None:
        for source in ({"SourceTableName": "nowhere"}, {"SourceTableArn": f"{ARN}nowhere"}):
            with pytest.raises(TableNotFoundException, match="Table not found: nowhere"):
                shop.ask("RestoreTableToPointInTime", **LATEST | source)

    def test_recovery_must_be_enabled_before_the_time_matters(self, shop: Recoverable) -> None:
        shop.recover(enabled=False)
        with pytest.raises(PointInTimeRecoveryUnavailableException) as refused:
            shop.restore("orders", -5)
        assert refused.value.message == ("Point in time recovery is not enabled for table 'orders'")

    @pytest.mark.parametrize("second", [-1, 11, -START, 1e18])
    def test_the_time_is_within_the_window(self, shop: Recoverable, second: float) -> None:
        shop.clock.move(10)
        with pytest.raises(InvalidRestoreTimeException, match="must be within Earliest"):
            shop.restore("orders", second)

    def test_the_error_shows_the_window(self, shop: Recoverable) -> None:
        shop.clock.move(310)
        with pytest.raises(InvalidRestoreTimeException) as refused:
            shop.restore("past", -1)
        assert refused.value.message == (
            "RestoreDateTime '2027-01-15T07:59:59Z' must be within EarliestRestorableDateTime "
            "'2027-01-15T08:00:00Z' and LatestRestorableDateTime '2027-01-15T08:00:10Z'"
        )

    def test_the_table_must_be_new(self, shop: Recoverable) -> None:
        with pytest.raises(TableAlreadyExistsException, match="Table already exists: orders"):
            shop.restore("orders", 0)


class TestBehaviour:
    def test_the_response_describes_the_restore(self, shop: Recoverable) -> None:
        shop.clock.move(10)
        table = shop.restore("past", 3.7)
        assert table["TableStatus"] == "CREATING"
        assert table["RestoreSummary"] == {
            "SourceTableArn": f"{ARN}orders",
            "RestoreDateTime": START + 3,
            "RestoreInProgress": True,
        }
        described = shop.ask("DescribeTable", TableName="past")["Table"]
        assert described["TableStatus"] == "ACTIVE"
        assert "RestoreSummary" not in described

    def test_a_second_includes_all_that_was_committed_before_the_next(
        self, shop: Recoverable
    ) -> None:
        shop.clock.move(1)
        shop.put("first")
        shop.clock.move(0.999_999)
        shop.put("last")
        shop.clock.move(0.000_001)
        shop.put("next")

        assert shop.restored(0) == {}
        assert shop.restored(1).keys() == {("first", 1), ("last", 1)}
        assert shop.restored(2).keys() == {("first", 1), ("last", 1), ("next", 1)}

    def test_the_latest_time_is_five_minutes_ago(self, shop: Recoverable) -> None:
        shop.put("old")
        shop.clock.move(200)
        shop.put("new")
        shop.clock.move(200)

        shop.restore("past")
        shop.ask(
            "RestoreTableToPointInTime",
            **LATEST
            | {
                "SourceTableArn": f"{ARN}orders",
                "TargetTableName": "by_arn",
            },
        )

        assert shop.items("past").keys() == shop.items("by_arn").keys() == {("old", 1)}

    def test_a_clock_that_is_set_back_does_not_change_the_order(self, shop: Recoverable) -> None:
        shop.clock.move(100)
        shop.put("a", colour="red")
        shop.clock.move(-50)
        shop.put("a", colour="blue")

        assert shop.restored(99) == {}
        assert shop.restored(100) == {("a", 1): "blue"}

    def test_what_was_stored_before_recovery_is_restored_too(self) -> None:
        shop = recoverable()
        shop.put("a")
        shop.put("b")
        shop.clock.move(10)
        shop.recover()
        shop.clock.move(10)
        shop.delete("b")

        assert shop.restored(15) == {("a", 1): "red", ("b", 1): "red"}
        assert shop.restored(20) == {("a", 1): "red"}

    def test_settings_are_those_of_now(self, shop: Recoverable) -> None:
        shop.clock.move(10)
        delete = {"Delete": {"IndexName": "by_colour"}}
        shop.ask("UpdateTable", TableName="orders", GlobalSecondaryIndexUpdates=[delete])
        shop.restore("past", 5)
        assert "GlobalSecondaryIndexes" not in shop.ask("DescribeTable", TableName="past")["Table"]

    def test_a_restored_table_can_be_restored(self, shop: Recoverable) -> None:
        shop.put("a")
        shop.clock.move(10)
        shop.restore("past", 5)
        shop.ask(
            "UpdateContinuousBackups",
            TableName="past",
            PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True},
        )
        shop.restore("again", 10, SourceTableName="past")
        assert shop.items("again") == {("a", 1): "red"}

    def test_a_whole_window_later_it_is_still_possible(self, shop: Recoverable) -> None:
        shop.put("a")
        shop.clock.move(34 * DAY)
        shop.put("a", colour="blue")
        shop.tend()
        assert shop.restored(DAY) == {("a", 1): "red"}
