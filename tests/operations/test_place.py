"""Places of a merged walk survive a cursor unchanged."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sortkey import Refused
from sortkey.operations.place import read_place, write_place

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text()
    | st.binary()
    | st.decimals(allow_nan=False)
    | st.dates()
    | st.datetimes(timezones=st.just(UTC))
)
PLACES = st.recursive(SCALARS, lambda some: st.lists(some) | st.lists(some).map(tuple))


@given(PLACES)
def test_a_place_comes_back_equal_and_of_its_type(place: Any) -> None:
    back = read_place(json.loads(json.dumps(write_place(place))))

    assert back == place
    assert type(back) is type(place)


def test_a_place_that_no_cursor_can_hold_is_refused() -> None:
    with pytest.raises(Refused, match="returned a complex, which a cursor cannot store"):
        write_place((1, 2j))


@pytest.mark.parametrize(
    "written", [{}, [], {"a": 1}, ["unknown", 1], ["decimal"], ["decimal", 1], ["list", {}]]
)
def test_other_json_is_not_a_place(written: Any) -> None:
    with pytest.raises(ValueError, match="no place is written like this"):
        read_place(written)


def test_a_time_keeps_its_zone() -> None:
    moment = datetime(2024, 5, 1, 9, tzinfo=UTC)

    assert read_place(write_place([moment, "x"])) == [moment, "x"]
