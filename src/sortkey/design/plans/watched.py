"""Values that note what they are compared with."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any, cast

from sortkey.design.plans.drawn import CONTAINERS

# Stored times have at least whole seconds.
_STEPS: dict[type, Any] = {
    datetime: timedelta(seconds=1),
    date: timedelta(days=1),
    timedelta: timedelta(seconds=1),
    Decimal: Decimal(1),
    float: 1.0,
    int: 1,
}


def least_step(value: Any) -> Any:
    """Return by how much a value of an ordered type is moved."""
    return next((step for kind, step in _STEPS.items() if isinstance(value, kind)), 0)


@dataclass(frozen=True, slots=True)
class PartComparison:
    """A part of the arguments that was compared with a value, which may be another part.

    ``is_looked_up`` says that it was looked up in a set or a map instead.
    """

    part: str
    value: Any = None
    other: str | None = None
    is_ordered: bool = False
    is_looked_up: bool = False


def can_note(value: Any) -> bool:
    """Whether comparisons of a value are noted, or it has few values anyway."""
    return value is None or isinstance(value, (bool, Enum, *CONTAINERS)) or type(value) in _KINDS


def watched(part: str, value: Any, seen: list[PartComparison]) -> Any:
    """Return a copy of a value that notes its comparisons in ``seen``; None for other types."""
    base = cast("type[Any]", type(value))
    kind = _KINDS.get(base)
    if kind is None:
        return None
    made = kind(*_ARGUMENTS[base](value)) if base in _ARGUMENTS else kind(value)
    made.part, made.seen = part, seen
    return made


_ARGUMENTS: dict[type, Callable[[Any], tuple[Any, ...]]] = {
    date: lambda one: (one.year, one.month, one.day),
    datetime: lambda one: (
        *(one.year, one.month, one.day, one.hour, one.minute, one.second, one.microsecond),
        one.tzinfo,
    ),
    timedelta: lambda one: (one.days, one.seconds, one.microseconds),
}


def _noting(base: type, name: str, *, is_ordered: bool) -> Callable[[Any, Any], Any]:
    plain: Any = getattr(base, name)

    def compare(self: Any, other: Any) -> Any:
        # A value that was computed from a part is not a part.
        if self.part is not None and isinstance(other, base):
            whose = getattr(other, "part", None)
            value = None if whose is not None else other
            self.seen.append(PartComparison(self.part, value, whose, is_ordered))
        return plain(self, other)

    return compare


def _looking_up(base: type) -> Callable[[Any], int]:
    plain: Any = base.__hash__

    def look_up(self: Any) -> int:
        if self.part is not None:
            self.seen.append(PartComparison(self.part, is_looked_up=True))
        return plain(self)

    return look_up


def _passed_on(name: str) -> Callable[..., Any]:
    """Return a method of text whose result notes too."""
    plain = getattr(str, name)

    def method(self: Any, *arguments: Any) -> Any:
        made = _KINDS[str](plain(self, *arguments))
        made.part, made.seen = self.part, self.seen
        return made

    return method


def _kind(base: type) -> type:
    members: dict[str, Any] = {"part": None, "__hash__": _looking_up(base)}
    for name in ("__eq__", "__ne__"):
        members[name] = _noting(base, name, is_ordered=False)
    for name in ("__lt__", "__le__", "__gt__", "__ge__"):
        members[name] = _noting(base, name, is_ordered=base is not str)
    if base is str:
        for name in ("startswith", "endswith", "__contains__"):
            members[name] = _noting(base, name, is_ordered=False)
        for name in ("casefold", "lower", "strip", "upper"):
            members[name] = _passed_on(name)
    return type(f"Watched{base.__name__.title()}", (base,), members)


_KINDS: dict[type, type[Any]] = {
    base: _kind(base) for base in (str, int, float, Decimal, date, datetime, timedelta)
}
