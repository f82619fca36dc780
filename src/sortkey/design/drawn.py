"""The arguments of one call, and the same call with a part of them changed."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, cast

from pydantic import BaseModel

from sortkey.design.sources import NOW

# In place of an argument that is left out of a call.
LEFT_OUT: Any = object()

CONTAINERS = (dict, list, set, frozenset, tuple)
_WHOLES = (BaseModel, *CONTAINERS)


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

    @property
    def leaves(self) -> list[str]:
        """The names of the parts that hold no others, and of the time."""
        return [name for name, part in self.parts.items() if not isinstance(part, _WHOLES)]

    def leaves_of(self, argument: str) -> list[str]:
        """The names of the parts of an argument that hold no others, if it has such parts."""
        return [name for name in self.leaves if name != argument and _is_within(name, argument)]

    def given(self, given: Mapping[str, Any]) -> "Drawn":
        """Return the same call with some arguments given, or left out."""
        values = {**self.values, **given}
        parts = {
            name: part
            for name, part in self.parts.items()
            if not any(_is_within(name, argument) for argument in given)
        }
        kept = {name: value for name, value in values.items() if value is not LEFT_OUT}
        return replace(self, values=kept, parts=parts)

    def with_part(self, name: str, other: "Drawn") -> "Drawn | None":
        """Return the same call with one argument, or a part of one, of another call.

        None where the other call has no such part.
        """
        if name in self.values:
            moved = {n: part for n, part in other.parts.items() if _is_within(n, name)}
            kept = {n: part for n, part in self.parts.items() if not _is_within(n, name)}
            values = {**self.values, name: other.values[name]}
            return replace(self, values=values, parts={**kept, **moved})
        return self.with_value(name, other.parts[name]) if name in other.parts else None

    def with_value(self, name: str, part: Any) -> "Drawn":
        """Return the same call with one argument, or a part of one, replaced."""
        parts = {**self.parts, name: part}
        if name == NOW:
            return replace(self, clock=part, parts=parts)
        argument, *steps = _STEPS.findall(name)
        value = _replaced(self.values[argument], steps, part)
        if argument in parts and steps:
            # A record, and everything that is within it and holds the part, is another one now.
            for whole in [n for n in parts if name.startswith((f"{n}.", f"{n}["))]:
                parts[whole] = _found(value, _STEPS.findall(whole)[1:])
        return replace(self, values={**self.values, argument: value}, parts=parts)


def _is_within(name: str, argument: str) -> bool:
    return name == argument or name.startswith((f"{argument}.", f"{argument}["))


# An argument, then fields of records and places in containers: `pairs`, `[]`, `[0]`, `.name`.
_STEPS = re.compile(r"\.?[^.\[\]]+|\[\d*\]")


def _found(value: Any, steps: Sequence[str]) -> Any:
    for step in steps:
        value = getattr(value, step[1:]) if step[0] == "." else _elements(value)[_place(step)]
    return value


def _replaced(value: Any, steps: Sequence[str], part: Any) -> Any:
    """Return a value with a part of it replaced."""
    if not steps:
        return part
    step, *rest = steps
    if step[0] == ".":
        inner = _replaced(getattr(value, step[1:]), rest, part)
        return value.model_copy(update={step[1:]: inner})
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
