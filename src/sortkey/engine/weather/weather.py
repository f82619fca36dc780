"""The weather of an engine: what happens to its requests beside what they ask for."""

import logging
import threading
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain, count
from typing import Any

from sortkey.clock import Clock
from sortkey.engine.keys import RowKey
from sortkey.engine.promptness import NotPrompt
from sortkey.engine.weather.faults import FaultKind, Faults, carry_out, shortened, tables_in
from sortkey.engine.weather.scenario import Scenario
from sortkey.engine.weather.throttling import Demand, Excess, Throttle, throttled
from sortkey.engine.weather.timeline import Timeline, WeatherEvent
from sortkey.wire.services import ADMINISTRATIVE_OPERATIONS

_log = logging.getLogger(__name__)


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
    met: list[Demand]
    splits: list[WantedSplit]


class EngineWeather:
    """The weather of one engine, as its scenario has it."""

    def __init__(self, scenario: Scenario, clock: Clock) -> None:
        self.scenario = scenario
        self.timeline = Timeline()
        self._clock = clock
        self._throttle = Throttle(scenario)
        self._faults = Faults(scenario.faults, scenario.seed)
        self._numbers = count(1)
        self._request = _Request()

    @contextmanager
    def request(self, operation: str) -> Generator[list[WantedSplit]]:
        """Carry out a request in the ``with`` block; the value has the splits it calls for."""
        request = self._request
        request.operation, request.number = operation, next(self._numbers)
        request.met = []
        request.splits = []
        try:
            yield request.splits
        except NotPrompt:
            # It is repeated, and needs its units then.
            now = self._clock()
            self._throttle.meet([replace(each, units=-each.units) for each in request.met], now)
            raise

    def disturb(self, operation: str, body: Any, answer: Callable[[Any], bytes]) -> bytes:
        """Return the reply to a request, or raise what its client gets instead."""
        if not self.scenario.faults or operation in ADMINISTRATIVE_OPERATIONS:
            return answer(body)
        tables = tables_in(body)
        fate = self._faults.fate(operation, tables)
        is_short = self._request.is_short = fate.has("short-page")

        def note(kind: FaultKind) -> None:
            self._add(self._clock(), kind, ", ".join(sorted(tables)))

        try:
            return carry_out(fate, shortened(operation, body) if is_short else body, answer, note)
        except NotPrompt:
            self._faults.take_back(fate)
            raise
        finally:
            self._request.is_short = False

    @property
    def ends_early(self) -> bool:
        """Whether the current request, a batch, ends after its first item."""
        return self._request.is_short

    def admit(self, demands: Sequence[Demand]) -> None:
        """Take the units that a request needs, or raise the error of one that is throttled."""
        excesses = self.meet(demands)
        if excesses:
            raise throttled(excesses)

    def meet(self, demands: Sequence[Demand]) -> list[Excess]:
        """Take the units that are needed together, or return why they cannot be."""
        if not self.scenario.throttling:
            return []
        now = self._clock()
        excesses = self._throttle.excesses(demands, now)
        if excesses:
            self._report(excesses, now)
            return excesses
        self._throttle.meet(demands, now)
        self._request.met += demands
        return []

    def meet_together(self, demands: Sequence[Sequence[Demand]]) -> list[list[Excess]]:
        """Take all units, or none and return for each part of the request why it cannot be met."""
        if not self.scenario.throttling:
            return []
        now = self._clock()
        excesses = [self._throttle.excesses(part, now) for part in demands]
        if any(excesses):
            self._report(chain.from_iterable(excesses), now)
            return excesses
        met = list(chain.from_iterable(demands))
        self._throttle.meet(met, now)
        self._request.met += met
        return []

    def _report(self, excesses: Iterable[Excess], now: float) -> None:
        request = self._request
        for excess in excesses:
            self._add(now, excess.reason, excess.demand.arn)
            if excess.cause == "KeyRangeThroughput":
                first = self._throttle.heat(excess.demand, now).throttled(excess.demand.key, now)
                if first is not None:
                    request.splits.append(WantedSplit(excess.demand, first))

    def split(self, wanted: WantedSplit) -> None:
        """Split a partition."""
        now = self._clock()
        self._throttle.split(wanted.demand, wanted.first, now)
        self._add(now, "PartitionSplit", wanted.demand.arn)

    def _add(self, now: float, what: str, resource: str) -> None:
        request = self._request
        self.timeline.add(WeatherEvent(now, request.number, request.operation, what, resource))
        _log.info("%s of %s: %s", request.operation, resource, what)
