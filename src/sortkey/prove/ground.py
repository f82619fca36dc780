"""Where two calls are raced: a database in memory, and what may come of them there."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias, cast

from sortkey.access.db import DB
from sortkey.access.tables import create_body
from sortkey.access.transports.transport import TransportError
from sortkey.design.design import Design
from sortkey.design.entity import Entity
from sortkey.design.kind import EntityKind
from sortkey.design.plan import WRITES
from sortkey.errors import SortkeyError
from sortkey.operations.operation import Operation
from sortkey.operations.plan import TableName
from sortkey.prove.counterexample import Raced, Recording
from sortkey.prove.promises import CHANGES, Stored, Where, broken, is_claim, promises
from sortkey.prove.vault import OpenVault
from sortkey.testing.exploration import BROKEN, ExplorationFailed, explore
from sortkey.testing.outcome import Outcome as Ending
from sortkey.wire.messages import Request
from sortkey.wire.values import Item

_DISORDER = "the stored records and the results of the two calls match no order of the calls"
_TWICE = "the request is retried after its response is lost, and is applied twice"
# What keeps each of them from happening.
_CHANGES = {
    _DISORDER: "Write everything in one transaction, with a condition on what was read before",
    _TWICE: "Send it with transact(), whose token keeps a retry from being applied again",
}
_TWICE_RAW = "Send it as a TransactWriteItems, whose ClientRequestToken lets a retry do nothing"
_VERSIONED = "Write with the condition that the version is still the one that was loaded"


@dataclass(frozen=True, slots=True)
class Weather:
    """What may go wrong while calls are raced, at every request of theirs."""

    name: str
    crashes: bool = False
    lost_answers: bool = False


# One exploration for each: throttling, index lag and stale reads are further kinds of weather.
WEATHERS = (Weather("crashes", crashes=True), Weather("lost answers", lost_answers=True))


class Broken(Exception):  # noqa: N818 - it says what happened
    """A race that came to what it must not."""

    def __init__(self, error: ExplorationFailed, records: Sequence[Entity], raced: Raced) -> None:
        super().__init__(error.fault.removeprefix(f"{BROKEN}: "))
        self.story = error.story
        self.schedule = error.schedule
        self.records = tuple(records)
        self.raced = raced
        self.change = ""


Call: TypeAlias = Callable[[DB], Any]


def call_of(operation: Operation[Any]) -> Call:
    """A call that carries out one operation."""
    return lambda db: db(operation)


@dataclass(frozen=True, slots=True)
class Contest:
    """Records, two calls on them, and what else must not come of it."""

    records: Sequence[Entity]
    calls: Sequence[Call]
    # The entity with a version of which both callers loaded the same record.
    loaded: EntityKind[Any] | None = None
    is_batch: bool = False
    # Whether the calls send requests as they are written.
    is_raw: bool = False
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
class Orders:
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
    def undone(self) -> frozenset[Where]:
        """The items on which one call leaves nothing of the other, while both succeed.

        Each item counts by itself: a counter elsewhere in the same transaction is no trace of what
        was overwritten here.
        """
        return frozenset(
            place
            for end, first, last in (
                (self.both[0], *self.alone),
                (self.both[1], *reversed(self.alone)),
            )
            if end.went == (True, True)
            for place in _changed(self.before.plain, first.stored.plain)
            if end.stored.plain.get(place)
            == last.stored.plain.get(place)
            != first.stored.plain.get(place)
        )


def _changed(before: Stored, after: Stored) -> Iterator[Where]:
    return (place for place in {**before, **after} if before.get(place) != after.get(place))


def blind_places(operation: Operation[Any]) -> frozenset[Where]:
    """The items that an operation writes without a condition."""
    steps = [step for step in operation.plan().steps if step.verb in WRITES]
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
        self._carrier = cast("Any", self._db.transport)
        self._tables = [table.definition for table in design.tables]
        self._promises = tuple(promises(design))
        for record in records:
            try:
                self._db(record.create())
            except SortkeyError:
                continue
        self._start: bytes = self._carrier.engine.image()
        # What would have prevented what went wrong last.
        self._change = ""
        self._holders = _holders(design)
        self._versions = frozenset(kind.version for kind in design.kinds if kind.version)

    def close(self) -> None:
        """Let go of the database."""
        self._db.close()

    def orders(self, calls: Sequence[Call]) -> Orders:
        """What comes of two calls, each alone and one after the other."""
        before = self._stored()
        first, second = calls
        one, other_one = self._end([first]), self._end([second])
        ab, ba = self._end([first, second]), self._end([second, first])
        return Orders(
            before,
            (_End(one[0], (one[1][0], None)), _End(other_one[0], (None, other_one[1][0]))),
            (_End(ab[0], (ab[1][0], ab[1][1])), _End(ba[0], (ba[1][1], ba[1][0]))),
        )

    def _end(self, calls: Sequence[Call]) -> tuple[_Snapshot, list[bool]]:
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

    def race(self, contest: Contest, orders: Orders, weather: Weather) -> int:
        """In how many schedules the calls were raced; `Broken` where one comes to no good."""

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
                declared=False,  # its records are generated, and no write of the design made them
                crashes=weather.crashes and not contest.is_batch,
                lost_answers=weather.lost_answers and not contest.is_batch,
            ).schedules
        except ExplorationFailed as error:
            raced = self._raced(error.requests)
            broken_race = Broken(error, contest.records, raced)
            broken_race.change = self._change
            raise broken_race from None

    def _wrong(
        self, contest: Contest, orders: Orders, outcomes: Sequence[Ending], weather: Weather
    ) -> str:
        """What is wrong with how a race ended; empty where nothing is."""
        stored = self._stored()
        befores = (orders.before, *orders.between(stored))
        for promise in self._promises:
            told = (broken(promise, old.items, stored.items) for old in befores)
            how = next(filter(None, told), "")
            if how:
                self._change = CHANGES[promise.name]
                return how
        if contest.judged is not None:
            return contest.judged(outcomes)
        won = sum(outcome.succeeded for outcome in outcomes)
        self._change = _VERSIONED
        if contest.only_one and won > 1:
            return contest.only_one
        if contest.loaded is not None and won > 1 and orders.undone:
            return (
                f"both callers had loaded the same {contest.loaded.name}, both writes succeed, "
                "and one of the two changes is lost"
            )
        if contest.is_batch or any(end.explains(stored, outcomes, weather) for end in orders.ends):
            return ""
        wrong = _TWICE if weather.lost_answers else _DISORDER
        is_raw = contest.is_raw and wrong == _TWICE
        self._change = _TWICE_RAW if is_raw else _CHANGES[wrong]
        return wrong

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
    """The attributes in which claims keep who holds them, which is another name each time."""
    return frozenset(kind.stored_names["held_by"] for kind in design.kinds if is_claim(kind))
