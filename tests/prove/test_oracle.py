"""Laws of the oracle: how answers are compared, and how conditions apply to fields."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from sortkey import (
    DB,
    Entity,
    EpochSeconds,
    Stored,
    Table,
    WholeSeconds,
    begins_with,
    between,
    contains,
    exists,
    missing,
    not_,
    one_of,
    size,
    value_of,
)
from sortkey.expressions.evaluate import holds as holds_in_item
from sortkey.prove.fields import holds
from sortkey.prove.wanted import Several, Single, compared


class App(Table):
    pass


class Inner(BaseModel):
    deep_name: str = "a"


class Thing(Entity, table=App):
    thing_id: str
    count: int = 0
    text: Annotated[str | None, Stored("t")] = None
    marks: set[str] | None = None
    inner: Inner | None = None
    begins: EpochSeconds | None = None
    ends: WholeSeconds | None = None
    primary = App.primary.key("THING#{thing_id}", "THING")


NOON = datetime(2032, 5, 1, 12, tzinfo=UTC)
HALF = NOON + timedelta(seconds=0.5)
CONDITIONS: list[Callable[[Thing], bool]] = [
    lambda t: t.count > 1,
    lambda t: t.count != 1,
    lambda t: t.text == "a",
    lambda t: t.text != "a",
    lambda t: t.text == None,  # noqa: E711 - a field
    lambda t: t.text != None,  # noqa: E711 - a field
    lambda t: value_of(t.text) >= "b",
    lambda t: missing(t.text) | (t.count == 1),
    lambda t: exists(t.inner) & not_(t.count == 1),
    lambda t: begins_with(value_of(t.text), "a"),
    lambda t: contains(value_of(t.marks), "x"),
    lambda t: one_of(t.count, [1, 2]),
    lambda t: size(value_of(t.text)) > 1,
    lambda t: value_of(t.inner).deep_name == "b",
    lambda t: value_of(t.begins) < HALF,
    lambda t: value_of(t.begins) >= HALF,
    lambda t: t.begins == HALF,
    lambda t: value_of(t.ends) < HALF,
    lambda t: value_of(t.ends) >= HALF,
    lambda t: t.ends != HALF,
    lambda t: one_of(t.ends, [HALF, NOON]),
    lambda t: between(t.ends, HALF, HALF + timedelta(seconds=1)),
]

things = st.builds(
    Thing,
    thing_id=st.just("a"),
    count=st.integers(0, 3),
    text=st.sampled_from([None, "a", "ab", "b"]),
    marks=st.sampled_from([None, {"x"}, {"y"}]),
    inner=st.sampled_from([None, Inner(), Inner(deep_name="b")]),
    begins=st.sampled_from([None, NOON, NOON + timedelta(seconds=1)]),
    ends=st.sampled_from([None, NOON, NOON + timedelta(seconds=1)]),
)


@pytest.mark.parametrize("number", range(len(CONDITIONS)))
@given(thing=things)
def test_a_condition_over_fields_is_true_where_it_is_over_items(number: int, thing: Thing) -> None:
    kind = Thing.__kind__
    condition = kind.condition(CONDITIONS[number])

    assert holds(condition, thing, kind) == holds_in_item(condition, kind.encode(thing))


@dataclass(frozen=True)
class Record:
    rank: int
    name: str


records = st.lists(
    st.builds(Record, st.integers(0, 2), st.sampled_from("abcdef")), max_size=6, unique=True
)


def groups(found: list[Record]) -> list[list[Record]]:
    return [[r for r in found if r.rank == rank] for rank in sorted({r.rank for r in found})]


@given(found=records, data=st.data())
def test_any_order_of_ties_is_right(found: list[Record], data: st.DataObject) -> None:
    shuffled = [r for group in groups(found) for r in data.draw(st.permutations(group))]

    assert compared(Several(groups(found)), shuffled) is None


@given(found=records, data=st.data())
def test_every_other_order_is_wrong(found: list[Record], data: st.DataObject) -> None:
    shuffled = list(data.draw(st.permutations(found)))
    is_sorted = [r.rank for r in shuffled] == sorted(r.rank for r in shuffled)

    assert (compared(Several(groups(found)), shuffled) is None) is is_sorted


@given(found=records.filter(bool), data=st.data())
def test_a_record_too_few_or_too_many_is_wrong(found: list[Record], data: st.DataObject) -> None:
    one = data.draw(st.sampled_from(found))
    wanted = Several([found])
    fewer, twice = compared(wanted, [r for r in found if r != one]), compared(wanted, [*found, one])

    assert fewer is not None
    assert fewer.message == "a record is missing"
    assert twice is not None
    assert twice.message == "a record is returned twice"


@given(found=records, most=st.integers(1, 4))
def test_with_a_limit_the_first_are_wanted(found: list[Record], most: int) -> None:
    first = [r for group in groups(found) for r in group][:most]

    assert compared(Several(groups(found), most), first) is None
    if len(found) > most:
        assert compared(Several(groups(found), most), first[1:]) is not None


@given(found=records.filter(bool))
def test_one_of_those_that_tie_is_as_good_as_another(found: list[Record]) -> None:
    assert all(compared(Single(found), record) is None for record in found)
    assert compared(Single(found), None) is not None
    assert compared(Single([]), found[0]) is not None


def test_what_is_read_in_part_is_compared_in_part() -> None:
    class Part(BaseModel):
        count: int

    with DB.memory(App) as db:
        thing = db(Thing(thing_id="a", count=3).create())

    assert compared(Several([[thing]]), [Part(count=3)]) is None
    assert compared(Several([[thing]]), [Part(count=4)]) is not None
