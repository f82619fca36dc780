"""The schedules: functions are called when they are due, by the clock of the run.

Each due time comes at most once. If the clock jumps, or nothing ran for a while, only the latest
due time comes: a handler sees the clock as it is, so that the others would find nothing to do.
A call that fails is repeated after one minute and after two more, as Lambda repeats asynchronous
calls; then its event is a dead letter.
"""

import heapq
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import count
from typing import Any, NamedTuple

import orjson

from sortkey.folders.queues import FolderQueue
from sortkey.local.cron import Times, times_of
from sortkey.local.events.scheduled import scheduled_event
from sortkey.local.functions import FunctionFailed, LocalFunction, Stopped
from sortkey.local.surroundings import Surroundings

_FILE = "schedules"
_LONGEST_PAUSE = 0.5
_RETRY_SECONDS = (60.0, 120.0)
_THREADS = 16


@dataclass
class PlannedCall:
    """A schedule of a function, with the latest due time at which it was called."""

    expression: str
    rule: str
    function: LocalFunction
    dead: FolderQueue
    times: Times = field(init=False)
    last: float = field(init=False)

    @property
    def key(self) -> str:
        """Its name in the state."""
        return f"{self.function.name} {self.expression}"


class _Again(NamedTuple):
    """A call that is to be repeated."""

    due: float
    number: int
    planned: PlannedCall
    event: dict[str, Any]
    tries: int


class Scheduler:
    """Calls functions when their schedules are due."""

    def __init__(self, schedules: Sequence[PlannedCall], *, around: Surroundings) -> None:
        """Continue where the last run with this state ended."""
        self._schedules = schedules
        self._state = around.state
        self._clock = around.clock
        self._log = around.log
        self._repeats: list[_Again] = []
        self._number = count()
        self._lock = threading.Lock()
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="schedules")
        known: dict[str, dict[str, float]] = self._state.read(_FILE) or {}
        now = self._clock()
        for one in schedules:
            kept = known.get(one.key, {"since": now, "last": now})
            one.times = times_of(one.expression, kept["since"])
            one.last = kept["last"]
            known[one.key] = kept
        self._known = {one.key: known[one.key] for one in schedules}
        if schedules:
            self._state.write(_FILE, self._known)

    def step(self) -> float:
        """Begin the calls that are due; return how long to wait."""
        now = self._clock()
        due = [(one, latest) for one in self._schedules if (latest := _due(one, now)) is not None]
        for one, latest in due:
            one.last = self._known[one.key]["last"] = latest
        if due:
            # Before the calls: after a crash, none comes a second time.
            self._state.write(_FILE, self._known)
        for one, latest in due:
            self._begin(one, scheduled_event(one.rule, latest), 0)
        for again in self._due_repeats(now):
            self._begin(again.planned, again.event, again.tries)
        return _LONGEST_PAUSE

    def next_times(self) -> list[tuple[PlannedCall, float | None]]:
        """Return when each schedule is due next."""
        return [(one, one.times.next_after(self._clock())) for one in self._schedules]

    def stop(self) -> None:
        """Begin no more calls."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _due_repeats(self, now: float) -> list[_Again]:
        with self._lock:
            found: list[_Again] = []
            while self._repeats and self._repeats[0].due <= now:
                found.append(heapq.heappop(self._repeats))
            return found

    def _begin(self, one: PlannedCall, event: dict[str, Any], tries: int) -> None:
        self._threads.submit(self._call, one, event, tries)

    def _call(self, one: PlannedCall, event: dict[str, Any], tries: int) -> None:
        try:
            one.function.invoke(event, f"{one.expression} of {event['time']}")
        except FunctionFailed as failure:
            self._again(one, event, tries, failure)
        except Stopped:
            pass

    def _again(
        self, one: PlannedCall, event: dict[str, Any], tries: int, failure: FunctionFailed
    ) -> None:
        if tries < len(_RETRY_SECONDS):
            pause = _RETRY_SECONDS[tries]
            again = _Again(self._clock() + pause, next(self._number), one, event, tries + 1)
            with self._lock:
                heapq.heappush(self._repeats, again)
            self._log.write(one.function.name, f"it is called again in {pause:g} seconds")
            return
        letter = {"event": event, "error": str(failure), "tries": tries + 1}
        one.dead.send([orjson.dumps(letter).decode()], self._clock())
        self._log.write(one.function.name, "it failed too often; its event is a dead letter")


def _due(one: PlannedCall, now: float) -> float | None:
    """Return the latest due time of a schedule, if it was not called for it yet."""
    latest = one.times.latest(now)
    return latest if latest is not None and latest > one.last else None
