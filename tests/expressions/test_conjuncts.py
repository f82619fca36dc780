"""What a condition demands as a whole."""

import pytest

from sortkey.expressions.conjuncts import conjuncts, equalities
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


def test_what_lies_within_an_attribute_is_not_the_attribute() -> None:
    assert list(equalities(tree("x.y = :a AND z[0] = :b"))) == []


def test_what_must_hold() -> None:
    assert len(list(conjuncts(tree("x = :a AND (y = :b OR NOT z = :a)")))) == 2
    assert list(conjuncts(None)) == []
