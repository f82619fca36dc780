"""Connections accepted one at a time, and shared fairly between workers that listen on one socket.

Left alone, the worker that wakes first accepts everything that is waiting, and the others idle.
So each worker publishes how many connections it has, and one that has more than another hesitates
for a moment before it accepts: long enough for the other to be first, too short to notice.
"""

import asyncio
import logging
from asyncio import AbstractEventLoop, Protocol, Task, Transport
from collections.abc import Callable
from mmap import mmap
from socket import IPPROTO_TCP, TCP_NODELAY, socket
from typing import Any

_log = logging.getLogger(__name__)

_HESITATION_SECONDS = 0.001
_EXHAUSTION_SECONDS = 0.5
_COUNT_BYTES = 4


class ConnectionCounts:
    """The number of connections of each worker, in memory that all of them share."""

    def __init__(self, workers: int) -> None:
        self._counts = memoryview(mmap(-1, workers * _COUNT_BYTES)).cast("I")

    def publish(self, worker: int, count: int) -> None:
        """Publish to all workers how many connections this one has."""
        self._counts[worker] = count

    def is_least(self, worker: int) -> bool:
        """Return whether no worker has fewer connections than this one."""
        return self._counts[worker] == min(self._counts)


class FairListener:
    """Accepts connections for a worker, one at a time."""

    def __init__(
        self,
        loop: AbstractEventLoop,
        listener: socket,
        factory: Callable[[], Protocol],
        loads: ConnectionCounts,
        worker: int,
    ) -> None:
        self._loop = loop
        self._listener = listener
        self._factory = factory
        self._loads = loads
        self._worker = worker
        self._open = 0
        self._hesitated = False
        self._is_failing = False
        self._beginning: set[Task[tuple[Transport, Protocol]]] = set()
        self._timer: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Accept connections from now on."""
        self._loop.add_reader(self._listener, self._wake)

    def close(self) -> None:
        """Accept no more."""
        if self._timer is not None:
            self._timer.cancel()
        self._loop.remove_reader(self._listener)
        self._listener.close()

    def left(self) -> None:
        """Note that a connection has ended."""
        self._count(-1)

    def _count(self, change: int) -> None:
        self._open += change
        self._loads.publish(self._worker, self._open)

    def _pause(self, seconds: float) -> None:
        self._loop.remove_reader(self._listener)
        self._timer = self._loop.call_later(seconds, self.start)

    def _wake(self) -> None:
        if not self._hesitated and not self._loads.is_least(self._worker):
            self._hesitated = True
            self._pause(_HESITATION_SECONDS)
            return
        self._hesitated = False
        try:
            client, _ = self._listener.accept()
        except (BlockingIOError, InterruptedError, ConnectionAbortedError):
            return  # another worker was faster, or the client has disconnected
        except OSError as error:
            if not self._is_failing:
                _log.error("Connections cannot be accepted; trying again: %s", error)
            self._is_failing = True
            self._pause(_EXHAUSTION_SECONDS)
            return
        self._is_failing = False
        client.setblocking(False)
        client.setsockopt(IPPROTO_TCP, TCP_NODELAY, 1)
        self._count(+1)
        begin: Any = self._loop.connect_accepted_socket(self._factory, client)
        task: Task[tuple[Transport, Protocol]] = self._loop.create_task(begin)
        # The event loop keeps only a weak reference to its tasks.
        self._beginning.add(task)
        task.add_done_callback(self._begun)

    def _begun(self, task: Task[tuple[Transport, Protocol]]) -> None:
        self._beginning.discard(task)
        if task.cancelled() or task.exception() is not None:
            self._count(-1)
