"""Each change is one action of an update expression."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.operations.design import Address, Note

from sortkey.design.declaring.entity import kind_of
from sortkey.errors import Refused
from sortkey.expressions.tree import (
    Add,
    Delete,
    IfNotExists,
    ListAppend,
    Path,
    Plus,
    Remove,
    Set,
    Value,
)
from sortkey.operations.change import FieldChange, Verb, refuse_overlaps

NOTE = kind_of(Note)
Select = Callable[[Note], Any]


def path(*parts: str | int) -> Path:
    return Path(parts)


def change(verb: Verb, select: Select, value: Any = None) -> FieldChange:
    return FieldChange(verb, NOTE.place(select), value)


@pytest.mark.parametrize(
    ("made", "action"),
    [
        (change("set", lambda n: n.text, "x"), Set(path("text"), Value({"S": "x"}))),
        (change("set", lambda n: n.address, None), Remove(path("address"))),
        (change("set", lambda n: n.tags, set[str]()), Remove(path("tags"))),
        (
            change("set", lambda n: n.address, Address(street="s")),
            Set(path("address"), Value({"M": {"street": {"S": "s"}}})),
        ),
        (
            change("set", lambda n: n.home.street, "x"),
            Set(path("home", "street"), Value({"S": "x"})),
        ),
        (change("set", lambda n: n.lines[2], "x"), Set(path("lines", 2), Value({"S": "x"}))),
        (change("remove", lambda n: n.address), Remove(path("address"))),
        (change("include", lambda n: n.tags, {"a"}), Add(path("tags"), Value({"SS": ["a"]}))),
        (change("exclude", lambda n: n.tags, {"a"}), Delete(path("tags"), Value({"SS": ["a"]}))),
        (change("add", lambda n: n.likes, 2), Add(path("likes"), Value({"N": "2"}))),
    ],
)
def test_a_change_is_an_action(made: FieldChange, action: object) -> None:
    assert made.action(NOTE) == action


def test_a_number_that_does_not_start_at_0_grows_from_its_default() -> None:
    start = IfNotExists(path("stars"), Value({"N": "3"}))

    grown = change("add", lambda n: n.stars, 1).action(NOTE)

    assert grown == Set(path("stars"), Plus(start, Value({"N": "1"})))


def test_members_are_appended_to_a_list_that_may_not_be_there() -> None:
    before = IfNotExists(path("lines"), Value({"L": []}))

    appended = change("append", lambda n: n.lines, ["x"]).action(NOTE)

    assert appended == Set(path("lines"), ListAppend(before, Value({"L": [{"S": "x"}]})))


@pytest.mark.parametrize(
    "made",
    [
        change("set", lambda n: n.likes, "many"),
        change("set", lambda n: n.home.street, 5),
    ],
)
def test_a_value_of_another_type_is_refused_by_the_name_of_its_field(made: FieldChange) -> None:
    with pytest.raises(Refused, match=rf"^Note\.{made.place.shown} cannot be "):
        made.action(NOTE)


OVERLAPPING: list[tuple[Select, Select]] = [
    (lambda n: n.text, lambda n: n.text),
    (lambda n: n.home, lambda n: n.home.street),
    (lambda n: n.lines[1], lambda n: n.lines),
]


@pytest.mark.parametrize(("one", "other"), OVERLAPPING)
def test_two_changes_of_which_one_contains_the_other_are_refused(
    one: Select, other: Select
) -> None:
    first, second = change("remove", one), change("remove", other)

    with pytest.raises(Refused) as refused:
        refuse_overlaps(NOTE, [change("remove", lambda n: n.tags), first, second])

    assert str(refused.value) == (
        f"one update changes both Note.{second.place.shown} and Note.{first.place.shown}, and one "
        "contains the other: DynamoDB allows one change for each place"
    )


def test_changes_beside_each_other_are_fine() -> None:
    refuse_overlaps(
        NOTE,
        [
            change("set", lambda n: n.home.street, "x"),
            change("remove", lambda n: n.home.city),
            change("set", lambda n: n.lines[0], "x"),
            change("set", lambda n: n.lines[1], "x"),
        ],
    )
