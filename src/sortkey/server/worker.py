"""A worker: one event loop with its own engine, which serves a listening socket."""

import asyncio
import contextlib
import gc
import logging
import signal
import sys
import time
from asyncio import AbstractEventLoop
from collections.abc import Callable
from dataclasses import dataclass
from socket import socket

from sortkey.server.backend import Backend
from sortkey.server.callers import Callers
from sortkey.server.door import Door
from sortkey.server.protocol import Connection
from sortkey.server.sharing import ConnectionCounts, FairListener
from sortkey.server.signing import KeyPair
from sortkey.server.turn import Turn

_log = logging.getLogger(__name__)

_UPKEEP_SECONDS = 0.5
_SHORTEST_PAUSE_SECONDS = 0.001
_PATIENCE = 500
_PATIENCE_STEP_SECONDS = 0.01
_BACKLOG = 1024


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
    """A worker's place among several.

    The lifeline is a file descriptor that becomes readable when the parent process is gone.
    """

    number: int
    loads: ConnectionCounts
    lifeline: int


class OpenConnections(set[Connection]):
    """The open connections."""

    left: Callable[[], None] = staticmethod(lambda: None)

    def discard(self, element: object) -> None:
        """Forget a connection."""
        super().discard(element)
        self.left()


class Worker:
    """Serves one engine; on a signal it answers the open requests and stops."""

    def __init__(
        self,
        engine: Backend,
        *,
        keys: KeyPair | None = None,
        callers: Callers = Callers(),  # noqa: B008 - it cannot change
    ) -> None:
        self._engine = engine
        self._keys = keys
        self._callers = callers

    def run(
        self,
        listener: socket,
        *,
        ready: Callable[[], None] = lambda: None,
        crew: WorkerPlace | None = None,
    ) -> None:
        """Serve until SIGTERM, Ctrl-C or the end of the parent, then close the engine."""
        # Objects loaded by now stay, so the collector need not examine them.
        gc.freeze()
        with (
            # Windows, where Ctrl-C cannot be handled otherwise: it has cancelled the server.
            contextlib.suppress(KeyboardInterrupt),
            asyncio.Runner(loop_factory=new_event_loop) as runner,
        ):
            runner.run(self._serve(listener, ready, crew))

    async def _serve(
        self, listener: socket, ready: Callable[[], None], crew: WorkerPlace | None
    ) -> None:
        loop = asyncio.get_running_loop()
        stopped = asyncio.Event()
        _stop_on_signals(loop, stopped.set)

        turn = Turn(loop, self._engine)
        door = Door(
            self._engine,
            clock=time.time,
            keys=self._keys,
            callers=self._callers,
            unsettled=turn.demand_flush,
        )
        connections = OpenConnections()

        def connection() -> Connection:
            return Connection(loop, door, turn, connections)

        if crew is None:
            server = await loop.create_server(connection, sock=listener, backlog=_BACKLOG)
        else:
            loop.add_reader(crew.lifeline, stopped.set)
            server = FairListener(loop, listener, connection, crew.loads, crew.number)
            connections.left = server.left
            server.start()
        upkeep = Upkeep(loop, self._engine, door, turn)
        upkeep.start()
        try:
            ready()
            await stopped.wait()
        finally:
            if crew is not None:
                loop.remove_reader(crew.lifeline)
            server.close()
            upkeep.stop()
            turn.end()
            await _close_all(connections)
            self._engine.close()


class Upkeep:
    """The upkeep of the engine and of the Date header, between requests."""

    def __init__(self, loop: AbstractEventLoop, engine: Backend, door: Door, turn: Turn) -> None:
        self._loop = loop
        self._engine = engine
        self._door = door
        self._turn = turn
        self._timer: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Start the upkeep."""
        self._timer = self._loop.call_later(_UPKEEP_SECONDS, self._tend)

    def stop(self) -> None:
        """Stop the upkeep."""
        if self._timer is not None:
            self._timer.cancel()

    def _tend(self) -> None:
        self._door.refresh_date()
        began = time.monotonic()
        more = False
        try:
            more = self._engine.tend()
        except Exception:  # noqa: BLE001 - requests go on without it
            _log.exception("Upkeep failed; it will be tried again")
            # It may have spoilt writes whose replies are not sent yet.
            self._turn.demand_flush()
        if self._engine.writing:
            self._turn.demand_flush()
        # Work that is waiting gets at most half of the time; requests get the rest.
        pause = max(time.monotonic() - began, _SHORTEST_PAUSE_SECONDS) if more else _UPKEEP_SECONDS
        self._timer = self._loop.call_later(pause, self._tend)


def _stop_on_signals(loop: AbstractEventLoop, stop: Callable[[], None]) -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        try:
            loop.add_signal_handler(number, stop)
        except NotImplementedError:
            # Windows: there Ctrl-C arrives as a KeyboardInterrupt instead.
            return


async def _close_all(connections: set[Connection]) -> None:
    """Close every connection, waiting a while for clients to read their last replies."""
    for _ in range(_PATIENCE):
        # Again each time: one may have been accepted just before the end.
        for connection in list(connections):
            connection.close()
        if not connections:
            return
        await asyncio.sleep(_PATIENCE_STEP_SECONDS)
    for connection in list(connections):
        connection.abort()
