"""The parameters that expressions replaced, read into the same trees."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from sortkey.expressions.key_condition import KeyCondition, KeyTerm, fit_key_terms
from sortkey.expressions.tree import (
    Action,
    Add,
    And,
    AttributeExists,
    AttributeNotExists,
    BeginsWith,
    Between,
    Compare,
    Condition,
    Contains,
    Delete,
    In,
    Not,
    Operand,
    Or,
    Path,
    Remove,
    Set,
    Update,
    Value,
)
from sortkey.wire.errors import ValidationException
from sortkey.wire.values import TYPES, AttributeValue, kind_of, read_value, sort_token

_INVALID = "One or more parameter values were invalid: "
_SCALARS = frozenset({"S", "N", "B"})
_SETS = frozenset({"SS", "NS", "BS"})
_ADDABLE = _SETS | {"N", "L"}
_TYPE_FAULT = "Type mismatch for attribute to update"


def expected_condition(
    expected: Mapping[str, Any], conditional_operator: str | None = None
) -> Condition:
    """The condition that ``Expected`` states."""
    return _joined(
        [_expectation(name, stated) for name, stated in expected.items()], conditional_operator
    )


def filter_condition(
    conditions: Mapping[str, Any], conditional_operator: str | None = None
) -> Condition:
    """The condition that ``QueryFilter`` or ``ScanFilter`` states."""
    return _joined(
        [_condition(name, *_stated(stated)) for name, stated in conditions.items()],
        conditional_operator,
    )


def key_condition(
    conditions: Mapping[str, Any], partition: Sequence[str], sort: Sequence[str]
) -> KeyCondition:
    """The key condition that ``KeyConditions`` states."""
    return fit_key_terms(key_condition_terms(conditions), partition, sort)


def key_condition_terms(conditions: Mapping[str, Any]) -> tuple[KeyTerm, ...]:
    """Return the condition of ``KeyConditions`` on each attribute, not yet matched to a key."""
    terms: list[KeyTerm] = []
    for name, stated in conditions.items():
        operator, values = _stated(stated)
        if operator not in _KEY_OPERATORS:
            raise ValidationException(
                "Attempted conditional constraint is not an indexable operation"
            )
        terms.append(KeyTerm(name, _KEY_OPERATORS[operator], tuple(values)))
    return tuple(terms)


def attribute_updates(updates: Mapping[str, Any]) -> Update:
    """The update that ``AttributeUpdates`` describes."""
    return Update(
        tuple([_action(name, update) for name, update in updates.items()]),
        type_fault=_TYPE_FAULT,
    )


def _joined(conditions: list[Condition], conditional_operator: str | None) -> Condition:
    if len(conditions) == 1:
        return conditions[0]
    return Or(tuple(conditions)) if conditional_operator == "OR" else And(tuple(conditions))


def _expectation(name: str, stated: Mapping[str, Any]) -> Condition:
    operator = stated.get("ComparisonOperator")
    listed = stated.get("AttributeValueList")
    value = stated.get("Value")
    exists = stated.get("Exists")
    if listed is not None and value is not None:
        raise ValidationException(
            f"{_INVALID}Value and AttributeValueList cannot be used together for Attribute: {name}"
        )
    if operator is None:
        if listed is not None:
            raise ValidationException(
                f"{_INVALID}AttributeValueList can only be used with a ComparisonOperator for "
                f"Attribute: {name}"
            )
        return _existence(name, value, exists)
    if exists is not None:
        raise ValidationException(
            f"{_INVALID}Exists and ComparisonOperator cannot be used together for Attribute: {name}"
        )
    if listed is None and value is None and operator not in {"NULL", "NOT_NULL"}:
        raise ValidationException(
            f"{_INVALID}Value or AttributeValueList must be used with ComparisonOperator: "
            f"{operator} for Attribute: {name}"
        )
    given = listed if value is None else [value]
    return _condition(name, *_stated({**stated, "AttributeValueList": given}))


def _existence(name: str, value: Any, exists: bool | None) -> Condition:
    if exists is False:
        if value is not None:
            raise ValidationException(
                f"{_INVALID}Value cannot be used when Exists is false for Attribute: {name}"
            )
        return AttributeNotExists(Path((name,)))
    if value is None:
        shown = "null" if exists is None else "true"
        raise ValidationException(
            f"{_INVALID}Value must be provided when Exists is {shown} for Attribute: {name}"
        )
    return Compare("=", Path((name,)), Value(read_value(value)[0]))


_Build: TypeAlias = Callable[[Path, list[Value]], Condition]


@dataclass(frozen=True, slots=True)
class _Operator:
    """The number and types of values of a ComparisonOperator, and its condition."""

    fewest: int
    most: int | None
    types: frozenset[str]
    build: _Build


def _stated(stated: Mapping[str, Any]) -> tuple[str, list[AttributeValue]]:
    """The operator and its values, checked against each other."""
    values = [read_value(value)[0] for value in stated.get("AttributeValueList") or ()]
    name = stated.get("ComparisonOperator")
    operator = OPERATORS.get(str(name))
    if operator is None:
        raise ValidationException(f"{_INVALID}Unknown ComparisonOperator: {name}")
    if len(values) < operator.fewest or (operator.most is not None and len(values) > operator.most):
        raise ValidationException(
            f"{_INVALID}Invalid number of argument(s) for the {name} ComparisonOperator"
        )
    kinds = [kind_of(value) for value in values]
    if len(set(kinds)) > 1:
        raise ValidationException(
            f"{_INVALID}AttributeValues inside AttributeValueList must be of same type"
        )
    if kinds and kinds[0] not in operator.types:
        raise ValidationException(
            f"{_INVALID}ComparisonOperator {name} is not valid for {kinds[0]} AttributeValue type"
        )
    if name == "BETWEEN":
        low, high = map(sort_token, values)
        if low > high:  # pyright: ignore[reportOperatorIssue]  # both are of one type
            raise ValidationException(
                "The BETWEEN condition was provided a range where the lower bound is greater "
                "than the upper bound"
            )
    return str(name), values


def _condition(name: str, operator: str, values: list[AttributeValue]) -> Condition:
    return OPERATORS[operator].build(Path((name,)), [Value(value) for value in values])


def _not_contains(path: Path, values: list[Value]) -> Condition:
    # Unlike NE, NOT_CONTAINS is false of an attribute that is not there.
    return And((AttributeExists(path), Not(Contains(path, values[0]))))


def _choice(path: Path, values: list[Value]) -> Condition:
    choices: tuple[Operand, ...] = tuple(values)
    return In(path, choices)


# Each ComparisonOperator: how many values it takes, their types, and the condition it is.
OPERATORS: dict[str, _Operator] = {
    "EQ": _Operator(1, 1, TYPES, lambda path, values: Compare("=", path, values[0])),
    "NE": _Operator(1, 1, TYPES, lambda path, values: Compare("<>", path, values[0])),
    "LT": _Operator(1, 1, _SCALARS, lambda path, values: Compare("<", path, values[0])),
    "LE": _Operator(1, 1, _SCALARS, lambda path, values: Compare("<=", path, values[0])),
    "GT": _Operator(1, 1, _SCALARS, lambda path, values: Compare(">", path, values[0])),
    "GE": _Operator(1, 1, _SCALARS, lambda path, values: Compare(">=", path, values[0])),
    "IN": _Operator(1, None, _SCALARS, _choice),
    "BETWEEN": _Operator(2, 2, _SCALARS, lambda path, values: Between(path, *values)),
    "BEGINS_WITH": _Operator(
        1, 1, frozenset({"S", "B"}), lambda path, values: BeginsWith(path, values[0])
    ),
    "CONTAINS": _Operator(1, 1, _SCALARS, lambda path, values: Contains(path, values[0])),
    "NOT_CONTAINS": _Operator(1, 1, _SCALARS, _not_contains),
    "NULL": _Operator(0, 0, TYPES, lambda path, _: AttributeNotExists(path)),
    "NOT_NULL": _Operator(0, 0, TYPES, lambda path, _: AttributeExists(path)),
}

_KEY_OPERATORS = {
    "EQ": "=",
    "LT": "<",
    "LE": "<=",
    "GT": ">",
    "GE": ">=",
    "BETWEEN": "BETWEEN",
    "BEGINS_WITH": "BEGINS_WITH",
}


def _action(name: str, update: Mapping[str, Any]) -> Action:
    path = Path((name,))
    action = update.get("Action") or "PUT"
    given = update.get("Value")
    if given is None:
        if action != "DELETE":
            raise ValidationException(
                f"{_INVALID}Only DELETE action is allowed when no attribute value is specified"
            )
        return Remove(path)
    value = Value(read_value(given)[0])
    kind = kind_of(value.value)
    if action == "DELETE":
        if kind not in _SETS:
            raise ValidationException(
                f"{_INVALID}DELETE action with value is not supported for the type {kind}"
            )
        return Delete(path, value)
    if action == "ADD":
        if kind not in _ADDABLE:
            raise ValidationException(f"{_INVALID}ADD action is not supported for the type {kind}")
        return Add(path, value)
    return Set(path, value)
