"""The arguments of one call, and the same call with a part of them changed."""

import re
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, fields, is_dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import Any, cast, get_type_hints, is_typeddict

from pydantic import BaseModel

from sortkey.design.plans.sources import NOW

# In place of an argument that is left out of a call.
LEFT_OUT: Any = object()

CONTAINERS = (dict, list, set, frozenset, tuple)
_WHOLES = (BaseModel, *CONTAINERS)
_CHANGEABLE = (dict, list, set)


@lru_cache(maxsize=1_000)
def members_of(kind: Any) -> Mapping[str, Any] | None:
    """Return the types of the members of a dataclass, TypedDict or named tuple, by their names.

    None for any other type.
    """
    if not isinstance(kind, type):
        return None
    known: Any = kind
    if is_dataclass(known):
        names = [one.name for one in fields(known) if one.init]
    elif is_typeddict(known):
        names = list(known.__annotations__)
    elif tuple in known.__mro__ and hasattr(known, "_fields"):
        names = list(known._fields)
    else:
        return None
    hints = get_type_hints(known, include_extras=True)
    return {name: hints.get(name, Any) for name in names}


def _is_whole(part: Any) -> bool:
    return isinstance(part, _WHOLES) or is_dataclass(part)


def with_member(value: Any, name: str, member: Any) -> Any:
    """Return a model, dataclass, dict or named tuple with one of its members replaced."""
    if isinstance(value, BaseModel):
        return value.model_copy(update={name: member})
    if isinstance(value, Mapping):
        return {**cast("Mapping[str, Any]", value), name: member}
    if is_dataclass(value):
        return replace(cast("Any", value), **{name: member})
    return value._replace(**{name: member})


def member_of(value: Any, name: str) -> Any:
    """Return a member of a model, dataclass, dict or named tuple."""
    if isinstance(value, Mapping):
        return cast("Mapping[str, Any]", value)[name]
    return getattr(value, name)


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """The arguments of one call, each of their parts by its name, and the time of the call.

    ``choices`` are the values of the parts that have few, ``longest`` how many members lists, sets
    and maps may have.
    """

    clock: datetime
    values: Mapping[str, Any] = field(default_factory=dict[str, Any])
    parts: Mapping[str, Any] = field(default_factory=dict[str, Any])
    choices: Mapping[str, Sequence[Any]] = field(default_factory=dict[str, Sequence[Any]])
    longest: Mapping[str, int | None] = field(default_factory=dict[str, "int | None"])
    # The parts that have the same value as another, by its name.
    tied: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])

    @property
    def own_values(self) -> Mapping[str, Any]:
        """The arguments, with lists, sets and maps of their own, which a call may change."""
        held: dict[str, Any] = {
            name: copy(cast("Any", value))
            for name, value in self.values.items()
            if isinstance(value, _CHANGEABLE)
        }
        return {**self.values, **held} if held else self.values

    @property
    def leaves(self) -> list[str]:
        """The names of the parts that hold no others, and of the time."""
        return [name for name, part in self.parts.items() if not _is_whole(part)]

    def leaves_of(self, argument: str) -> list[str]:
        """The names of the parts of an argument that hold no others, if it has such parts."""
        return [name for name in self.leaves if name != argument and _is_within(name, argument)]

    def with_arguments(self, given: Mapping[str, Any]) -> "Drawn":
        """Return the same call with some arguments given, or left out."""
        values = {**self.values, **given}
        parts = {
            name: part
            for name, part in self.parts.items()
            if not any(_is_within(name, argument) for argument in given)
        }
        kept = {name: value for name, value in values.items() if value is not LEFT_OUT}
        made = replace(self, values=kept, parts=parts)
        for name, value in given.items() if self.tied else ():
            # An argument that is left out or None says nothing about the parts tied to it.
            made = made if value is LEFT_OUT or value is None else made.with_tied(name, value)
        return made

    def with_part(self, name: str, other: "Drawn") -> "Drawn | None":
        """Return the same call with one argument, or a part of one, of another call.

        None where the other call has no such part.
        """
        if name in self.values:
            moved = {n: part for n, part in other.parts.items() if _is_within(n, name)}
            kept = {n: part for n, part in self.parts.items() if not _is_within(n, name)}
            values = {**self.values, name: other.values[name]}
            made = replace(self, values=values, parts={**kept, **moved})
            for part in moved if self.tied else ():
                made = made.with_tied(part, moved[part])
            return made
        return self.with_value(name, other.parts[name]) if name in other.parts else None

    def with_value(self, name: str, part: Any) -> "Drawn":
        """Return the same call with one argument, or a part of one, replaced, and what is tied."""
        return self.with_value_alone(name, part).with_tied(name, part)

    def with_tied(self, name: str, part: Any) -> "Drawn":
        """Return the same call with all that is tied to an argument, or a part of one, replaced."""
        made = self
        for other in self.tied.get(name, ()):
            made = made.with_value_alone(other, part) if other in made.parts else made
        return made

    def with_value_alone(self, name: str, part: Any) -> "Drawn":
        """Return the same call with one argument, or a part of one, replaced."""
        parts = {**self.parts, name: part}
        if name == NOW:
            return replace(self, clock=part, parts=parts)
        argument, *steps = STEPS.findall(name)
        value = _replaced(self.values[argument], steps, part)
        if argument in parts and steps:
            # A record, and everything that is within it and holds the part, is another one now.
            for whole in [n for n in parts if name.startswith((f"{n}.", f"{n}["))]:
                parts[whole] = _found(value, STEPS.findall(whole)[1:])
        return replace(self, values={**self.values, argument: value}, parts=parts)


def _is_within(name: str, argument: str) -> bool:
    return name == argument or name.startswith((f"{argument}.", f"{argument}["))


# An argument, then fields of records and places in containers: `pairs`, `[]`, `[0]`, `.name`.
STEPS = re.compile(r"\.?[^.\[\]]+|\[\d*\]")


def _found(value: Any, steps: Sequence[str]) -> Any:
    for step in steps:
        value = member_of(value, step[1:]) if step[0] == "." else _elements(value)[_place(step)]
    return value


def _replaced(value: Any, steps: Sequence[str], part: Any) -> Any:
    """Return a value with a part of it replaced."""
    if not steps:
        return part
    step, *rest = steps
    if step[0] == ".":
        inner = _replaced(member_of(value, step[1:]), rest, part)
        return with_member(value, step[1:], inner)
    elements = _elements(value)
    elements[_place(step)] = _replaced(elements[_place(step)], rest, part)
    if isinstance(value, Mapping):
        return dict(zip(cast("Mapping[Any, Any]", value), elements, strict=True))
    return type(value)(elements)


def _elements(value: Any) -> list[Any]:
    if isinstance(value, Mapping):
        return list(cast("Mapping[Any, Any]", value).values())
    return list(value)


def _place(step: str) -> int:
    return int(step[1:-1] or 0)
