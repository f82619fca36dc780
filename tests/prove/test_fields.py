"""Conditions over the fields of plain records, without a stored form."""

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from enum import Enum
from typing import Any

import pytest
from pydantic import BaseModel, Field

from sortkey import Entity, Table, missing, size, value_of
from sortkey.expressions.tree import AttributeExists, AttributeType, Compare, Path, Value
from sortkey.prove.fields import coarse, compares, holds


class App(Table):
    pass


class Level(Enum):
    LOW = "low"


class Inner(BaseModel):
    deep_name: str = "a"


class Thing(Entity, table=App):
    thing_id: str
    inner: Inner = Inner()
    tags: set[str] | None = None
    log: list[str] = Field(default_factory=list[str])
    notes: dict[str, int] = Field(default_factory=dict[str, int])
    primary = App.primary.key("THING#{thing_id}", "THING")


KIND = Thing.__kind__
THING = Thing(thing_id="a", log=["x"], notes={"n": 1})
AT = datetime(2032, 5, 1, 12, 30, 15, 500_000, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "spec", "kept"),
    [
        (AT, "%Y-%m-%d", "2032-05-01"),
        (AT, "%s", AT.replace(microsecond=0).timestamp()),
        (date(2032, 5, 1), "%Y-%m", "2032-05"),
        (AT, "", AT),
        (7, "04d", 7),
        (Level.LOW, "", "low"),
    ],
)
def test_a_time_is_as_coarse_as_its_format(value: Any, spec: str, kept: Any) -> None:
    assert coarse(value, spec) == kept


@pytest.mark.parametrize(
    ("op", "bounds", "within"),
    [
        ("ge", ["b"], True),
        ("gt", ["b"], False),
        ("le", ["b"], True),
        ("lt", ["b"], False),
        ("between", ["a", "b"], True),
        ("between", ["c", "d"], False),
        ("begins_with", [""], True),
        ("begins_with", ["a"], False),
    ],
)
def test_a_value_lies_within_a_range(op: str, bounds: Sequence[str], *, within: bool) -> None:
    assert compares(op, "b", bounds) is within
    assert compares(op, None, bounds) is False


def path(*parts: str | int) -> Path:
    return Path(parts)


@pytest.mark.parametrize(
    ("place", "is_there"),
    [
        (path("log", 0), True),
        (path("log", 1), False),
        (path("notes", "n"), True),
        (path("notes", "m"), False),
        (path("inner", "deep_name"), True),
        (path("inner", "deepName"), True),
        (path("inner", "nothing"), False),
        (path("thing_id", "x"), False),
        (path("PK"), True),
        (path("_type"), True),
        (path("tags"), False),
    ],
)
def test_a_path_is_found_in_a_record(place: Path, *, is_there: bool) -> None:
    assert holds(AttributeExists(place), THING, KIND) is is_there


def test_no_place_is_found_where_there_is_no_record() -> None:
    assert not holds(AttributeExists(path("thing_id")), None, KIND)
    assert not holds(KIND.condition(lambda t: size(t.log) < 1), None, KIND)


def test_the_type_of_an_attribute_is_known_only_where_it_is_a_stored_none() -> None:
    def is_of(kind: str, name: str) -> bool:
        return holds(AttributeType(path(name), Value({"S": kind})), THING, KIND)

    assert not is_of("NULL", "thing_id")
    assert not is_of("S", "thing_id")


SIZES: list[tuple[Callable[[Thing], bool], bool]] = [
    (lambda t: size(t.log) == 1, True),
    (lambda t: size(value_of(t.tags)) < 9, False),
    (lambda t: missing(t.tags), True),
    (lambda t: size(t.inner.deep_name) == 1, True),
]


@pytest.mark.parametrize(("condition", "is_true"), SIZES)
def test_a_size_is_that_of_the_field(condition: Callable[[Thing], bool], *, is_true: bool) -> None:
    assert holds(KIND.condition(condition), THING, KIND) is is_true


@pytest.mark.parametrize("op", ["<", "<=", ">", ">="])
def test_two_types_have_no_order(op: Any) -> None:
    assert not holds(Compare(op, path("thing_id"), Value({"N": "1"})), THING, KIND)
