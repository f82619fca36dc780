"""Time ranges: both ends are optional, and must be in order."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from sortkey_systems.api.times import EARLIEST, LATEST, TimeRange, time_range

NOON = datetime(2032, 5, 1, 12, tzinfo=UTC)
SOON = NOON + timedelta(microseconds=1)


class Refused(Exception):  # noqa: N818 - it says what happened
    """A system's own error."""


def times(**given: Any) -> TimeRange:
    return asyncio.run(time_range(Refused).dependency(**given))


def test_a_range_has_both_times() -> None:
    assert times(since=NOON, until=SOON) == TimeRange(NOON, SOON)
    assert times(since=NOON, until=NOON) == TimeRange(NOON, NOON)


def test_the_default_range_includes_all_times() -> None:
    assert times() == TimeRange(EARLIEST, LATEST)


def test_an_end_before_the_start_is_rejected_by_name() -> None:
    with pytest.raises(Refused) as refused:
        times(since=SOON, until=NOON)
    assert refused.value.args == ("until", "must not be before since")
