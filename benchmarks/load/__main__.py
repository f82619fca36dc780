"""`python -m benchmarks.load`: a crowd at each system's API, beside the same without HTTP."""

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
    a_key_for_secrets,
    directly,
    over_http,
)
from benchmarks.load.shuttle import Shuttle
from benchmarks.peers import PeerError
from benchmarks.progress import Progress
from benchmarks.report import NoPlaceError, Report, describe_machine, find_place
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
    """Run the crowds and print how they fared: 0 if all holds, 1 if not, 2 if it cannot run."""
    options = _parser().parse_args(arguments)
    try:
        if options.write:
            find_place(options.write)  # now, and not after minutes of measuring
        with Progress() as progress, a_key_for_secrets():
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
    parser.add_argument("--seconds", type=float, default=SECONDS, help="for each API; default 60")
    parser.add_argument("--only", nargs="+", choices=CROWDS, help="these systems alone")
    parser.add_argument("--write", type=Path, help="a Markdown page to write the figures into")
    return parser


@dataclass(frozen=True, slots=True)
class Fared:
    """How a system fared: at its API, at its services, and what the engine alone took of that."""

    api: Outcome
    services: Outcome
    engine: Tally

    @property
    def faults(self) -> list[str]:
        """What does not hold."""
        return [*self.api.faults, *self.services.faults]


def _run(systems: Sequence[str], seconds: float, progress: Progress) -> tuple[Report, list[str]]:
    report = Report(describe_machine(None, CONNECTIONS))
    fared: dict[str, Fared] = {}
    with tempfile.TemporaryDirectory() as folder:
        for system in systems:
            progress.say(f"{system}: {CONNECTIONS} connections for {seconds:g} seconds")
            api = over_http(CROWDS[system](), Path(folder, f"{system}-api.db"), Until(seconds))
            progress.say(f"{system}: the same without HTTP")
            # It needs less time for as many visits.
            shorter = Until(min(10, seconds / 6))
            services, engine = directly(CROWDS[system](), Path(folder, f"{system}.db"), shorter)
            fared[system] = Fared(api, services, engine)
    report.add("load", _table(fared), _targets(fared), {})
    told = [fault for one in fared.values() for fault in (*one.faults, *one.api.tally.errors)]
    return report, told


def _table(fared: dict[str, Fared]) -> Table:
    percentiles = ("p50", "p99")
    columns = ("API/s", *percentiles, "calls/s", *percentiles, "engine/s", *percentiles)
    return Table(
        title=f"A second, and ms: {CONNECTIONS} at the API, one at the services, the engine alone",
        columns=("system", *columns),
        rows=tuple(
            (
                Cell(system),
                *_figures(one.api.tally),
                *_figures(one.services.tally),
                *_figures(one.engine),
            )
            for system, one in fared.items()
        ),
        notes=tuple(_refusals(system, one.api) for system, one in fared.items()),
    )


def _figures(tally: Tally) -> tuple[Cell, ...]:
    return (
        Cell(f"{tally.a_second:,.0f}"),
        Cell(f"{tally.milliseconds(0.5):.2g}"),
        Cell(f"{tally.milliseconds(0.99):.3g}"),
    )


def _refusals(system: str, outcome: Outcome) -> str:
    """How many were refused, and why: a crowd that is always refused would prove little."""
    tally = outcome.tally
    share = tally.refused.total() / tally.visits
    why = ", ".join(f"{name} {count:,}" for name, count in tally.refused.most_common(4))
    return f"{system}: {tally.visits:,} visits, {share:.0%} refused ({why or 'none'})"


def _targets(fared: dict[str, Fared]) -> list[Target]:
    return [
        target
        for system, one in fared.items()
        for target in (
            Target(f"{system}: what does not hold", len(one.faults), "", at_most=0),
            Target(f"{system}: errors of the server", len(one.api.tally.errors), "", at_most=0),
        )
    ]


if __name__ == "__main__":
    sys.exit(main())
