"""Schedules are due when EventBridge says so."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sortkey.local.cron import times_of
from sortkey.local.errors import CannotRun


def at(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


def shown(time: float | None) -> str:
    return "never" if time is None else f"{datetime.fromtimestamp(time, UTC):%Y-%m-%d %H:%M}"


def due(expression: str, after: str, number: int = 3) -> list[str]:
    """Return the first due times after a time."""
    times = times_of(expression, at(after))
    found: list[str] = []
    time: float | None = at(after)
    for _ in range(number):
        if time is not None:
            time = times.next_after(time)
        found.append(shown(time))
    return found


# The examples of "Using cron and rate expressions", and others for each special character.
EXAMPLES = [
    ("cron(0 10 * * ? *)", ["2026-11-19 10:00", "2026-11-20 10:00", "2026-11-21 10:00"]),
    ("cron(15 12 * * ? *)", ["2026-11-19 12:15", "2026-11-20 12:15", "2026-11-21 12:15"]),
    ("cron(0 18 ? * MON-FRI *)", ["2026-11-19 18:00", "2026-11-20 18:00", "2026-11-23 18:00"]),
    ("cron(0 8 1 * ? *)", ["2026-12-01 08:00", "2027-01-01 08:00", "2027-02-01 08:00"]),
    ("cron(0/15 * * * ? *)", ["2026-11-19 09:15", "2026-11-19 09:30", "2026-11-19 09:45"]),
    ("cron(0/10 * ? * MON-FRI *)", ["2026-11-19 09:10", "2026-11-19 09:20", "2026-11-19 09:30"]),
    (
        "cron(0/30 20-2 ? * MON-FRI *)",
        ["2026-11-19 20:00", "2026-11-19 20:30", "2026-11-19 21:00"],
    ),
    ("cron(0 9 ? * 2#1 *)", ["2026-12-07 09:00", "2027-01-04 09:00", "2027-02-01 09:00"]),
    ("cron(0 9 ? * 6L *)", ["2026-11-27 09:00", "2026-12-25 09:00", "2027-01-29 09:00"]),
    ("cron(0 9 ? * L *)", ["2026-11-21 09:00", "2026-11-28 09:00", "2026-12-05 09:00"]),
    ("cron(0 9 L * ? *)", ["2026-11-30 09:00", "2026-12-31 09:00", "2027-01-31 09:00"]),
    ("cron(0 9 LW * ? *)", ["2026-11-30 09:00", "2026-12-31 09:00", "2027-01-29 09:00"]),
    # The 15th of November 2026 is a Sunday, the first of May 2027 a Saturday.
    ("cron(0 9 15W * ? *)", ["2026-12-15 09:00", "2027-01-15 09:00", "2027-02-15 09:00"]),
    ("cron(0 9 1W 5 ? *)", ["2027-05-03 09:00", "2028-05-01 09:00", "2029-05-01 09:00"]),
    ("cron(0 9 29 2 ? *)", ["2028-02-29 09:00", "2032-02-29 09:00", "2036-02-29 09:00"]),
    ("cron(0 9 ? JAN SUN 2027)", ["2027-01-03 09:00", "2027-01-10 09:00", "2027-01-17 09:00"]),
    ("cron(0 9 1,15 JUN,JUL ? *)", ["2027-06-01 09:00", "2027-06-15 09:00", "2027-07-01 09:00"]),
    ("cron(0 9 1 1 ? 2027-2028)", ["2027-01-01 09:00", "2028-01-01 09:00", "never"]),
    ("cron(0 9 ? * FRI-MON *)", ["2026-11-20 09:00", "2026-11-21 09:00", "2026-11-22 09:00"]),
    ("cron(0 9 31 2 ? *)", ["never", "never", "never"]),
    ("rate(1 minute)", ["2026-11-19 09:01", "2026-11-19 09:02", "2026-11-19 09:03"]),
    ("rate(12 hours)", ["2026-11-19 21:00", "2026-11-20 09:00", "2026-11-20 21:00"]),
    ("rate(7 days)", ["2026-11-26 09:00", "2026-12-03 09:00", "2026-12-10 09:00"]),
]


@pytest.mark.parametrize(("expression", "expected"), EXAMPLES)
def test_a_schedule_is_due_at_these_times(expression: str, expected: list[str]) -> None:
    assert due(expression, "2026-11-19 09:00") == expected


@pytest.mark.parametrize(
    "expression",
    [
        "cron(0 9 * * * *)",
        "cron(0 9 ? * ? *)",
        "cron(60 9 * * ? *)",
        "cron(0 24 * * ? *)",
        "cron(0 9 0 * ? *)",
        "cron(0 9 * 13 ? *)",
        "cron(0 9 ? * 8 *)",
        "cron(0 9 ? * MON#6 *)",
        "cron(0 9 ? * XYZ *)",
        "cron(0 9 * * ? 1969)",
        "cron(0 9 * * ?)",
        "cron(, 9 * * ? *)",
        "every day",
    ],
)
def test_what_eventbridge_would_refuse_is_refused(expression: str) -> None:
    with pytest.raises(CannotRun):
        times_of(expression, 0)


fields = st.tuples(
    st.sampled_from(["*", "0", "5/20", "10-40/7", "59"]),
    st.sampled_from(["*", "0", "22-3", "*/5", "6,18"]),
    st.sampled_from(["* * ?", "1 * ?", "L 2,4 ?", "29-31 * ?", "? * 2-6", "? */3 1#5", "? * 4L"]),
)
moments = st.integers(int(at("2023-12-30 00:00")), int(at("2028-03-02 00:00")))


@given(fields, moments)
def test_the_next_time_is_the_first_minute_that_matches(
    parts: tuple[str, str, str], moment: int
) -> None:
    times = times_of(f"cron({' '.join(parts)} *)", 0)
    found = times.next_after(moment)
    assert found is not None
    assert found > moment
    # No time lies between: the one before the next is not after the moment.
    before = times.latest(found - 1)
    assert before is not None
    assert before <= moment
    assert times.latest(found) == found


@given(fields, moments)
def test_due_times_are_exactly_the_minutes_that_match(
    parts: tuple[str, str, str], moment: int
) -> None:
    """Two days, minute by minute, beside a reading of the fields that is as simple as can be."""
    minute, hour, day = parts
    times = times_of(f"cron({minute} {hour} {day} *)", 0)
    begin = datetime.fromtimestamp(moment, UTC).replace(second=0, microsecond=0)
    expected = [
        time.timestamp()
        for number in range(1, 2 * 24 * 60)
        if matches(minute, hour, day, time := begin + timedelta(minutes=number))
    ]

    found: list[float] = []
    time = times.next_after(begin.timestamp())
    while time is not None and time < begin.timestamp() + 2 * 86_400:
        found.append(time)
        time = times.next_after(time)

    assert found == expected


def matches(minute: str, hour: str, day: str, time: datetime) -> bool:
    minutes = {
        "*": True,
        "0": time.minute == 0,
        "5/20": time.minute in {5, 25, 45},
        "10-40/7": time.minute in {10, 17, 24, 31, 38},
        "59": time.minute == 59,
    }
    hours = {
        "*": True,
        "0": time.hour == 0,
        "22-3": time.hour >= 22 or time.hour <= 3,
        "*/5": time.hour in {0, 5, 10, 15, 20},
        "6,18": time.hour in {6, 18},
    }
    weekday, is_last_day = time.isoweekday() % 7 + 1, (time + timedelta(days=1)).day == 1
    is_last_week = (time + timedelta(days=7)).month != time.month
    days = {
        "* * ?": True,
        "1 * ?": time.day == 1,
        "L 2,4 ?": is_last_day and time.month in {2, 4},
        "29-31 * ?": time.day >= 29,
        "? * 2-6": weekday in range(2, 7),
        "? */3 1#5": time.month in {1, 4, 7, 10} and weekday == 1 and time.day >= 29,
        "? * 4L": weekday == 4 and is_last_week,
    }
    return minutes[minute] and hours[hour] and days[day]


@given(st.integers(0, 10**6), st.integers(1, 10**5), st.integers(0, 10**8))
def test_a_rate_counts_from_its_beginning(since: int, number: int, later: int) -> None:
    times = times_of(f"rate({number} minutes)", since)
    moment = since + later

    following, latest = times.next_after(moment), times.latest(moment)

    assert following is not None
    assert moment < following <= moment + 60 * number
    assert (following - since) % (60 * number) == 0
    assert latest == (following - 60 * number if later >= 60 * number else None)
