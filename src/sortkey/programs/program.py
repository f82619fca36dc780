"""The patterns that a function of a design can use, and what could not be judged."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sortkey.design.declaring.functions import Function
from sortkey.design.declaring.pattern import Pattern
from sortkey.design.findings import SourceLine

VALUE_VERSION = 1


@dataclass(frozen=True, slots=True)
class Use:
    """A pattern that a function can use, with the functions through which it is reached.

    The first function of the ``chain`` is the handler, and the last one names the pattern.
    """

    pattern: Pattern[..., Any]
    chain: tuple[str, ...]

    @property
    def path(self) -> str:
        """The chain and the pattern as text."""
        return " → ".join((*self.chain, self.pattern.name))


@dataclass(frozen=True, slots=True)
class Unjudged:
    """A part of the code that the walk cannot judge: the function, what it does, and the line.

    With ``use``, the pattern that it may use.
    """

    where: str
    what: str
    place: SourceLine | None = None
    use: Use | None = None


@dataclass(frozen=True, slots=True)
class WalkedProgram:
    """The walked code of a function; with a ``fault``, its handler cannot be called.

    ``uses`` has every pattern that the code can use, and perhaps some that it does not: values are
    not followed through variables, so a method counts if the code calls any method of its name.
    """

    function: Function
    uses: tuple[Use, ...] = ()
    unjudged: tuple[Unjudged, ...] = ()
    fault: str | None = None

    @property
    def patterns(self) -> tuple[Pattern[..., Any], ...]:
        """The patterns that it can use."""
        return tuple(use.pattern for use in self.uses)

    @property
    def is_complete(self) -> bool:
        """Whether all of its code was judged, so that it uses no other pattern."""
        return self.fault is None and not self.unjudged


def programs_value(programs: Iterable[WalkedProgram]) -> dict[str, Any]:
    """Return programs as one JSON value."""
    return {"version": VALUE_VERSION, "functions": [_program(one) for one in programs]}


def _program(program: WalkedProgram) -> dict[str, Any]:
    function = program.function
    return {
        "name": function.name,
        "handler": function.handler,
        "role": function.role.name,
        "fault": program.fault,
        "patterns": [{"name": use.pattern.name, "chain": list(use.chain)} for use in program.uses],
        "not_judged": [_unjudged(one) for one in program.unjudged],
    }


def _unjudged(one: Unjudged) -> dict[str, Any]:
    return {
        "where": one.where,
        "what": one.what,
        "file": None if one.place is None else one.place.shown,
        "line": None if one.place is None else one.place.line,
        "pattern": None if one.use is None else one.use.pattern.name,
    }
