"""Key conditions: which part of a table or index a Query reads."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from sortkey.expressions.tree import (
    And,
    AttributeExists,
    AttributeNotExists,
    AttributeType,
    BeginsWith,
    Between,
    Comparator,
    Compare,
    Condition,
    Contains,
    In,
    Not,
    Operand,
    Or,
    Path,
    Size,
    Value,
)
from sortkey.wire.errors import ValidationException
from sortkey.wire.values import AttributeValue

# Each comparison with its operands swapped.
MIRRORED: Mapping[Comparator, Comparator] = {
    "=": "=",
    "<>": "<>",
    "<": ">",
    "<=": ">=",
    ">": "<",
    ">=": "<=",
}
_FUNCTION_NAMES: dict[type, str] = {
    AttributeExists: "attribute_exists",
    AttributeNotExists: "attribute_not_exists",
    AttributeType: "attribute_type",
    Contains: "contains",
    Or: "OR",
    Not: "NOT",
    In: "IN",
}
_MOST_CONDITIONS = 2


@dataclass(frozen=True, slots=True)
class KeyTerm:
    """The condition on one key attribute: ``=``, ``<`` ... ``BETWEEN`` or ``BEGINS_WITH``."""

    name: str
    op: str
    values: tuple[AttributeValue, ...]


@dataclass(frozen=True, slots=True)
class KeyCondition:
    """Equalities on all partition attributes and the leading sort ones, then at most a range.

    ``last`` is the range, with its operator, on the sort attribute that follows ``equal``.
    """

    partition: tuple[AttributeValue, ...]
    equal: tuple[AttributeValue, ...] = ()
    last: tuple[str, tuple[AttributeValue, ...]] | None = None


def read_key_condition(
    condition: Condition, partition: Sequence[str], sort: Sequence[str]
) -> KeyCondition:
    """Return the key condition that an expression states about a key of these attributes."""
    return fit_key_terms(key_terms(condition), partition, sort)


def key_terms(condition: Condition) -> tuple[KeyTerm, ...]:
    """Return the condition on each attribute; raise if no key could be read by it."""
    terms: dict[str, KeyTerm] = {}
    for part in _parts(condition):
        term = _term(part)
        if term.name in terms:
            raise ValidationException(
                "KeyConditionExpressions must only contain one condition per key"
            )
        terms[term.name] = term
    return tuple(terms.values())


def fit_key_terms(
    terms: Sequence[KeyTerm], partition: Sequence[str], sort: Sequence[str]
) -> KeyCondition:
    """Return the terms as a condition on a key of these attributes; raise if they do not fit."""
    stated = {term.name: term for term in terms}
    if len(partition) > 1 or len(sort) > 1:
        _refuse_composite(stated, partition, sort)
    else:
        _refuse_simple(stated, partition[0], sort)
    equal: list[AttributeValue] = []
    last = None
    for name in sort:
        term = stated.get(name)
        if term is None:
            break
        if term.op != "=":
            last = (term.op, term.values)
            break
        equal.append(term.values[0])
    return KeyCondition(tuple([stated[name].values[0] for name in partition]), tuple(equal), last)


_Leaf: TypeAlias = Compare | Between | BeginsWith


def _parts(condition: Condition) -> Iterator[_Leaf]:
    """Yield the conditions joined by AND; raise for one that is not allowed on keys."""
    if isinstance(condition, And):
        for part in condition.conditions:
            yield from _parts(part)
    elif isinstance(condition, Compare) and condition.op == "<>":
        raise ValidationException("Invalid operator used in KeyConditionExpression: <>")
    elif isinstance(condition, (Compare, Between, BeginsWith)):
        yield condition
    else:
        name = _FUNCTION_NAMES[type(condition)]
        raise ValidationException(f"Invalid operator used in KeyConditionExpression: {name}")


def _term(condition: _Leaf) -> KeyTerm:
    if isinstance(condition, Compare):
        return _comparison(condition)
    if isinstance(condition, Between):
        op, operands = "BETWEEN", (condition.operand, condition.low, condition.high)
        shown = op
    else:
        op, operands = "BEGINS_WITH", (condition.operand, condition.prefix)
        shown = "begins_with"
    if not isinstance(operands[0], Path):
        if isinstance(operands[0], Size):
            raise _nested_operation()
        raise ValidationException(
            f"Invalid condition in KeyConditionExpression: {shown} operator must have the key "
            "attribute as its first operand"
        )
    name, _ = _attribute(operands)
    return KeyTerm(name, op, tuple(_values(operands[1:])))


def _comparison(condition: Compare) -> KeyTerm:
    operands = (condition.left, condition.right)
    name, position = _attribute(operands)
    op = condition.op if position == 0 else MIRRORED[condition.op]
    return KeyTerm(name, op, tuple(_values(operands)))


def _attribute(operands: Sequence[Operand]) -> tuple[str, int]:
    """Return the one attribute among the operands, and its position."""
    found: tuple[str, int] | None = None
    for position, operand in enumerate(operands):
        if isinstance(operand, Size):
            raise _nested_operation()
        if isinstance(operand, Path):
            if found is not None:
                raise ValidationException(
                    "Invalid condition in KeyConditionExpression: Multiple attribute names used "
                    "in one condition"
                )
            if len(operand.parts) > 1:
                raise ValidationException(
                    "KeyConditionExpressions cannot have conditions on nested attributes"
                )
            found = operand.name, position
    if found is None:
        raise ValidationException(
            "Invalid condition in KeyConditionExpression: No key attribute specified"
        )
    return found


def _nested_operation() -> ValidationException:
    return ValidationException("KeyConditionExpressions cannot contain nested operations")


def _values(operands: Sequence[Operand]) -> Iterator[AttributeValue]:
    for operand in operands:
        if isinstance(operand, Value):
            yield operand.value


def _refuse_simple(stated: dict[str, KeyTerm], partition: str, sort: Sequence[str]) -> None:
    if not 1 <= len(stated) <= _MOST_CONDITIONS:
        raise ValidationException("Conditions can be of length 1 or 2 only")
    if not sort and len(stated) > 1:
        raise _unsupported()
    if partition not in stated:
        raise _missed(partition)
    if stated[partition].op != "=":
        raise _unsupported()
    if sort and len(stated) > 1 and sort[0] not in stated:
        raise _missed(sort[0])


def _unsupported() -> ValidationException:
    return ValidationException("Query key condition not supported")


def _missed(name: str) -> ValidationException:
    return ValidationException(f"Query condition missed key schema element: {name}")


def _refuse_composite(
    stated: dict[str, KeyTerm], partition: Sequence[str], sort: Sequence[str]
) -> None:
    for name in partition:
        if name not in stated or stated[name].op != "=":
            raise ValidationException(
                f"Query condition missed key schema element: {name}; every HASH key attribute "
                "must have an equality condition"
            )
    bound = [name for name in sort if name in stated]
    leading = sort[: len(bound)]
    if bound != list(leading) or any(stated[name].op != "=" for name in bound[:-1]):
        raise ValidationException(
            "Query key condition not supported: RANGE key attributes must be given from left to "
            f"right as in the key schema ({', '.join(sort)}), with equality on all but the last"
        )
    if len(stated) > len(partition) + len(bound):
        stray = next(name for name in stated if name not in (*partition, *sort))
        raise ValidationException(
            f"Query key condition not supported: {stray} is not part of the key"
        )
