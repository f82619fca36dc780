"""Generated values keep the constraints of their types, and are the same each time."""

from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal, NamedTuple, NewType

import pytest
from pydantic import BaseModel, Field, RootModel, TypeAdapter, model_validator

from sortkey import TTL, EpochSeconds
from sortkey.prove.values import NOW, around, valid, values_of


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Point(BaseModel):
    x: Annotated[int, Field(ge=5)]
    name: str | None = None


class Tree(BaseModel):
    name: str
    branches: list["Tree"] = []


class Names(RootModel[list[str]]):
    pass


class Opaque:
    """A type that Pydantic does not know."""


UserId = NewType("UserId", str)


@dataclass(frozen=True)
class Span:
    name: str
    point: Point


class Pair(NamedTuple):
    x: int
    y: int


TYPES: dict[str, Any] = {
    "text": str,
    "a pattern": Annotated[str, Field(pattern=r"^[0-7][0-9A-HJKMNP-TV-Z]{25}$")],
    "a day as text": Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$")],
    "a short text": Annotated[str, Field(min_length=1, max_length=2)],
    "a long text": Annotated[str, Field(min_length=43, max_length=128)],
    "a number within bounds": Annotated[int, Field(ge=3, le=17)],
    "money": Annotated[Decimal, Field(gt=0, max_digits=6, decimal_places=2)],
    "a time": datetime,
    "whole seconds": EpochSeconds,
    "a day": date,
    "an enum": Colour,
    "a literal": Literal["a", "b"],
    "a model": Point,
    "a list of models": list[Point],
    "a mapping": dict[str, Point],
    "a mapping of few keys": dict[Literal["a", "b"], int],
    "a dataclass": Span,
    "a named tuple": Pair,
    "a set": set[str],
    "a pair": tuple[str, int],
    "a union": int | str | None,
    "a new type": UserId,
    "a list within itself": Tree,
    "a root model": Names,
}


@pytest.mark.parametrize("name", TYPES)
def test_values_are_valid_as_they_are(name: str) -> None:
    adapter = TypeAdapter[object](TYPES[name])
    values = values_of(TYPES[name])

    assert len(values) >= 2
    assert [adapter.validate_python(value) for value in values] == list(values)


def test_texts_that_begin_alike_stand_side_by_side() -> None:
    one, two, three, *_ = values_of(str)

    assert two.startswith(one)
    assert three.startswith(one)


def test_the_bounds_of_a_number_are_among_its_values() -> None:
    assert {3, 17} <= set(values_of(TYPES["a number within bounds"]))


def test_texts_of_a_pattern_differ_in_few_places() -> None:
    first, *others = values_of(TYPES["a pattern"])

    assert others
    assert all(sum(a != b for a, b in zip(first, other, strict=True)) == 1 for other in others)


def test_a_text_of_a_pattern_has_its_optional_parts_too() -> None:
    made = values_of(Annotated[str, Field(pattern=r"^0[0-9]:00(:[0-9]{2})?$")])

    assert made[:2] == ("00:00", "00:00:00")
    assert "01:00" in made


def test_times_have_parts_of_a_second_ends_of_days_and_another_zone() -> None:
    times = values_of(datetime)

    assert any(time.microsecond for time in times)
    assert any(time.hour == 23 for time in times)
    assert {time.utcoffset() for time in times} != {NOW.utcoffset()}


def test_whole_seconds_have_no_parts() -> None:
    assert not any(time.microsecond for time in values_of(TTL))


@pytest.mark.parametrize(
    ("value", "others"),
    [
        (7, {6, 8}),
        (date(2032, 1, 1), {date(2031, 12, 31), date(2032, 1, 2)}),
        ("ab", {"a", "ab0"}),
        (None, set[Any]()),
    ],
)
def test_the_neighbours_of_a_value_are_next_to_it(value: Any, others: set[Any]) -> None:
    assert set(around(value)) == others


def test_a_type_that_cannot_be_checked_takes_every_value() -> None:
    assert valid(Opaque, 1) == [1]


def test_a_model_that_refuses_all_generated_values_has_no_values() -> None:
    class Never(BaseModel):
        name: str

        @model_validator(mode="after")
        def _refuse(self) -> "Never":
            raise ValueError

    assert values_of(Never) == ()


def test_a_pattern_that_matches_nothing_has_no_values() -> None:
    assert list(values_of(Annotated[str, Field(pattern=r"^a$", min_length=2)])) == []
