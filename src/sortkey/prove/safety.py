"""Safe: a design's promises hold however two calls interleave, and wherever one of them crashes.

Each write pattern is raced against itself, with the same arguments and with others: every
interleaving of the requests, and a crash or a lost response at each of them. The result must match
some order of the two calls, and no entity's promise may be broken. The promises of each entity are
also raced with sortkey's own writes.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any, TypeAlias

from sortkey.clock import clock
from sortkey.design.declaring.design import Design
from sortkey.design.declaring.entity import Entity
from sortkey.design.declaring.pattern import Pattern
from sortkey.design.plans.tracing import trace
from sortkey.design.records.kind import EntityKind
from sortkey.operations.operation import Operation
from sortkey.prove.aliased import aliased
from sortkey.prove.contests import contests, loaded_in, recomputed, rival_calls, with_larger_numbers
from sortkey.prove.counterexample import RacedRequests
from sortkey.prove.example import NOTHING_HIT, Example, example_of
from sortkey.prove.ground import WEATHERS, Broken, Contest, Ground, Orders, blind_places, call_of
from sortkey.prove.meter import Metered
from sortkey.prove.promises import is_claim, promises_of
from sortkey.prove.source import Source
from sortkey.prove.trial import ProofSettings
from sortkey.prove.values import NOW
from sortkey.prove.variation import simplest
from sortkey.prove.verdict import ProofOutcome, Verdict

NAME = "safe"

_NO_RECORD = "no valid record could be generated: provide matching values with `strategies`"
_SILENT = (
    "it overwrites a stored record without a condition, and the design does not state whether "
    "that is allowed: add a condition, a version or immutable="
)
_RECOMPUTED = (
    "it computes {field} from the record that the caller loaded and writes it without a "
    "condition, so one of two concurrent changes is lost: add a version, or change {field} with "
    "an update"
)
_REJECTED = "DynamoDB rejects the request, so there is nothing to race"
# The time of a call that comes a second after the other.
_LATER = NOW + timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class Race:
    """Two calls that were raced, the failures injected, and the number of schedules."""

    what: str
    weather: str
    schedules: int


@dataclass(frozen=True, slots=True)
class Explored:
    """Every race of one pattern or entity; if one broke, its schedule, as a story too."""

    races: tuple[Race, ...]
    story: str = ""
    schedule: str = ""
    records: tuple[Entity, ...] = ()
    raced: RacedRequests | None = None

    @property
    def value(self) -> dict[str, Any]:
        """The races as JSON."""
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
    """Return every pattern that writes, and every entity with promises or typed writes."""
    writes = [pattern for pattern in design.patterns if _writes(pattern, design)]
    return [*writes, *(kind for kind in design.kinds if _is_raced(kind, design))]


def _is_raced(kind: EntityKind[Any], design: Design) -> bool:
    """Return whether sortkey's own writes matter: in a raw table, create() may have no caller."""
    if not kind.table.raw or is_claim(kind) or any(promises_of(kind)):
        return True
    typed = [trace(pattern, design) for pattern in design.patterns if not pattern.is_raw]
    steps = [step for plan in typed for step in plan.steps if step.writes]
    return any(kind.table is step.table and kind.name in step.entities for step in steps)


def _writes(pattern: Pattern[..., Any], design: Design) -> bool:
    plan = trace(pattern, design)
    # The requests of a pattern without a plan are not known, so it may write.
    return plan.error is not None or any(not step.reads for step in plan.steps)


def _moments(
    pattern: Pattern[..., Any], arguments: Mapping[str, Any]
) -> Iterator[tuple[str, Operation[Any]]]:
    """Yield a call at the same time, and a raw one that writes the time also a second later.

    A key that ends in the time separates two calls only if they are not simultaneous; a value that
    is the time differs only then. sortkey's own writes declare which fields are times.
    """
    at_once = pattern(**arguments)
    yield "", at_once
    if pattern.is_raw:
        with clock(_LATER.timestamp):
            later = pattern(**arguments)
        if later._plan() != at_once._plan():
            yield ", a second later", later


def judge(subject: Subject, design: Design, how: ProofSettings) -> Verdict:
    """Return whether the promises hold however two calls interleave."""
    with clock(NOW.timestamp):
        if isinstance(subject, EntityKind):
            return _RaceTrial(design, subject.name, "entity").entity(subject, how)
        tried = aliased(subject)
        rejected = Verdict(NAME, "pattern", subject.name, ProofOutcome.UNPROVEN, _REJECTED)
        if tried.findings:
            return rejected
        found = _RaceTrial(design, subject.name, "pattern").pattern(tried, how)
        # It was raced with aliases for reserved words; the request itself is rejected.
        return rejected if subject.findings and found.outcome is ProofOutcome.PROVED else found


@dataclass(slots=True)
class _RaceTrial:
    """The races of one pattern or entity."""

    design: Design
    name: str
    kind: Any
    races: list[Race] = field(default_factory=list[Race])

    def pattern(self, pattern: Pattern[..., Any], how: ProofSettings) -> Verdict:
        """Race a pattern against itself, and return the verdict."""
        metered = Metered(self.design)
        try:
            example = example_of(pattern, self.design, how, metered)
        finally:
            metered.close()
        if example is None:
            return self._verdict(ProofOutcome.UNPROVEN, NOTHING_HIT)
        overwrites = False
        try:
            for what, arguments in rival_calls(example):
                overwrites |= self._race_pattern(what, example, arguments)
            for state, more in with_larger_numbers(example):
                self._race_pattern(f"the same call twice{state}", more, more.arguments)
        except Broken as error:
            return self._refuted(error)
        if overwrites:
            return self._verdict(ProofOutcome.UNPROVEN, _SILENT)
        name = recomputed(example)
        if name:
            return self._verdict(ProofOutcome.UNPROVEN, _RECOMPUTED.format(field=name))
        return self._verdict(ProofOutcome.PROVED)

    def entity(self, kind: EntityKind[Any], how: ProofSettings) -> Verdict:
        """Race the promises of an entity with sortkey's own writes, and return the verdict."""
        record = simplest(kind, {}, how.strategies)
        if record is None:
            return self._verdict(ProofOutcome.UNPROVEN, _NO_RECORD)
        try:
            for what, contest in contests(kind, record):
                self._race(what, contest)
        except Broken as error:
            return self._refuted(error)
        return self._verdict(ProofOutcome.PROVED)

    def _refuted(self, error: Broken) -> Verdict:
        detail = Explored(
            tuple(self.races), error.story, error.schedule, error.records, error.raced
        )
        verdict = self._verdict(ProofOutcome.REFUTED, str(error), detail)
        return replace(verdict, change=error.change)

    def _verdict(
        self, outcome: ProofOutcome, reason: str = "", detail: Explored | None = None
    ) -> Verdict:
        figures = {
            "races": len({race.what for race in self.races}),
            "schedules": sum(race.schedules for race in self.races),
        }
        nonzero = {name: number for name, number in figures.items() if number}
        return Verdict(
            NAME,
            self.kind,
            self.name,
            outcome,
            reason,
            nonzero,
            detail=detail or Explored(tuple(self.races)),
        )

    def _race_pattern(self, what: str, example: Example, arguments: Mapping[str, Any]) -> bool:
        """Race two calls of a pattern; return whether one may silently overwrite the other."""
        try:
            first, others = example.operation(), list(_moments(example.pattern, arguments))
            is_batch = any(made._plan().shape == "batch" for made in (first, others[0][1]))
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
            undone = self._race(what + when, contest).overwritten
            # sortkey's own writes declare whether they overwrite.
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
