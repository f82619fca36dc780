"""Branching: calls of a pattern in which its function decides differently.

A function may decide by its arguments what it sends: whether two of them are equal, a field is None
or a number large. Independently drawn arguments show only one side of a decision. sortkey watches
calls to find the other: which branches they take, and which values they compare. It then changes
one argument at a time, so that a comparison has another result, and keeps each change after which a
branch is taken that no call has taken before, to change the arguments further. This ends when all
branches are taken, or none was found in many calls.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from itertools import permutations
from typing import Any, Generic, TypeVar, cast

from pydantic import BaseModel

from sortkey.design.declaring.pattern import Parameter, Pattern
from sortkey.design.plans.drawing import alternatives, is_accepted
from sortkey.design.plans.drawn import CONTAINERS, STEPS, Drawn
from sortkey.design.plans.reachable_code import Edge, ReachableCode
from sortkey.design.plans.sources import NOW
from sortkey.design.plans.watched import PartComparison, can_note, least_step, watched

M = TypeVar("M")

# Stop after this many calls in a row without a new branch, with constants of the code or without.
_MOST_FRUITLESS = {False: 60, True: 150}
# Types with an empty or zero value.
_EMPTY = frozenset({*CONTAINERS, Decimal, float, int, str}) - {tuple}
_LONGEST = 100
# What a call may raise: a branch may end the program.
_ANYTHING = (Exception, SystemExit)


@dataclass(frozen=True, slots=True)
class ArgumentChange:
    """A part of the arguments that gets the value of another part, or another value.

    A value of an ordered type may be moved by a number of ``steps``.
    """

    part: str
    value: Any = None
    source: str | None = None
    steps: int = 0

    def apply_to(
        self, drawn: Drawn, parameters: Mapping[str, Parameter], times: int = 1
    ) -> Drawn | None:
        """Return the arguments with the change; None if it is impossible, or they are not valid.

        The value is moved by so many ``times`` its steps.
        """
        if self.part not in drawn.parts or (self.source and self.source not in drawn.parts):
            return None
        value = self.value if self.source is None else drawn.parts[self.source]
        # What held the part may be something else by now, and a time may have no next one.
        with suppress(AttributeError, LookupError, OverflowError, TypeError, ValueError):
            if self.steps:
                value += self.steps * times * least_step(value)
            changed = drawn.with_value(self.part, value)
            return changed if is_accepted(changed, self.part, parameters) else None
        return None


@dataclass(frozen=True, slots=True)
class TakenBranch(Generic[M]):
    """A call that took a branch which no other had taken, and how its arguments were made.

    ``given`` are the fixed arguments, and ``changes`` those of drawn ones. ``siblings`` are other
    changes that were tried in place of the last one, of the same part.
    """

    given: Mapping[str, Any]
    changes: tuple[ArgumentChange, ...]
    made: M
    siblings: tuple[ArgumentChange, ...]
    parameters: Mapping[str, Parameter]

    def apply_to(self, drawn: Drawn, times: int = 1) -> Drawn | None:
        """Return other arguments with the same changes; None if that is impossible."""
        found: Drawn | None = drawn
        for change in self.changes:
            found = None if found is None else change.apply_to(found, self.parameters, times)
        return found

    def variants(self, drawn: Drawn) -> Iterator[Drawn]:
        """Yield the arguments of the call with other values of what was changed last."""
        for one in self.siblings:
            changed = one.apply_to(drawn, self.parameters)
            if changed is not None:
                yield changed


def seek_branches(
    pattern: Pattern[..., Any],
    starts: Iterable[tuple[Mapping[str, Any], Drawn]],
    make: Callable[[Drawn], M],
) -> Iterator[TakenBranch[M]]:
    """Yield calls that take other branches than the first ones.

    ``starts`` are the first arguments, each with what was given of them. ``make`` makes a call.
    """
    code = ReachableCode(pattern)
    if not code.edges:
        return iter(())
    parameters = {parameter.name: parameter for parameter in pattern.parameters}
    return _BranchSeeker(code, parameters, make).found(starts)


@dataclass(frozen=True, slots=True)
class _Watched(Generic[M]):
    """A call, None if it failed, and the branches that it took."""

    drawn: Drawn
    made: M | None
    taken: frozenset[Edge]


@dataclass(frozen=True, slots=True)
class _Base(Generic[M]):
    """A call whose arguments are changed further, and how they were made."""

    given: Mapping[str, Any]
    changes: tuple[ArgumentChange, ...]
    call: _Watched[M]


class _BranchSeeker(Generic[M]):
    """Seeks the branches of one pattern."""

    def __init__(
        self,
        code: ReachableCode,
        parameters: Mapping[str, Parameter],
        make: Callable[[Drawn], M],
    ) -> None:
        self._code = code
        self._parameters = parameters
        self._make = make
        self._left = set(code.edges)

    def found(self, starts: Iterable[tuple[Mapping[str, Any], Drawn]]) -> Iterator[TakenBranch[M]]:
        first = [_Base(given, (), self._call(drawn)) for given, drawn in starts]
        # Those that fail may succeed after a change.
        queue = deque(sorted(first, key=lambda base: base.call.made is None))
        for base in queue:
            self._left -= base.call.taken
        # Those that are tried with constants, when nothing else leads further.
        later: deque[_Base[M]] = deque()
        fruitless = {False: 0, True: 0}
        while (queue or later) and fruitless[False] < _MOST_FRUITLESS[False]:
            is_cheap = bool(queue) and fruitless[True] < _MOST_FRUITLESS[True]
            if not is_cheap:
                later.extend(queue)
                queue.clear()
            base = queue.popleft() if is_cheap else later.popleft()
            if is_cheap:
                later.append(base)
            for change in self._changes(base.call, cheap=is_cheap):
                changed = change.apply_to(base.call.drawn, self._parameters)
                if changed is None:
                    continue
                call = self._call(changed)
                fruitless[is_cheap] += 1
                if self._left.isdisjoint(call.taken):
                    if fruitless[is_cheap] >= _MOST_FRUITLESS[is_cheap]:
                        break
                    continue
                fruitless = {False: 0, True: 0}
                self._left -= call.taken
                changes = (*base.changes, change)
                queue.appendleft(_Base(base.given, changes, call))
                if call.made is not None:
                    siblings = self._siblings(change, call.taken)
                    yield TakenBranch(base.given, changes, call.made, siblings, self._parameters)

    def _call(self, drawn: Drawn) -> _Watched[M]:
        taken = set[Edge]()
        made: M | None = None
        with suppress(*_ANYTHING), self._code.noting(taken):
            made = self._make(drawn)
        return _Watched(drawn, made, self._code.edges & taken)

    def _siblings(
        self, change: ArgumentChange, taken: Iterable[Edge]
    ) -> tuple[ArgumentChange, ...]:
        """Return the changes of the same part to the constants of the code."""
        if change.source is not None or change.steps:
            return ()
        kind = cast("type[Any]", type(change.value))
        constants = self._code.constants(taken)
        others = (one for one in constants if type(one) is kind and one != change.value)
        return tuple(ArgumentChange(change.part, one) for one in others)

    # -- changes ------------------------------------------------------------------------------

    def _changes(self, base: _Watched[M], *, cheap: bool) -> Iterator[ArgumentChange]:
        """Yield the changes after which the function may decide differently.

        They are ``cheap`` if the values are not made from the constants of the code.
        """
        places = {edge[:2] for edge in base.taken}
        # Stop when the other way of every decision in this call is known.
        if not any(edge[:2] in places for edge in self._left):
            return
        drawn = base.drawn
        named = [name for name in drawn.parts if name != NOW and self._is_named(name)]
        if cheap:
            seen: list[PartComparison] = []
            with suppress(*_ANYTHING):
                self._make(_watching(drawn, named, seen))
            changes = self._candidates(drawn, named, seen)
        else:
            constants = self._code.constants(e for e in self._left if e[:2] in places)
            changes = (
                ArgumentChange(name, value)
                for name in named
                for value in _from_constants(drawn.parts[name], constants)
            )
        for change in changes:
            yield change
            if not any(edge[:2] in places for edge in self._left):
                return

    def _candidates(
        self, drawn: Drawn, named: Iterable[str], seen: Iterable[PartComparison]
    ) -> Iterator[ArgumentChange]:
        yield from dict.fromkeys(change for one in seen for change in _deciding(one, drawn))
        for name in named:
            for value in self._other_values(name, drawn):
                yield ArgumentChange(name, value)
        # What notes nothing, and what is looked up, may be equal to another of its type.
        silent = [name for name in named if not can_note(drawn.parts[name])]
        looked_up = dict.fromkeys(one.part for one in seen if one.is_looked_up)
        for group in (silent, looked_up):
            for one, other in permutations(group, 2):
                if _differ_in_value(drawn.parts[one], drawn.parts[other]):
                    yield ArgumentChange(one, source=other)

    def _is_named(self, part: str) -> bool:
        """Whether the code names a part: an argument, or a field of a record."""
        last = STEPS.findall(part)[-1]
        return part in self._parameters or last[0] == "[" or last[1:] in self._code.names

    def _other_values(self, part: str, drawn: Drawn) -> Iterator[Any]:
        """Yield the other values that a part may have: one of few, an empty one, or zero."""
        value = drawn.parts[part]
        kind = cast("type[Any]", type(value))
        yield from (
            other
            for other in alternatives(self._annotation(part, drawn), required=True)
            if other != value
        )
        if value and kind in _EMPTY:
            yield kind()

    def _annotation(self, part: str, drawn: Drawn) -> Any:
        if part in self._parameters:
            return self._parameters[part].type
        whole, _, name = part.rpartition(".")
        model = cast("type[Any]", type(drawn.parts.get(whole)))
        if issubclass(model, BaseModel) and name in model.model_fields:
            return model.model_fields[name].annotation
        return object


def _deciding(compared: PartComparison, drawn: Drawn) -> Iterator[ArgumentChange]:
    """Yield the changes after which two values are equal, or in another order."""
    if compared.is_looked_up:
        return
    part, value, source = compared.part, compared.value, compared.other
    if source is None:
        alike = (n for n, one in drawn.parts.items() if n != part and _is_same(one, value))
        source = next(alike, None)
    yield ArgumentChange(part, None if source else value, source)
    if compared.is_ordered:
        for steps in (-1, 1):
            yield ArgumentChange(part, None if source else value, source, steps)


def _from_constants(value: Any, constants: Iterable[Any]) -> Iterator[Any]:
    """Yield values that are made from a part of the arguments and the constants of the code."""
    kind = cast("type[Any]", type(value))
    for constant in constants:
        if type(constant) is kind:
            yield constant
            if kind in {bytes, str}:
                yield constant + value
                yield value + constant
        if type(constant) is int and 0 < constant <= _LONGEST and kind in {list, str} and value:
            for length in (constant, constant + 1):
                yield (value * length)[:length]
        if kind in {list, set, frozenset} and value and type(next(iter(value))) is type(constant):
            yield kind([*value, constant])
        if kind is dict and isinstance(constant, str):
            yield {**value, constant: next(iter(value.values()), constant)}
            for other in constants:
                if isinstance(other, str):
                    yield {**value, constant: other}


def _is_same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and bool(one == other)


def _differ_in_value(one: Any, other: Any) -> bool:
    return type(one) is type(other) and bool(one != other)


def _watching(drawn: Drawn, parts: Iterable[str], seen: list[PartComparison]) -> Drawn:
    """Return the arguments with values that note into ``seen`` what they are compared with."""
    made = drawn
    for name in parts:
        value = watched(name, drawn.parts[name], seen)
        if value is not None:
            made = made.with_value_alone(name, value)
    return made
