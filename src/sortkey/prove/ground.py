"""The database in memory on which two calls are raced, and the results that are right there."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias, cast

from sortkey.access.create_request import create_body
from sortkey.access.db import DB
from sortkey.access.transports.transport import TransportError
from sortkey.design.declaring.design import Design
from sortkey.design.declaring.entity import Entity
from sortkey.design.plans.plan import WRITES
from sortkey.design.records.kind import EntityKind
from sortkey.errors import SortkeyError
from sortkey.explore.exploration import BROKEN, ExplorationFailed, explore
from sortkey.explore.outcome import Outcome as Ending
from sortkey.operations.operation import Operation
from sortkey.operations.plan import TableName
from sortkey.prove.counterexample import RacedRequests, Recording
from sortkey.prove.promises import CHANGES, Stored, Where, broken, is_claim, promises
from sortkey.prove.vault import OpenVault
from sortkey.wire.messages import Request
from sortkey.wire.values import Item

_DISORDER = "the stored records and the two results do not match any order of the calls"
_TWICE = "the request is retried after its response is lost, and is applied twice"
# How to prevent each fault.
_CHANGES = {
    _DISORDER: "Write everything in one transaction, with a condition on what was read before",
    _TWICE: "Send it with transact(), whose token keeps a retry from being applied again",
}
_TWICE_RAW = "Send it as TransactWriteItems, whose ClientRequestToken makes a retry harmless"
_VERSIONED = "Write with the condition that the version has not changed since it was loaded"


@dataclass(frozen=True, slots=True)
class Weather:
    """The failures that are injected at every request of raced calls."""

    name: str
    crashes: bool = False
    lost_responses: bool = False


# Each is explored separately; throttling, index lag and stale reads could be added.
WEATHERS = (Weather("crashes", crashes=True), Weather("lost responses", lost_responses=True))


class Broken(Exception):  # noqa: N818 - named after the fault
    """A race with a wrong result."""

    def __init__(
        self, error: ExplorationFailed, records: Sequence[Entity], raced: RacedRequests
    ) -> None:
        super().__init__(error.fault.removeprefix(f"{BROKEN}: "))
        self.story = error.story
        self.schedule = error.schedule
        self.records = tuple(records)
        self.raced = raced
        self.change = ""


Call: TypeAlias = Callable[[DB], Any]


def call_of(operation: Operation[Any]) -> Call:
    """Return a call that runs one operation."""
    return lambda db: db(operation)


@dataclass(frozen=True, slots=True)
class Contest:
    """Records, two calls to race on them, and further checks of the result."""

    records: Sequence[Entity]
    calls: Sequence[Call]
    # The versioned entity of which both callers loaded the same record.
    loaded: EntityKind[Any] | None = None
    is_batch: bool = False
    # Whether the calls send raw requests.
    is_raw: bool = False
    # The fault if both calls succeed; empty if they may.
    only_one: str = ""
    # Returns the fault of the outcomes, for calls with several steps.
    judged: Callable[[Sequence[Ending]], str] | None = None


# The right results of two calls.


@dataclass(frozen=True, slots=True)
class _Snapshot:
    """Every stored item, with and without its version."""

    items: Stored
    plain: Stored

    def equals(self, other: "_Snapshot", weather: Weather) -> bool:
        """Return whether the same is stored; a retry may raise a version once more."""
        return self.items == other.items or (weather.lost_responses and self.plain == other.plain)


@dataclass(frozen=True, slots=True)
class _RaceResult:
    """The stored items, and whether each call succeeded; None if it did not run."""

    stored: _Snapshot
    succeeded: tuple[bool | None, bool | None]

    def explains(self, stored: _Snapshot, outcomes: Sequence[Ending], weather: Weather) -> bool:
        """Return whether two calls may have ended this way, as far as their callers know."""
        return self.stored.equals(stored, weather) and all(
            # A refused call must have written nothing, as if it had not run.
            _is_unknown(outcome, weather) or bool(succeeded) == outcome.succeeded
            for succeeded, outcome in zip(self.succeeded, outcomes, strict=True)
        )


def _is_unknown(outcome: Ending, weather: Weather) -> bool:
    """Return whether a caller knows that the result of its write is unknown."""
    if outcome.crashed or isinstance(outcome.error, TransportError):
        return True
    # A retry after a lost response may be refused because the first attempt succeeded.
    return weather.lost_responses and not outcome.succeeded


@dataclass(frozen=True, slots=True)
class Orders:
    """The items stored before two calls, and every result of running them one after the other."""

    before: _Snapshot
    alone: tuple[_RaceResult, _RaceResult]
    both: tuple[_RaceResult, _RaceResult]

    @property
    def results(self) -> tuple[_RaceResult, ...]:
        """All results, including those of calls that crashed before they began."""
        return (*self.both, *self.alone, _RaceResult(self.before, (None, None)))

    def between(self, stored: _Snapshot) -> Iterator[_Snapshot]:
        """Yield the items stored between two successful calls that end with these items."""
        for end, first in zip(self.both, self.alone, strict=True):
            if end.succeeded == (True, True) and end.stored == stored:
                yield first.stored

    @property
    def overwritten(self) -> frozenset[Where]:
        """The items on which one call overwrites everything the other wrote, and both succeed.

        Each item counts by itself: a counter elsewhere in the same transaction does not preserve
        the data that was overwritten here.
        """
        return frozenset(
            place
            for end, first, last in (
                (self.both[0], *self.alone),
                (self.both[1], *reversed(self.alone)),
            )
            if end.succeeded == (True, True)
            for place in _changed(self.before.plain, first.stored.plain)
            if end.stored.plain.get(place)
            == last.stored.plain.get(place)
            != first.stored.plain.get(place)
        )


def _changed(before: Stored, after: Stored) -> Iterator[Where]:
    return (place for place in {**before, **after} if before.get(place) != after.get(place))


def blind_places(operation: Operation[Any]) -> frozenset[Where]:
    """Return the items that an operation writes without a condition."""
    steps = [step for step in operation._plan().steps if step.verb in WRITES]
    return frozenset(
        _place(step.table, step.item or step.body("dev")["Key"])
        for step in steps
        if step.condition is None
    )


def _place(table: TableName, item: Item) -> Where:
    return table.name_in("dev"), str([item[attribute] for attribute in table.key_names])


class Ground:
    """A database in memory with a few records, on which calls are raced."""

    def __init__(self, design: Design, records: Sequence[Entity]) -> None:
        self._db = DB.memory(*design.tables, secrets=OpenVault())
        self._carrier = cast("Any", self._db._transport)
        self._tables = [table.definition for table in design.tables]
        self._promises = tuple(promises(design))
        for record in records:
            try:
                self._db(record.create())
            except SortkeyError:
                continue
        self._start: bytes = self._carrier.engine.image()
        # How to prevent the last fault.
        self._change = ""
        self._holders = _holders(design)
        self._versions = frozenset(kind.version for kind in design.kinds if kind.version)

    def close(self) -> None:
        """Close the database."""
        self._db.close()

    def orders(self, calls: Sequence[Call]) -> Orders:
        """Return the results of two calls, each alone and one after the other."""
        before = self._stored()
        first, second = calls
        one, other_one = self._end([first]), self._end([second])
        ab, ba = self._end([first, second]), self._end([second, first])
        return Orders(
            before,
            (
                _RaceResult(one[0], (one[1][0], None)),
                _RaceResult(other_one[0], (None, other_one[1][0])),
            ),
            (_RaceResult(ab[0], (ab[1][0], ab[1][1])), _RaceResult(ba[0], (ba[1][1], ba[1][0]))),
        )

    def _end(self, calls: Sequence[Call]) -> tuple[_Snapshot, list[bool]]:
        succeeded: list[bool] = []
        try:
            for call in calls:
                try:
                    call(self._db)
                    succeeded.append(True)
                except SortkeyError:
                    succeeded.append(False)
            return self._stored(), succeeded
        finally:
            self._carrier.engine.load(self._start)

    def race(self, contest: Contest, orders: Orders, weather: Weather) -> int:
        """Race the calls and return the number of schedules; raise `Broken` if one fails."""

        def invariant(outcomes: Sequence[Ending]) -> None:
            wrong, change = self._wrong(contest, orders, outcomes, weather)
            if wrong:
                # After a failure only simpler schedules are run, so the last is the reported one.
                self._change = change
                raise AssertionError(wrong)  # an exploration expects it from an invariant

        calls = [partial(call, self._db) for call in contest.calls]
        try:
            return explore(
                *calls,
                db=self._db,
                invariant=invariant,
                declared=False,  # the records are generated, not written by the design
                crashes=weather.crashes and not contest.is_batch,
                lost_responses=weather.lost_responses and not contest.is_batch,
            ).schedules
        except ExplorationFailed as error:
            raced = self._raced(error.requests)
            broken_race = Broken(error, contest.records, raced)
            broken_race.change = self._change
            raise broken_race from None

    def _wrong(
        self, contest: Contest, orders: Orders, outcomes: Sequence[Ending], weather: Weather
    ) -> tuple[str, str]:
        """Return what is wrong with the result of a race, and its remedy; empty if nothing is."""
        stored = self._stored()
        befores = (orders.before, *orders.between(stored))
        for promise in self._promises:
            breaches = (broken(promise, old.items, stored.items) for old in befores)
            how = next(filter(None, breaches), "")
            if how:
                return how, CHANGES[promise.name]
        if contest.judged is not None:
            return contest.judged(outcomes), ""
        won = sum(outcome.succeeded for outcome in outcomes)
        if contest.only_one and won > 1:
            return contest.only_one, _VERSIONED
        if contest.loaded is not None and won > 1 and orders.overwritten:
            lost = (
                f"both callers loaded the same {contest.loaded.name}, both writes succeed, and "
                "one of the two changes is lost"
            )
            return lost, _VERSIONED
        if contest.is_batch or any(
            end.explains(stored, outcomes, weather) for end in orders.results
        ):
            return "", ""
        wrong = _TWICE if weather.lost_responses else _DISORDER
        is_raw = contest.is_raw and wrong == _TWICE
        return wrong, _TWICE_RAW if is_raw else _CHANGES[wrong]

    def _raced(self, sent: Sequence[tuple[str, Request]]) -> RacedRequests:
        """Return the requests of a schedule, and the items stored before and after them."""
        callers, requests = tuple(who for who, _ in sent), tuple(request for _, request in sent)
        tables = tuple(create_body(table, "dev") for table in self._tables)
        before = self._items()
        try:
            for request in requests:
                with suppress(SortkeyError):
                    self._carrier.send(request)
            return RacedRequests(Recording(tables, before, requests), callers, self._items())
        finally:
            self._carrier.engine.load(self._start)

    def _items(self) -> dict[str, tuple[Item, ...]]:
        """Return every stored item, by table."""
        names = [table.name_in("dev") for table in self._tables]
        scans = {name: Request("Scan", {"TableName": name}) for name in names}
        return {name: tuple(self._carrier.send(scan)["Items"]) for name, scan in scans.items()}

    def _stored(self) -> _Snapshot:
        """Return every stored item, without the attributes that differ each time."""
        found: dict[Where, Any] = {}
        items = self._items()
        for table in self._tables:
            name = table.name_in("dev")
            for item in items[name]:
                found[_place(table, item)] = _without(item, self._holders)
        plain = {where: _without(item, self._versions) for where, item in found.items()}
        return _Snapshot(found, plain)


def _without(item: Item, names: frozenset[str]) -> Item:
    return {name: value for name, value in item.items() if name not in names}


def _holders(design: Design) -> frozenset[str]:
    """Return the attributes with the holder of a claim, which differs each time."""
    return frozenset(kind.stored_names["held_by"] for kind in design.kinds if is_claim(kind))
