"""Measure engines in one run, taking turns, so that a slow minute affects them all."""

import contextlib
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.checks import check_answers, fill
from benchmarks.environments import ENVIRONMENTS
from benchmarks.figures import Measured, Series
from benchmarks.peers import Peer, Running, running
from benchmarks.progress import Progress
from benchmarks.workloads import Workload
from benchmarks.wrk import CONNECTIONS, replay, write_requests

WARM_UP_STEP = 1
STILL_WARMING = 1.03
# One step without progress may be due to the machine.
STEADY_STEPS = 2


@dataclass(frozen=True, slots=True)
class Pace:
    """The number and length of the measurements of each engine.

    An engine that compiles as it runs warms up until it gets no faster, or for the longest time.
    """

    rounds: int
    seconds: int
    warm_up: int
    longest_warm_up: int


def measure(
    wrk: str,
    peers: Sequence[Peer],
    workloads: Sequence[Workload],
    pace: Pace,
    progress: Progress,
) -> Measured:
    """Return the requests per second of every engine at every workload that it supports."""
    # On the project's disk: a temporary directory may be in memory, where a sync costs nothing.
    ENVIRONMENTS.mkdir(exist_ok=True)
    with (
        tempfile.TemporaryDirectory(dir=ENVIRONMENTS, prefix="bench-data-") as scratch,
        contextlib.ExitStack() as stack,
    ):
        engines: list[Running] = []
        for number, peer in enumerate(peers):
            progress.say(f"{peer.name}: starting, loading, checking")
            engine = stack.enter_context(running(peer, Path(scratch) / f"engine-{number}"))
            fill(engine)
            check_answers(engine, list(workloads))
            engines.append(engine)
        return {
            workload.name: _take_turns(
                wrk, engines, workload, pace, progress, scratch=Path(scratch)
            )
            for workload in workloads
        }


def _take_turns(
    wrk: str,
    engines: Sequence[Running],
    workload: Workload,
    pace: Pace,
    progress: Progress,
    *,
    scratch: Path,
) -> dict[str, Series]:
    requests = scratch / f"{workload.action}.requests"
    write_requests(requests, workload.raw_requests())
    able = [engine for engine in engines if workload.action not in engine.peer.lacks]
    alone = {
        engine.peer.name: min(_seconds_for_one(engine, workload) for _ in range(2))
        for engine in able
    }
    # With this many connections, each would hardly get a response in a round. moto copies its whole
    # table for a transaction and reads it whole for a Query.
    slow = {name for name, seconds in alone.items() if CONNECTIONS * seconds > pace.seconds}
    rates = {name: [1 / alone[name]] if name in slow else [] for name in alone}
    errors = dict.fromkeys(rates, 0)

    for engine in able:
        if engine.peer.name not in slow:
            progress.say(f"{workload.name}: {engine.peer.name} is warming up")
            _warm_up(wrk, engine, requests, pace)
    for turn in range(pace.rounds):
        for engine in able:
            name = engine.peer.name
            progress.say(f"{workload.name}: {name}, round {turn + 1} of {pace.rounds}")
            if name not in slow:
                sample = replay(wrk, engine.port, requests, pace.seconds)
                rates[name].append(sample.rate)
                errors[name] += sample.errors
                engine.wait_until_idle()
            elif alone[name] < pace.seconds:
                rates[name].append(1 / _seconds_for_one(engine, workload))
    return {
        name: Series(tuple(samples), errors[name], one_at_a_time=name in slow)
        for name, samples in rates.items()
    }


def _warm_up(wrk: str, engine: Running, requests: Path, pace: Pace) -> None:
    if pace.warm_up:
        replay(wrk, engine.port, requests, pace.warm_up)
    best = 0.0
    steady = 0
    steps = pace.longest_warm_up // WARM_UP_STEP if engine.peer.compiles else 0
    for _ in range(steps):
        rate = replay(wrk, engine.port, requests, WARM_UP_STEP).rate
        steady = 0 if rate > best * STILL_WARMING else steady + 1
        best = max(rate, best)
        if steady == STEADY_STEPS:
            break
    engine.wait_until_idle()


def _seconds_for_one(engine: Running, workload: Workload) -> float:
    start = time.perf_counter()
    engine.call(workload.action, workload.bodies[0])
    return time.perf_counter() - start
