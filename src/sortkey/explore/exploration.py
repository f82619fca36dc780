"""Exploration of races: run two or three calls in every order of their requests.

Each schedule starts from the same image of the database, and only one call runs at a time, so it is
deterministic and can be repeated. Schedules that differ only in the order of independent requests
are run once (sleep sets). Crashes, lost responses and stale reads are part of schedules too.
"""

import inspect
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, TypeAlias

from sortkey.access.async_db import AsyncDB
from sortkey.access.db import DB
from sortkey.access.transports.embedded import AsyncEmbeddedTransport, EmbeddedTransport
from sortkey.access.transports.transport import TransportError
from sortkey.clock import clock, now
from sortkey.design.declaring.invariant import Invariant
from sortkey.engine import Engine
from sortkey.engine.lag import Lagging
from sortkey.errors import Refused, SortkeyError
from sortkey.explore.awaiting import finished
from sortkey.explore.calls import AsyncHoldingTransport, Event, HoldingTransport, ThreadedCall
from sortkey.explore.footprint import NOTHING, Footprint, footprint, place_of, touched_items
from sortkey.explore.invariants import broken, declared_for
from sortkey.explore.lag import PRESENT, ExploredView, History
from sortkey.explore.outcome import Outcome
from sortkey.explore.schedule import (
    BadSchedule,
    Choice,
    Fate,
    Schedule,
    Weight,
    is_simpler,
    read_schedule,
    weight,
    write_schedule,
)
from sortkey.explore.story import story_of
from sortkey.wire.messages import Request
from sortkey.wording.prose import counted

MOST_CALLS = 26
MOST_SCHEDULES = 10_000
BROKEN = "the invariant does not hold"


class ExplorationFailed(SortkeyError, AssertionError):  # noqa: N818 - says what happened
    """A schedule broke an invariant; ``schedule`` is the simplest one that was found.

    ``fault`` says what is wrong, and ``story`` lists the requests and outcomes. ``requests`` has
    the requests that reached the database, each with the name of its call.
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
    """The number of explored schedules, and the different outcomes of the calls."""

    schedules: int
    endings: tuple[tuple[str, ...], ...]

    def __repr__(self) -> str:
        schedules, endings = (
            counted(self.schedules, "schedule"),
            counted(len(self.endings), "ending"),
        )
        return f"<Exploration: {schedules}, {endings}>"

    def __str__(self) -> str:
        """Return the numbers, and each ending in a line with the outcome of each call."""
        return "\n".join((repr(self), *(f"  {', '.join(ending)}" for ending in self.endings)))


def explore(
    *calls: Callable[[], Any],
    db: DB | AsyncDB,
    invariant: Callable[..., object] | None = None,
    declared: bool = True,
    then: Callable[[], object] | None = None,
    errors: tuple[type[BaseException], ...] = (SortkeyError,),
    crashes: bool = True,
    lost_responses: bool = True,
    index_lag: bool = False,
    stale_reads: bool = False,
    faults: int = 1,
    replay: str | None = None,
    most: int = MOST_SCHEDULES,
    sample: int | None = None,
    seed: int = 0,
) -> Exploration:
    """Run the calls in every order of their requests, and check the invariants after each.

    ``invariant`` is called with the outcomes of the calls, or without arguments if it has no
    parameters; it fails by an AssertionError, by an error of sortkey, or by returning False. The
    invariants that the design declares are checked too, unless ``declared`` is False. ``then`` runs
    before the checks, as a later caller would. A call may raise one of ``errors``, or a
    `TransportError` if its response is lost; any other error is a failure. One schedule has at most
    ``faults`` crashes and lost responses. With ``index_lag``, a read of a global index may miss any
    of the schedule's writes; with ``stale_reads``, so may an eventually consistent read of a table.
    ``replay`` runs one schedule only. ``most`` is the largest number of schedules to run; if there
    are too many, ``sample`` runs so many random ones instead, which ``seed`` determines.
    """
    __tracebackhide__ = True  # pytest then shows the failure at the line of the test
    if not 1 <= len(calls) <= MOST_CALLS:
        raise Refused(f"explore() takes 1 to {MOST_CALLS} calls, not {len(calls)}")
    if sample is not None and sample < 1:
        raise Refused(f"sample={sample} explores no schedule")
    crashed: tuple[Fate, ...] = ("!", "+") if crashes else ()
    lost: tuple[Fate, ...] = ("?",) if lost_responses else ()
    fates: tuple[Fate, ...] = ("", *crashed, *lost)
    lagging = Lagging(index_lag, stale_reads, frozenset(_local_indexes(db)))
    invariants = declared_for(db) if declared else []
    if invariant is None and not invariants:
        raise Refused(
            "explore() has nothing to check: pass invariant=, or declare an @invariant in the "
            "design"
        )
    if already := broken(db, invariants):
        raise Refused(
            f"an invariant is broken before the first call: {already}. Use the design's own writes "
            "to store the initial records, or skip its invariants with declared=False"
        )
    with _holding(db) as (engine, keys):
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
            sample,
            seed,
        )
        if replay is not None:
            return explorer.replay(read_schedule(replay))
        return explorer.explore()


def _checks(
    db: DB | AsyncDB, own: Callable[..., object] | None, declared: Sequence[Invariant[...]]
) -> Callable[[Sequence[Outcome]], object]:
    """Combine the exploration's own invariant and the declared ones into one check."""
    takes = bool(own and inspect.signature(own).parameters)

    def check(outcomes: Sequence[Outcome]) -> object:
        if own is not None and finished(own(outcomes) if takes else own()) is False:
            return False
        if fault := broken(db, declared):
            raise AssertionError(fault)  # a check fails by raising it
        return True

    return check


@contextmanager
def _holding(db: DB | AsyncDB) -> Generator[tuple[Engine, dict[str, tuple[str, ...]]]]:
    """Hold the database's requests; return its engine and the keys of its tables."""
    carrier, retries = db._transport, db._retries
    blocking = carrier.blocking if isinstance(carrier, AsyncEmbeddedTransport) else carrier
    if not isinstance(blocking, EmbeddedTransport) or not blocking.in_memory:
        raise Refused(
            "explore() needs a database in memory, which can return to its initial state; this one "
            f"is {db._target.shown}"
        )
    if blocking.engine.weather is not None:
        raise Refused(
            "explore() needs a database without weather, where a schedule always has the same "
            "results; it tries crashes and lost responses itself"
        )
    keys = {
        table.name_in(db._context.environment): tuple(a.name for a in table.primary.attributes)
        for table in db._tables
    }
    db._retries = replace(retries, random=lambda: 0.0)
    with ExitStack() as stack:
        stack.callback(setattr, db, "_transport", carrier)
        stack.callback(setattr, db, "_retries", retries)
        if isinstance(db, AsyncDB):
            finished(db.ready())
            db._transport = AsyncHoldingTransport(db._transport, blocking)
        else:
            stack.callback(setattr, db, "_in_turn", db._in_turn)
            db._in_turn = True
            db._transport = HoldingTransport(blocking)
        yield blocking.engine, keys


def _local_indexes(db: DB | AsyncDB) -> Iterator[tuple[str, str]]:
    """Yield the local indexes of the database, each after the name of its table."""
    for table in db._tables:
        for index in table.indexes.values():
            if index.kind == "local":
                yield table.name_in(db._context.environment), index.name


# An operation, and for each of its items when the schedule named it first; None if never before.
_Form: TypeAlias = tuple[str, tuple[int | None, ...]]


@dataclass(slots=True)
class _Node:
    """A state in which calls wait: the calls that can continue, and those already explored."""

    choices: list[Choice]
    touched: dict[Choice, Footprint]
    views: dict[Choice, ExploredView]
    asleep: set[Choice]
    faults_left: int
    # The crashes after which the requests and stale reads of all other calls are known.
    foreseen: tuple[Fate, ...]
    # The form of each call's request, which must be the same whenever the schedule begins so.
    forms: dict[int, "_Form"]
    taken: Choice | None = None
    explored: list[Choice] = field(default_factory=list[Choice])

    def next(self) -> Choice | None:
        """Return a choice that is not explored yet, nor equivalent to one that is."""
        for choice in self.choices:
            if choice in self.asleep or choice in self.explored:
                continue
            if not self._is_covered(choice):
                return choice
            self.explored.append(choice)
        return None

    def _is_covered(self, choice: Choice) -> bool:
        """Return whether all that can follow a crash is explored, so that it need not be run."""
        if choice.fate not in self.foreseen:
            return False
        following = [
            other
            for other in self.choices
            if other.call != choice.call and not (other.is_fault and self.faults_left == 1)
        ]
        return bool(following) and self.asleep_after(choice).issuperset(following)

    def any(self, random: Random) -> Choice | None:
        """Return a random choice: a fault is rare, so that it may come late in a schedule."""
        if not self.choices:
            return None
        weights = [1 if each.is_fault else 4 if each.stale else 8 for each in self.choices]
        return random.choices(self.choices, weights)[0]

    def asleep_after(self, choice: Choice) -> set[Choice]:
        """Return the choices to skip next, because their order with this one does not matter."""
        return {
            other
            for other in {*self.asleep, *self.explored}
            if other.call != choice.call and not self.touched[other].conflicts(self.touched[choice])
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
    sample: int | None
    seed: int
    # After a failure, only simpler schedules are worth running.
    limit: Weight | None = None

    def explore(self) -> Exploration:
        """Run every schedule, or a sample of them, and raise the simplest failure."""
        __tracebackhide__ = True
        image, began = self.engine.image(), now()
        schedules: set[Schedule] = set()
        endings: dict[tuple[str, ...], None] = {}
        worst: tuple[_Run, str, str] | None = None
        runs = self._every_run() if self.sample is None else self._random_runs(self.sample)
        for run in runs:
            try:
                with clock(lambda: began):
                    complete = run.go()
                    if complete:
                        schedules.add(run.schedule)
                        endings[tuple(map(str, run.outcomes))] = None
                        if fault := self._judge(run.outcomes):
                            worst = run, fault, self._story(run)
                            self.limit = weight(run.schedule)
            finally:
                self.engine.load(image)
            if len(schedules) > self.most:
                raise Refused(
                    f"there are more than {self.most:,} schedules: explore shorter calls or fewer "
                    "faults, raise most=, or explore a sample="
                )
        if worst is not None:
            run, fault, story = worst
            schedule = write_schedule(run.schedule)
            advice = (
                f"This is the simplest failing schedule of {len(schedules)} explored.\n"
                f'Run it alone with replay="{schedule}".'
            )
            raise ExplorationFailed(fault, story, schedule, run.requests, advice)
        return Exploration(len(schedules), tuple(endings))

    def _every_run(self) -> Iterator["_Run"]:
        path: list[_Node] = []
        yield _Run(self, path)
        while _backtrack(path, self.limit):
            yield _Run(self, path, self.limit)

    def _random_runs(self, count: int) -> Iterator["_Run"]:
        random = Random(self.seed)  # noqa: S311 - no secret
        for _ in range(count):
            yield _Run(self, [], self.limit, random=random)

    def replay(self, schedule: Schedule) -> Exploration:
        """Run one schedule, and raise its failure."""
        __tracebackhide__ = True
        image, began = self.engine.image(), now()
        run = _Run(self, [], forced=schedule)
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
        """Return the fault of a schedule's ending, or None."""
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
        """Return whether a call may raise this error; an AssertionError is always a failure."""
        return isinstance(error, self.errors) and not isinstance(error, AssertionError)

    def _story(self, run: "_Run") -> str:
        return story_of(run.events, run.outcomes, self.keys)


class _Run:
    """The run of one schedule: first along the path, then along new choices."""

    def __init__(
        self,
        explorer: _Explorer,
        path: list[_Node],
        limit: Weight | None = None,
        forced: Schedule | None = None,
        random: Random | None = None,
    ) -> None:
        self.events: list[Event] = []
        self.schedule: Schedule = ()
        self._explorer = explorer
        self._path = path
        self._forced = forced
        self._random = random
        self._limit = limit
        self._history = History(explorer.engine, explorer.keys, explorer.lagging)
        self._calls = [
            ThreadedCall(n, run, self.events, self._history) for n, run in enumerate(explorer.calls)
        ]

    @property
    def outcomes(self) -> list[Outcome]:
        """The outcome of each call."""
        return [call.outcome for call in self._calls if call.outcome is not None]

    @property
    def requests(self) -> list[tuple[str, Request]]:
        """The requests that reached the database, each with the name of its call."""
        reached = [event for event in self.events if event.fate != "!"]
        return [(self._calls[event.call].name, event.request) for event in reached]

    def go(self) -> bool:
        """Run to the end; return False if the schedule is not new, or not below the limit."""
        for call in self._calls:
            call.start()
        depth = 0
        while any(call.outcome is None for call in self._calls):
            try:
                choice, view = self._choose(depth)
            except SortkeyError:
                self._abandon()
                raise
            if choice is None or not is_simpler((*self.schedule, choice), self._limit):
                self._abandon()
                return False
            self.schedule = (*self.schedule, choice)
            self._calls[choice.call].resume(choice.fate, view)
            depth += 1
        if self._forced is not None and depth < len(self._forced):
            raise _nothing_to_send(depth, self._forced[depth])
        if depth < len(self._path):
            self._repeat(depth, self._path[depth])  # raises, since every call has ended
        return True

    def _abandon(self) -> None:
        for call in self._calls:
            call.abandon()

    def _choose(self, depth: int) -> tuple[Choice | None, ExploredView]:
        """Return the call that continues, and the view of its request if it is a read."""
        if self._forced is not None:
            return self._force(depth)
        if depth == len(self._path):
            node = self._node()
            node.taken = node.next() if self._random is None else node.any(self._random)
            self._path.append(node)
            return node.taken, node.views.get(node.taken, PRESENT) if node.taken else PRESENT
        return self._repeat(depth, self._path[depth])

    def _repeat(self, depth: int, node: _Node) -> tuple[Choice | None, ExploredView]:
        """Return the choice that the path has taken; keys may have other random ids this time."""
        forms, choice = self._forms(), node.taken
        for number, form in node.forms.items():
            if forms.get(number) != form:
                raise _not_repeatable(depth, number, form, forms.get(number))
        if choice is None or not choice.stale or self._history.has(node.views[choice]):
            return choice, node.views.get(choice, PRESENT) if choice else PRESENT
        views = self._views(self._calls[choice.call])
        if len(views) < choice.stale:
            raise _not_repeatable(depth, choice.call, forms[choice.call], forms[choice.call])
        return choice, views[choice.stale - 1]

    def _forms(self) -> dict[int, _Form]:
        return {call.number: self._form(call.pending) for call in self._calls if call.pending}

    def _form(self, request: Request) -> _Form:
        """Return the form of a pending request, which does not depend on random ids."""
        if not self._explorer.lagging:
            return request.operation, ()
        keys = self._explorer.keys
        named = dict.fromkeys(
            place_of(table, key, keys)
            for event in self.events
            for table, key in touched_items(event.request, keys)
        )
        numbers = {place: number for number, place in enumerate(named)}
        items = [
            numbers.get(place_of(table, key, keys)) for table, key in touched_items(request, keys)
        ]
        return request.operation, tuple(items)

    def _force(self, depth: int) -> tuple[Choice, ExploredView]:
        waiting = [call.number for call in self._calls if call.outcome is None]
        if self._forced is None or depth >= len(self._forced):
            return Choice(waiting[0]), PRESENT
        choice = self._forced[depth]
        if choice.call not in waiting:
            raise _nothing_to_send(depth, choice)
        if not choice.stale:
            return choice, PRESENT
        views = self._views(self._calls[choice.call])
        if len(views) < choice.stale:
            raise _not_stale(depth, choice)
        return choice, views[choice.stale - 1]

    def _views(self, call: ThreadedCall) -> list[ExploredView]:
        """Return the stale views that the call's pending request may see."""
        return self._history.views(call.pending, call.since) if call.pending else []

    def _node(self) -> _Node:
        explorer = self._explorer
        faults_left = explorer.faults - sum(choice.is_fault for choice in self.schedule)
        last = self.schedule[-1].call if self.schedule else 0
        # The call that ran last comes first, so that schedules with few switches come first.
        waiting = sorted(
            (call for call in self._calls if call.outcome is None),
            key=lambda call: (call.number != last, call.number),
        )
        choices: list[Choice] = []
        touched: dict[Choice, Footprint] = {}
        for fate in explorer.fates:
            for call in waiting:
                if call.pending is None or (fate and faults_left <= 0):
                    continue
                choice = Choice(call.number, fate)
                choices.append(choice)
                request = footprint(call.pending, explorer.keys)
                touched[choice] = NOTHING if fate == "!" else request
        views: dict[Choice, ExploredView] = {}
        for call in waiting:
            for number, view in enumerate(self._views(call), start=1):
                choice = Choice(call.number, stale=number)
                views[choice] = view
                touched[choice] = touched[Choice(call.number)]
        choices += views
        before = self._path[-1] if self._path else None
        asleep = before.asleep_after(before.taken) if before and before.taken else set[Choice]()
        known = {**(before.touched if before else {}), **touched}
        asleep = {choice for choice in asleep if choice in touched}
        # A write may cause new stale reads.
        foreseen: tuple[Fate, ...] = ("!",) if explorer.lagging else ("!", "+")
        return _Node(choices, known, views, asleep, faults_left, foreseen, self._forms())


def _nothing_to_send(depth: int, choice: Choice) -> BadSchedule:
    return BadSchedule(
        f"at step {depth + 1} of the schedule, {choice} has no request to send: the schedule was "
        "made for other calls"
    )


def _not_repeatable(depth: int, call: int, before: _Form, form: _Form | None) -> Refused:
    if form is None:
        difference = f"sent {before[0]} before, and has now ended"
    elif form[0] != before[0]:
        difference = f"sent {before[0]} before, and now sends {form[0]}"
    else:
        difference = f"sends {form[0]} as before, but its items or what it can miss differ"
    return Refused(
        f"the calls are not repeatable: at step {depth + 1} of the same schedule, call "
        f"{chr(ord('A') + call)} {difference}. Give records fixed ids instead of random ones, and "
        "seed what is random; or explore a sample=, which repeats no schedule"
    )


def _not_stale(depth: int, choice: Choice) -> BadSchedule:
    return BadSchedule(
        f"at step {depth + 1} of the schedule, {choice} cannot be a stale read: replay it with the "
        "index_lag= and stale_reads= of the exploration that found it"
    )


def _backtrack(path: list[_Node], limit: Weight | None) -> bool:
    """Move the path to the nearest unexplored choice below the limit; return if there is one."""
    while path:
        node = path[-1]
        if node.taken is not None:
            node.explored.append(node.taken)
        node.taken = node.next()
        if node.taken is None:
            path.pop()
        elif is_simpler([node.taken for node in path if node.taken], limit):
            return True
    return False
