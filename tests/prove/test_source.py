"""Values as Python source: what is written comes back as the same value."""

import datetime as dt
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any
from uuid import UUID

import pytest
from pydantic import BaseModel

from sortkey.prove.source import Source


class Level(Enum):
    LOW = "low"


class Point(BaseModel):
    x: int
    name: str = "origin"


SCOPE = {
    "Decimal": Decimal,
    "Level": Level,
    "Point": Point,
    "UTC": UTC,
    "UUID": UUID,
    "date": date,
    "datetime": datetime,
    "timedelta": timedelta,
}
# In another zone, which source has no name for.
ELSEWHERE = datetime(2030, 1, 2, 3, tzinfo=dt.timezone(timedelta(hours=2)))


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (None, "None"),
        (True, "True"),
        (b"a", "b'a'"),
        (Level.LOW, "Level.LOW"),
        ('a"ä', '"a\\"ä"'),
        (1.5, "1.5"),
        (Point(x=1), "Point(x=1)"),
        (Point(x=1, name="a"), 'Point(x=1, name="a")'),
        (date(2030, 1, 2), "date(2030, 1, 2)"),
        (timedelta(minutes=1), "timedelta(seconds=60.0)"),
        (Decimal("1.50"), 'Decimal("1.50")'),
        (UUID(int=1), 'UUID("00000000-0000-0000-0000-000000000001")'),
        ({"a": [1]}, '{"a": [1]}'),
        ((1, "b"), '(1, "b",)'),
        ({2, 1}, "set([1, 2])"),
        (frozenset({1}), "frozenset([1])"),
        (range(3), "range(0, 3)"),
        (datetime(2030, 1, 2, tzinfo=UTC), "datetime(2030, 1, 2, 0, tzinfo=UTC)"),
        (
            datetime(2030, 1, 2, 3, 4, 5, 6, tzinfo=UTC),
            "datetime(2030, 1, 2, 3, 4, 5, 6, tzinfo=UTC)",
        ),
        (ELSEWHERE, 'datetime.fromisoformat("2030-01-02T03:00:00+02:00")'),
    ],
)
def test_a_value_is_written_so_that_it_comes_back(value: Any, written: str) -> None:
    assert Source().of(value) == written
    assert eval(written, SCOPE) == value


def test_an_exception_is_written_with_its_message() -> None:
    assert Source().of(ValueError("no")) == "ValueError: no"


def test_a_record_that_is_known_is_written_as_its_number() -> None:
    first, second = Point(x=1), Point(x=2)
    source = Source(known=[first, second])

    assert source.of([second, Point(x=3)]) == "[#2, Point(x=3)]"


def test_what_a_value_needs_is_imported() -> None:
    source = Source()
    source.of([date(2030, 1, 1), timedelta(1), Decimal(1), UUID(int=1), datetime.now(UTC)])

    assert source.imports == {
        "datetime": {"UTC", "date", "datetime", "timedelta"},
        "decimal": {"Decimal"},
        "uuid": {"UUID"},
    }
