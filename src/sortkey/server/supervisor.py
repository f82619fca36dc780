"""The server as a whole: its settings, its listening socket, and one worker process or several."""

import contextlib
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from pathlib import Path
from socket import socket
from types import FrameType
from typing import Literal, NoReturn

from sortkey.clock import MovableClock, now
from sortkey.engine import Engine
from sortkey.engine.weather import Scenario
from sortkey.server.callers import Callers
from sortkey.server.descriptors import raise_limit
from sortkey.server.listening import CannotServe, address_of, listen
from sortkey.server.scratch import scratch_folder
from sortkey.server.sharing import ConnectionCounts
from sortkey.server.signing import KeyPair
from sortkey.server.worker import Worker, WorkerPlace

_RESTART_SECONDS = 1.0
_STOPPERS = (signal.SIGTERM, signal.SIGINT)


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """The settings of a server: database, address, workers, durability, callers, time, buckets."""

    db: Path | None = None
    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = 1
    durability: Literal["normal", "full"] = "normal"
    keys: KeyPair | None = None
    callers: Callers = field(default_factory=Callers)
    movable_clock: bool = False
    ttl_delay: int = 0
    weather: Scenario | None = None
    buckets: Path | None = None


def serve(settings: ServerSettings, started: Callable[[str], None]) -> None:
    """Serve until SIGTERM or Ctrl-C.

    ``started`` is called once, with the server's address, when it accepts connections.
    """
    if settings.workers > 1 and not hasattr(os, "fork"):
        raise CannotServe("Several workers need os.fork, which this platform lacks; use one.")
    if settings.workers > 1 and settings.movable_clock:
        raise CannotServe("Several workers cannot share a movable clock; use one worker.")
    if settings.workers > 1 and settings.weather is not None:
        raise CannotServe("Several workers cannot share the weather; use one worker.")
    _refuse_missing_folder(settings.db)
    raise_limit()
    with listen(settings.host, settings.port) as listener:
        address = address_of(listener)
        if settings.workers == 1:
            engine = _open(settings, settings.db)
            worker = Worker(engine, keys=settings.keys, callers=settings.callers)
            worker.run(listener, ready=lambda: started(address))
            return
        with _shared_file(settings.db) as db:
            # Opened once here, so that a file that cannot be used is reported before any fork.
            _open(settings, db).close()
            Supervisor(settings, db, listener).run(lambda: started(address))


def _open(settings: ServerSettings, db: Path | None) -> Engine:
    clock = MovableClock() if settings.movable_clock else now
    if db is None:
        return Engine.memory(
            grouped=True,
            clock=clock,
            ttl_delay=settings.ttl_delay,
            weather=settings.weather,
            buckets=settings.buckets,
        )
    return Engine.open(
        str(db),
        durability=settings.durability,
        grouped=True,
        clock=clock,
        ttl_delay=settings.ttl_delay,
        weather=settings.weather,
        buckets=settings.buckets,
    )


def _refuse_missing_folder(db: Path | None) -> None:
    if db is None:
        return
    if not db.parent.is_dir():
        raise CannotServe(f"There is no folder {db.parent} for {db.name}.")
    if db.is_dir():
        raise CannotServe(f"{db} is a folder, not a database file.")


@contextlib.contextmanager
def _shared_file(db: Path | None) -> Generator[Path]:
    """Yield the database file, or a temporary one for as long as the server runs."""
    if db is not None:
        yield db
        return
    with scratch_folder() as folder:
        yield folder / "memory.db"


# -- several workers ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Child:
    number: int
    began: float


class Supervisor:
    """Keeps a number of worker processes running until it is stopped."""

    def __init__(self, settings: ServerSettings, db: Path, listener: socket) -> None:
        self._settings = settings
        self._db = db
        self._listener = listener
        self._children: dict[int, _Child] = {}
        self._loads = ConnectionCounts(settings.workers)
        self._stopping = False
        # Workers watch one end; the other closes when this process ends for any reason.
        self._lifeline, self._life = os.pipe()

    def run(self, started: Callable[[], None]) -> None:
        """Run the workers until SIGTERM or Ctrl-C, then wait for them."""
        before = [(number, signal.signal(number, self._stop)) for number in _STOPPERS]
        try:
            readiness = [self._fork(number) for number in range(self._settings.workers)]
            ready = [_wait_ready(pipe) for pipe in readiness]
            if all(ready):
                started()
                self._watch()
            elif not self._stopping:
                raise CannotServe("A worker could not start; its own message says why.")
        finally:
            self._stop()
            self._reap_all()
            os.close(self._life)
            os.close(self._lifeline)
            for number, handler in before:
                signal.signal(number, handler)

    def _fork(self, number: int) -> int:
        """Start a worker, and return the descriptor that signals when it is ready."""
        self._loads.publish(number, 0)
        readable, writable = os.pipe()
        # A signal in the middle of this would find a child that is not on the list yet, or a
        # child that believes it is the parent.
        signal.pthread_sigmask(signal.SIG_BLOCK, _STOPPERS)
        pid = os.fork()
        if pid == 0:
            for stopper in _STOPPERS:
                signal.signal(stopper, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOPPERS)
            os.close(readable)
            os.close(self._life)
            self._work(WorkerPlace(number, self._loads, self._lifeline), writable)
        self._children[pid] = _Child(number, time.monotonic())
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOPPERS)
        os.close(writable)
        return readable

    def _work(self, crew: WorkerPlace, ready: int) -> NoReturn:
        """Run as a worker; never return into the parent's code."""
        status = 1
        try:
            engine = _open(self._settings, self._db)
            worker = Worker(engine, keys=self._settings.keys, callers=self._settings.callers)
            worker.run(self._listener, ready=lambda: _signal_ready(ready), crew=crew)
            status = 0
        except BaseException:  # noqa: BLE001 - this process ends here either way
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(status)

    def _watch(self) -> None:
        """Replace workers that end unexpectedly."""
        while not self._stopping:
            try:
                pid, status = os.wait()
            except ChildProcessError:
                return
            child = self._children.pop(pid, None)
            if child is None or self._stopping:
                continue
            code = os.waitstatus_to_exitcode(status)
            _say(f"A worker ended unexpectedly (status {code}); starting another.")
            # A worker that fails at once must not be restarted in a tight loop.
            time.sleep(max(0.0, _RESTART_SECONDS - (time.monotonic() - child.began)))
            if not self._stopping:
                os.close(self._fork(child.number))

    def _stop(self, _number: int = 0, _frame: FrameType | None = None) -> None:
        self._stopping = True
        for pid in list(self._children):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)

    def _reap_all(self) -> None:
        while self._children:
            try:
                pid, _ = os.wait()
            except ChildProcessError:
                return
            self._children.pop(pid, None)


def _wait_ready(pipe: int) -> bool:
    with os.fdopen(pipe, "rb") as readable:
        return readable.read(1) == b"!"


def _signal_ready(pipe: int) -> None:
    with contextlib.suppress(BrokenPipeError), os.fdopen(pipe, "wb") as writable:
        writable.write(b"!")


def _say(sentence: str) -> None:
    sys.stderr.write(sentence + "\n")
    sys.stderr.flush()
