"""A worker: one event loop with its own engine, which serves a listening socket."""

import asyncio
import contextlib
import gc
import logging
import signal
import sys
import threading
import time
from asyncio import AbstractEventLoop
from collections.abc import Callable
from dataclasses import dataclass
from socket import socket

from sortkey.engine.promptness import IsLocked, TakesLong, prompt_calls
from sortkey.server.backend import Backend
from sortkey.server.callers import Callers
from sortkey.server.connections import OpenConnections, Patience
from sortkey.server.descriptors import most_connections
from sortkey.server.door import Door
from sortkey.server.later import Later
from sortkey.server.protocol import Connection
from sortkey.server.sharing import ConnectionCounts, FairListener
from sortkey.server.signing import KeyPair
from sortkey.server.turn import Turn

_log = logging.getLogger(__name__)

_UPKEEP_SECONDS = 0.5
_SHORTEST_PAUSE_SECONDS = 0.001
_STOP_STEPS = 500
_STOP_STEP_SECONDS = 0.01
_BACKLOG = 1024
_COLLECTOR_THRESHOLDS = (1000, 10, 10_000)
_COLLECTION_SECONDS = 30.0
_SWITCH_SECONDS = 0.001


def new_event_loop() -> AbstractEventLoop:
    """Return the fastest event loop that is installed."""
    if sys.platform != "win32":
        try:
            import uvloop  # noqa: PLC0415 - the extra "serve"

            return uvloop.new_event_loop()
        except ImportError:
            pass
    return asyncio.new_event_loop()


@dataclass(frozen=True, slots=True)
class WorkerPlace:
    """A worker's place among all.

    The lifeline is a file descriptor that becomes readable when the parent process is gone.
    """

    number: int
    loads: ConnectionCounts
    lifeline: int | None = None


class Worker:
    """Serves one engine; on a signal it answers the open requests and stops."""

    def __init__(
        self,
        engine: Backend,
        *,
        keys: KeyPair | None = None,
        callers: Callers = Callers(),  # noqa: B008 - it cannot change
        patience: Patience = Patience(),  # noqa: B008 - it cannot change
    ) -> None:
        self._engine = engine
        self._keys = keys
        self._callers = callers
        self._patience = patience

    def run(
        self,
        listener: socket,
        *,
        ready: Callable[[], None] = lambda: None,
        crew: WorkerPlace | None = None,
    ) -> None:
        """Serve until SIGTERM, Ctrl-C or the end of the lifeline, then close the engine.

        In another thread than the main one, there are no signals, and only the lifeline ends it.
        """
        # Objects loaded by now stay, so the collector need not examine them. Later it examines all
        # others between requests, not in the middle of one with millions of values.
        gc.freeze()
        gc.set_threshold(*_COLLECTOR_THRESHOLDS)
        # Threads beside the event loop give way to it soon.
        sys.setswitchinterval(_SWITCH_SECONDS)
        with (
            prompt_calls(),
            # Windows, where Ctrl-C cannot be handled otherwise: it has cancelled the server.
            contextlib.suppress(KeyboardInterrupt),
            asyncio.Runner(loop_factory=new_event_loop) as runner,
        ):
            runner.run(
                self._serve(listener, ready, crew or WorkerPlace(0, ConnectionCounts(workers=1)))
            )

    async def _serve(self, listener: socket, ready: Callable[[], None], crew: WorkerPlace) -> None:
        loop = asyncio.get_running_loop()
        stopped = asyncio.Event()
        _stop_on_signals(loop, stopped.set)

        turn = Turn(loop, self._engine)
        door = self._door(self._engine, turn.demand_flush)
        later = Later(loop, self._engine, turn, self._door)
        connections = OpenConnections(self._patience, most_connections())

        def connection() -> Connection:
            return Connection(loop, door, turn, later, connections)

        if crew.lifeline is not None:
            loop.add_reader(crew.lifeline, stopped.set)
        if sys.platform == "win32":
            # Its event loop cannot tell when a socket is readable.
            server = await loop.create_server(connection, sock=listener, backlog=_BACKLOG)
        else:
            server = FairListener(loop, listener, connection, crew.loads, crew.number)
            connections.left = server.left
            server.start()
        upkeep = Upkeep(
            loop, self._engine, door=door, turn=turn, later=later, connections=connections
        )
        upkeep.start()
        try:
            ready()
            await stopped.wait()
        finally:
            if crew.lifeline is not None:
                loop.remove_reader(crew.lifeline)
            server.close()
            upkeep.stop()
            later.stop()
            turn.end()
            await _end_all(later)
            await _close_all(connections)
            later.close()
            self._engine.close()

    def _door(self, engine: Backend, unsettled: Callable[[], None] = lambda: None) -> Door:
        return Door(
            engine,
            clock=time.time,
            keys=self._keys,
            callers=self._callers,
            unsettled=unsettled,
        )


class Upkeep:
    """The upkeep of the engine, the connections and the Date header, between requests."""

    def __init__(
        self,
        loop: AbstractEventLoop,
        engine: Backend,
        *,
        door: Door,
        turn: Turn,
        later: Later,
        connections: OpenConnections,
    ) -> None:
        self._loop = loop
        self._engine = engine
        self._door = door
        self._turn = turn
        self._later = later
        self._connections = connections
        # Whether a thread does the engine's upkeep.
        self._is_tending = False
        self._last = time.monotonic()
        self._next_collection = self._last + _COLLECTION_SECONDS
        self._timer: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Start the upkeep."""
        self._timer = self._loop.call_later(_UPKEEP_SECONDS, self._tend)

    def stop(self) -> None:
        """Stop the upkeep."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _tend(self) -> None:
        self._door.refresh_date()
        self._later.refresh_date()
        began = time.monotonic()
        self._connections.tick(began - self._last)
        self._last = began
        more = False
        try:
            more = not self._is_tending and self._engine.tend()
        except IsLocked:
            pass  # there is time
        except TakesLong:
            self._is_tending = True
            self._later.tend(self._tended)
        except Exception:  # noqa: BLE001 - requests go on without it
            _log.exception("Upkeep failed; it will be tried again")
            # It may have spoilt writes whose replies are not sent yet.
            self._turn.demand_flush()
        if self._engine.writing:
            self._turn.demand_flush()
        # Work that is waiting gets at most half of the time; requests get the rest.
        pause = max(time.monotonic() - began, _SHORTEST_PAUSE_SECONDS) if more else _UPKEEP_SECONDS
        self._timer = self._loop.call_later(pause, self._tend)
        late = began - self._next_collection
        if late > 0 and (self._later.is_idle or late > _COLLECTION_SECONDS):
            self._next_collection = began + _COLLECTION_SECONDS
            gc.collect()

    def _tended(self, more: bool | None) -> None:
        """Go on with upkeep that was done in a thread."""
        self._is_tending = False
        if more and self._timer is not None:
            self._timer.cancel()
            self._timer = self._loop.call_later(_SHORTEST_PAUSE_SECONDS, self._tend)


def _stop_on_signals(loop: AbstractEventLoop, stop: Callable[[], None]) -> None:
    if threading.current_thread() is not threading.main_thread():
        return  # only the main thread gets signals; the lifeline stops this one
    for number in (signal.SIGTERM, signal.SIGINT):
        try:
            loop.add_signal_handler(number, stop)
        except NotImplementedError:
            # Windows: there Ctrl-C arrives as a KeyboardInterrupt instead.
            return


async def _end_all(later: Later) -> None:
    """Wait a while for the requests that take long."""
    for _ in range(_STOP_STEPS):
        if later.is_idle:
            return
        await asyncio.sleep(_STOP_STEP_SECONDS)


async def _close_all(connections: OpenConnections) -> None:
    """Close every connection, waiting a while for clients to read their last replies."""
    for _ in range(_STOP_STEPS):
        # Again each time: one may have been accepted just before the end.
        for connection in list(connections):
            connection.close()
        if not connections:
            return
        await asyncio.sleep(_STOP_STEP_SECONDS)
    for connection in list(connections):
        connection.abort()
