"""Two moments of a list: each may be left out, and they are in order."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from sortkey_systems.api.times import EARLIEST, LATEST, Times, within

NOON = datetime(2032, 5, 1, 12, tzinfo=UTC)
SOON = NOON + timedelta(microseconds=1)


class Refused(Exception):  # noqa: N818 - it says what happened
    """A system's own refusal."""


def times(**given: Any) -> Times:
    return asyncio.run(within(Refused).dependency(**given))


def test_two_moments_are_as_they_were_given() -> None:
    assert times(since=NOON, until=SOON) == Times(NOON, SOON)
    assert times(since=NOON, until=NOON) == Times(NOON, NOON)


def test_what_is_left_out_leaves_nothing_out() -> None:
    assert times() == Times(EARLIEST, LATEST)


def test_an_end_before_the_beginning_is_refused_by_its_name() -> None:
    with pytest.raises(Refused) as refused:
        times(since=SOON, until=NOON)
    assert refused.value.args == ("until", "it comes before since")
