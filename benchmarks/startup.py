"""The cost of starting a server: CPU time to its first response, and memory when idle."""

import os
import signal
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.figures import Series, Target
from benchmarks.peers import PeerError, answers, free_port, sortkey
from benchmarks.progress import Progress
from benchmarks.table import Cell, Table

ENOUGH_SECONDS = 30
SETTLING_SECONDS = 1.0
CPU_SECONDS = 0.5
IDLE_MEGABYTES = 80.0


@dataclass(frozen=True, slots=True)
class StartUp:
    """The cost of a start: seconds to the first response, and resident megabytes."""

    cpu: Series
    wall: Series
    resident: Series


def measure_start_up(rounds: int, progress: Progress) -> StartUp:
    """Start `sortkey serve` in memory several times, with one request each."""
    cpu: list[float] = []
    wall: list[float] = []
    resident: list[float] = []
    for turn in range(rounds):
        progress.say(f"start-up: round {turn + 1} of {rounds}")
        seconds, used = _until_first_answer()
        wall.append(seconds)
        cpu.append(used)
    progress.say("start-up: memory when idle")
    resident.append(_idle_megabytes())
    return StartUp(Series(tuple(cpu)), Series(tuple(wall)), Series(tuple(resident)))


def start_up_targets(start_up: StartUp) -> list[Target]:
    """Return the targets for starting."""
    return [
        Target("CPU time to the first response", start_up.cpu.median, "s", at_most=CPU_SECONDS),
        Target("memory when idle", start_up.resident.median, "MB", at_most=IDLE_MEGABYTES),
    ]


def start_up_table(start_up: StartUp) -> Table:
    """Return the table of the three figures."""
    return Table(
        title="Start of `sortkey serve`",
        columns=("", "median"),
        rows=(
            (Cell("CPU time to the first response"), Cell(f"{start_up.cpu.median:.2f} s")),
            (Cell("wall time to the first response"), Cell(f"{start_up.wall.median:.2f} s")),
            (Cell("resident memory when idle"), Cell(f"{start_up.resident.median:.0f} MB")),
        ),
    )


def _until_first_answer() -> tuple[float, float]:
    """Return the seconds from exec to the first response: wall time and CPU time."""
    began = time.perf_counter()
    port, pid = _spawn()
    try:
        _first_answer(port)
        seconds = time.perf_counter() - began
    finally:
        # Killed at once, so that its CPU time ends with the first response.
        os.kill(pid, signal.SIGKILL)
        _, _, usage = os.wait4(pid, 0)
    return seconds, usage.ru_utime + usage.ru_stime


def _idle_megabytes() -> float:
    port, pid = _spawn()
    try:
        _first_answer(port)
        time.sleep(SETTLING_SECONDS)
        return resident_megabytes(pid, "VmRSS")
    finally:
        os.kill(pid, signal.SIGTERM)
        os.waitpid(pid, 0)


def resident_megabytes(pid: int, kind: str) -> float:
    """Return a process's memory: VmRSS is all of it, RssAnon only its private part."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(f"{kind}:"):
            return int(line.split()[1]) / 1024
    raise PeerError(f"this system does not report a process's {kind}")


def _spawn() -> tuple[int, int]:
    port = free_port()
    command: Sequence[str] = sortkey().command(port, Path())
    # Only wait4 returns the CPU time of a child, so no Popen may wait for it first.
    nothing = os.open(os.devnull, os.O_RDWR)
    try:
        pid = os.posix_spawn(
            command[0],
            command,
            os.environ,
            file_actions=[(os.POSIX_SPAWN_DUP2, nothing, stream) for stream in range(3)],
            setpgroup=0,
        )
    finally:
        os.close(nothing)
    return port, pid


def _first_answer(port: int) -> None:
    deadline = time.monotonic() + ENOUGH_SECONDS
    while not answers(port):
        if time.monotonic() > deadline:
            raise PeerError("sortkey did not respond to its first request")
        time.sleep(0.002)
