"""What a condition demands is read from its tree, whichever way it is written."""

import pytest

from sortkey.check.conditions import (
    anywhere,
    conjuncts,
    demands_absence,
    demands_presence,
    equalities,
)
from sortkey.expressions.parse_condition import parse_condition
from sortkey.expressions.tree import Condition, Value

VALUES = {":a": Value({"S": "a"}), ":b": Value({"S": "b"})}


def tree(text: str) -> Condition:
    return parse_condition(text).template.bind({}, VALUES)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("x = :a", ["x"]),
        (":a = x", ["x"]),
        ("x = :a AND (y = :b AND z > :a)", ["x", "y"]),
        ("x = :a OR y = :b", []),
        ("NOT x = :a", []),
        ("x <> :a", []),
    ],
)
def test_the_attributes_that_must_equal_a_value(text: str, names: list[str]) -> None:
    assert [name for name, _ in equalities(tree(text))] == names


def test_what_must_hold_and_what_may() -> None:
    condition = tree("x = :a AND (y = :b OR NOT z = :a)")

    assert len(list(conjuncts(condition))) == 2
    assert len(list(anywhere(condition))) == 3
    assert list(conjuncts(None)) == list(anywhere(None)) == []


@pytest.mark.parametrize(
    ("text", "absent", "present"),
    [
        ("attribute_not_exists(PK)", True, False),
        ("attribute_not_exists(PK) OR x <= :a", True, False),
        ("attribute_not_exists(x)", False, False),
        ("attribute_exists(PK)", False, True),
        ("attribute_exists(PK) AND x > :a", False, True),
        ("x = :a", False, True),
        ("x > :a", False, False),
    ],
)
def test_whether_it_asks_for_a_record_or_for_none(text: str, absent: bool, present: bool) -> None:
    condition = tree(text)

    assert demands_absence(condition, ("PK", "SK")) is absent
    assert demands_presence(condition, ("PK", "SK")) is present
