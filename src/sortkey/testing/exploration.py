"""Races, explored: every order in which the requests of two or three calls can meet.

Each schedule runs from the same image of the database, with one call running at a time, so it is
deterministic and can be run again. Schedules that differ only in the order of requests which cannot
notice each other are run once (sleep sets). Crashes, lost answers and stale reads are
schedules too.
"""

import inspect
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from sortkey.access.async_db import AsyncDB
from sortkey.access.db import DB
from sortkey.access.transports.embedded import AsyncEmbeddedTransport, EmbeddedTransport
from sortkey.access.transports.transport import TransportError
from sortkey.design.invariant import Invariant
from sortkey.engine import Engine
from sortkey.errors import Refused, SortkeyError
from sortkey.operations.clock import clock, now
from sortkey.testing.awaiting import finished
from sortkey.testing.calls import AsyncHeld, Call, Event, Held
from sortkey.testing.footprint import NOTHING, Footprint, footprint
from sortkey.testing.invariants import broken, declared_for
from sortkey.testing.lag import PRESENT, History, Lagging, View
from sortkey.testing.outcome import Outcome
from sortkey.testing.schedule import (
    BadSchedule,
    Choice,
    Fate,
    Schedule,
    read_schedule,
    weight,
    write_schedule,
)
from sortkey.testing.story import tell
from sortkey.wire.messages import Request

MOST_CALLS = 26
MOST_SCHEDULES = 10_000
BROKEN = "the invariant does not hold"


class ExplorationFailed(SortkeyError, AssertionError):  # noqa: N818 - says what happened
    """A schedule broke the promise; ``schedule`` is the simplest one found, to run again.

    ``fault`` is what is wrong, and ``story`` how it came to it; ``requests`` are those that reached
    the database, each with the name of its call.
    """

    def __init__(
        self,
        fault: str,
        story: str,
        schedule: str,
        requests: Sequence[tuple[str, Request]] = (),
        *advice: str,
    ) -> None:
        super().__init__("\n\n".join((fault, story, *advice)))
        self.fault = fault
        self.story = story
        self.schedule = schedule
        self.requests = tuple(requests)


@dataclass(frozen=True, slots=True)
class Exploration:
    """What was explored, and the different ways in which the calls ended."""

    schedules: int
    endings: tuple[tuple[str, ...], ...]

    def __repr__(self) -> str:
        return f"<Exploration: {self.schedules} schedules, {len(self.endings)} endings>"

    def __str__(self) -> str:
        """The same with each ending in a line: what became of each call."""
        return "\n".join((repr(self), *(f"  {', '.join(ending)}" for ending in self.endings)))


def explore(
    *calls: Callable[[], Any],
    db: DB | AsyncDB,
    invariant: Callable[..., object] | None = None,
    declared: bool = True,
    then: Callable[[], object] | None = None,
    errors: tuple[type[BaseException], ...] = (SortkeyError,),
    crashes: bool = True,
    lost_answers: bool = True,
    index_lag: bool = False,
    stale_reads: bool = False,
    faults: int = 1,
    replay: str | None = None,
    most: int = MOST_SCHEDULES,
) -> Exploration:
    """Run the calls in every order of their requests, and check the invariants after each.

    ``invariant`` is called with the calls' outcomes, or with nothing if it takes nothing; it fails
    by an AssertionError, by one of sortkey's own errors, or by returning False. The invariants that
    the design declares hold as well, unless ``declared`` is False. ``then`` runs before them, as
    whoever comes later. A call may end in one of ``errors``, and where its answer is
    lost in a `TransportError`; any other is a failure. At most ``faults`` crashes and lost answers
    happen in one schedule. With ``index_lag``, a read of a global index may miss any of the
    schedule's writes; with ``stale_reads``, so may an eventually consistent read of a table.
    ``replay`` runs one schedule only.
    """
    if not 1 <= len(calls) <= MOST_CALLS:
        raise Refused(f"explore() takes 1 to {MOST_CALLS} calls, not {len(calls)}")
    crashed: tuple[Fate, ...] = ("!", "+") if crashes else ()
    lost: tuple[Fate, ...] = ("?",) if lost_answers else ()
    fates: tuple[Fate, ...] = ("", *crashed, *lost)
    lagging = Lagging(index_lag, stale_reads, frozenset(_local_indexes(db)))
    invariants = declared_for(db) if declared else []
    if invariant is None and not invariants:
        raise Refused(
            "explore() has nothing to check: give it invariant=, or declare an @invariant beside "
            "the design"
        )
    if already := broken(db, invariants):
        raise Refused(
            f"an invariant is broken before the first call: {already}. Store what the calls start "
            "from with the design's own writes, or leave its invariants out with declared=False"
        )
    with _held(db) as (engine, keys):
        explorer = _Explorer(
            calls,
            engine,
            keys,
            lagging,
            _checks(db, invariant, invariants),
            then,
            (TransportError, *errors),
            fates,
            faults,
            most,
        )
        if replay is not None:
            return explorer.replay(read_schedule(replay))
        return explorer.explore()


def _checks(
    db: DB | AsyncDB, own: Callable[..., object] | None, declared: Sequence[Invariant[...]]
) -> Callable[[Sequence[Outcome]], object]:
    """Join the exploration's own invariant and the declared ones into one check of an ending."""
    takes = bool(own and inspect.signature(own).parameters)

    def check(outcomes: Sequence[Outcome]) -> object:
        if own is not None and finished(own(outcomes) if takes else own()) is False:
            return False
        if told := broken(db, declared):
            raise AssertionError(told)  # it is what a check fails by
        return True

    return check


@contextmanager
def _held(db: DB | AsyncDB) -> Generator[tuple[Engine, dict[str, tuple[str, ...]]]]:
    """The database's engine, while its requests are held, and the keys of its tables."""
    carrier, retries = db.transport, db.retries
    blocking = carrier.blocking if isinstance(carrier, AsyncEmbeddedTransport) else carrier
    if not isinstance(blocking, EmbeddedTransport) or not blocking.in_memory:
        raise Refused(
            f"explore() needs a database in memory, which can go back to its beginning; this one "
            f"is {db.target.shown}"
        )
    keys = {
        table.name_in(db.context.environment): tuple(a.name for a in table.primary.attributes)
        for table in db.tables
    }
    db.retries = replace(retries, random=lambda: 0.0)
    with ExitStack() as stack:
        stack.callback(setattr, db, "transport", carrier)
        stack.callback(setattr, db, "retries", retries)
        if isinstance(db, AsyncDB):
            finished(db.ready())
            db.transport = AsyncHeld(db.transport, blocking)
        else:
            stack.callback(setattr, db, "in_turn", db.in_turn)
            db.in_turn = True
            db.transport = Held(blocking)
        yield blocking.engine, keys


def _local_indexes(db: DB | AsyncDB) -> Iterator[tuple[str, str]]:
    """The local indexes of the database, each after the name of its table."""
    for table in db.tables:
        for index in table.indexes.values():
            if index.kind == "local":
                yield table.name_in(db.context.environment), index.name


@dataclass(slots=True)
class _Node:
    """A moment at which calls wait: who may go on, and who went on from here before."""

    choices: list[Choice]
    touched: dict[Choice, Footprint]
    views: dict[Choice, View]
    asleep: set[Choice]
    taken: Choice | None = None
    explored: list[Choice] = field(default_factory=list[Choice])

    def next(self) -> Choice | None:
        """A choice that is not explored yet, nor equal to one that is."""
        done = {*self.explored, *self.asleep}
        return next((choice for choice in self.choices if choice not in done), None)

    def asleep_after(self, choice: Choice) -> set[Choice]:
        """What need not be tried next, because its order against the choice does not matter."""
        return {
            other
            for other in {*self.asleep, *self.explored}
            if other.call != choice.call and not self.touched[other].minds(self.touched[choice])
        }


@dataclass(slots=True)
class _Explorer:
    calls: Sequence[Callable[[], Any]]
    engine: Engine
    keys: dict[str, tuple[str, ...]]
    lagging: Lagging
    check: Callable[[Sequence[Outcome]], object]
    then: Callable[[], object] | None
    errors: tuple[type[BaseException], ...]
    fates: Sequence[Fate]
    faults: int
    most: int

    def explore(self) -> Exploration:
        """Every schedule; the simplest failure is raised."""
        image, began = self.engine.image(), now()
        path: list[_Node] = []
        schedules = 0
        endings: dict[tuple[str, ...], None] = {}
        worst: tuple[_Run, str, str] | None = None
        while True:
            run = _Run(self, path)
            try:
                with clock(lambda: began):
                    complete = run.go()
                    if complete:
                        schedules += 1
                        endings[tuple(map(str, run.outcomes))] = None
                        fault = self._judge(run.outcomes)
                        if fault and (worst is None or run.is_simpler_than(worst[0])):
                            worst = run, fault, self._story(run)
            finally:
                self.engine.load(image)
            if schedules > self.most:
                raise Refused(
                    f"there are more than {self.most:,} schedules: explore shorter calls, fewer "
                    "faults, or raise most="
                )
            if not _backtrack(path):
                break
        if worst is not None:
            run, fault, story = worst
            schedule = write_schedule(run.schedule)
            advice = (
                f"This is the simplest of the schedules that fail, among {schedules} explored.\n"
                f'Run it alone with replay="{schedule}".'
            )
            raise ExplorationFailed(fault, story, schedule, run.requests, advice)
        return Exploration(schedules, tuple(endings))

    def replay(self, schedule: Schedule) -> Exploration:
        """One schedule; its failure is raised."""
        image, began = self.engine.image(), now()
        run = _Run(self, [], schedule)
        try:
            with clock(lambda: began):
                run.go()
                fault = self._judge(run.outcomes)
                if fault:
                    written = write_schedule(schedule)
                    raise ExplorationFailed(fault, self._story(run), written, run.requests)
        finally:
            self.engine.load(image)
        return Exploration(1, (tuple(map(str, run.outcomes)),))

    def _judge(self, outcomes: Sequence[Outcome]) -> str | None:
        """What is wrong with how a schedule ended, or None."""
        for outcome in outcomes:
            if outcome.error is not None and not self._is_expected(outcome.error):
                return f"{outcome.name} {outcome}"
        try:
            if self.then is not None:
                finished(self.then())
            held = self.check(outcomes)
        except (AssertionError, SortkeyError) as error:
            return f"{BROKEN}: {error}" if str(error) else BROKEN
        return BROKEN if held is False else None

    def _is_expected(self, error: BaseException) -> bool:
        """Whether a call may end so; an assertion of its own fails like any other."""
        return isinstance(error, self.errors) and not isinstance(error, AssertionError)

    def _story(self, run: "_Run") -> str:
        return tell(run.events, run.outcomes, self.keys)


class _Run:
    """One schedule, run: first along the path, then wherever is new."""

    def __init__(
        self, explorer: _Explorer, path: list[_Node], forced: Schedule | None = None
    ) -> None:
        self.events: list[Event] = []
        self.schedule: Schedule = ()
        self._explorer = explorer
        self._path = path
        self._forced = forced
        self._history = History(explorer.engine, explorer.keys, explorer.lagging)
        self._calls = [
            Call(n, run, self.events, self._history) for n, run in enumerate(explorer.calls)
        ]

    @property
    def outcomes(self) -> list[Outcome]:
        """How each call ended."""
        return [call.outcome for call in self._calls if call.outcome is not None]

    @property
    def requests(self) -> list[tuple[str, Request]]:
        """What reached the database, and of which call it was."""
        reached = [event for event in self.events if event.fate != "!"]
        return [(self._calls[event.call].name, event.request) for event in reached]

    def is_simpler_than(self, other: "_Run") -> bool:
        """Whether this is the better one to show."""
        return weight(self.schedule) < weight(other.schedule)

    def go(self) -> bool:
        """Run to the end; False where everything from some point on was explored before."""
        for call in self._calls:
            call.start()
        depth = 0
        while any(call.outcome is None for call in self._calls):
            try:
                choice, view = self._choose(depth)
            except SortkeyError:
                self._abandon()
                raise
            if choice is None:
                self._abandon()
                return False
            self.schedule = (*self.schedule, choice)
            self._calls[choice.call].go_on(choice.fate, view)
            depth += 1
        if self._forced is not None and depth < len(self._forced):
            raise _stranger(depth, self._forced[depth])
        return True

    def _abandon(self) -> None:
        for call in self._calls:
            call.abandon()

    def _choose(self, depth: int) -> tuple[Choice | None, View]:
        """Who goes on, and what its request sees if it is a read."""
        if self._forced is not None:
            return self._force(depth)
        if depth == len(self._path):
            node = self._node()
            node.taken = node.next()
            self._path.append(node)
        node = self._path[depth]
        return node.taken, node.views.get(node.taken, PRESENT) if node.taken else PRESENT

    def _force(self, depth: int) -> tuple[Choice, View]:
        waiting = [call.number for call in self._calls if call.outcome is None]
        if self._forced is None or depth >= len(self._forced):
            return Choice(waiting[0]), PRESENT
        choice = self._forced[depth]
        if choice.call not in waiting:
            raise _stranger(depth, choice)
        if not choice.stale:
            return choice, PRESENT
        views = self._views(self._calls[choice.call])
        if len(views) < choice.stale:
            raise _fresh(depth, choice)
        return choice, views[choice.stale - 1]

    def _views(self, call: Call) -> list[View]:
        """What the call's pending request may see other than the present."""
        return self._history.views(call.pending, call.since) if call.pending else []

    def _node(self) -> _Node:
        explorer = self._explorer
        faulty = sum(choice.is_fault for choice in self.schedule) >= explorer.faults
        last = self.schedule[-1].call if self.schedule else 0
        # Who went on last goes on first, so that few switches are met before many.
        waiting = sorted(
            (call for call in self._calls if call.outcome is None),
            key=lambda call: (call.number != last, call.number),
        )
        choices: list[Choice] = []
        touched: dict[Choice, Footprint] = {}
        for fate in explorer.fates:
            for call in waiting:
                if call.pending is None or (fate and faulty):
                    continue
                choice = Choice(call.number, fate)
                choices.append(choice)
                request = footprint(call.pending, explorer.keys)
                touched[choice] = NOTHING if fate == "!" else request
        views: dict[Choice, View] = {}
        for call in waiting:
            for number, view in enumerate(self._views(call), start=1):
                choice = Choice(call.number, stale=number)
                views[choice] = view
                touched[choice] = touched[Choice(call.number)]
        choices += views
        before = self._path[-1] if self._path else None
        asleep = before.asleep_after(before.taken) if before and before.taken else set[Choice]()
        known = {**(before.touched if before else {}), **touched}
        return _Node(choices, known, views, {choice for choice in asleep if choice in touched})


def _stranger(depth: int, choice: Choice) -> BadSchedule:
    return BadSchedule(
        f"at step {depth + 1} of the schedule, {choice} has no request to send: the calls are not "
        "the ones that it was made for"
    )


def _fresh(depth: int, choice: Choice) -> BadSchedule:
    return BadSchedule(
        f"at step {depth + 1} of the schedule, {choice} cannot be a stale read: replay it with the "
        "index_lag= and stale_reads= of the exploration that found it"
    )


def _backtrack(path: list[_Node]) -> bool:
    """Turn the path to the nearest choice that is not explored; whether there is one."""
    while path:
        node = path[-1]
        if node.taken is not None:
            node.explored.append(node.taken)
        node.taken = node.next()
        if node.taken is not None:
            return True
        path.pop()
    return False
