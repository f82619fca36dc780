"""Tracing: the plan of a pattern, from calls with several sets of arguments.

See `sortkey.design.plans.plan` for what a plan is, and why calls can show it.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, is_dataclass, replace
from datetime import UTC, datetime
from functools import cache, cached_property, partial
from itertools import cycle, groupby, product, takewhile
from math import inf
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias, cast
from weakref import WeakKeyDictionary

from pydantic import BaseModel

from sortkey.clock import clock
from sortkey.design.declaring.design import Design
from sortkey.design.declaring.pattern import Pattern
from sortkey.design.plans.arranging import INDEPENDENT, Arrangement, arrangements
from sortkey.design.plans.branching import TakenBranch, seek_branches
from sortkey.design.plans.drawing import TURNS, Drawing, Undrawable, alternatives
from sortkey.design.plans.drawn import CONTAINERS, LEFT_OUT, Drawn
from sortkey.design.plans.plan import PatternPlan, PlannedStep, PlanPath
from sortkey.design.plans.provenance import Evidence, OtherPath, field_names
from sortkey.design.plans.sources import NOW, slots_of
from sortkey.design.plans.step_comparison import StepComparison
from sortkey.design.records.kind import EntityKind
from sortkey.design.tables.table import TableDefinition
from sortkey.expressions.tree import Path as Place
from sortkey.expressions.tree import Value
from sortkey.operations.operation import Operation
from sortkey.operations.origin import Filled
from sortkey.operations.plan import Plan, Step
from sortkey.operations.walk import PageOf, Walk
from sortkey.wire.limits import TRANSACTION_ACTIONS

_NOTHING: Mapping[str, Any] = MappingProxyType({})
_EVER = datetime.fromtimestamp(0, UTC)
# After so many refusals of different fields something else is wrong.
_ATTEMPTS = 12
_MOST_TURNS = 20
# A value that is beyond a bound in one call is further beyond it in the next.
_FURTHER = 7
# So many members of a step's form say what is read or written, whatever is done there.
_OUTLINE = 7


def trace(pattern: Pattern[..., Any], design: Design) -> PatternPlan:
    """Return a pattern's plan: with all arguments, or if that fails with the required ones."""
    return _traced(pattern, design).plan


class _Traced(NamedTuple):
    """A pattern's plan, and what has been learned about its arguments."""

    plan: PatternPlan
    tracer: "_Tracer"


# The plans of a design are used often; they are released with it.
_KNOWN: WeakKeyDictionary[Design, dict[Pattern[..., Any], _Traced]] = WeakKeyDictionary()


def _traced(pattern: Pattern[..., Any], design: Design) -> _Traced:
    known = _KNOWN.setdefault(design, {})
    if pattern not in known:
        tracer = _Tracer(pattern, design)
        known[pattern] = _Traced(_plan(pattern, tracer), tracer)
    return known[pattern]


def _plan(pattern: Pattern[..., Any], tracer: "_Tracer") -> PatternPlan:
    try:
        is_fixed = all(parameter.required for parameter in pattern.parameters)
        path = tracer.first_path([_NOTHING] if is_fixed else [_NOTHING, _only_required(pattern)])
    except Exception as error:  # noqa: BLE001 - whatever a design's own function raises
        return PatternPlan(pattern, error=error, given=tracer.last.parts)
    return PatternPlan(pattern, path, tuple(tracer.others(path)))


def valid_call(
    pattern: Pattern[..., Any], design: Design, given: Mapping[str, Any] = _NOTHING, turn: int = 0
) -> "TracedCall":
    """Return a call with valid arguments, of which some may be given; raises what it raises."""
    return _Tracer(pattern, design).drawn(given, turn)


def calls(pattern: Pattern[..., Any], design: Design) -> "list[TracedCall]":
    """Return the calls of three turns, the last one an edge; without those that are refused."""
    tracer = _traced(pattern, design).tracer
    turns = [(0, False), (1, False), (0, True)]
    found = [tracer.maybe(turn, _NOTHING, edge=edge) for turn, edge in turns]
    return [one for one in found if one is not None]


def paths(pattern: Pattern[..., Any], design: Design) -> tuple[PlanPath, ...]:
    """Return what a pattern sends with all arguments, and with any one left out or chosen.

    A pattern may decide by an argument what it sends, and refuse some. Raises its error where it
    refuses all.
    """
    tracer = _Tracer(pattern, design)
    choices = list(variations(pattern))
    found, errors = tracer.paths(choices)
    if not found and tracer.arrange(choices, errors) is not None:
        found, errors = tracer.paths(choices)
    known = {_sent_by(path) for path in found}
    for path in (*tracer.strays(found), *map(tracer.path_of, tracer.branches(choices))):
        if _sent_by(path) not in known:
            known.add(_sent_by(path))
            found.append(path)
    if not found:
        raise errors[0]
    return tuple(found)


def _sent_by(path: PlanPath) -> Any:
    """Return what a path sends, and where the values of its keys come from."""
    return path.shape, path.forms, tuple(repr((step.key, step.unread)) for step in path.steps)


def explored(pattern: Pattern[..., Any], design: Design) -> "Iterator[TracedCall | None]":
    """Make calls with all arguments, with one left out or chosen, at edges, with 0 and nothing.

    Calls that take other branches follow. None stands for a refused call.
    """
    tracer = _traced(pattern, design).tracer
    for given in variations(pattern):
        for turn, edge in ((0, False), (1, False), (1, True), (0, True)):
            yield tracer.repeated(turn, given, edge=edge)
    yield tracer.without(int)
    yield tracer.without(dict, list, set)
    for made in branch_calls(pattern, design):
        yield call(pattern, made.drawn)


def branch_calls(pattern: Pattern[..., Any], design: Design) -> "Iterator[TracedCall]":
    """Make calls that take other branches than those with all arguments, or one left out."""
    return (branch.made for branch in _traced(pattern, design).tracer.own_branches)


def overlong(pattern: Pattern[..., Any], design: Design) -> "Iterator[tuple[str, int | None]]":
    """Yield each list, set or map of the arguments that makes a transaction longer than it may be.

    With it comes how many members its type takes; None where that is any number. A call that is
    refused is left out, and so is one whose members could not all be different.
    """
    count = TRANSACTION_ACTIONS + 1
    with suppress(Exception):
        tracer = _traced(pattern, design).tracer
        first = tracer.drawn(_NOTHING)
        together = tracer.growth(first)
        alone: dict[str, float] = {}
        for name, longest in first.drawn.longest.items():
            more = (count if longest is None else min(count, longest)) - 1
            room = count - len(first.plan.steps)
            if more * together < room:
                continue
            argument = re.split(r"[.\[]", name)[0]
            if argument not in alone:
                alone[argument] = tracer.growth(first, argument)
            if more * alone[argument] < room:
                continue
            # What it learns is of no use to others.
            other = _Tracer(pattern, design)
            other.drawing.arrange(tracer.drawing.arrangement)
            other.drawing.lengthen(name, count)
            made = other.maybe(0, _NOTHING)
            members = [] if made is None else list(made.drawn.parts[name])
            if made is None or len(set(map(repr, members))) < len(members):
                continue
            if made.plan.shape == "transaction" and len(made.plan.steps) > TRANSACTION_ACTIONS:
                yield name, longest


def variations(pattern: Pattern[..., Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the arguments to fix: none, the optional ones left out, and each of few values."""
    yield _NOTHING
    yield _only_required(pattern)
    for parameter in pattern.parameters:
        for value in alternatives(parameter.type, required=parameter.required):
            yield {parameter.name: value}


def _varied(pattern: Pattern[..., Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the arguments to fix, each set of them once."""
    seen: list[Mapping[str, Any]] = [_NOTHING]
    for given in variations(pattern):
        if given not in seen:
            seen.append(given)
            yield given


def _only_required(pattern: Pattern[..., Any]) -> dict[str, Any]:
    return {p.name: LEFT_OUT for p in pattern.parameters if not p.required}


def _turns(drawn: Drawn, choices: Mapping[str, Sequence[Any]]) -> Sequence[int]:
    """Return the turns beside the first: so many that a value hardly stays the same by chance.

    They distinguish arguments with few values, and try each value of them. Of a record's fields,
    those with more values than that are tried with some. Lists have two members in the last turn.
    """
    if not choices:
        has_lists = any(isinstance(part, CONTAINERS) for part in drawn.parts.values())
        return [TURNS - 1 if has_lists else 1]
    arguments = [len(members) for name, members in choices.items() if "." not in name]
    return range(1, max(TURNS, min(max(arguments, default=0), _MOST_TURNS)))


@dataclass(frozen=True)
class TracedCall:
    """One call of a pattern: its arguments, and what it would send."""

    drawn: Drawn
    operation: Operation[Any]
    plan: Plan

    @property
    def size(self) -> int | None:
        """The number of wanted records, if a request may read more or fewer."""
        operation: Any = self.operation
        if isinstance(operation, PageOf):
            return cast("PageOf[Any]", operation)._size
        return cast("Walk[Any]", operation)._limit if isinstance(operation, Walk) else None

    @cached_property
    def form(self) -> Any:
        """Everything that is sent but values: equal where two calls took the same path."""
        later = tuple(map(_form_of_step, self.plan.later))
        return self.plan.shape, self.forms, later

    @cached_property
    def forms(self) -> tuple[tuple[Any, ...], ...]:
        """Everything that each step sends but values, and how it is sent."""
        return tuple((self.plan.shape, *_form_of_step(step)) for step in self.plan.steps)


def call(pattern: Pattern[..., Any], drawn: Drawn) -> TracedCall:
    """Call a pattern with these arguments at their time."""
    # After one that is left out, no argument has its place.
    placed = list(
        takewhile(lambda p: p.name in drawn.values and not p.keyword_only, pattern.parameters)
    )
    named = [p.name for p in pattern.parameters if p not in placed and p.name in drawn.values]
    values = drawn.own_values
    with clock(drawn.clock.timestamp):
        operation = pattern(*(values[p.name] for p in placed), **{n: values[n] for n in named})
        return TracedCall(drawn, operation, operation._plan())


def _adds(outlines: set[tuple[Any, ...]], made: TracedCall) -> bool:
    """Return whether a call sends another kind of request, and note what it sends."""
    found = {form[:_OUTLINE] for form in made.forms}
    is_new = not outlines.issuperset(found)
    outlines |= found
    return is_new


class _Tracer:
    """Calls one pattern until its values are explained, or no call can explain them."""

    def __init__(self, pattern: Pattern[..., Any], design: Design) -> None:
        self._pattern = pattern
        self.last = Drawn(_EVER)
        # Not the design itself, which outlives what is known of it.
        self._kinds = tuple(design.kinds)
        self._strays: list[_Stray] = []
        # The calls that were made, by their arguments.
        self._made: dict[Drawn, TracedCall] = {}

    @cached_property
    def drawing(self) -> Drawing:
        """Draws the arguments; raises what an annotation raises that cannot be read."""
        return Drawing(self._pattern.parameters, self._model_of)

    def _model_of(self, name: str) -> type[BaseModel] | None:
        models = (kind.model for kind in self._kinds)
        return next((model for model in models if model.__name__ == name), None)

    def _kind_of(self, table: TableDefinition, name: str) -> EntityKind[Any] | None:
        kinds = (kind for kind in self._kinds if kind.name == name)
        return next((kind for kind in kinds if kind.table is table), None)

    def path(self, given: Mapping[str, Any], turn: int = 0, *, edge: bool = False) -> PlanPath:
        """Return the path of a call of this turn in which some arguments are given."""
        first = self.drawn(given, turn, edge=edge)
        calls = _Calls(first)
        for other in _turns(first.drawn, calls.choices):
            self._add(calls, given, other)
        any(self._add(calls, given, other, edge=True) for other in (1, 0))
        return self._explained(calls, given)

    def _explained(self, calls: "_Calls", given: Mapping[str, Any]) -> PlanPath:
        """Return the path of these calls, after as many more as explain their values."""
        self._vary(calls, given)
        planned = self._planned(calls)
        if calls.evidence.is_open:
            calls.repeat(self._again)
            planned = self._planned(calls)
        if calls.evidence.is_open:
            turns = [(0, False), (TURNS - 1, False), (0, True)]
            others = [self.drawing.draw(turn, edge=edge, given=given) for turn, edge in turns]
            planned = self._single_out(calls, others)
        return planned

    def first_path(self, choices: Sequence[Mapping[str, Any]]) -> PlanPath:
        """Return the path of the first arguments to fix with which a call succeeds.

        Raises the last error if none does, whatever the arrangement of the arguments.
        """
        errors: list[Exception] = []
        for given in choices:
            try:
                return self.path(given)
            except Exception as error:  # noqa: BLE001 - whatever a design's own function raises
                errors.append(error)
        arranged = self.arrange(choices, errors)
        if arranged is None:
            raise errors[-1]
        return self.path(arranged)

    def paths(self, choices: Iterable[Mapping[str, Any]]) -> tuple[list[PlanPath], list[Exception]]:
        """Return the paths of all arguments to fix, and the errors of those that are refused."""
        found: list[PlanPath] = []
        errors: list[Exception] = []
        for given in choices:
            try:
                found.append(self.path(given))
            except Exception as error:  # noqa: BLE001 - whatever a design's own function raises
                errors.append(error)
        return found, errors

    def branches(self, choices: Iterable[Mapping[str, Any]]) -> Iterator[TakenBranch[TracedCall]]:
        """Yield calls that take branches which no call with these arguments to fix takes."""
        turns = [(turn, False) for turn in range(1, TURNS)] + [(0, True), (1, True)]
        drawn = [*((given, 0, False) for given in choices), *((_NOTHING, *one) for one in turns)]
        starts: list[tuple[Mapping[str, Any], Drawn]] = []
        for given, turn, edge in drawn:
            with suppress(Undrawable):
                starts.append((given, self.drawing.draw(turn, edge=edge, given=given)))
        return seek_branches(self._pattern, starts, partial(call, self._pattern))

    @cached_property
    def own_branches(self) -> "Sequence[TakenBranch[TracedCall]]":
        """The calls that take branches which no call with arguments left out or chosen takes."""
        return list(self.branches([_NOTHING, *_varied(self._pattern)]))

    def path_of(self, branch: TakenBranch[TracedCall]) -> PlanPath:
        """Return the path of a call that takes another branch, compared with calls like it."""
        calls = _Calls(branch.made)
        for turn in range(TURNS):
            with suppress(Undrawable):
                drawn = self.drawing.draw(turn, given=branch.given)
                calls.add(self._again(branch.apply_to(drawn, 1 + _FURTHER * turn)))
        for variant in branch.variants(branch.made.drawn):
            calls.add(self._again(variant))
        return self._explained(calls, branch.given)

    def strays(self, known: Sequence[PlanPath]) -> Iterator[PlanPath]:
        """Yield the paths of calls that were made and took another path than these."""
        forms = {form for path in known for form in path.forms}
        for stray in self._strays:
            if not forms.issuperset(stray.call.forms):
                forms.update(stray.call.forms)
                yield from self._maybe_path(stray.given, stray.turn, edge=stray.edge)

    def arrange(
        self, choices: Sequence[Mapping[str, Any]], errors: Iterable[Exception]
    ) -> Mapping[str, Any] | None:
        """Arrange the arguments so that a call succeeds; return those that it fixes, or None.

        This is for a pattern that refuses, with a ValueError, arguments that do not belong
        together. No call may have succeeded before.
        """
        if not any(isinstance(error, ValueError) for error in errors):
            return None
        last = self.last
        for given in choices:
            self.drawing.arrange(INDEPENDENT)
            with suppress(Undrawable):
                for arrangement in arrangements(self.drawing.draw(given=given)):
                    turns = self._succeeding(arrangement, given)
                    if 0 in turns:
                        self._free(arrangement, given, turns)
                        return given
        self.drawing.arrange(INDEPENDENT)
        self.last = last
        return None

    def _free(self, arrangement: Arrangement, given: Mapping[str, Any], turns: set[int]) -> None:
        """Free each tied part without which the same turns succeed."""
        for name in [name for tie in arrangement.ties for name in tie]:
            looser = arrangement.freed(name)
            if turns <= self._succeeding(looser, given):
                arrangement = looser
        self.drawing.arrange(arrangement)

    def _succeeding(self, arrangement: Arrangement, given: Mapping[str, Any]) -> set[int]:
        """Return the turns that succeed in an arrangement; none if the first does not."""
        self.drawing.arrange(arrangement)
        if self.maybe(0, given) is None:
            return set()
        return {turn for turn in range(TURNS) if self.maybe(turn, given) is not None}

    def others(self, known: PlanPath) -> Iterator[PlanPath]:
        """Yield the paths beside a known one that send something else.

        They come from calls with an argument left out or chosen, from earlier calls that sent
        another kind of request, and from other branches.
        """
        forms = set(known.forms)
        for given in _varied(self._pattern):
            made = self.maybe(0, given)
            if made is not None and not forms.issuperset(made.forms):
                forms.update(made.forms)
                yield from self._maybe_path(given)
        outlines = {form[:_OUTLINE] for form in forms}
        while self._strays:
            stray = self._strays.pop()
            if _adds(outlines, stray.call):
                yield from self._maybe_path(stray.given, stray.turn, edge=stray.edge)
        for branch in self.own_branches:
            if _adds(outlines, branch.made):
                with suppress(Exception):  # whatever a design's own function raises
                    yield self.path_of(branch)

    def _maybe_path(
        self, given: Mapping[str, Any], turn: int = 0, *, edge: bool = False
    ) -> Iterator[PlanPath]:
        with suppress(Exception):  # whatever a design's own function raises
            yield self.path(given, turn, edge=edge)

    def _add(
        self, calls: "_Calls", given: Mapping[str, Any], turn: int, *, edge: bool = False
    ) -> bool:
        """Make the call of a turn; return whether it took the same path, else remember it."""
        made = self.maybe(turn, given, edge=edge)
        is_same = calls.add(made)
        if made is not None and not is_same:
            self._strays.append(_Stray(made, given, turn, edge))
        return is_same

    def drawn(self, given: Mapping[str, Any], turn: int = 0, *, edge: bool = False) -> TracedCall:
        """Draw arguments until the fields that they go into take them, and call."""
        for _ in range(_ATTEMPTS):
            drawn = self.last = self.drawing.draw(turn, edge=edge, given=given)
            if drawn in self._made:
                return self._made[drawn]
            try:
                made = self._made[drawn] = call(self._pattern, drawn)
            except Exception as error:
                if not self.drawing.learn(error, drawn):
                    raise
            else:
                return made
        return call(self._pattern, self.drawing.draw(turn, edge=edge, given=given))

    def maybe(
        self, turn: int, given: Mapping[str, Any], *, edge: bool = False
    ) -> TracedCall | None:
        """Return the call of a turn, or None where it fails."""
        with suppress(Exception):
            return self.drawn(given, turn, edge=edge)
        return None

    def repeated(
        self, turn: int, given: Mapping[str, Any], *, edge: bool = False
    ) -> TracedCall | None:
        """Make the call of a turn again, even if it was made before; None if it fails."""
        with suppress(Undrawable):
            drawn = self.drawing.draw(turn, edge=edge, given=given)
            return self._again(drawn) or self.maybe(turn, given, edge=edge)
        return None

    def growth(self, first: "TracedCall", argument: str | None = None) -> float:
        """Return how many more steps are sent where lists of an argument, or all, have two members.

        Infinitely many where no call shows it.
        """
        # They have two in the last turn.
        last = self.maybe(TURNS - 1, _NOTHING)
        if last is not None and argument is not None:
            last = self._again(first.drawn.with_part(argument, last.drawn))
        return inf if last is None else len(last.plan.steps) - len(first.plan.steps)

    def without(self, *kinds: type) -> TracedCall | None:
        """Return a call whose arguments of these types are 0 or empty, or None where it fails."""
        with suppress(Exception):
            drawn = self.drawing.draw()
            for name, part in drawn.parts.items():
                if type(part) in kinds:
                    drawn = drawn.with_value(name, cast("Any", type(part))())
            return call(self._pattern, drawn)
        return None

    def _again(self, drawn: Drawn | None) -> TracedCall | None:
        if drawn is not None:
            with suppress(Exception):
                return call(self._pattern, drawn)
        return None

    def _vary(self, calls: "_Calls", given: Mapping[str, Any]) -> None:
        """Change what all calls on the path have in common, part by part.

        What cannot be changed decides on the path; with that kept, the rest is drawn again.
        """
        first = calls.first.drawn
        was_alone = len(calls.all) == 1
        for name, members in calls.untried.items():
            for member in members:
                calls.add(self._again(first.with_value(name, member)))
        # Arguments may be compared with each other beside one value of a choice only.
        for name in calls.untried:
            for member in calls.choices[name]:
                with suppress(Undrawable):
                    descending = self.drawing.draw(1, edge=True, given=given)
                    calls.add(self._again(descending.with_value(name, member)))
        names = calls.in_common
        if not names:
            return
        others = [self.drawing.draw(turn, given=given) for turn in range(1, TURNS)]
        deciding: list[str] = []
        for name in names:
            values = calls.choices.get(name) or [other.parts.get(name) for other in others]
            changed = [first.with_value(name, value) for value in values if value is not None]
            added = [calls.add(self._again(one)) for one in changed if one.parts != first.parts]
            if not any(added):
                deciding.append(name)
                calls.hold(name, [other.parts.get(name) for other in others])
        for drawn in others if was_alone else ():
            held: Drawn | None = drawn
            for name in deciding:
                held = None if held is None else held.with_part(name, first)
            calls.add(self._again(held))

    def _single_out(self, calls: "_Calls", others: Sequence[Drawn]) -> PlanPath:
        """Change one argument after the other, then the parts of those that make a difference."""
        drawn = calls.first.drawn
        leaving = calls.change_one_by_one(self._again, others, [NOW, *drawn.values])
        planned = self._planned(calls)
        suspects = calls.evidence.changing | (leaving if calls.evidence.is_open else set[str]())
        parts = [
            part for name in drawn.values if name in suspects for part in drawn.leaves_of(name)
        ]
        if not parts:
            return planned
        calls.change_one_by_one(self._again, others, parts)
        return self._planned(calls)

    # From calls to steps.

    def _planned(self, calls: "_Calls") -> PlanPath:
        try:
            return self._compared(calls)
        except OtherPath:
            # They are alike in form and still cannot be compared: one of them shows nothing.
            calls.keep_first()
            return self._compared(calls)

    def _compared(self, calls: "_Calls") -> PlanPath:
        evidence = calls.evidence = calls.gathered()
        all_calls = calls.all
        first = calls.first.plan
        steps = [
            self._step(evidence, [c.plan.steps[n] for c in all_calls], [c.size for c in all_calls])
            for n in range(len(first.steps))
        ]
        later = [
            self._step(evidence, [c.plan.later[n] for c in all_calls], [None] * len(all_calls))
            for n in range(len(first.later))
        ]
        joined = _joined(steps) if first.shape == "pages" else steps
        return PlanPath(first.shape, tuple(joined), tuple(later), calls.first.forms)

    def _step(
        self, evidence: Evidence, steps: Sequence[Step], sizes: Sequence[int | None]
    ) -> PlannedStep:
        first = steps[0]
        table = first.table
        assert isinstance(table, TableDefinition)  # noqa: S101 - a design's tables are no others
        kind = self._kind_of(table, first.entities[0]) if first.entities else None
        reader = StepComparison(evidence, kind)
        evidence.keys_in = reader.keys_in
        item = None if first.item is None else reader.item(steps)
        limits = [s.limit if size is None else size for s, size in zip(steps, sizes, strict=True)]
        evidence.is_key = True
        key, unread = reader.key(steps, item)
        evidence.is_key = False
        return PlannedStep(
            verb=first.verb,
            table=table,
            index=first.index,
            entities=first.entities,
            key=key,
            item=item,
            unread=unread,
            filter=evidence.expression([step.filter for step in steps]),
            condition=evidence.expression([step.condition for step in steps]),
            update=evidence.expression([step.update for step in steps]),
            projection=first.projection,
            consistent=first.consistent,
            forward=first.forward,
            limit=None if limits[0] is None else evidence.value(limits),
            select=first.members.get("Select"),
            sent=first,
        )


@dataclass(frozen=True)
class _Stray:
    """A call that took another path than those that it was compared with, and how it was drawn."""

    call: TracedCall
    given: Mapping[str, Any]
    turn: int
    edge: bool = False


_Again: TypeAlias = Callable[[Drawn | None], TracedCall | None]


class _Calls:
    """Calls on one path, and in what they differ."""

    def __init__(self, first: TracedCall) -> None:
        self.first = first
        self.all = [first]
        drawn = first.drawn
        self.choices = {n: members for n, members in drawn.choices.items() if n in drawn.parts}
        self.evidence = Evidence([first.drawn])
        self._held: set[str] = set()
        self._repeats: list[tuple[int, int]] = []
        self._singles: dict[str, list[tuple[int, int]]] = {}
        self.independent = 1

    @property
    def untried(self) -> dict[str, list[Any]]:
        """The values of arguments with few of them that no call on the path has."""
        tried = {n: [one.drawn.parts.get(n) for one in self.all] for n in self.choices}
        return {
            name: [member for member in members if member not in tried[name]]
            for name, members in self.choices.items()
            if "." not in name and "[" not in name
        }

    @property
    def in_common(self) -> list[str]:
        """The parts of the arguments that are the same in all calls."""
        first, *others = [one.drawn.parts for one in self.all]
        return [
            name
            for name in self.first.drawn.leaves
            if all(name in parts and parts[name] == first[name] for parts in others)
        ]

    def keep_first(self) -> None:
        """Forget all calls but the first."""
        self.all, self._repeats, self._singles = [self.first], [], {}

    def add(self, other: TracedCall | None) -> bool:
        """Take in a call, if it took the same path; return whether it did."""
        if other is None or other.form != self.first.form:
            return False
        self.all.append(other)
        return True

    def hold(self, name: str, others: Sequence[Any]) -> None:
        """Note that a part of the arguments must stay as it is on this path."""
        if name not in self.choices and any(o != self.first.drawn.parts[name] for o in others):
            self._held.add(name)

    def repeat(self, again: "_Again") -> None:
        """Make each call once more with the same arguments."""
        self.independent = len(self.all)
        for base, one in enumerate(tuple(self.all)):
            if self.add(again(one.drawn)):
                self._repeats.append((base, len(self.all) - 1))

    def change_one_by_one(
        self, again: "_Again", others: Sequence[Drawn], names: Iterable[str]
    ) -> set[str]:
        """Call with one argument changed, for each; return those whose change leaves the path.

        This is done around several calls, since an argument may matter only beside certain others:
        around two, and where an argument has few values around all of them. A record is changed
        around one after the other, since its parts are still to come.
        """
        leaving: set[str] = set()
        last = self.independent - 1
        has_choice = any("." not in name for name in self.choices)
        bases = range(last + 1) if has_choice else sorted({min(1, last), last})
        leaves = set(self.first.drawn.leaves)
        for name in names:
            members = self.choices.get(name)
            if members is not None:
                changes = [
                    (base, self.all[base].drawn.with_value(name, member))
                    for base, member in product(bases, members)
                ]
            else:
                is_record = name not in leaves and not has_choice
                around = (
                    zip(cycle(bases), others, strict=False) if is_record else product(bases, others)
                )
                changes = [
                    (base, self.all[base].drawn.with_part(name, other)) for base, other in around
                ]
            for base, one in changes:
                if one is None or one.parts == self.all[base].drawn.parts:
                    continue
                if self.add(again(one)):
                    self._singles.setdefault(name, []).append((base, len(self.all) - 1))
                else:
                    leaving.add(name)
        return leaving

    def gathered(self) -> Evidence:
        """Return what all calls together show."""
        drawn = [one.drawn for one in self.all]
        return Evidence(
            drawn,
            choices=frozenset(self.choices),
            held=frozenset(self._held),
            repeats=self._repeats,
            singles=self._singles,
            independent=self.independent if self._repeats else len(self.all),
        )


def _joined(steps: Sequence[PlannedStep]) -> Iterator[PlannedStep]:
    """Yield the queries, those of a key's shards as one: only a number at the end differs."""
    for first, alike in groupby(steps):
        more = len(list(alike))
        yield replace(first, shards=more) if more > 1 else first


def _form_of_step(step: Step) -> tuple[Any, ...]:
    expressions = (step.filter, step.condition, step.update)
    return (
        step.verb,
        str(step.table),
        step.index,
        step.entities,
        _form_of(step.key_condition),
        step.limit is None,
        None if step.key is None else tuple(step.key),
        None if step.item is None else tuple(step.item),
        tuple(map(_form_of, expressions)),
        None if step.projection is None else tuple(sorted(step.projection.names)),
        step.consistent,
        step.forward,
        tuple(step.members),
    )


def _form_of(tree: Any) -> Any:
    """Return an expression without its values."""
    kind = cast("type[Any]", type(tree))
    if kind is tuple:
        return tuple(map(_form_of, tree))
    if kind is Place:
        return tree.name, len(tree.parts)
    if kind is not Value:
        members = _members_of(kind)
        return (kind, *[_form_of(getattr(tree, name)) for name in members]) if members else tree
    match tree.origin:
        case Filled(template, bound, compared):
            filled = tuple(name for name in slots_of(template) if name in bound)
            return template, filled, compared and compared[:2]
        case origin:
            return cast("type[Any]", type(origin))


@cache
def _members_of(kind: type[Any]) -> Sequence[str]:
    """Return the members of a node of an expression, none of anything else."""
    return field_names(kind) if is_dataclass(kind) else ()
