"""Safe: what a design promises holds however two callers meet, and wherever one of them crashes.

Each write pattern is raced against itself, with the same arguments and with others: every
interleaving of the requests, and a crash or a lost answer at each of them. What comes of it must be
what some order of the two calls gives, and no entity's promise may be broken. The promises of each
entity are raced with sortkey's own writes besides.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any, TypeAlias

from sortkey.design.design import Design
from sortkey.design.entity import Entity
from sortkey.design.kind import EntityKind
from sortkey.design.pattern import Pattern
from sortkey.design.tracing import trace
from sortkey.operations.clock import clock
from sortkey.operations.operation import Operation
from sortkey.prove.aliased import aliased
from sortkey.prove.contests import contests, fuller, loaded_in, meetings, recomputed
from sortkey.prove.counterexample import Raced
from sortkey.prove.example import NOTHING_HIT, Example, example_of
from sortkey.prove.ground import WEATHERS, Broken, Contest, Ground, Orders, blind_places, call_of
from sortkey.prove.meter import Metered
from sortkey.prove.promises import is_claim, promises_of
from sortkey.prove.source import Source
from sortkey.prove.trial import Settings
from sortkey.prove.values import NOW
from sortkey.prove.variation import simplest
from sortkey.prove.verdict import Outcome, Verdict

NAME = "safe"

_NO_RECORD = "no record could be made: give values that belong together with `strategies`"
_SILENT = (
    "it overwrites what is stored without a condition, and the design does not state whether it "
    "may: a condition, a version or immutable= would"
)
_RECOMPUTED = (
    "it computes {field} from the record that the caller loaded and overwrites what is stored "
    "without a condition, so of two callers one change is lost: a version, or an update that "
    "changes {field} where it is stored, keeps both"
)
_REJECTED = "DynamoDB rejects the request, so there is nothing to race"
# A call may come after the other, if only by a second.
_LATER = NOW + timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class Race:
    """Two calls that were raced: what for, in which weather, and in how many schedules."""

    what: str
    weather: str
    schedules: int


@dataclass(frozen=True, slots=True)
class Explored:
    """Everything that was raced of one pattern or entity; where it broke, the schedule as told."""

    races: tuple[Race, ...]
    story: str = ""
    schedule: str = ""
    records: tuple[Entity, ...] = ()
    raced: Raced | None = None

    @property
    def value(self) -> dict[str, Any]:
        """The same for programs."""
        races = [
            {"what": race.what, "weather": race.weather, "schedules": race.schedules}
            for race in self.races
        ]
        if not self.story:
            return {"races": races}
        records = list(map(Source().of, self.records))
        return {
            "races": races,
            "records": records,
            "story": self.story,
            "schedule": self.schedule,
        }


Subject: TypeAlias = Pattern[..., Any] | EntityKind[Any]


def subjects(design: Design) -> Sequence[Subject]:
    """Every pattern that writes, and every entity that promises something or sortkey writes."""
    writes = [pattern for pattern in design.patterns if _writes(pattern, design)]
    return [*writes, *(kind for kind in design.kinds if _is_asked(kind, design))]


def _is_asked(kind: EntityKind[Any], design: Design) -> bool:
    """Whether sortkey's own writes matter: in a raw table, create() may have no caller."""
    if not kind.table.raw or is_claim(kind) or any(promises_of(kind)):
        return True
    typed = [trace(pattern, design) for pattern in design.patterns if not pattern.is_raw]
    steps = [step for plan in typed for step in plan.steps if step.writes]
    return any(kind.table is step.table and kind.name in step.entities for step in steps)


def _writes(pattern: Pattern[..., Any], design: Design) -> bool:
    plan = trace(pattern, design)
    # What a pattern without a plan sends is not known.
    return plan.error is not None or any(not step.reads for step in plan.steps)


def _moments(
    pattern: Pattern[..., Any], arguments: Mapping[str, Any]
) -> Iterator[tuple[str, Operation[Any]]]:
    """A call at the same time, and a raw one that writes the time also a little later.

    A key that ends in the time keeps two calls apart only where they are not made at once; a value
    that is the time differs only where they are not. sortkey's own writes say what times are.
    """
    at_once = pattern(**arguments)
    yield "", at_once
    if pattern.is_raw:
        with clock(_LATER.timestamp):
            later = pattern(**arguments)
        if later.plan() != at_once.plan():
            yield ", a second later", later


def judge(subject: Subject, design: Design, how: Settings) -> Verdict:
    """Whether what is promised holds however two calls meet."""
    with clock(NOW.timestamp):
        if isinstance(subject, EntityKind):
            return _Course(design, subject.name, "entity").entity(subject, how)
        tried = aliased(subject)
        rejected = Verdict(NAME, "pattern", subject.name, Outcome.UNPROVEN, _REJECTED)
        if tried.findings:
            return rejected
        found = _Course(design, subject.name, "pattern").pattern(tried, how)
        # With aliases for its reserved words it keeps what it promises, but it is not sent so.
        return rejected if subject.findings and found.outcome is Outcome.PROVED else found


@dataclass(slots=True)
class _Course:
    """Where the calls of one pattern or entity are raced."""

    design: Design
    name: str
    kind: Any
    races: list[Race] = field(default_factory=list[Race])

    def pattern(self, pattern: Pattern[..., Any], how: Settings) -> Verdict:
        """The verdict on a pattern, raced against itself."""
        metered = Metered(self.design)
        try:
            example = example_of(pattern, self.design, how, metered)
        finally:
            metered.close()
        if example is None:
            return self._verdict(Outcome.UNPROVEN, NOTHING_HIT)
        overwrites = False
        try:
            for what, arguments in meetings(example):
                overwrites |= self._race_pattern(what, example, arguments)
            for state, more in fuller(example):
                self._race_pattern(f"the same call twice{state}", more, more.arguments)
        except Broken as error:
            return self._refuted(error)
        if overwrites:
            return self._verdict(Outcome.UNPROVEN, _SILENT)
        name = recomputed(example)
        if name:
            return self._verdict(Outcome.UNPROVEN, _RECOMPUTED.format(field=name))
        return self._verdict(Outcome.PROVED)

    def entity(self, kind: EntityKind[Any], how: Settings) -> Verdict:
        """The verdict on an entity, whose promises are raced with sortkey's own writes."""
        record = simplest(kind, {}, how.strategies)
        if record is None:
            return self._verdict(Outcome.UNPROVEN, _NO_RECORD)
        try:
            for what, contest in contests(kind, record):
                self._race(what, contest)
        except Broken as error:
            return self._refuted(error)
        return self._verdict(Outcome.PROVED)

    def _refuted(self, error: Broken) -> Verdict:
        detail = Explored(
            tuple(self.races), error.story, error.schedule, error.records, error.raced
        )
        verdict = self._verdict(Outcome.REFUTED, str(error), detail)
        return replace(verdict, change=error.change)

    def _verdict(
        self, outcome: Outcome, reason: str = "", detail: Explored | None = None
    ) -> Verdict:
        figures = {
            "races": len({race.what for race in self.races}),
            "schedules": sum(race.schedules for race in self.races),
        }
        told = {name: number for name, number in figures.items() if number}
        return Verdict(
            NAME,
            self.kind,
            self.name,
            outcome,
            reason,
            told,
            detail=detail or Explored(tuple(self.races)),
        )

    def _race_pattern(self, what: str, example: Example, arguments: Mapping[str, Any]) -> bool:
        """Race two calls of a pattern; whether one may silently undo what the other wrote."""
        try:
            first, others = example.operation(), list(_moments(example.pattern, arguments))
            is_batch = any(made.plan().shape == "batch" for made in (first, others[0][1]))
        except Exception:  # noqa: BLE001 - a pattern may refuse its arguments in any way
            return False
        loaded = loaded_in(example, arguments)
        overwrites = False
        for when, other in others:
            calls = [call_of(first), call_of(other)]
            is_raw = example.pattern.is_raw
            contest = Contest(
                example.records, calls, loaded=loaded, is_batch=is_batch, is_raw=is_raw
            )
            undone = self._race(what + when, contest).undone
            # sortkey's own writes say what they do.
            if is_raw:
                overwrites |= not undone.isdisjoint(blind_places(first) | blind_places(other))
        return overwrites

    def _race(self, what: str, contest: "Contest") -> Orders:
        ground = Ground(self.design, contest.records)
        try:
            orders = ground.orders(contest.calls)
            for weather in WEATHERS:
                self.races.append(Race(what, weather.name, ground.race(contest, orders, weather)))
        finally:
            ground.close()
        return orders
