"""What a condition demands is read from its tree, whichever way it is written."""

import pytest

from sortkey.check.conditions import (
    Possible,
    accepts_absence,
    anywhere,
    can_hold,
    demands_absence,
    nothing,
)
from sortkey.design.plans.sources import Argument, Constant, Planned
from sortkey.expressions.parse_condition import parse_condition
from sortkey.expressions.tree import Condition, Value

VALUES = {
    ":t": Value({"S": "N"}),
    ":n": Value({"N": "1"}),
    ":a": Value({"S": "a"}),
    ":b": Value({"S": "b"}),
}


def tree(text: str) -> Condition:
    return parse_condition(text).template.bind({}, VALUES)


def test_what_may_hold() -> None:
    assert len(list(anywhere(tree("x = :a AND (y = :b OR NOT z = :a)")))) == 3
    assert list(anywhere(None)) == []


@pytest.mark.parametrize(
    ("text", "absent"),
    [
        ("attribute_not_exists(PK)", True),
        ("attribute_not_exists(PK) OR x <= :a", False),
        ("attribute_not_exists(PK) OR x = :a", False),
        ("attribute_not_exists(PK) OR attribute_not_exists(SK)", True),
        ("attribute_not_exists(PK) AND x = :a", True),
        ("NOT attribute_exists(PK)", True),
        ("NOT attribute_not_exists(PK)", False),
        ("attribute_not_exists(x)", False),
        ("attribute_exists(PK)", False),
    ],
)
def test_whether_it_only_holds_where_there_is_no_record(text: str, absent: bool) -> None:
    assert demands_absence(tree(text), ("PK", "SK")) is absent


def test_a_record_that_has_the_same_value_already_is_as_good_as_none() -> None:
    again = tree("attribute_not_exists(PK) OR x = :a")

    assert demands_absence(again, ("PK",), {"x": Constant({"S": "a"})})
    assert not demands_absence(again, ("PK",), {"x": Constant({"S": "b"})})
    assert not demands_absence(again, ("PK",), {})


def test_absence_may_be_one_case_of_several() -> None:
    assert accepts_absence(tree("x = :a OR attribute_not_exists(PK)"), ("PK", "SK"))
    assert not accepts_absence(tree("attribute_not_exists(x)"), ("PK", "SK"))


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("attribute_exists(PK)", False),
        ("attribute_not_exists(PK)", True),
        ("x = :a", False),
        ("x >= :a", False),
        (":a < x", False),
        ("x <> :a", True),
        ("NOT x <> :a", False),
        ("NOT x = :a", True),
        ("x BETWEEN :a AND :b", False),
        ("x IN (:a, :b)", False),
        (":a IN (x, :b)", True),
        ("begins_with(x, :a)", False),
        ("contains(x, :a)", False),
        ("attribute_type(x, :t)", False),
        ("size(x) < :n", False),
        ("x.y = :a", False),
        ("x = :a AND y <> :b", False),
        ("x = :a OR y <> :b", True),
        ("x = :a OR y > :b", False),
        ("NOT (x <> :a AND y <> :b)", False),
        ("NOT (x = :a OR y <> :b)", False),
        # Two arguments may have any values.
        (":a = :b", True),
        ("NOT :a = :b", True),
        ("x = :a AND :a = :b", False),
    ],
)
def test_whether_it_may_hold_where_there_is_no_record(text: str, holds: bool) -> None:
    assert can_hold(tree(text), nothing) is holds


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("kind = :a", True),
        ("kind = :b", False),
        ("kind <> :a", False),
        ("NOT kind = :a", False),
        ("kind = :b OR label = :a", True),
        ("kind = :b AND label = :a", False),
        ("gone = :a", False),
        ("maybe = :a", True),
        ("maybe = :b", False),
        ("maybe <> :b", True),
        ("kind = label", True),
    ],
)
def test_whether_it_may_hold_where_values_are_known(text: str, holds: bool) -> None:
    known: dict[str, Possible] = {
        "kind": ({"S": "a"},),
        "maybe": ({"S": "a"}, None),
        "gone": (None,),
    }

    assert can_hold(tree(text), known.get) is holds


def test_what_an_argument_brings_is_not_known() -> None:
    value = Planned({"S": "b"}, source=Argument("b"))
    condition = parse_condition("kind = :a").template.bind({}, {":a": value})

    assert can_hold(condition, {"kind": ({"S": "a"},)}.get)


def test_without_a_condition_anything_may_be() -> None:
    assert can_hold(None, nothing)
