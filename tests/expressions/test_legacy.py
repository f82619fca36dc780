"""The parameters that expressions replaced."""

from typing import Any

import pytest

from sortkey.expressions import legacy
from sortkey.expressions.evaluate import holds
from sortkey.expressions.key_condition import KeyCondition
from sortkey.expressions.tree import (
    Add,
    And,
    AttributeNotExists,
    Compare,
    Condition,
    Delete,
    In,
    Or,
    Path,
    Remove,
    Set,
    Value,
)
from sortkey.wire.errors import ValidationException

EMPTY: dict[str, Any] = {}
EMPTY_LIST: dict[str, Any] = {"L": []}
A, B = Path(("a",)), Path(("b",))
ONE, TWO, TEXT = {"N": "1"}, {"N": "2"}, {"S": "text"}
INVALID = "One or more parameter values were invalid: "


def stated(operator: str, *values: dict[str, Any]) -> dict[str, Any]:
    return {"ComparisonOperator": operator, "AttributeValueList": list(values)}


def filtered(operator: str, *values: dict[str, Any]) -> Condition:
    return legacy.filter_condition({"a": stated(operator, *values)})


@pytest.mark.parametrize(
    ("operator", "values", "matching", "other"),
    [
        ("EQ", [ONE], ONE, TWO),
        ("EQ", [{"L": [ONE]}], {"L": [ONE]}, {"L": []}),
        ("NE", [ONE], TWO, ONE),
        ("LT", [TWO], ONE, TWO),
        ("LE", [ONE], ONE, TWO),
        ("GT", [ONE], TWO, ONE),
        ("GE", [TWO], TWO, ONE),
        ("IN", [ONE, TWO], TWO, TEXT),
        ("BETWEEN", [ONE, TWO], ONE, TEXT),
        ("BEGINS_WITH", [{"S": "te"}], TEXT, {"S": "et"}),
        ("CONTAINS", [{"S": "ex"}], TEXT, {"SS": ["text"]}),
        ("CONTAINS", [ONE], {"L": [ONE]}, {"NS": ["2"]}),
        ("NOT_CONTAINS", [{"S": "ex"}], {"SS": ["text"]}, TEXT),
        ("NOT_NULL", [], {"NULL": True}, None),
        ("NULL", [], None, {"NULL": True}),
    ],
)
def test_an_operator_states_its_condition(
    operator: str, values: list[dict[str, Any]], matching: Any, other: Any
) -> None:
    condition = filtered(operator, *values)

    assert holds(condition, {"a": matching} if matching else {})
    assert not holds(condition, {"a": other} if other else {})


def test_an_attribute_that_is_not_there_is_unequal_but_does_not_not_contain() -> None:
    assert holds(filtered("NE", ONE), {})
    assert not holds(filtered("NOT_CONTAINS", ONE), {})


@pytest.mark.parametrize(
    ("operator", "values", "message"),
    [
        ("EQ", [], INVALID + "Invalid number of argument(s) for the EQ ComparisonOperator"),
        ("EQ", [ONE, ONE], INVALID + "Invalid number of argument(s) for the EQ ComparisonOperator"),
        ("NULL", [ONE], INVALID + "Invalid number of argument(s) for the NULL ComparisonOperator"),
        ("IN", [], INVALID + "Invalid number of argument(s) for the IN ComparisonOperator"),
        (
            "BETWEEN",
            [ONE],
            INVALID + "Invalid number of argument(s) for the BETWEEN ComparisonOperator",
        ),
        (
            "IN",
            [ONE, TEXT],
            INVALID + "AttributeValues inside AttributeValueList must be of same type",
        ),
        (
            "LT",
            [{"BOOL": True}],
            INVALID + "ComparisonOperator LT is not valid for BOOL AttributeValue type",
        ),
        (
            "BEGINS_WITH",
            [ONE],
            INVALID + "ComparisonOperator BEGINS_WITH is not valid for N AttributeValue type",
        ),
        (
            "CONTAINS",
            [EMPTY_LIST],
            INVALID + "ComparisonOperator CONTAINS is not valid for L AttributeValue type",
        ),
        (
            "BETWEEN",
            [TWO, ONE],
            (
                "The BETWEEN condition was provided a range where the lower bound is greater than "
                "the upper bound"
            ),
        ),
        ("EQ", [EMPTY], None),
        ("DOG", [ONE], None),
    ],
)
def test_an_operator_takes_certain_values_only(
    operator: str, values: list[dict[str, Any]], message: str | None
) -> None:
    with pytest.raises(ValidationException) as caught:
        filtered(operator, *values)

    assert message is None or caught.value.message == message


def test_conditions_are_joined_by_and_unless_or_is_asked_for() -> None:
    conditions = {"a": stated("EQ", ONE), "b": stated("EQ", TWO)}
    a, b = Compare("=", A, Value(ONE)), Compare("=", B, Value(TWO))

    assert legacy.filter_condition(conditions) == And((a, b))
    assert legacy.filter_condition(conditions, "AND") == And((a, b))
    assert legacy.filter_condition(conditions, "OR") == Or((a, b))
    assert legacy.filter_condition({"a": stated("EQ", ONE)}, "OR") == a


def test_no_conditions_hold() -> None:
    assert holds(legacy.expected_condition({}), {})
    assert holds(legacy.filter_condition({}), {})


@pytest.mark.parametrize(
    ("expected", "condition"),
    [
        ({"Value": {"N": "1.0"}}, Compare("=", A, Value(ONE))),
        ({"Exists": True, "Value": ONE}, Compare("=", A, Value(ONE))),
        ({"Exists": False}, AttributeNotExists(A)),
        ({"ComparisonOperator": "NULL"}, AttributeNotExists(A)),
        ({"ComparisonOperator": "LT", "Value": ONE}, Compare("<", A, Value(ONE))),
        (stated("IN", ONE, TWO), In(A, (Value(ONE), Value(TWO)))),
    ],
)
def test_an_expectation_is_a_condition(expected: dict[str, Any], condition: Condition) -> None:
    assert legacy.expected_condition({"a": expected}) == condition


@pytest.mark.parametrize(
    ("expected", "message"),
    [
        ({}, "Value must be provided when Exists is null for Attribute: a"),
        ({"Exists": True}, "Value must be provided when Exists is true for Attribute: a"),
        (
            {"Exists": False, "Value": ONE},
            "Value cannot be used when Exists is false for Attribute: a",
        ),
        (
            {"AttributeValueList": [ONE]},
            "AttributeValueList can only be used with a ComparisonOperator for Attribute: a",
        ),
        (
            {**stated("EQ", ONE), "Value": ONE},
            "Value and AttributeValueList cannot be used together for Attribute: a",
        ),
        (
            {**stated("EQ", ONE), "Exists": True},
            "Exists and ComparisonOperator cannot be used together for Attribute: a",
        ),
        (
            {"ComparisonOperator": "GT"},
            "Value or AttributeValueList must be used with ComparisonOperator: GT for Attribute: a",
        ),
        (
            {"ComparisonOperator": "BETWEEN", "Value": ONE},
            "Invalid number of argument(s) for the BETWEEN ComparisonOperator",
        ),
    ],
)
def test_an_expectation_that_contradicts_itself_is_refused(
    expected: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValidationException) as caught:
        legacy.expected_condition({"a": expected})

    assert caught.value.message == INVALID + message


def test_key_conditions_are_read_like_their_expression() -> None:
    conditions = {"c": stated("BETWEEN", ONE, TWO), "p": stated("EQ", TEXT)}

    assert legacy.key_condition(conditions, ["p"], ["c"]) == KeyCondition(
        (TEXT,), (), ("BETWEEN", (ONE, TWO))
    )


@pytest.mark.parametrize(
    ("conditions", "message"),
    [
        ({"p": stated("LE", TEXT)}, "Query key condition not supported"),
        ({"c": stated("EQ", ONE)}, "Query condition missed key schema element: p"),
        ({}, "Conditions can be of length 1 or 2 only"),
        (
            {"p": stated("NE", TEXT)},
            "Attempted conditional constraint is not an indexable operation",
        ),
        (
            {"p": stated("EQ", TEXT), "c": stated("NULL")},
            "Attempted conditional constraint is not an indexable operation",
        ),
    ],
)
def test_key_conditions_that_read_no_key_are_refused(
    conditions: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValidationException) as caught:
        legacy.key_condition(conditions, ["p"], ["c"])

    assert caught.value.message == message


def test_updates_become_actions() -> None:
    update = legacy.attribute_updates(
        {
            "a": {"Value": {"N": "1.0"}},
            "b": {"Action": "DELETE"},
            "c": {"Action": "ADD", "Value": {"L": []}},
            "d": {"Action": "DELETE", "Value": {"SS": ["x"]}},
            "e.f": {"Action": "PUT", "Value": TEXT},
        }
    )

    assert update.actions == (
        Set(A, Value(ONE)),
        Remove(B),
        Add(Path(("c",)), Value({"L": []})),
        Delete(Path(("d",)), Value({"SS": ["x"]})),
        Set(Path(("e.f",)), Value(TEXT)),
    )


@pytest.mark.parametrize(
    ("update", "message"),
    [
        ({"Action": "PUT"}, "Only DELETE action is allowed when no attribute value is specified"),
        ({}, "Only DELETE action is allowed when no attribute value is specified"),
        (
            {"Action": "DELETE", "Value": {"L": []}},
            "DELETE action with value is not supported for the type L",
        ),
        ({"Action": "ADD", "Value": TEXT}, "ADD action is not supported for the type S"),
        ({"Action": "ADD", "Value": {"M": {}}}, "ADD action is not supported for the type M"),
    ],
)
def test_an_update_that_cannot_work_is_refused(update: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationException) as caught:
        legacy.attribute_updates({"a": update})

    assert caught.value.message == INVALID + message
