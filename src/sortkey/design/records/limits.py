"""Limits of the values of a type, from its annotation or from a rejection."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from types import UnionType
from typing import Annotated, Any, Literal, NewType, Union, get_args, get_origin

from pydantic.fields import FieldInfo

from sortkey.design.records.keys.characters import ANYTHING, CharacterRun, Shape, exactly
from sortkey.design.records.keys.formats import (
    BoundedNumberFormat,
    FixedPointFormat,
    PaddedNumberFormat,
)
from sortkey.design.records.keys.slots import Bounds, Slot
from sortkey.design.records.matching import matching_shape

# A least length beyond this is no help in distinguishing texts.
_COUNTED = 64
_FLAGS = {"a": re.ASCII, "i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL, "x": re.VERBOSE}


class Constraint(dict[str, Any]):
    """A constraint as Pydantic reports it: ``{"ge": 1}``."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of the values of a type, beside the type."""

    least: Any = None
    most: Any = None
    shortest: int = 0
    longest: int | None = None
    places: int | None = None
    step: Any = None
    microseconds: bool = True
    patterns: tuple[str, ...] = ()
    examples: tuple[Any, ...] = ()
    above: Any = None
    below: Any = None
    digits: int | None = None

    def joined(self, other: "Limits") -> "Limits":
        """Return the limits that satisfy both."""
        if other is _NONE or self is _NONE:
            return self if other is _NONE else other
        return Limits(
            _chosen(max, self.least, other.least),
            _chosen(min, self.most, other.most),
            max(self.shortest, other.shortest),
            _chosen(min, self.longest, other.longest),
            _chosen(min, self.places, other.places),
            self.step or other.step,
            self.microseconds and other.microseconds,
            tuple(dict.fromkeys(self.patterns + other.patterns)),
            other.examples or self.examples,
            _chosen(max, self.above, other.above),
            _chosen(min, self.below, other.below),
            _chosen(min, self.digits, other.digits),
        )

    def within(self, slot: Slot) -> "Limits":
        """Return the limits of a value that must also fit into a slot of a key."""
        match slot.format:
            case PaddedNumberFormat(width=width):
                return self.joined(Limits(0, 10**width - 1))
            case BoundedNumberFormat():
                return self.joined(Limits(*slot.bounds))
            case FixedPointFormat(width=width, places=places):
                whole = width - places - 1
                return self.joined(Limits(Decimal(0), Decimal(10**whole - 1), places=places))
            case _:
                return self


_NONE = Limits()


def _chosen(choose: Any, one: Any, other: Any) -> Any:
    return other if one is None else one if other is None else choose(one, other)


def whole_bounds(annotation: Any) -> Bounds:
    """Return the least and the greatest whole number that an annotation allows, if it does."""
    limits = limits_of(annotation)[1]
    least, most = limits.least, limits.most
    if not isinstance(least, int | None) or not isinstance(most, int | None):
        return (None, None)
    # A bound that is not allowed itself leaves the next number.
    return (
        least if least is None or least != limits.above else least + 1,
        most if most is None or most != limits.below else most - 1,
    )


def text_shape(annotation: Any) -> Shape | None:
    """Return the texts that an annotation allows, or a little more; None if it has no limits."""
    kind, limits = limits_of(annotation)
    if get_origin(kind) is Literal:
        values = get_args(kind)
    elif isinstance(kind, type) and issubclass(kind, Enum):
        values = tuple(member.value for member in kind)
    elif kind is not str:
        return None
    else:
        for pattern in limits.patterns:
            if shape := matching_shape(pattern):
                return shape
        return _of_length(limits)
    texts = [value for value in values if isinstance(value, str) and value]
    return tuple(map(exactly, texts)) if len(texts) == len(values) else None


def _of_length(limits: Limits) -> Shape | None:
    if not 1 < limits.shortest <= _COUNTED:
        return None
    is_fixed = limits.shortest == limits.longest
    one = CharacterRun(ANYTHING.characters)
    return ((*(one,) * (limits.shortest - 1), one if is_fixed else ANYTHING),)


def limits_of(annotation: Any) -> tuple[Any, Limits]:
    """Return a type without its metadata, and the limits in the metadata."""
    if isinstance(annotation, Constraint):
        return None, _limits_in([_Attributes(annotation)])
    if isinstance(annotation, FieldInfo):
        kind, limits = limits_of(annotation.annotation)
        return kind, limits.joined(_limits_in([annotation]))
    if isinstance(annotation, NewType):
        return limits_of(annotation.__supertype__)
    origin = get_origin(annotation)
    if origin is Annotated:
        inner, *metadata = get_args(annotation)
        kind, limits = limits_of(inner)
        return kind, limits.joined(_limits_in(metadata))
    if origin in {Union, UnionType}:
        present = [member for member in get_args(annotation) if member is not type(None)]
        return limits_of(present[0]) if present else (type(None), _NONE)
    return annotation, _NONE


class _Attributes:
    """Members of a mapping as attributes."""

    def __init__(self, members: Mapping[str, Any]) -> None:
        self.__dict__.update(members)


def _written(pattern: str | re.Pattern[str]) -> str:
    """Return an expression as text, with its flags at the beginning."""
    if isinstance(pattern, str):
        return pattern
    flags = "".join(letter for letter, flag in _FLAGS.items() if pattern.flags & flag)
    return f"(?{flags}){pattern.pattern}" if flags else pattern.pattern


def _limits_in(metadata: Iterable[Any]) -> Limits:
    limits = _NONE
    for said in metadata:
        if isinstance(said, FieldInfo):
            limits = limits.joined(_limits_in(said.metadata))
            if said.examples:
                limits = limits.joined(Limits(examples=tuple(said.examples)))
            continue
        gt, lt = getattr(said, "gt", None), getattr(said, "lt", None)
        pattern = getattr(said, "pattern", None)
        limits = limits.joined(
            Limits(
                least=_chosen(max, getattr(said, "ge", None), gt),
                most=_chosen(min, getattr(said, "le", None), lt),
                shortest=getattr(said, "min_length", None) or 0,
                longest=getattr(said, "max_length", None),
                places=getattr(said, "decimal_places", None),
                step=getattr(said, "multiple_of", None),
                microseconds=getattr(said, "microseconds", True),
                patterns=() if pattern is None else (_written(pattern),),
                above=gt,
                below=lt,
                digits=getattr(said, "max_digits", None),
            )
        )
    return limits
