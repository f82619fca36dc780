"""Branching: calls of a pattern in which its function decides differently.

A function may decide by its arguments what it sends: whether two of them are equal, a field is None
or a number large. Arguments that are drawn independently show one side of such a decision. To find
the other, calls are watched: which branches of the function they take, and which values they
compare. Then the arguments are changed, one after the other, so that a comparison has another
result. A change after which a branch is taken that no call took before is kept, and changed
further, until all branches are taken or a number of calls was made.

Watched are the functions of the application that a pattern's function names, and the methods of its
records that are named there.
"""

import dis
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from types import CodeType, FunctionType, ModuleType
from typing import Any, Generic, TypeVar, cast

from pydantic import BaseModel

from sortkey.design.declaring.pattern import Pattern
from sortkey.design.plans.drawing import alternatives, is_accepted
from sortkey.design.plans.drawn import CONTAINERS, STEPS, Drawn
from sortkey.design.plans.sources import NOW
from sortkey.design.plans.watched import PartComparison, least_step, watched
from sortkey.design.plans.watched_code import watching_branches

M = TypeVar("M")

_CONDITIONAL = frozenset(
    name for name in dis.opmap if name == "FOR_ITER" or ("JUMP" in name and "_IF_" in name)
)
_LIBRARIES = frozenset(sys.stdlib_module_names) | {"sortkey", "pydantic", "pydantic_core"}
# After so many calls that take no other branch, none is expected that would.
_MOST_FRUITLESS = 150

# Types whose values may be nothing: zero, or without members.
_EMPTY = frozenset({*CONTAINERS, Decimal, float, int, str}) - {tuple}

# A branch of a function: which function, the place of the instruction that decides, and whether it
# jumps.
Edge = tuple[int, int, bool]


@dataclass(frozen=True, slots=True)
class ArgumentChange:
    """A part of the arguments that gets the value of another part, or another value.

    A value of an ordered type may be moved by a ``step``.
    """

    part: str
    value: Any = None
    source: str | None = None
    step: int = 0

    def applied(self, drawn: Drawn) -> Drawn | None:
        """Return the arguments with the change; None if they have no such parts."""
        if self.part not in drawn.parts or (self.source and self.source not in drawn.parts):
            return None
        value = self.value if self.source is None else drawn.parts[self.source]
        # What held the part may be something else by now, and a time may have no next one.
        with suppress(AttributeError, LookupError, OverflowError, TypeError, ValueError):
            if self.step:
                value += self.step * least_step(value)
            changed = drawn.with_value(self.part, value)
            return changed if is_accepted(changed, self.part) else None
        return None


@dataclass(frozen=True, slots=True)
class TakenBranch(Generic[M]):
    """A call that took a branch which no other had taken: which arguments, and the changes."""

    given: Mapping[str, Any]
    changes: tuple[ArgumentChange, ...]
    made: M

    def applied(self, drawn: Drawn) -> Drawn | None:
        """Return other arguments with the same changes; None if that is impossible."""
        found: Drawn | None = drawn
        for change in self.changes:
            found = None if found is None else change.applied(found)
        return found


def branches(
    pattern: Pattern[..., Any],
    starts: Iterable[tuple[Mapping[str, Any], Drawn]],
    make: Callable[[Drawn], M],
) -> Iterator[TakenBranch[M]]:
    """Yield calls that take other branches than the first ones.

    ``starts`` are the first arguments, each with what was given of them. ``make`` makes a call.
    """
    seeker = _BranchSeeker(pattern, make)
    return seeker.found(starts) if seeker.reach.edges else iter(())


@dataclass(frozen=True, slots=True)
class _Watched(Generic[M]):
    """A call, None if it failed, and the branches that it took."""

    drawn: Drawn
    made: M | None
    taken: frozenset[Edge]


class _BranchSeeker(Generic[M]):
    """Seeks the branches of one pattern."""

    def __init__(self, pattern: Pattern[..., Any], make: Callable[[Drawn], M]) -> None:
        self.reach = _Reach(pattern)
        self._parameters = {parameter.name: parameter for parameter in pattern.parameters}
        self._make = make
        self._left = set(self.reach.edges)

    def found(self, starts: Iterable[tuple[Mapping[str, Any], Drawn]]) -> Iterator[TakenBranch[M]]:
        queue = deque(
            [(given, tuple[ArgumentChange, ...](), self._call(drawn)) for given, drawn in starts]
        )
        for *_, first in queue:
            self._left -= first.taken
        fruitless = 0
        while queue:
            given, before, base = queue.popleft()
            for change in self._changes(base):
                changed = change.applied(base.drawn)
                if changed is None:
                    continue
                call = self._call(changed)
                fruitless += 1
                if self._left.isdisjoint(call.taken):
                    if fruitless == _MOST_FRUITLESS:
                        return
                    continue
                fruitless = 0
                self._left -= call.taken
                changes = (*before, change)
                queue.append((given, changes, call))
                if call.made is not None:
                    yield TakenBranch(given, changes, call.made)

    def _call(self, drawn: Drawn) -> _Watched[M]:
        taken = set[Edge]()
        made: M | None = None
        with self.reach.noting(taken), suppress(Exception):
            made = self._make(drawn)
        return _Watched(drawn, made, self.reach.edges & taken)

    # -- changes ------------------------------------------------------------------------------

    def _changes(self, base: _Watched[M]) -> Iterator[ArgumentChange]:
        """Yield the changes after which the function may decide differently."""
        places = {edge[:2] for edge in base.taken}
        drawn = base.drawn
        named = [name for name in drawn.parts if name != NOW and self._is_named(name)]
        seen: list[PartComparison] = []
        with suppress(Exception):
            self._make(_watching(drawn, named, seen))
        for change in self._imagined(drawn, named, seen):
            # Whether any of what this call decided was never decided otherwise.
            if all(edge[:2] not in places for edge in self._left):
                return
            yield change

    def _imagined(
        self, drawn: Drawn, named: Iterable[str], seen: Iterable[PartComparison]
    ) -> Iterator[ArgumentChange]:
        yield from dict.fromkeys(change for one in seen for change in self._after(one, drawn))
        for name in named:
            for value in self._others(name, drawn):
                yield ArgumentChange(name, value)
        values = self.reach.members
        for name in dict.fromkeys(one.part for one in seen if one.is_looked_up):
            if isinstance(drawn.parts[name], str):
                yield from (ArgumentChange(name, value) for value in values)

    def _is_named(self, part: str) -> bool:
        """Whether the code names a part: an argument, or a field of a record."""
        last = STEPS.findall(part)[-1]
        return part in self._parameters or last[0] == "[" or last[1:] in self.reach.names

    def _after(self, compared: PartComparison, drawn: Drawn) -> Iterator[ArgumentChange]:
        """Yield the changes after which two values are equal, or in another order."""
        if compared.is_looked_up:
            return
        part, value, source = compared.part, compared.value, compared.other
        if source is None:
            alike = (n for n, one in drawn.parts.items() if n != part and _is_equal(one, value))
            source = next(alike, None)
        yield ArgumentChange(part, None if source else value, source)
        if compared.is_ordered:
            for step in (-1, 1):
                yield ArgumentChange(part, None if source else value, source, step)

    def _others(self, part: str, drawn: Drawn) -> Iterator[Any]:
        """Yield the other values that a part may have: one of few, nothing, or zero."""
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


def _is_equal(one: Any, other: Any) -> bool:
    return type(one) is type(other) and bool(one == other)


def _watching(drawn: Drawn, parts: Iterable[str], seen: list[PartComparison]) -> Drawn:
    """Return the arguments with values that note into ``seen`` what they are compared with."""
    made = drawn
    for name in parts:
        value = watched(name, drawn.parts[name], seen)
        if value is not None:
            made = made.with_value_alone(name, value)
    return made


# -- what a pattern can reach ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Jump:
    """A conditional jump: its place, where the code goes on without it, and the ways to seek."""

    place: int
    next: frozenset[int]
    ways: tuple[bool, ...]


class _Reach:
    """The code of the application that a pattern's function can reach, and its branches."""

    def __init__(self, pattern: Pattern[..., Any]) -> None:
        self._top = str(getattr(pattern.function, "__module__", "")).partition(".")[0]
        self.codes: dict[CodeType, None] = {}
        self.names: set[str] = set()
        self._classes: set[type] = set()
        self._sets: list[Iterable[Any]] = []
        self._functions: deque[FunctionType] = deque()
        self._known = set[int]()
        for annotation in (parameter.type for parameter in pattern.parameters):
            for each in _classes_in(annotation):
                self._add(each)
        self._add(pattern.function)
        while self._functions:
            self._read(self._functions.popleft())

    @cached_property
    def edges(self) -> frozenset[Edge]:
        """The branches, apart from those that only fail."""
        return frozenset(
            (number, jump.place, jumps)
            for number, jumps_of in self._jumps.values()
            for jump in jumps_of.values()
            for jumps in jump.ways
        )

    @cached_property
    def _jumps(self) -> Mapping[CodeType, tuple[int, Mapping[int, _Jump]]]:
        """The number of each code, and its conditional jumps by their places."""
        return {
            code: (number, {jump.place: jump for jump in _jumps_of(code)})
            for number, code in enumerate(self.codes)
        }

    @cached_property
    def members(self) -> list[Any]:
        """The members of the sets and maps in the code, in which a value may be looked up."""
        return sorted({one for each in self._sets for one in each if isinstance(one, str)})

    @contextmanager
    def noting(self, taken: set[Edge]) -> Generator[None]:
        """Within the block, note the branches that are taken."""

        def note(code: CodeType, place: int, following: int) -> None:
            number, jumps = self._jumps[code]
            if place in jumps:
                taken.add((number, place, following not in jumps[place].next))

        deciding = {code: jumps for code, (_, jumps) in self._jumps.items() if jumps}
        with watching_branches(deciding, note):
            yield

    def _add(self, value: Any) -> None:
        """Add what is named: functions, and classes with methods."""
        if id(value) in self._known:
            return
        self._known.add(id(value))
        if isinstance(value, Pattern):
            self._add(cast("Pattern[..., Any]", value).function)
        elif isinstance(value, FunctionType):
            if self._is_own(value.__module__, value.__code__.co_filename):
                self._functions.append(value)
        elif isinstance(value, type):
            module = sys.modules.get(value.__module__)
            if self._is_own(value.__module__, getattr(module, "__file__", None) or ""):
                self._classes.add(value)
                self._read_members(value, self.names)
        elif isinstance(value, frozenset | set | dict):
            self._sets.append(cast("Iterable[Any]", value))

    def _is_own(self, module: str | None, file: str) -> bool:
        top = str(module).partition(".")[0]
        return top == self._top or (top not in _LIBRARIES and "-packages" not in file)

    def _read(self, function: FunctionType) -> None:
        own = set[str]()
        for code in _codes_in(function.__code__):
            self.codes[code] = None
            own.update(code.co_names)
            for constant in code.co_consts:
                self._add(constant)
        new = own - self.names
        self.names |= own
        for cls in tuple(self._classes):
            self._read_members(cls, new)
        for name in own:
            value = function.__globals__.get(name)
            self._add(value)
            if isinstance(value, ModuleType):
                for member in own & vars(value).keys():
                    self._add(vars(value)[member])
        for cell in function.__closure__ or ():
            with suppress(ValueError):  # never set
                self._add(cell.cell_contents)

    def _read_members(self, cls: type, names: Iterable[str]) -> None:
        for name in names:
            for each in cls.__mro__:
                member = vars(each).get(name)
                for held in ("__func__", "fget", "func"):
                    member = getattr(member, held, member)
                if isinstance(member, FunctionType):
                    self._add(member)
                    break


def _classes_in(annotation: Any) -> Iterator[type]:
    """Yield the classes in an annotation."""
    if isinstance(annotation, type):
        yield annotation
    for each in getattr(annotation, "__args__", ()):
        yield from _classes_in(each)


def _codes_in(code: CodeType) -> Iterator[CodeType]:
    """Yield the code of a function and of the functions in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes_in(constant)


def _jumps_of(code: CodeType) -> Iterator[_Jump]:
    """Yield the conditional jumps of a function, without the ways on which an error is raised."""
    instructions = list(dis.get_instructions(code))
    failing = {
        one.positions.lineno
        for one in instructions
        if one.positions and (one.opname == "RAISE_VARARGS" or one.argval == "assert_never")
    }
    lines = {one.offset: one.positions and one.positions.lineno for one in instructions}
    for number, one in enumerate(instructions):
        if one.opname in _CONDITIONAL:
            following = instructions[number + 1 : number + 3]
            if following[0].opname != "NOT_TAKEN":
                del following[1:]
            ends = {False: following[-1].offset, True: one.argval}
            ways = tuple(jumps for jumps, end in ends.items() if lines.get(end) not in failing)
            yield _Jump(one.offset, frozenset(each.offset for each in following), ways)
