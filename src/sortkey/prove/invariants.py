"""Kept: the design's own writes, run in sequence from an empty database, break no invariant.

Generated records would break most invariants before the first write, so none are stored here: the
design's own patterns write every record. A course goes for one pattern after another, and prepares
for it with others that create what it needs or change what its conditions compare. Arguments are
mostly taken from records that earlier writes stored, and the oracle skips calls that would change
nothing. After each write that changes something, every invariant is called. A proof names the
patterns of which no call was ever applied.

A pattern must keep the invariants with any arguments that it accepts: if only some arguments keep
them, it must refuse the others with a ValueError.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import count
from math import ceil
from random import Random
from typing import Any

from hypothesis import Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import Flaky, Unsatisfiable, UnsatisfiedAssumption

from sortkey.clock import clock
from sortkey.design.declaring.design import Design
from sortkey.design.declaring.entity import Entity
from sortkey.design.declaring.invariant import Breach, Invariant
from sortkey.design.declaring.pattern import Pattern
from sortkey.design.plans.plan import PlannedStep
from sortkey.design.records.kind import EntityKind
from sortkey.errors import SortkeyError
from sortkey.expressions.evaluate import condition_names, holds
from sortkey.prove.bench import Bench
from sortkey.prove.generated import generated_for
from sortkey.prove.quiet import quiet_settings
from sortkey.prove.samples import PriorRecords
from sortkey.prove.source import Source
from sortkey.prove.trial import ProofSettings
from sortkey.prove.values import NOW
from sortkey.prove.verdict import ProofOutcome, Verdict
from sortkey.prove.written import records_in
from sortkey.wording.prose import a, listed

NAME = "kept"

# The number of courses in one run of Hypothesis.
_COURSES = 25
# The number of writes that a course tries, and of attempts to find arguments for each of them.
_LENGTHS = range(8, 33)
_LOOKS = 8
# How often something is prepared for the next pattern, or a pattern that was refused is given up.
_PREPARING = 0.4
# From this number of records on, a course creates no more of an entity for its own sake.
_MOST_RECORDS = (1, 2, 2, 3, 8)
_SEEDS = st.integers(0, 2**64 - 1)
_MOSTLY = st.sampled_from([True, True, True, False])
_TURNS = 4
# Some patterns never apply, such as the repair of what no write breaks, so they get fewer turns.
_TURNS_OF_PATTERNS = 2
_TO_SIMPLIFY = 300
_NEVER_STORED = (
    "none of the {writes} writes that were tried stored {names}: provide matching values with "
    "`strategies`"
)
_NEVER_APPLIED = "calls of {names} are refused on all records that the other patterns store"

_Draws = Callable[[st.SearchStrategy[Any]], Any]


@dataclass(frozen=True, slots=True)
class WritingCall:
    """A call of a pattern that writes."""

    pattern: Pattern[..., Any]
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Course:
    """Calls from an empty database, what they stored, and the invariant that broke, if one did."""

    calls: tuple[WritingCall, ...]
    records: tuple[Entity, ...] = ()
    broken: Invariant[...] | None = None
    breach: Breach | None = None

    @property
    def parts(self) -> Iterator["Course"]:
        """The course with one call left out, each in turn."""
        for place in range(len(self.calls)):
            yield Course(self.calls[:place] + self.calls[place + 1 :])

    @property
    def reason(self) -> str:
        """The broken invariant, and the records that break it."""
        if self.broken is None or self.breach is None:
            return ""
        return f"{self.broken.title}: {self.breach.describe(Source(known=self.records).of)}"

    @property
    def written(self) -> list[str]:
        """The calls as Python source."""
        return [Source().call(call.pattern.name, call.arguments) for call in self.calls]

    @property
    def value(self) -> dict[str, Any]:
        """The course as JSON."""
        return {"calls": self.written, "records": list(map(Source().of, self.records))}


def subjects(design: Design) -> Sequence[Invariant[...]]:
    """Return every invariant."""
    return design.invariants


def judge(invariant: Invariant[...], design: Design, how: ProofSettings) -> Verdict:
    """Return whether the design's writes keep an invariant, tried on many courses."""
    name = f"courses of {design.name}"
    if name not in how.found:
        with clock(NOW.timestamp):
            how.found[name] = _CourseTrial(design, how).run()
    trial: _CourseTrial = how.found[name]
    figures = {"applied": trial.checked[invariant]}
    course = trial.refuted.get(invariant)
    if course is not None:
        message = course.reason
        return Verdict(
            NAME, "invariant", invariant.name, ProofOutcome.REFUTED, message, detail=course
        )
    if unstored := trial.unstored(invariant):
        message = _NEVER_STORED.format(writes=trial.writes, names=listed(map(a, unstored)))
        return Verdict(NAME, "invariant", invariant.name, ProofOutcome.UNPROVEN, message)
    untried = [pattern.name for pattern in trial.untried(invariant)]
    assumed = (_NEVER_APPLIED.format(names=listed(untried)),) if untried else ()
    return Verdict(
        NAME, "invariant", invariant.name, ProofOutcome.PROVED, figures=figures, assumed=assumed
    )


@dataclass(slots=True)
class _CourseTrial:
    """The courses of a design's writes, shared by all of its invariants."""

    design: Design
    how: ProofSettings
    turn: int = 0
    writes: int = 0
    refuted: dict[Invariant[...], Course] = field(default_factory=dict[Invariant[...], Course])
    # The number of states with records that each invariant checks.
    checked: Counter[Invariant[...]] = field(default_factory=Counter[Invariant[...]])
    # The entities of which a record was stored, and the patterns of which a call was applied.
    stored: set[type[Entity]] = field(default_factory=set[type[Entity]])
    applied: set[Pattern[..., Any]] = field(default_factory=set[Pattern[..., Any]])
    # The patterns that write entities of an invariant.
    writers: dict[Invariant[...], list[Pattern[..., Any]]] = field(
        default_factory=dict[Invariant[...], list[Pattern[..., Any]]]
    )

    def run(self) -> "_CourseTrial":
        """Try courses until each invariant is refuted, or has been tried often enough.

        Entities that were not stored and patterns that were not applied are tried again.
        """
        writes = _Writes(self.design, self.how)
        bench = Bench(self.design)
        pending = list(self.design.invariants)
        self.writers = {invariant: writes.of(invariant) for invariant in pending}
        try:
            while pending and self.turn < _TURNS:
                found = _Runner(self, bench, writes, pending).smallest()
                if found is not None and found.broken is not None:
                    self.refuted[found.broken] = found
                    pending.remove(found.broken)
                else:
                    self.turn += 1
                    pending = [each for each in pending if self._is_tried_again(each)]
        finally:
            bench.close()
        return self

    def _is_tried_again(self, invariant: Invariant[...]) -> bool:
        """Return whether an invariant needs more courses: few for patterns that may never apply."""
        is_new = self.turn < _TURNS_OF_PATTERNS and self.untried(invariant)
        return bool(is_new or self.unstored(invariant))

    def unstored(self, invariant: Invariant[...]) -> list[str]:
        """Return the entities of an invariant that were never stored, or never together."""
        names = [each.__name__ for each in invariant.entities if each not in self.stored]
        together = [wanted.entity.__name__ for wanted in invariant.wanted if wanted.each]
        return names or ([] if self.checked[invariant] else together)

    def untried(self, invariant: Invariant[...]) -> list[Pattern[..., Any]]:
        """Return the patterns that could break an invariant and of which no call was applied."""
        return [pattern for pattern in self.writers[invariant] if pattern not in self.applied]


class _Writes:
    """The patterns of a design that write, and the patterns that prepare for each of them."""

    def __init__(self, design: Design, how: ProofSettings) -> None:
        self._written: dict[Pattern[..., Any], set[str]] = {}
        self._created: dict[Pattern[..., Any], set[str]] = {}
        self._needed: dict[Pattern[..., Any], set[str]] = {}
        # The attributes that conditions compare and that updates change, with their entity.
        self._compared: dict[Pattern[..., Any], set[str]] = {}
        self._changed: dict[Pattern[..., Any], set[str]] = {}
        # A field with a default that updates change is state: new records begin with the default.
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
                present = _entities(step for step in steps if not _is_absent(step))
                self._needed[pattern] = present - created
                self._compared[pattern] = {name for step in steps for name in _compared_in(step)}
                self._changed[pattern] = {name for step in steps for name in _changed_in(step)}

    def of(self, invariant: Invariant[...]) -> list[Pattern[..., Any]]:
        """Return the patterns that write entities of an invariant."""
        wanted = {_entity(entity.__kind__) for entity in invariant.entities}
        return [pattern for pattern, written in self._written.items() if written & wanted]

    def others(self, pattern: Pattern[..., Any], records: Sequence[Entity]) -> list[Entity]:
        """Return the records of entities that the pattern does not create."""
        created = self._created[pattern]
        return [record for record in records if _entity(record.__kind__) not in created]

    def before(
        self, pattern: Pattern[..., Any], stored: set[str], random: Random
    ) -> Pattern[..., Any]:
        """Return the pattern, or one that must first create an entity that it needs."""
        passed = {pattern}
        while missing := sorted(self._needed[pattern] - stored):
            creators = [creator for creator in self._creators(missing[0]) if creator not in passed]
            if not creators:
                break
            pattern = random.choice(creators)
            passed.add(pattern)
        return pattern

    def only_creates(self, pattern: Pattern[..., Any], entities: set[str]) -> bool:
        """Return whether all that a pattern does is to create records of these entities."""
        return not self._needed[pattern] and self._created[pattern] <= entities

    def sources(self, patterns: Sequence[Pattern[..., Any]]) -> list[Pattern[..., Any]]:
        """Return the patterns that create what these need, and that need nothing themselves."""
        found = [*patterns]
        for pattern in found:
            found += [other for other in self.preparing(pattern) if other not in found]
        return [pattern for pattern in found if self.only_creates(pattern, self._created[pattern])]

    def preparing(self, pattern: Pattern[..., Any]) -> list[Pattern[..., Any]]:
        """Return the patterns that create what a pattern needs, or change what it compares."""
        needed = sorted(self._needed[pattern])
        compared = self._compared[pattern]
        found = [creator for name in needed for creator in self._creators(name)]
        found += [other for other, changed in self._changed.items() if changed & compared]
        return [other for other in dict.fromkeys(found) if other is not pattern]

    def _creators(self, entity: str) -> list[Pattern[..., Any]]:
        return [pattern for pattern, created in self._created.items() if entity in created]


def _is_absent(step: PlannedStep) -> bool:
    """Return whether a step only checks something that holds if the record does not exist."""
    if step.verb != "ConditionCheck" or step.condition is None:
        return False
    return holds(step.condition, {})


def _compared_in(step: PlannedStep) -> Iterator[str]:
    """Yield the attributes outside keys that a condition compares, each with its entity."""
    names = () if step.condition is None else condition_names(step.condition)
    yield from _of_entities(step, set(names) - {*step.table.key_names})


def _changed_in(step: PlannedStep) -> Iterator[str]:
    """Yield the attributes that an update changes, each with its entity."""
    yield from _of_entities(step, () if step.update is None else step.update.targets)


def _of_entities(step: PlannedStep, names: Iterable[str]) -> Iterator[str]:
    yield from (f"{entity}.{name}" for entity in _entities([step]) for name in names)


def _entities(steps: Iterable[PlannedStep]) -> set[str]:
    return {f"{step.table.title}.{name}" for step in steps for name in step.entities}


def _state(step: PlannedStep, kind: EntityKind[Any]) -> set[str]:
    """Return the fields with a default that an update changes."""
    targets = () if step.update is None else step.update.targets
    fields = kind.model.model_fields
    return {
        name
        for name, stored in kind.stored_names.items()
        if stored in targets and name in fields and not fields[name].is_required()
    }


def _entity(kind: EntityKind[Any]) -> str:
    return f"{kind.table.title}.{kind.name}"


class _BreakingCourse(Exception):  # noqa: N818 - it never leaves this module
    """A course that breaks an invariant."""


class _Runner:
    """Runs courses, drawn or repeated, and stops when an invariant breaks."""

    def __init__(
        self,
        trial: "_CourseTrial",
        bench: Bench,
        writes: _Writes,
        pending: Sequence[Invariant[...]],
    ) -> None:
        self._trial = trial
        self._bench = bench
        self._writes = writes
        self._searches = True
        # After the first turn, only what no call has reached yet, if there is such a pattern.
        self._goals = {
            invariant: (trial.turn and trial.untried(invariant)) or trial.writers[invariant]
            for invariant in pending
        }

    def smallest(self) -> Course | None:
        """Return a course that breaks an invariant with few and simple calls, or None.

        Calls are left out first. Hypothesis then simplifies the arguments for a fixed list of
        patterns, since simplifying the choice of patterns as well would take long.
        """
        first = self._first_broken()
        if first is None:
            return None
        self._searches = False
        found = self._without_excess(first)
        patterns = [call.pattern for call in found.calls]
        left = count(_TO_SIMPLIFY, -1)

        def along(draw: _Draws) -> Course:
            # Simplifying further would take longer than it is worth.
            return self._along(draw, patterns) if next(left) > 0 else Course(())

        simple = self._last_broken(along, quiet_settings(_TO_SIMPLIFY))
        return self._without_excess(simple or found)

    def _first_broken(self) -> Course | None:
        """Return the first course that breaks an invariant, or None.

        The courses of one run of Hypothesis become more and more alike, so there are several runs.
        """
        once = settings(quiet_settings(_COURSES), phases=(Phase.generate,))
        runs = range(ceil(self._trial.how.tries / _COURSES))
        return next(filter(None, (self._last_broken(self._drawn, once, run) for run in runs)), None)

    def _last_broken(
        self, drawn: Callable[[_Draws], Course], how_often: settings, run: int = 0
    ) -> Course | None:
        """Return the last course that breaks an invariant, which is the simplest, or None."""
        broken: list[Course] = []

        def tried(course: Course) -> None:
            if course.broken:
                broken.append(course)
                raise _BreakingCourse

        with suppress(_BreakingCourse, Flaky, Unsatisfiable):
            seed(f"{self._trial.how.seed}, {self._trial.turn}, {run}")(
                how_often(given(st.composite(drawn)())(tried))
            )()
        return broken[-1] if broken else None

    def _without_excess(self, course: Course) -> Course:
        for part in course.parts:
            less = self._again(part)
            if less is not None:
                return self._without_excess(less)
        return course

    def _drawn(self, draw: _Draws) -> Course:
        """Draw a course towards one pattern after another, with the writes that prepare for it.

        In most courses there are few records of an entity, so that the same ones are written again.
        """
        # Drawn one by one, a few patterns would be repeated and others left out.
        random = Random(draw(_SEEDS))  # noqa: S311 - for reproducible courses
        goals = random.choice(list(self._goals.values()))
        most = random.choice(_MOST_RECORDS)
        course = self._begin()
        for pattern in self._writes.sources(goals) * most:
            course = course if course.broken else self._tried(draw, pattern, course) or course
        goal = None
        for _ in range(random.choice(_LENGTHS) if goals else 0):
            if course.broken:
                break
            goal = goal or random.choice(goals)
            stored = Counter(_entity(record.__kind__) for record in course.records)
            first = self._writes.before(goal, {*stored}, random)
            preparing = self._writes.preparing(goal) if first is goal else []
            if preparing and random.random() < _PREPARING:
                first = random.choice(preparing)
            is_full = self._writes.only_creates(first, {e for e in stored if stored[e] >= most})
            longer = None if is_full else self._tried(draw, first, course)
            is_over = first is goal and (is_full or longer is not None)
            if is_over or (longer is None and random.random() < _PREPARING):
                goal = None
            course = longer or course
        return course

    def _along(self, draw: _Draws, patterns: Sequence[Pattern[..., Any]]) -> Course:
        """Draw a course of these patterns, in their order."""
        course = self._begin()
        for pattern in patterns:
            if course.broken:
                break
            course = self._tried(draw, pattern, course) or course
        return course

    def _again(self, course: Course) -> Course | None:
        """Run the calls of a course; return None if no invariant breaks."""
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
        """Return the course with one more call that changes something; None if none is found."""
        generated = generated_for(pattern, self._trial.design, self._trial.how)
        for _ in range(_LOOKS):
            others = self._writes.others(pattern, course.records)
            # The records that it creates are mostly new, with some values of stored ones.
            known = others if draw(_MOSTLY) else course.records
            try:
                prior = PriorRecords(known, course.records, self._writes.initial)
                arguments = generated.arguments(draw, prior)
            except UnsatisfiedAssumption:  # no such value can be made
                continue
            if not generated.changes_nothing(course.records, arguments):
                longer = self._run(WritingCall(pattern, arguments), course)
                if longer is not None:
                    return longer
        return None

    def _run(self, call: WritingCall, course: Course) -> Course | None:
        """Return the course with this call; None if the call is refused or changes nothing."""
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
        self._trial.applied.add(call.pattern)
        self._trial.stored |= {type(record) for record in records}
        return self._checked(Course((*course.calls, call), records))

    def _checked(self, course: Course) -> Course:
        records = {
            entity: [record for record in course.records if type(record) is entity]
            for invariant in self._goals
            for entity in invariant.entities
        }
        for invariant in self._goals:
            looked_at = [records[w.entity] for w in invariant.wanted if w.each]
            if all(looked_at) and any(records[entity] for entity in invariant.entities):
                self._trial.checked[invariant] += self._searches
            breach = invariant.breach(records)
            if breach is not None:
                return replace(course, broken=invariant, breach=breach)
        return course
