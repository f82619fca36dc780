"""A `sortkey serve` that can be killed, limited and watched."""

import contextlib
import os
import re
import resource
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.peers import free_port

_STOP_SECONDS = 10.0
# Lines of the log that tell of a fault of the server's own.
_FAULT = re.compile(r"Traceback|failed unexpectedly|Upkeep failed|Task exception|never retrieved")


class ServerError(Exception):
    """The server did not start."""


@dataclass(frozen=True, slots=True)
class Setting:
    """How a server is started."""

    workers: int = 1
    is_file: bool = False
    options: tuple[str, ...] = ()
    under: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{'file' if self.is_file else 'memory'}, {self.workers}"


MEMORY, MEMORY_TWO = Setting(), Setting(workers=2)
FILE, FILE_TWO = Setting(is_file=True), Setting(workers=2, is_file=True)
ALL = (MEMORY, FILE_TWO, FILE, MEMORY_TWO)


@dataclass(slots=True)
class Server:
    """A server on a port of its own, in a folder of its own."""

    setting: Setting
    home: Path
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None

    @property
    def db(self) -> Path:
        """The database file."""
        return self.home / "attack.db"

    @property
    def log(self) -> Path:
        """What the server has printed."""
        return self.home / "server.log"

    def start(self) -> None:
        """Start the server, and wait until it accepts connections."""
        self.home.mkdir(parents=True, exist_ok=True)
        storage = ("--db", str(self.db)) if self.setting.is_file else ()
        # Exports and reports of the fuzzer go here, and are imported again.
        (self.home / "buckets" / "fuzz").mkdir(parents=True, exist_ok=True)
        buckets = ("--buckets", str(self.home / "buckets"))
        program = str(Path(sys.executable).with_name("sortkey"))
        workers = ("--workers", str(self.setting.workers))
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [
                    *(*self.setting.under, program, "serve", "--port", str(self.port)),
                    *(*workers, *storage, *buckets, *self.setting.options),
                ],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                # A group of its own, so that a kill takes its workers too.
                start_new_session=True,
            )
        assert self.process.stdout  # noqa: S101 - for the type checker
        if b"http://" not in self.process.stdout.readline():
            self.kill()
            raise ServerError(f"sortkey serve did not start:\n{self.log.read_text()[-2000:]}")

    def stop(self) -> bool:
        """End the server with SIGTERM; return whether it ended in time."""
        if self.process is None:
            return True
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGTERM)
        try:
            self.process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            return False
        self._forget()
        return True

    def kill(self) -> None:
        """Kill the server and its workers."""
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            self._forget()

    def _forget(self) -> None:
        if self.process is not None and self.process.stdout is not None:
            self.process.stdout.close()
        self.process = None

    @property
    def pids(self) -> Sequence[int]:
        """The processes of the server: the one that was started, and those that it started."""
        return [] if self.process is None else family(self.process.pid)

    def limit(self, kind: int, most: int) -> None:
        """Set a soft resource limit of all processes, up to the hard one."""
        for pid in self.pids:
            _, hard = resource.prlimit(pid, kind)
            resource.prlimit(pid, kind, (hard if most < 0 else most, hard))

    def megabytes(self) -> float:
        """Return the private memory of all processes."""
        return sum(map(private_megabytes, self.pids))

    def slowness(self) -> float:
        """Return how many times longer everything took, since others used the processors too."""
        ran, waited = map(sum, zip((1, 0), *map(_scheduled, self.pids), strict=True))
        return (ran + waited) / ran

    def faults(self) -> list[str]:
        """Return the lines of the log that tell of a fault, each with those that follow it."""
        lines = self.log.read_text(errors="replace").splitlines() if self.log.exists() else []
        found = [at for at, line in enumerate(lines) if _FAULT.search(line)]
        return ["\n".join(lines[at : at + 40]) for at in found[:1]]


def family(pid: int) -> list[int]:
    """Return a process and all processes that it started."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [pid, *(member for child in children for member in family(int(child)))]


def _scheduled(pid: int) -> tuple[int, int]:
    """Return the nanoseconds that a process ran, and those that it waited for a processor."""
    try:
        ran, waited, _ = Path(f"/proc/{pid}/schedstat").read_text().split()
    except (OSError, ValueError):
        return 0, 0
    return int(ran), int(waited)


def private_megabytes(pid: int) -> float:
    """Return the memory that a process has for itself."""
    with contextlib.suppress(OSError):
        found = re.search(r"RssAnon:\s*(\d+)", Path(f"/proc/{pid}/status").read_text())
        return int(found[1]) / 1024 if found else 0
    return 0
