"""Safe: what a design promises holds however two callers meet, and wherever one of them crashes.

Each write pattern is raced against itself, with the same arguments and with others: every
interleaving of the requests, and a crash or a lost answer at each of them. What comes of it must be
what some order of the two calls gives, and no entity's promise may be broken. The promises of each
entity are raced with sortkey's own writes besides.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias, cast

from sortkey.access.db import DB
from sortkey.access.tables import create_body
from sortkey.access.transports.transport import TransportError
from sortkey.design.claim import Claim
from sortkey.design.design import Design
from sortkey.design.entity import Entity
from sortkey.design.kind import EntityKind
from sortkey.design.pattern import Pattern
from sortkey.design.plans import trace
from sortkey.design.raw import RawPattern
from sortkey.errors import SortkeyError
from sortkey.operations.clock import clock
from sortkey.operations.operation import Operation
from sortkey.prove.counterexample import Raced, Recording
from sortkey.prove.example import NOTHING_HIT, Example, example_of
from sortkey.prove.meter import Metered
from sortkey.prove.promises import (
    Promise,
    Stored,
    broken,
    is_claim,
    promises,
    promises_of,
)
from sortkey.prove.source import Source
from sortkey.prove.trial import Settings
from sortkey.prove.values import NOW, values_of
from sortkey.prove.variation import like, numbered, other, simplest
from sortkey.prove.vault import OpenVault
from sortkey.prove.verdict import Outcome, Verdict
from sortkey.testing.exploration import BROKEN, ExplorationFailed, explore
from sortkey.testing.outcome import Outcome as Ending
from sortkey.wire.messages import Request
from sortkey.wire.values import Item

NAME = "safe"

_READS = frozenset({"GetItem", "Query", "Scan"})
_NO_RECORD = "no record could be made; `strategies` can say which values belong together"
_SILENT = (
    "it overwrites whatever is there, and nothing says whether it may: a condition, a version or "
    "immutable= would"
)


_DISORDER = "what is stored, and what the callers were told, comes of no order of the two calls"
_TWICE = (
    "it is sent again when its answer is lost, and what is stored then comes of no order of the "
    "two calls: transact() has a token that keeps it from being carried out twice"
)


@dataclass(frozen=True, slots=True)
class Weather:
    """What may go wrong while calls are raced, at every request of theirs."""

    name: str
    crashes: bool = False
    lost_answers: bool = False


# One exploration for each: throttling, index lag and stale reads are further kinds of weather.
WEATHERS = (Weather("crashes", crashes=True), Weather("lost answers", lost_answers=True))


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
    """Every pattern that writes, and every entity."""
    writes = [pattern for pattern in design.patterns if _writes(pattern, design)]
    return [*writes, *design.kinds]


def _writes(pattern: Pattern[..., Any], design: Design) -> bool:
    traced = trace(pattern, design)
    # Of one that refuses samples nobody knows.
    return traced.error is not None or any(s.sent.verb not in _READS for s in traced.steps)


def judge(subject: Subject, design: Design, how: Settings) -> Verdict:
    """Whether what is promised holds however two calls meet."""
    with clock(NOW.timestamp):
        if isinstance(subject, EntityKind):
            return _Course(design, subject.name, "entity").entity(subject, how)
        if isinstance(subject, RawPattern) and subject.findings:
            return Verdict(NAME, "pattern", subject.name, Outcome.UNPROVEN, "DynamoDB refuses it")
        return _Course(design, subject.name, "pattern").pattern(subject, how)


class _Broken(Exception):  # noqa: N818 - it never leaves this module
    """A race that came to what it must not."""

    def __init__(self, error: ExplorationFailed, records: Sequence[Entity], raced: Raced) -> None:
        super().__init__(error.fault.removeprefix(f"{BROKEN}: "))
        self.story = error.story
        self.schedule = error.schedule
        self.records = tuple(records)
        self.raced = raced


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
            for what, arguments in _meetings(example):
                overwrites |= self._race_pattern(what, example, arguments)
        except _Broken as error:
            return self._refuted(error)
        if overwrites and isinstance(pattern, RawPattern):
            return self._verdict(Outcome.UNPROVEN, _SILENT)
        return self._verdict(Outcome.PROVED)

    def entity(self, kind: EntityKind[Any], how: Settings) -> Verdict:
        """The verdict on an entity, whose promises are raced with sortkey's own writes."""
        record = simplest(kind, {}, how.strategies)
        if record is None:
            return self._verdict(Outcome.UNPROVEN, _NO_RECORD)
        try:
            for what, contest in _contests(kind, record):
                self._race(what, contest)
        except _Broken as error:
            return self._refuted(error)
        return self._verdict(Outcome.PROVED)

    def _refuted(self, error: _Broken) -> Verdict:
        detail = Explored(
            tuple(self.races), error.story, error.schedule, error.records, error.raced
        )
        return self._verdict(Outcome.REFUTED, str(error), detail)

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
            operations = [example.operation(), example.pattern(**arguments)]
            is_batch = any(operation.plan().shape == "batch" for operation in operations)
        except Exception:  # noqa: BLE001 - a pattern may refuse its arguments in any way
            return False
        calls = [_call(operation) for operation in operations]
        loaded = _loaded(example, arguments)
        contest = _Contest(example.records, calls, loaded=loaded, is_batch=is_batch)
        return self._race(what, contest)

    def _race(self, what: str, contest: "_Contest") -> bool:
        ground = _Ground(self.design, contest.records)
        try:
            orders = ground.orders(contest.calls)
            for weather in WEATHERS:
                self.races.append(Race(what, weather.name, ground.race(contest, orders, weather)))
        finally:
            ground.close()
        return orders.undoes


_Call: TypeAlias = Callable[[DB], Any]


def _call(operation: Operation[Any]) -> _Call:
    return lambda db: db(operation)


@dataclass(frozen=True, slots=True)
class _Contest:
    """Records, two calls on them, and what else must not come of it."""

    records: Sequence[Entity]
    calls: Sequence[_Call]
    # The entity with a version of which both callers loaded the same record.
    loaded: EntityKind[Any] | None = None
    is_batch: bool = False
    only_one: str = ""
    # What is wrong with the outcomes, where the calls are no two writes but work of many steps.
    judged: Callable[[Sequence[Ending]], str] | None = None


# What may come of two calls.


@dataclass(frozen=True, slots=True)
class _Snapshot:
    """Everything that is stored, and the same without versions."""

    items: Stored
    plain: Stored

    def equals(self, other: "_Snapshot", weather: Weather) -> bool:
        """Whether the same is stored; what is sent again may raise a version again."""
        return self.items == other.items or (weather.lost_answers and self.plain == other.plain)


@dataclass(frozen=True, slots=True)
class _End:
    """What is stored, and of each call whether it succeeded; None where it did not run."""

    stored: _Snapshot
    went: tuple[bool | None, bool | None]

    def explains(self, stored: _Snapshot, outcomes: Sequence[Ending], weather: Weather) -> bool:
        """Whether this is how two calls ended, as far as their callers were told."""
        return self.stored.equals(stored, weather) and all(
            # Whoever is refused has written nothing, as if it had not come.
            _is_unknown(outcome, weather) or bool(went) == outcome.succeeded
            for went, outcome in zip(self.went, outcomes, strict=True)
        )


def _is_unknown(outcome: Ending, weather: Weather) -> bool:
    """Whether a caller knows that it does not know what became of its write."""
    if outcome.crashed or isinstance(outcome.error, TransportError):
        return True
    # A write that is sent again after its answer was lost may be refused by itself.
    return weather.lost_answers and not outcome.succeeded


@dataclass(frozen=True, slots=True)
class _Orders:
    """What is stored before, and every way in which two calls may end, one after the other."""

    before: _Snapshot
    alone: tuple[_End, _End]
    both: tuple[_End, _End]

    @property
    def ends(self) -> tuple[_End, ...]:
        """All of them, also those of a call that crashed before it began."""
        return (*self.both, *self.alone, _End(self.before, (None, None)))

    def between(self, stored: _Snapshot) -> Iterator[_Snapshot]:
        """What was stored between two calls that both succeeded, where this is how they end."""
        for end, first in zip(self.both, self.alone, strict=True):
            if end.went == (True, True) and end.stored == stored:
                yield first.stored

    @property
    def undoes(self) -> bool:
        """Whether a second call leaves nothing of the first, and both are told that all is well."""
        return any(
            end.went == (True, True) and end.stored.plain == last.stored.plain != first.stored.plain
            for end, first, last in (
                (self.both[0], *self.alone),
                (self.both[1], *reversed(self.alone)),
            )
        )


class _Ground:
    """A database in memory with a few records, on which calls are raced."""

    def __init__(self, design: Design, records: Sequence[Entity]) -> None:
        self._db = DB.memory(*design.tables, secrets=OpenVault())
        self._carrier = cast("Any", self._db.transport)
        self._tables = [table.definition for table in design.tables]
        self._promises = tuple(promises(design))
        for record in records:
            try:
                self._db(record.create())
            except SortkeyError:
                continue
        self._start: bytes = self._carrier.engine.image()
        self._holders = _holders(design)
        self._versions = frozenset(kind.version for kind in design.kinds if kind.version)

    def close(self) -> None:
        """Let go of the database."""
        self._db.close()

    def orders(self, calls: Sequence[_Call]) -> _Orders:
        """What comes of two calls, each alone and one after the other."""
        before = self._stored()
        first, second = calls
        one, other_one = self._end([first]), self._end([second])
        ab, ba = self._end([first, second]), self._end([second, first])
        return _Orders(
            before,
            (_End(one[0], (one[1][0], None)), _End(other_one[0], (None, other_one[1][0]))),
            (_End(ab[0], (ab[1][0], ab[1][1])), _End(ba[0], (ba[1][1], ba[1][0]))),
        )

    def _end(self, calls: Sequence[_Call]) -> tuple[_Snapshot, list[bool]]:
        went: list[bool] = []
        try:
            for call in calls:
                try:
                    call(self._db)
                    went.append(True)
                except SortkeyError:
                    went.append(False)
            return self._stored(), went
        finally:
            self._carrier.engine.load(self._start)

    def race(self, contest: _Contest, orders: _Orders, weather: Weather) -> int:
        """In how many schedules the calls were raced; `_Broken` where one comes to no good."""

        def invariant(outcomes: Sequence[Ending]) -> None:
            wrong = self._wrong(contest, orders, outcomes, weather)
            if wrong:
                raise AssertionError(wrong)  # it is what an exploration looks at

        calls = [partial(call, self._db) for call in contest.calls]
        try:
            return explore(
                *calls,
                db=self._db,
                invariant=invariant,
                crashes=weather.crashes and not contest.is_batch,
                lost_answers=weather.lost_answers and not contest.is_batch,
            ).schedules
        except ExplorationFailed as error:
            raced = self._raced(error.requests)
            raise _Broken(error, contest.records, raced) from None

    def _wrong(
        self, contest: _Contest, orders: _Orders, outcomes: Sequence[Ending], weather: Weather
    ) -> str:
        """What is wrong with how a race ended; empty where nothing is."""
        stored = self._stored()
        befores = (orders.before, *orders.between(stored))
        for promise in self._promises:
            told = (broken(promise, old.items, stored.items) for old in befores)
            how = next(filter(None, told), "")
            if how:
                return how
        if contest.judged is not None:
            return contest.judged(outcomes)
        won = sum(outcome.succeeded for outcome in outcomes)
        if contest.only_one and won > 1:
            return contest.only_one
        if contest.loaded is not None and won > 1 and orders.undoes:
            return (
                f"both callers had loaded the same {contest.loaded.name}, both were told that "
                "theirs was written, and one of the two changes is lost"
            )
        if contest.is_batch or any(end.explains(stored, outcomes, weather) for end in orders.ends):
            return ""
        return _TWICE if weather.lost_answers else _DISORDER

    def _raced(self, sent: Sequence[tuple[str, Request]]) -> Raced:
        """The requests of a schedule, and what comes of them."""
        callers, requests = tuple(who for who, _ in sent), tuple(request for _, request in sent)
        tables = tuple(create_body(table, "dev") for table in self._tables)
        before = self._items()
        try:
            for request in requests:
                with suppress(SortkeyError):
                    self._carrier.send(request)
            return Raced(Recording(tables, before, requests), callers, self._items())
        finally:
            self._carrier.engine.load(self._start)

    def _items(self) -> dict[str, tuple[Item, ...]]:
        """Everything that is stored, by its table."""
        names = [table.name_in("dev") for table in self._tables]
        scans = {name: Request("Scan", {"TableName": name}) for name in names}
        return {name: tuple(self._carrier.send(scan)["Items"]) for name, scan in scans.items()}

    def _stored(self) -> _Snapshot:
        """Everything that is stored, without what differs each time."""
        found: dict[tuple[str, str], Any] = {}
        items = self._items()
        for table in self._tables:
            name = table.name_in("dev")
            for item in items[name]:
                key = str([item[attribute] for attribute in table.key_names])
                found[name, key] = _without(item, self._holders)
        plain = {where: _without(item, self._versions) for where, item in found.items()}
        return _Snapshot(found, plain)


def _without(item: Item, names: frozenset[str]) -> Item:
    return {name: value for name, value in item.items() if name not in names}


def _holders(design: Design) -> frozenset[str]:
    """The attributes in which claims keep who holds them, which is another name each time."""
    return frozenset(kind.stored_names["held_by"] for kind in design.kinds if is_claim(kind))


# Whom a pattern meets.


def _meetings(example: Example) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The calls that an example is raced against: the same, and with each argument otherwise."""
    yield "the same call twice", example.arguments
    types = {parameter.name: parameter.type for parameter in example.pattern.parameters}
    for name, value in example.arguments.items():
        for told, instead in _otherwise(types[name], value):
            yield f"with another {name}{told}", {**example.arguments, name: instead}


def _otherwise(annotation: Any, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Entity):
        for changed in _same_key(value):
            yield " of the same key", changed
        for changed in _same_values(value):
            yield " of the same values", changed
        return
    family = numbered(annotation, value)
    made = [family(1)] if family is not None else other(annotation, value)
    yield from (("", instead) for instead in made)


def _same_key(record: Entity) -> Iterator[Entity]:
    """The record with another value in one field that may change, if there is such a one."""
    kind = record.__kind__
    kept = {kind.version_field, kind.updated_field, kind.created_field, kind.expires_field}
    for name in kind.model.model_fields:
        if name in {*kind.key_fields, *kind.frozen_fields, *kept}:
            continue
        made = _with_another(record, name)
        if made is not None:
            yield _at_version(made, record)
            return


def _same_values(record: Entity) -> Iterator[Entity]:
    """The record under another key, if there is such a one."""
    kind = record.__kind__
    for name in reversed(kind.primary.all_fields):
        info = kind.model.model_fields[name]
        family = numbered(info.rebuild_annotation(), getattr(record, name))
        made = None if family is None else like(record, {name: family(1)})
        if made is not None:
            yield _at_version(made, record)
            return


def _at_version(record: Entity, loaded: Entity) -> Entity:
    """A record with the version that another was loaded with."""
    name = record.__kind__.version_field
    return record if name is None else record.model_copy(update={name: getattr(loaded, name)})


def _loaded(example: Example, arguments: Mapping[str, Any]) -> EntityKind[Any] | None:
    """The entity with a version of which both calls are given the same loaded record."""
    for name, value in example.arguments.items():
        instead = arguments[name]
        if not isinstance(value, Entity) or not isinstance(instead, Entity):
            continue
        kind = value.__kind__
        version = kind.version_field
        if version is not None and getattr(value, version) and _key(value) == _key(instead):
            return kind
    return None


def _key(record: Entity) -> str:
    return repr(record.__kind__.key_of(record))


# What an entity promises, raced with sortkey's own writes.


def _contests(kind: EntityKind[Any], record: Entity) -> Iterator[tuple[str, _Contest]]:
    if is_claim(kind):
        yield "a claim is done once", _claimed(cast("Claim[Any]", record))
        return
    for rival in list(_same_key(record)) or [record]:
        yield (
            "create never overwrites",
            _Contest(
                (),
                [_call(record.create()), _call(rival.create())],
                only_one="two records were created under one key, so that one is lost",
            ),
        )
    for promise in promises_of(kind):
        contest = _contest(promise, record)
        if contest is not None:
            yield str(promise), contest


def _contest(promise: Promise, record: Entity) -> _Contest | None:
    match promise.name:
        case "is unique":
            held = _with_value(record, promise.field)
            rivals = [] if held is None else list(_same_values(held))
            if held is None or not rivals:
                return None
            return _Contest((), [_call(held.create()), _call(rivals[0].create())])
        case "has a version":
            changed = list(_same_key(record))
            calls = [_saving(record), _saving(changed[0])] if changed else []
            return _Contest([record], calls) if calls else None
        case "is immutable" if promise.field:
            changed = _with_another(record, promise.field)
            return None if changed is None else _Contest([record], [_saving(changed)] * 2)
        case "is immutable" | "stays itself":
            return None  # a second create() is raced already, and no other write is taken


def _with_value(record: Entity, name: str) -> Entity | None:
    """The record with something in a field that may be left out."""
    if getattr(record, name) is not None:
        return record
    info = type(record).model_fields[name]
    made = [value for value in values_of(info.rebuild_annotation()) if value is not None]
    return like(record, {name: made[0]}) if made else None


def _with_another(record: Entity, name: str) -> Entity | None:
    """The record with another value in a field, if there is such a one."""
    info = type(record).model_fields[name]
    made = [
        like(record, {name: v}) for v in other(info.rebuild_annotation(), getattr(record, name))
    ]
    return next(filter(None, made), None)


def _saving(record: Entity) -> _Call:
    """Load a record, and save it as this one is."""
    kind = record.__kind__
    key = {name: getattr(record, name) for name in kind.key_fields}

    def save(db: DB) -> Any:
        loaded = db(kind.model.get(**key).consistently().required())
        return db(_at_version(record, loaded).put())

    return save


def _claimed(claim: Claim[Any]) -> _Contest:
    results = _results(type(claim))

    def work(result: Any) -> _Call:
        def run(db: DB) -> Any:
            taken = db(claim.take())
            if taken.is_finished:
                return taken.result
            return db(taken.finish(result))

        return run

    return _Contest((), [work(results[0]), work(results[-1])], judged=_done_twice)


def _done_twice(outcomes: Sequence[Ending]) -> str:
    results = [outcome.result for outcome in outcomes if outcome.succeeded]
    if all(result == results[0] for result in results):
        return ""
    return "the work of one claim was done twice"


def _results(claim: type[Claim[Any]]) -> Sequence[Any]:
    annotation = claim.model_fields["stored_result"].rebuild_annotation()
    return [value for value in values_of(annotation) if value is not None] or [None]
