"""Conditions on a field besides comparisons; use them in ``where(lambda r: ...)``."""

from collections.abc import Collection, Iterable
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any, TypeVar, overload
from uuid import UUID

from sortkey.design.records.selectors import (
    Selector,
    SizeOf,
    Test,
    comparand,
    comparands,
    condition_of,
    is_text,
    place_of,
    refuse_inside_secret,
    refuse_secret,
)
from sortkey.errors import Refused
from sortkey.expressions.tree import (
    And,
    AttributeExists,
    AttributeNotExists,
    BeginsWith,
    Between,
    Contains,
    In,
    Not,
    Or,
    Size,
    Value,
)
from sortkey.operations.kind import Place
from sortkey.operations.origin import FieldValue
from sortkey.wire.limits import IN_OPERANDS

V = TypeVar("V")
# Conditions are typed as int, because to a type checker `~r.active` is one.

# A constrained type, not a union: comparing a number with a text is a mistake.
Scalar = TypeVar("Scalar", str, bytes, int, float, Decimal, datetime, date, timedelta, UUID)
EnumValue = TypeVar("EnumValue", bound=Enum)


def value_of(field: V | None) -> V:
    """Treat an optional field as having a value: ``value_of(u.score) > 3``.

    Without a value, it is neither greater nor less than anything, and equal to nothing.
    """
    selected: Any = _selected(field, "value_of")
    return selected


def exists(field: object) -> bool:
    """Require that the field has a value."""
    return _test(AttributeExists(_presence(field, "exists").path))


def missing(field: object) -> bool:
    """Require that the field has no value."""
    return _test(AttributeNotExists(_presence(field, "missing").path))


def begins_with(field: str | None, prefix: str) -> bool:
    """Require that the field's text begins with this."""
    place = _place(field, "begins_with")
    return _test(BeginsWith(place.path, Value({"S": prefix}, FieldValue(prefix))))


@overload
def contains(field: str | None, member: str) -> bool: ...
@overload
def contains(field: list[V] | set[V] | None, member: V) -> bool: ...
@overload
def contains(field: tuple[V, ...] | frozenset[V] | None, member: V) -> bool: ...
def contains(field: Collection[Any] | None, member: Any) -> bool:
    """Require that the field's text contains this, or its set or list has this member."""
    selector = _selected(field, "contains")
    refuse_secret(selector)
    place = place_of(selector)
    if isinstance(member, str) and is_text(selector):
        return _test(Contains(place.path, Value({"S": member}, FieldValue(member))))
    return _test(Contains(place.path, comparand(place_of(selector[0]), member)))


@overload
def between(field: Decimal | None, low: Decimal | int, high: Decimal | int) -> bool: ...
@overload
def between(field: Scalar | None, low: Scalar, high: Scalar) -> bool: ...
def between(field: Any, low: Any, high: Any) -> bool:
    """Require that the field is within two bounds, both included."""
    place = _place(field, "between")
    return _test(Between(place.path, comparand(place, low), comparand(place, high)))


@overload
def one_of(field: Decimal | None, choices: Iterable[Decimal | int]) -> bool: ...
@overload
def one_of(field: Scalar | None, choices: Iterable[Scalar]) -> bool: ...
@overload
def one_of(field: EnumValue | None, choices: Iterable[EnumValue]) -> bool: ...
def one_of(field: Any, choices: Iterable[Any]) -> bool:
    """Require that the field equals one of these, at most a hundred."""
    place = _place(field, "one_of")
    listed = tuple(form for choice in choices for form in comparands(place, choice))
    if not 1 <= len(listed) <= IN_OPERANDS:
        raise Refused(f"one_of takes 1 to {IN_OPERANDS} choices, not {len(listed)}")
    return _test(In(place.path, listed))


def size(field: Collection[Any] | str | bytes | None) -> int:
    """Return the length of the field's text or bytes, or the number of its members, to compare."""
    sized: Any = SizeOf(Size(_place(field, "size").path))
    return sized


def all_of(*tests: int) -> bool:
    """Require that all of the conditions hold."""
    return _test(And(tuple(map(condition_of, tests))))


def any_of(*tests: int) -> bool:
    """Require that one of the conditions holds."""
    return _test(Or(tuple(map(condition_of, tests))))


def not_(test: int) -> bool:
    """Require that the condition does not hold."""
    return _test(Not(condition_of(test)))


def _place(field: Any, function: str) -> Place[Any]:
    selector = _selected(field, function)
    refuse_secret(selector)
    return place_of(selector)


def _presence(field: Any, function: str) -> Place[Any]:
    selector = _selected(field, function)
    refuse_inside_secret(selector)
    return place_of(selector)


def _selected(field: Any, function: str) -> Selector:
    if isinstance(field, Selector):
        return field
    raise Refused(
        f"{function}() is for a record's field within where(lambda r: ...), not {field!r}"
    )


def _test(condition: Any) -> Any:
    return Test(condition)
