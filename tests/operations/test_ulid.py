"""ULIDs: as github.com/ulid/spec writes them, in the order of their times."""

from datetime import UTC, datetime, timedelta

import pytest

from sortkey import ulid
from sortkey.testing import clock

SHOWN = datetime.fromtimestamp(1_469_918_176.385, UTC)
ALL_BITS = 2**80 - 1


@pytest.mark.parametrize(
    ("random", "text"), [(0, "01ARYZ6S41" + "0" * 16), (ALL_BITS, "01ARYZ6S41" + "Z" * 16)]
)
def test_an_id_is_its_time_and_its_random_bits_in_base_32(random: int, text: str) -> None:
    assert ulid(SHOWN, random=random) == text


def test_the_last_id_of_a_millisecond_sorts_before_the_first_of_the_next() -> None:
    after = SHOWN + timedelta(milliseconds=1)

    assert ulid(SHOWN, random=ALL_BITS) < ulid(after, random=0)


def test_random_bits_that_are_too_many_are_cut() -> None:
    assert ulid(SHOWN, random=2**80) == ulid(SHOWN, random=0)


def test_ids_of_one_millisecond_differ() -> None:
    assert len({ulid(SHOWN) for _ in range(200)}) == 200


def test_a_new_id_has_the_time_of_the_clock() -> None:
    with clock(SHOWN.timestamp):
        assert ulid().startswith("01ARYZ6S41")
