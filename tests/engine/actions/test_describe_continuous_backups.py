"""DescribeContinuousBackups."""

from typing import Any

import pytest
from tests.engine.recoverable import DAY, START, Recoverable, recoverable

from sortkey.wire.errors import TableNotFoundException, ValidationException


@pytest.fixture
def shop() -> Recoverable:
    return recoverable()


def describe(shop: Recoverable) -> Any:
    answer = shop.ask("DescribeContinuousBackups", TableName="orders")
    description = answer["ContinuousBackupsDescription"]
    assert description["ContinuousBackupsStatus"] == "ENABLED"
    return description["PointInTimeRecoveryDescription"]


def window(shop: Recoverable) -> tuple[int, int]:
    """Return the first and last restorable second, counted from the start."""
    found = describe(shop)
    return (
        found["EarliestRestorableDateTime"] - START,
        found["LatestRestorableDateTime"] - START,
    )


def test_a_table_must_be_named(shop: Recoverable) -> None:
    with pytest.raises(ValidationException):
        shop.ask("DescribeContinuousBackups")
    with pytest.raises(TableNotFoundException, match="Table not found: nowhere"):
        shop.ask("DescribeContinuousBackups", TableName="nowhere")


def test_recovery_is_disabled_at_first(shop: Recoverable) -> None:
    assert describe(shop) == {"PointInTimeRecoveryStatus": "DISABLED"}


def test_the_window_begins_when_recovery_is_enabled(shop: Recoverable) -> None:
    shop.clock.move(10)
    shop.recover()
    assert window(shop) == (10, 10)

    shop.clock.move(299)
    assert window(shop) == (10, 10)
    shop.clock.move(101)
    assert window(shop) == (10, 110)


def test_the_window_moves_on(shop: Recoverable) -> None:
    shop.recover(2)
    shop.clock.move(5 * DAY)
    assert window(shop) == (3 * DAY, 5 * DAY - 300)


def test_a_clock_that_is_set_back_does_not_bring_back_what_was_trimmed(shop: Recoverable) -> None:
    shop.recover(1)
    shop.put("a")
    shop.put("a", colour="blue")
    shop.clock.move(10 * DAY)
    shop.tend()
    shop.clock.move(-10 * DAY)

    assert window(shop) == (9 * DAY, 10 * DAY - 300)
