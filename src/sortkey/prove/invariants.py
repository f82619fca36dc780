"""Kept: the design's own writes, one after the other from an empty database, break no invariant.

Generated records would break most invariants before the first write, so none are stored here: every
state is what the design's own patterns have made. Each write is drawn so that it is likely to
succeed: its arguments are mostly taken from what the writes before it stored. A write that is
refused changes nothing and is left out. After each one that succeeds, every invariant is called.

What a pattern accepts, it must be able to take: where only some arguments keep an invariant, the
pattern refuses the others with a ValueError.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import count
from math import ceil
from typing import Any

from hypothesis import Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import Flaky, Unsatisfiable, UnsatisfiedAssumption

from sortkey.design.design import Design
from sortkey.design.entity import Entity
from sortkey.design.invariant import Breach, Invariant
from sortkey.design.kind import EntityKind
from sortkey.design.pattern import Pattern
from sortkey.design.plan import PlannedStep
from sortkey.errors import SortkeyError
from sortkey.operations.clock import clock
from sortkey.prove.bench import Bench
from sortkey.prove.generated import generated_for
from sortkey.prove.quiet import quietly
from sortkey.prove.samples import Scene
from sortkey.prove.source import Source
from sortkey.prove.trial import Settings
from sortkey.prove.values import NOW
from sortkey.prove.verdict import Outcome, Verdict
from sortkey.prove.written import records_in

NAME = "kept"

# How many writes a course has, and how often each is looked for.
# Fewer than there are cases of a pattern, since each has many calls.
_COURSES = 0.6
_LENGTHS = st.integers(6, 24)
_LOOKS = 3
_MOSTLY = st.sampled_from([True, True, True, False])
_TURNS = 4
_TO_SIMPLIFY = 300
_NEVER_STORED = (
    "none of the {writes} writes that were tried stored a record that it looks at; `strategies` "
    "can say which values belong together"
)

_Draws = Callable[[st.SearchStrategy[Any]], Any]


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a pattern that writes."""

    pattern: Pattern[..., Any]
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Course:
    """Calls from an empty database, what they stored, and the invariant that broke, if one did."""

    calls: tuple[Call, ...]
    records: tuple[Entity, ...] = ()
    broken: Invariant[...] | None = None
    breach: Breach | None = None

    @property
    def parts(self) -> Iterator["Course"]:
        """The same with one call left out."""
        for place in range(len(self.calls)):
            yield Course(self.calls[:place] + self.calls[place + 1 :])

    @property
    def reason(self) -> str:
        """Which statement is not true, and of which records."""
        if self.broken is None or self.breach is None:
            return ""
        return f"{self.broken.title}: {self.breach.told(Source(known=self.records).of)}"

    @property
    def written(self) -> list[str]:
        """The calls as source."""
        return [Source().call(call.pattern.name, call.arguments) for call in self.calls]

    @property
    def value(self) -> dict[str, Any]:
        """The same for programs."""
        return {"calls": self.written, "records": list(map(Source().of, self.records))}


def subjects(design: Design) -> Sequence[Invariant[...]]:
    """Every invariant."""
    return design.invariants


def judge(invariant: Invariant[...], design: Design, how: Settings) -> Verdict:
    """Whether the design's writes keep an invariant, on as many courses as the settings say."""
    name = f"courses of {design.name}"
    if name not in how.found:
        with clock(NOW.timestamp):
            how.found[name] = _Trial(design, how).run()
    trial: _Trial = how.found[name]
    figures = {"applied": trial.held[invariant]}
    course = trial.refuted.get(invariant)
    if course is not None:
        told = course.reason
        return Verdict(NAME, "invariant", invariant.name, Outcome.REFUTED, told, detail=course)
    if not trial.held[invariant]:
        told = _NEVER_STORED.format(writes=trial.writes)
        return Verdict(NAME, "invariant", invariant.name, Outcome.UNPROVEN, told)
    return Verdict(NAME, "invariant", invariant.name, Outcome.PROVED, figures=figures)


@dataclass(slots=True)
class _Trial:
    """Courses of a design's writes, for all of its invariants together."""

    design: Design
    how: Settings
    turn: int = 0
    writes: int = 0
    refuted: dict[Invariant[...], Course] = field(default_factory=dict[Invariant[...], Course])
    # In how many states there was a record to look at.
    held: Counter[Invariant[...]] = field(default_factory=Counter[Invariant[...]])

    def run(self) -> "_Trial":
        """Try courses until each invariant is refuted, or has been tried often enough.

        One that has had nothing to look at yet is tried again.
        """
        writes = _Writes(self.design, self.how)
        bench = Bench(self.design)
        pending = list(self.design.invariants)
        try:
            while pending and self.turn < _TURNS:
                found = _Runner(self, bench, writes, pending).smallest()
                if found is not None and found.broken is not None:
                    self.refuted[found.broken] = found
                    pending.remove(found.broken)
                else:
                    self.turn += 1
                    pending = [each for each in pending if not self.held[each]]
        finally:
            bench.close()
        return self


class _Writes:
    """Which patterns of a design write what, and what must be stored before they can."""

    def __init__(self, design: Design, how: Settings) -> None:
        self._written: dict[Pattern[..., Any], set[str]] = {}
        self._created: dict[Pattern[..., Any], set[str]] = {}
        self._needed: dict[Pattern[..., Any], set[str]] = {}
        # A field with a default that updates change is state, with which no record is created.
        self.initial: dict[EntityKind[Any], set[str]] = {kind: set() for kind in design.kinds}
        kinds = {_entity(kind): kind for kind in design.kinds}
        for pattern in design.patterns:
            steps = () if pattern.findings else generated_for(pattern, design, how).plan.steps
            for step in steps:
                for name in _entities([step]) & kinds.keys():
                    self.initial[kinds[name]] |= _state(step, kinds[name])
            writing = [step for step in steps if step.writes]
            if writing:
                created = _entities(step for step in writing if step.item is not None)
                self._written[pattern] = _entities(writing)
                self._created[pattern] = created
                self._needed[pattern] = _entities(steps) - created

    def of(self, invariant: Invariant[...]) -> list[Pattern[..., Any]]:
        """Return the patterns that write what an invariant looks at."""
        wanted = {_entity(entity.__kind__) for entity in invariant.entities}
        return [pattern for pattern, written in self._written.items() if written & wanted]

    def others(self, pattern: Pattern[..., Any], records: Sequence[Entity]) -> list[Entity]:
        """Return the records of entities that the pattern does not create."""
        created = self._created[pattern]
        return [record for record in records if _entity(record.__kind__) not in created]

    def before(
        self, pattern: Pattern[..., Any], stored: set[str], draw: _Draws
    ) -> Pattern[..., Any]:
        """Return the pattern, or one that first creates what it needs and is not stored."""
        passed = {pattern}
        while missing := sorted(self._needed[pattern] - stored):
            creators = [
                creator
                for creator, created in self._created.items()
                if missing[0] in created and creator not in passed
            ]
            if not creators:
                break
            pattern = draw(st.sampled_from(creators))
            passed.add(pattern)
        return pattern


def _entities(steps: Iterable[PlannedStep]) -> set[str]:
    return {f"{step.table.title}.{name}" for step in steps for name in step.entities}


def _state(step: PlannedStep, kind: EntityKind[Any]) -> set[str]:
    """The fields that an update changes and that have a default."""
    targets = () if step.update is None else step.update.targets
    fields = kind.model.model_fields
    return {
        name
        for name, stored in kind.stored_names.items()
        if stored in targets and name in fields and not fields[name].is_required()
    }


def _entity(kind: EntityKind[Any]) -> str:
    return f"{kind.table.title}.{kind.name}"


class _Found(Exception):  # noqa: N818 - it never leaves this module
    """A course that breaks an invariant."""


class _Runner:
    """Runs courses, drawn or given, and stops where an invariant breaks."""

    def __init__(
        self, trial: "_Trial", bench: Bench, writes: _Writes, pending: Sequence[Invariant[...]]
    ) -> None:
        self._trial = trial
        self._how = replace(trial.how, seed=trial.how.seed + trial.turn)
        self._bench = bench
        self._writes = writes
        self._searches = True
        self._writers = {invariant: writes.of(invariant) for invariant in pending}

    def smallest(self) -> Course | None:
        """Return a course that breaks an invariant by as few calls, and as simple ones, as can be.

        Calls are left out first. Hypothesis then makes the arguments simple, of these patterns
        alone, since it would take long to do so along with the choice of patterns.
        """
        once = settings(quietly(ceil(self._how.tries * _COURSES)), phases=(Phase.generate,))
        first = self._last_broken(self._drawn, once)
        if first is None:
            return None
        self._searches = False
        found = self._without_excess(first)
        patterns = [call.pattern for call in found.calls]
        left = count(_TO_SIMPLIFY, -1)

        def along(draw: _Draws) -> Course:
            # To make a course ever simpler would take longer than to read it.
            return self._along(draw, patterns) if next(left) > 0 else Course(())

        simple = self._last_broken(along, quietly(_TO_SIMPLIFY))
        return simple if simple and len(simple.calls) <= len(found.calls) else found

    def _last_broken(self, drawn: Callable[[_Draws], Course], how_often: settings) -> Course | None:
        """The last course that breaks an invariant, which is the simplest; None where none does."""
        broken: list[Course] = []

        def tried(course: Course) -> None:
            if course.broken:
                broken.append(course)
                raise _Found

        with suppress(_Found, Flaky, Unsatisfiable):
            seed(self._how.seed)(how_often(given(st.composite(drawn)())(tried)))()
        return broken[-1] if broken else None

    def _without_excess(self, course: Course) -> Course:
        for part in course.parts:
            less = self._again(part)
            if less is not None:
                return self._without_excess(less)
        return course

    def _drawn(self, draw: _Draws) -> Course:
        """Draw a course towards one pattern after the other, with others on the way to it."""
        course = self._begin()
        writers = draw(st.sampled_from(list(self._writers.values())))
        goal = None
        for _ in range(draw(_LENGTHS) if writers else 0):
            if course.broken:
                break
            goal = goal or draw(st.sampled_from(writers))
            stored = {_entity(record.__kind__) for record in course.records}
            first = self._writes.before(goal, stored, draw)
            longer = self._tried(draw, first, course)
            if longer is None and first is goal:
                longer = self._tried(draw, draw(st.sampled_from(writers)), course)
            elif first is goal:
                goal = None
            course = longer or course
        return course

    def _along(self, draw: _Draws, patterns: Sequence[Pattern[..., Any]]) -> Course:
        """Draw a course of these patterns, one after the other."""
        course = self._begin()
        for pattern in patterns:
            if course.broken:
                break
            course = self._tried(draw, pattern, course) or course
        return course

    def _again(self, course: Course) -> Course | None:
        """Run the calls of a course; None where nothing breaks."""
        done = self._begin()
        for call in course.calls:
            if done.broken:
                break
            done = self._run(call, done) or done
        return done if done.broken else None

    def _begin(self) -> Course:
        self._bench.fill(())
        return self._checked(Course(()))

    def _tried(self, draw: _Draws, pattern: Pattern[..., Any], course: Course) -> Course | None:
        """The course with one more call, if one that changes something is found."""
        generated = generated_for(pattern, self._trial.design, self._trial.how)
        for _ in range(_LOOKS):
            others = self._writes.others(pattern, course.records)
            # What it creates is mostly new, with some values of what is stored.
            known = others if draw(_MOSTLY) else course.records
            try:
                scene = Scene(known, course.records, self._writes.initial)
                arguments = generated.arguments(draw, scene)
            except UnsatisfiedAssumption:  # no such value can be made
                continue
            longer = self._run(Call(pattern, arguments), course)
            if longer is not None:
                return longer
        return None

    def _run(self, call: Call, course: Course) -> Course | None:
        """The course with this call; None where the call is refused or changes nothing."""
        try:
            operation = call.pattern(**call.arguments)
        except Exception:  # noqa: BLE001 - a pattern may refuse its arguments in any way
            return None
        try:
            self._bench.db(operation)
            records = tuple(records_in(self._bench))
        except SortkeyError:
            return None
        if records == course.records:
            return None
        self._trial.writes += self._searches
        return self._checked(Course((*course.calls, call), records))

    def _checked(self, course: Course) -> Course:
        records = {
            entity: [record for record in course.records if type(record) is entity]
            for invariant in self._writers
            for entity in invariant.entities
        }
        for invariant in self._writers:
            looked_at = [records[w.entity] for w in invariant.wanted if w.each]
            if all(looked_at) and any(records[entity] for entity in invariant.entities):
                self._trial.held[invariant] += self._searches
            breach = invariant.breach(records)
            if breach is not None:
                return replace(course, broken=invariant, breach=breach)
        return course
