"""Requests that cannot be answered at once, so that no request waits for another client's.

A request that takes long is answered beside the event loop, in a thread. A write that finds the
file locked by another process waits here for its own time, while reads and others go on.
"""

import logging
import time
from asyncio import AbstractEventLoop, TimerHandle
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from heapq import heappop, heappush
from itertools import count
from threading import Lock
from typing import Any, NamedTuple

from sortkey.engine.promptness import NotPrompt, TakesLong, calls_beside
from sortkey.engine.storage import LOCK_WAIT_SECONDS
from sortkey.engine.weather import ConnectionReset
from sortkey.errors import SortkeyError
from sortkey.server.backend import Backend
from sortkey.server.door import Door, RawRequest
from sortkey.server.turn import Turn

_log = logging.getLogger(__name__)

# They share the processor with the event loop. Very long requests leave some free for the others:
# each may be a body of 16 MB, which takes half a gigabyte while it is read.
_THREADS = 4
_VERY_LONG_AT_ONCE = 2
_VERY_LONG_STEPS = 100_000
_LOCK_PAUSE_SECONDS = 0.005


class _LongRequest(NamedTuple):
    """A request that waits for a thread; shorter ones come first, then earlier ones."""

    steps: int
    number: int
    work: Callable[[], Any]
    done: Callable[[Any], None]


class _LockedOut(NamedTuple):
    """A request that waits for the lock of the file."""

    until: float
    again: Callable[[], None]
    give_up: Callable[[], None]


class Later:
    """Answers the requests of one event loop that cannot be answered at once."""

    def __init__(
        self,
        loop: AbstractEventLoop,
        engine: Backend,
        turn: Turn,
        door: Callable[[Backend], Door],
    ) -> None:
        """Use a ``door`` to an engine of its own for long requests, made when one arrives."""
        self._loop = loop
        self._engine = engine
        self._turn = turn
        self._make_door = door
        self._threads = ThreadPoolExecutor(_THREADS + 1, thread_name_prefix="beside-the-loop")
        self._opening = Lock()
        self._beside: tuple[Backend, Door] | None = None
        self._number = count()
        self._queued: list[_LongRequest] = []
        self._under_way: dict[Future[Any], bool] = {}
        self._locked_out: deque[_LockedOut] = deque()
        self._timer: TimerHandle | None = None
        self._is_stopped = False

    @property
    def is_idle(self) -> bool:
        """Whether no thread is at work."""
        return not self._under_way

    def refresh_date(self) -> None:
        """Update the Date header of replies from threads."""
        if self._beside is not None:
            self._beside[1].refresh_date()

    def answer(
        self,
        reason: NotPrompt,
        request: RawRequest,
        *,
        again: Callable[[], None],
        done: Callable[[bytes | ConnectionReset | None], None],
    ) -> None:
        """Answer a request later: call ``again`` when it can be tried, or ``done`` with the reply.

        The reply is None if the request had to be given up.
        """
        if self._is_stopped:
            self._loop.call_soon(done, None)
        elif isinstance(reason, TakesLong):
            work = partial(self._respond, request)
            queue = partial(self._queue, _LongRequest(reason.steps, next(self._number), work, done))
            if self._engine.writing:
                # What the client has written before must be there for a thread too.
                self._turn.demand_flush()
                self._loop.call_soon(queue)
            else:
                queue()
        else:
            until = time.monotonic() + LOCK_WAIT_SECONDS
            self._locked_out.append(_LockedOut(until, again, partial(done, None)))
            self._await_lock()

    def tend(self, done: Callable[[bool | None], None]) -> None:
        """Do a piece of the engine's upkeep that takes long, in a thread of its own."""
        self._start(self._tend, done, is_very_long=False)

    def stop(self) -> None:
        """Give up the requests that wait for a lock or a thread, and begin no other."""
        self._is_stopped = True
        if self._timer is not None:
            self._timer.cancel()
        while self._locked_out:
            self._locked_out.popleft().give_up()
        while self._queued:
            heappop(self._queued).done(None)

    def close(self) -> None:
        """Wait for the threads, and release what they use."""
        if self._beside is not None and self._beside[0] is not self._engine:
            self._beside[0].close()
        self._threads.shutdown(wait=True)

    # -- beside the event loop ------------------------------------------------------------------

    def _queue(self, request: _LongRequest) -> None:
        heappush(self._queued, request)
        self._start_next()

    def _start_next(self) -> None:
        """Start the shortest request, unless all threads that it may use are busy."""
        while self._queued and len(self._under_way) < _THREADS:
            is_very_long = self._queued[0].steps > _VERY_LONG_STEPS
            if is_very_long and sum(self._under_way.values()) >= _VERY_LONG_AT_ONCE:
                return
            request = heappop(self._queued)
            self._start(request.work, request.done, is_very_long=is_very_long)

    def _start(
        self, work: Callable[[], Any], done: Callable[[Any], None], *, is_very_long: bool
    ) -> None:
        future = self._threads.submit(self._work, work)
        self._under_way[future] = is_very_long
        future.add_done_callback(
            lambda future: self._loop.call_soon_threadsafe(self._end, future, done)
        )

    @staticmethod
    def _work(work: Callable[[], Any]) -> Any:
        with calls_beside():
            return work()

    def _respond(self, request: RawRequest) -> bytes:
        return self._own()[1].respond(*request)

    def _tend(self) -> bool:
        return self._own()[0].tend()

    def _own(self) -> tuple[Backend, Door]:
        """Return the engine and the door of the threads."""
        with self._opening:
            if self._beside is None:
                engine = self._engine.beside()
                self._beside = engine, self._make_door(engine)
            return self._beside

    def _end(self, future: Future[Any], done: Callable[[Any], None]) -> None:
        del self._under_way[future]
        error = future.exception()
        if error is None:
            done(future.result())
        elif isinstance(error, ConnectionReset):
            done(error)
        else:
            known = isinstance(error, SortkeyError)
            _log.error("Work in a thread failed: %s", error, exc_info=None if known else error)
            done(None)
        self._start_next()

    # -- behind a lock --------------------------------------------------------------------------

    def _await_lock(self) -> None:
        if self._timer is None:
            self._timer = self._loop.call_later(_LOCK_PAUSE_SECONDS, self._try_lock)

    def _try_lock(self) -> None:
        self._timer = None
        now = time.monotonic()
        while self._locked_out and self._locked_out[0].until <= now:
            _log.error(
                "A write waited %.0f seconds for the database file, which another process has "
                "locked: end its transaction",
                LOCK_WAIT_SECONDS,
            )
            self._locked_out.popleft().give_up()
        if self._locked_out and self._can_write():
            waiting, self._locked_out = self._locked_out, deque()
            for each in waiting:
                each.again()
            self._turn.demand_flush()
        if self._locked_out:
            self._await_lock()

    def _can_write(self) -> bool:
        try:
            return self._engine.can_write()
        except Exception:  # noqa: BLE001 - each request learns of it when it is tried
            _log.exception("The file cannot be locked")
            return True
