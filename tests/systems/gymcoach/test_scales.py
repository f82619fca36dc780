"""Axes have round values around all values, and distinct labels."""

from datetime import date, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sortkey_systems.gymcoach.scales import (
    date_labels,
    date_ticks,
    dates_of,
    rounded,
    shown,
    value_range,
)

VALUES = st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**20), max_value=10**20)


@given(values=st.lists(VALUES, min_size=1, max_size=20), from_zero=st.booleans())
def test_every_value_is_between_the_first_tick_and_the_last(
    values: list[Decimal], *, from_zero: bool
) -> None:
    found = value_range(values, from_zero=from_zero)
    assert found.low <= min(values)
    assert found.high >= max(values)
    assert found.low < found.high
    assert (found.ticks[0], found.ticks[-1]) == (found.low, found.high)
    assert 2 <= len(found.ticks) <= 9
    assert [*found.ticks] == sorted({*found.ticks})
    if from_zero:
        assert found.low <= 0 <= found.high


def test_ticks_are_round() -> None:
    found = value_range([Decimal(135), Decimal("152.5")], from_zero=False)
    assert found.ticks == (135, 140, 145, 150, 155)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("0", "0"),
        ("0.00", "0"),
        ("100", "100"),
        ("1E+2", "100"),
        ("1234567.50", "1,234,567.5"),
        ("-0.25", "-0.25"),
        ("0.000001", "0.000001"),
        ("1E-12", "1.000e-12"),
        ("-2.5E+12", "-2.500e12"),
    ],
)
def test_values_are_shown_as_people_write_them(value: str, text: str) -> None:
    assert shown(Decimal(value)) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [("75.8148", "75.81"), ("0.0123456", "0.0123"), ("0", "0"), ("1E+20", "1E+20")],
)
def test_values_are_rounded_to_what_one_takes_in_at_a_glance(value: str, text: str) -> None:
    assert rounded(Decimal(value)) == Decimal(text)


def test_dates_are_known_where_all_are_dates() -> None:
    assert dates_of(["2032-02-29", "2032-03-01T10:00:00Z"]) == [date(2032, 2, 29), date(2032, 3, 1)]
    assert dates_of(["2032-02-29", "Week 2"]) is None
    assert dates_of(["2031-02-29"]) is None


@given(
    first=st.dates(date(1, 1, 1), date(9999, 12, 31)),
    days=st.integers(1, 3_000_000),
    most=st.integers(3, 12),
)
def test_ticks_of_time_are_few_in_order_and_within(first: date, days: int, most: int) -> None:
    last = first + timedelta(days=min(days, (date.max - first).days or 0))
    ticks = date_ticks(first, last, most)
    assert ticks == sorted({*ticks}) or first == last
    assert len(ticks) <= most
    assert all(first <= day <= last for day in ticks)
    assert len(date_labels(ticks)) == len(ticks)


def test_labels_have_the_year_where_it_begins() -> None:
    assert date_labels([date(2031, 12, 29), date(2032, 1, 5), date(2032, 1, 12)]) == [
        "29 Dec 2031",
        "5 Jan 2032",
        "12 Jan",
    ]
    assert date_labels([date(2031, 12, 1), date(2032, 1, 1), date(2032, 2, 1)]) == [
        "Dec 2031",
        "Jan 2032",
        "Feb",
    ]
    assert date_labels([date(2031, 1, 1), date(2032, 1, 1)]) == ["2031", "2032"]
    assert date_labels([date(2032, 1, 1)]) == ["1 Jan 2032"]
