"""`python -m benchmarks.load`: load tests of each system's API, with and without HTTP."""

import argparse
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.figures import Target
from benchmarks.load.agentcore import AgentCore
from benchmarks.load.commitcollect import CommitCollect
from benchmarks.load.crowd import Crowd
from benchmarks.load.gymcoach import GymCoach
from benchmarks.load.oneonone import OneOnOne
from benchmarks.load.running import (
    CONNECTIONS,
    Outcome,
    Tally,
    Until,
    directly,
    over_http,
    secrets_key,
)
from benchmarks.load.shuttle import Shuttle
from benchmarks.peers import PeerError
from benchmarks.progress import Progress
from benchmarks.report import NoPlaceError, Report, describe_machine, find_place
from benchmarks.stopping import stop_on_sigterm
from benchmarks.table import Cell, Table

CROWDS: dict[str, Callable[[], Crowd]] = {
    "commitcollect": CommitCollect,
    "agentcore": AgentCore,
    "gymcoach": GymCoach,
    "shuttle": Shuttle,
    "oneonone": OneOnOne,
}
SECONDS = 60


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the crowds and print the results; return 0 if all holds, 1 if not, 2 if it cannot run."""
    options = _parser().parse_args(arguments)
    stop_on_sigterm()
    try:
        if options.write:
            find_place(options.write)  # fail now, not after minutes of measuring
        with Progress() as progress, secrets_key():
            report, faults = _run(options.only or list(CROWDS), options.seconds, progress)
        if options.write:
            report.write_into(options.write)
    except (NoPlaceError, PeerError) as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    print(report.as_text())
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load", description=__doc__)
    parser.add_argument(
        "--seconds", type=float, default=SECONDS, help="seconds for each API; default 60"
    )
    parser.add_argument("--only", nargs="+", choices=CROWDS, help="run only these systems")
    parser.add_argument("--write", type=Path, help="write the figures into this Markdown page")
    return parser


@dataclass(frozen=True, slots=True)
class SystemResult:
    """The results of a system: through its API, through its services, and of the engine alone."""

    api: Outcome
    services: Outcome
    engine: Tally

    @property
    def faults(self) -> list[str]:
        """The violated guarantees."""
        return [*self.api.faults, *self.services.faults]


def _run(systems: Sequence[str], seconds: float, progress: Progress) -> tuple[Report, list[str]]:
    report = Report(describe_machine(None, CONNECTIONS))
    results: dict[str, SystemResult] = {}
    with tempfile.TemporaryDirectory() as folder:
        for system in systems:
            progress.say(f"{system}: {CONNECTIONS} connections for {seconds:g} seconds")
            api = over_http(CROWDS[system](), Path(folder, f"{system}-api.db"), Until(seconds))
            progress.say(f"{system}: without HTTP")
            # Without HTTP, less time gives as many visits.
            shorter = Until(min(10, seconds / 6))
            services, engine = directly(CROWDS[system](), Path(folder, f"{system}.db"), shorter)
            results[system] = SystemResult(api, services, engine)
    report.add("load", _table(results), _targets(results), {})
    messages = [fault for one in results.values() for fault in (*one.faults, *one.api.tally.errors)]
    return report, messages


def _table(results: dict[str, SystemResult]) -> Table:
    percentiles = ("p50", "p99")
    columns = ("API/s", *percentiles, "calls/s", *percentiles, "engine/s", *percentiles)
    return Table(
        title=f"Rates and latencies in ms: API ({CONNECTIONS} connections), services, engine alone",
        columns=("system", *columns),
        rows=tuple(
            (
                Cell(system),
                *_figures(one.api.tally),
                *_figures(one.services.tally),
                *_figures(one.engine),
            )
            for system, one in results.items()
        ),
        notes=tuple(_refusals(system, one.api) for system, one in results.items()),
    )


def _figures(tally: Tally) -> tuple[Cell, ...]:
    return (
        Cell(f"{tally.a_second:,.0f}"),
        Cell(f"{tally.milliseconds(0.5):.2g}"),
        Cell(f"{tally.milliseconds(0.99):.3g}"),
    )


def _refusals(system: str, outcome: Outcome) -> str:
    """Return how many visits were refused, and why: if most were, the run would prove little."""
    tally = outcome.tally
    share = tally.refused.total() / tally.visits
    why = ", ".join(f"{name} {count:,}" for name, count in tally.refused.most_common(4))
    return f"{system}: {tally.visits:,} visits, {share:.0%} refused ({why or 'none'})"


def _targets(results: dict[str, SystemResult]) -> list[Target]:
    return [
        target
        for system, one in results.items()
        for target in (
            Target(f"{system}: violated guarantees", len(one.faults), "", at_most=0),
            Target(f"{system}: server errors", len(one.api.tally.errors), "", at_most=0),
        )
    ]


if __name__ == "__main__":
    sys.exit(main())
