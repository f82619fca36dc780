"""The weather of an engine: what happens to its requests beside what they ask for."""

import logging
import threading
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import chain, count
from time import perf_counter
from typing import Any

from sortkey.clock import Clock
from sortkey.engine.keys import RowKey
from sortkey.engine.named_tables import tables_in
from sortkey.engine.promptness import NotPrompt
from sortkey.engine.table import Rows, StoredIndex, StoredTable
from sortkey.engine.weather.changes import SlowChanges
from sortkey.engine.weather.faults import (
    ConnectionReset,
    FaultKind,
    Faults,
    LateReply,
    carry_out,
    delay,
    reply_or_error,
    shortened,
)
from sortkey.engine.weather.lag import WeatherLag
from sortkey.engine.weather.meters import Meters
from sortkey.engine.weather.ongoing import Ongoing, OngoingTransactions
from sortkey.engine.weather.scenario import Scenario
from sortkey.engine.weather.throttling import Demand, Excess, Throttle, arn_of, throttled
from sortkey.engine.weather.timeline import Timeline, WeatherEvent
from sortkey.wire.errors import (
    ServiceError,
    TransactionConflictException,
    TransactionInProgressException,
)
from sortkey.wire.services import ADMINISTRATIVE_OPERATIONS

_log = logging.getLogger(__name__)

CONFLICT = "Transaction is ongoing for the item"
_IN_PROGRESS = "The transaction with the given request token is already in progress."


class WantedSplit:
    """A partition to be split, which begins at a row of a table or an index."""

    __slots__ = ("demand", "first")

    def __init__(self, demand: Demand, first: RowKey) -> None:
        self.demand = demand
        self.first = first


class _Request(threading.local):
    """The request that the current thread carries out."""

    operation = ""
    number = 0
    is_short = False
    # The transaction that it has begun.
    began: Ongoing | None = None
    met: list[Demand]
    splits: list[WantedSplit]


class EngineWeather:
    """The weather of one engine, as its scenario has it."""

    def __init__(self, scenario: Scenario, clock: Clock) -> None:
        self.scenario = scenario
        self.timeline = Timeline()
        self.meters = Meters()
        self.changes = SlowChanges(scenario.change_seconds, clock)
        # None if no read lags, and nothing is recorded for it.
        self.lag = (
            WeatherLag(scenario.index_lag_seconds, scenario.stale_seconds, scenario.seed, clock)
            if scenario.index_lag_seconds or scenario.stale_seconds
            else None
        )
        self._clock = clock
        self._throttle = Throttle(scenario)
        self._faults = Faults(scenario.faults, scenario.seed)
        self._ongoing = OngoingTransactions(scenario.transaction_seconds, clock)
        # An engine beside an event loop shares the weather with the one in it.
        self._lock = threading.Lock()
        self._numbers = count(1)
        self._request = _Request()

    @contextmanager
    def request(self, operation: str, body: Any) -> Generator[list[WantedSplit]]:
        """Carry out a request in the ``with`` block; the value has the splits it calls for."""
        request = self._request
        request.operation, request.number = operation, next(self._numbers)
        request.met = []
        request.splits = []
        began = perf_counter()
        try:
            yield request.splits
        except NotPrompt:
            # It is repeated, and needs its units then.
            taken = [replace(each, units=-each.units) for each in request.met]
            with self._lock:
                self._throttle.meet(taken, self._clock())
            raise
        except ConnectionReset:
            self.meters.use(request.met, self._clock())
            raise
        except LateReply as late:
            if isinstance(late.outcome, ServiceError):
                self._count(operation, body, 0.0, late.outcome)
            else:
                self._count(operation, body, perf_counter() - began + late.seconds)
            raise
        except Exception as error:
            self._count(operation, body, 0.0, error)
            raise
        self._count(operation, body, perf_counter() - began)

    def _count(
        self, operation: str, body: Any, seconds: float, error: Exception | None = None
    ) -> None:
        """Let the meters record a request, and how long it took or how it failed."""
        now, met = self._clock(), self._request.met
        self.meters.use(met, now)
        tables = tables_in(body)
        if error is None:
            self.meters.succeed(
                operation, tables or [each.table.name for each in met], seconds, now
            )
        else:
            self.meters.fail(operation, tables, error, now)

    def disturb(self, operation: str, body: Any, answer: Callable[[Any], bytes]) -> bytes:
        """Return the reply to a request, or raise what its client gets instead.

        Raises:
            ConnectionReset: There is no response.
            LateReply: There is one, later, and this thread must not wait for it.
        """
        request = self._request
        request.began = None
        if operation in ADMINISTRATIVE_OPERATIONS:
            return answer(body)
        tables = tables_in(body)
        fate = self._faults.fate(operation, tables)
        is_short = request.is_short = fate.has("short-page")

        def note(kind: FaultKind) -> None:
            self._add(self._clock(), kind, _names(tables))

        def complete(body: Any) -> bytes:
            try:
                return answer(body)
            except BaseException:
                self._ongoing.end(request.began)
                request.began = None
                raise

        try:
            given = shortened(operation, body) if is_short else body
            outcome = carry_out(fate, given, complete, note)
        except NotPrompt:
            self._faults.take_back(fate)
            raise
        finally:
            request.is_short = False
        seconds = fate.seconds + (self._ongoing.seconds if request.began else 0.0)
        if seconds:
            delay(seconds, outcome, partial(self._ongoing.end, request.began))
        return reply_or_error(outcome)

    @property
    def ends_early(self) -> bool:
        """Whether the current request, a batch, ends after its first item."""
        return self._request.is_short

    def admit(self, demands: Sequence[Demand]) -> None:
        """Take the units that a request needs, or raise the error of one that cannot be served."""
        if self.conflict(demands):
            raise TransactionConflictException(CONFLICT)
        excesses = self.meet(demands)
        if excesses:
            raise throttled(excesses)

    def meet(self, demands: Sequence[Demand]) -> list[Excess]:
        """Take the units that are needed together, or return why they cannot be."""
        if not self.scenario.throttling:
            self._request.met += demands
            return []
        return list(chain.from_iterable(self.meet_together([demands])))

    def conflict(self, demands: Iterable[Demand], *, also_reads: bool = False) -> bool:
        """Return whether a transaction holds an item that is written, or also one that is read."""
        for each in demands:
            concerned = each.index is None and (each.kind == "Write" or also_reads)
            if concerned and self._ongoing.holds((each.number, each.key)):
                now = self._clock()
                self._add(now, "TransactionConflict", each.arn)
                self.meters.conflict(each.table.name, now)
                return True
        return False

    def begin_transaction(self, demands: Iterable[Demand], token: str | None) -> None:
        """Hold the items of a transaction, and its token, until its response is sent."""
        items = ((each.number, each.key) for each in demands if each.index is None)
        self._request.began = self._ongoing.begin([*items, *([token] if token else [])])

    def refuse_unfinished(self, token: str, tables: Iterable[str]) -> None:
        """Reject a transaction in these tables with a token whose transaction is not complete."""
        if self._ongoing.holds(token):
            self._add(self._clock(), "TransactionInProgress", _names(tables))
            raise TransactionInProgressException(_IN_PROGRESS)

    def meet_together(self, demands: Sequence[Sequence[Demand]]) -> list[list[Excess]]:
        """Take all units, or none and return for each part of the request why it cannot be met."""
        if not self.scenario.throttling:
            self._request.met += chain.from_iterable(demands)
            return []
        now = self._clock()
        met = list(chain.from_iterable(demands))
        with self._lock:
            excesses = [self._throttle.excesses(part, now) for part in demands]
            if any(excesses):
                for part in excesses:
                    self._report(part, now)
                return excesses
            self._throttle.meet(met, now)
        self._request.met += met
        return []

    def fail_part(self, table: str, error: ServiceError) -> None:
        """Record an action of the current request that failed, while others may succeed."""
        self.meters.fail_part(table, error, self._clock())

    def forget(self, rows: Iterable[Rows]) -> None:
        """Forget the heat of tables and indexes that are deleted."""
        with self._lock:
            self._throttle.forget(each.number for each in rows)

    def _report(self, excesses: Sequence[Excess], now: float) -> None:
        request = self._request
        self.meters.throttled(excesses, now)
        for reason, arn in dict.fromkeys((each.reason, each.demand.arn) for each in excesses):
            self._add(now, reason, arn)
        for excess in excesses:
            if excess.cause == "KeyRangeThroughput":
                first = self._throttle.heat(excess.demand, now).throttled(excess.demand.key, now)
                if first is not None:
                    request.splits.append(WantedSplit(excess.demand, first))

    def split(self, wanted: WantedSplit) -> None:
        """Split a partition."""
        now = self._clock()
        with self._lock:
            self._throttle.split(wanted.demand, wanted.first, now)
        self._add(now, "PartitionSplit", wanted.demand.arn)

    def note_lag(self, behind: Iterable[tuple[StoredTable, StoredIndex | None]]) -> None:
        """Note the tables and indexes of which the current request saw an earlier state."""
        for table, index in behind:
            what = "stale-read" if index is None else "index-lag"
            self._add(self._clock(), what, arn_of(table, index))

    def _add(self, now: float, what: str, resource: str) -> None:
        request = self._request
        self.timeline.add(WeatherEvent(now, request.number, request.operation, what, resource))
        place = f" of {resource}" if resource else ""
        _log.info("%s%s: %s", request.operation, place, what)


def _names(tables: Iterable[str]) -> str:
    return ", ".join(sorted({*tables}))
