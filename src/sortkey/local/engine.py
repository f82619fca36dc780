"""The engine of a run, in a thread of its own."""

import os
import threading
from collections.abc import Callable
from socket import socket

from sortkey.clock import Clock, clock
from sortkey.server.backend import Backend
from sortkey.server.sharing import ConnectionCounts
from sortkey.server.worker import Worker, WorkerPlace

_START_SECONDS = 30.0


class EngineThread:
    """Serves an engine until it is stopped."""

    def __init__(
        self, engine: Backend, listener: socket, time: Clock, failed: Callable[[], None]
    ) -> None:
        """Call ``failed`` if it ends by itself."""
        self._engine = engine
        self._listener = listener
        self._time = time
        self._failed = failed
        self._ready = threading.Event()
        self._lifeline, self._life = os.pipe()
        self._is_stopping = False
        self._thread = threading.Thread(target=self._run, name="engine", daemon=True)

    def start(self) -> None:
        """Start it, and wait until it answers."""
        self._thread.start()
        self._ready.wait(_START_SECONDS)

    def stop(self) -> None:
        """Answer the open requests, and close the file."""
        self._is_stopping = True
        os.close(self._life)
        if self._thread.is_alive():
            self._thread.join()
        os.close(self._lifeline)

    def _run(self) -> None:
        place = WorkerPlace(0, ConnectionCounts(workers=1), self._lifeline)
        try:
            with clock(self._time):
                Worker(self._engine).run(self._listener, ready=self._ready.set, crew=place)
        finally:
            self._ready.set()
            if not self._is_stopping:
                self._failed()
