"""`python -m benchmarks.load`: a crowd at each system's API, beside the same without HTTP."""

import argparse
import sys
import tempfile
from collections.abc import Callable, Sequence
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
    Until,
    a_key_for_secrets,
    directly,
    over_http,
)
from benchmarks.load.shuttle import Shuttle
from benchmarks.peers import PeerError
from benchmarks.progress import Progress
from benchmarks.report import NoPlaceError, Report, describe_machine, find_place
from benchmarks.table import Cell, Table, times

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


def _run(systems: Sequence[str], seconds: float, progress: Progress) -> tuple[Report, list[str]]:
    report = Report(describe_machine(None, CONNECTIONS))
    fared: dict[str, tuple[Outcome, Outcome]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for system in systems:
            progress.say(f"{system}: {CONNECTIONS} connections for {seconds:g} seconds")
            api = over_http(CROWDS[system](), Path(folder, f"{system}-api.db"), Until(seconds))
            progress.say(f"{system}: the same without HTTP")
            # It needs less time for as many visits.
            services = directly(
                CROWDS[system](), Path(folder, f"{system}.db"), Until(min(10, seconds / 6))
            )
            fared[system] = api, services
    report.add("load", _table(fared), _targets(fared), {})
    return report, [fault for both in fared.values() for one in both for fault in _told(one)]


def _told(outcome: Outcome) -> list[str]:
    return [*outcome.faults, *outcome.tally.errors]


def _table(fared: dict[str, tuple[Outcome, Outcome]]) -> Table:
    return Table(
        title=f"Visits by {CONNECTIONS} connections over HTTP, and by one caller of the services",
        columns=("system", "API /s", "p50 ms", "p99 ms", "direct /s", "p50 ms", "p99 ms", "ratio"),
        rows=tuple(
            (
                Cell(system),
                *_figures(api),
                *_figures(services),
                Cell(times(services.tally.a_second / api.tally.a_second)),
            )
            for system, (api, services) in fared.items()
        ),
        notes=tuple(_refusals(system, api) for system, (api, _) in fared.items()),
    )


def _figures(outcome: Outcome) -> tuple[Cell, ...]:
    tally = outcome.tally
    return (
        Cell(f"{tally.a_second:,.0f}"),
        Cell(f"{tally.milliseconds(0.5):.2f}"),
        Cell(f"{tally.milliseconds(0.99):.2f}"),
    )


def _refusals(system: str, outcome: Outcome) -> str:
    """How many were refused, and why: a crowd that is always refused would prove little."""
    tally = outcome.tally
    share = tally.refused.total() / tally.visits
    why = ", ".join(f"{name} {count:,}" for name, count in tally.refused.most_common(4))
    return f"{system}: {tally.visits:,} visits, {share:.0%} refused ({why or 'none'})"


def _targets(fared: dict[str, tuple[Outcome, Outcome]]) -> list[Target]:
    return [
        target
        for system, both in fared.items()
        for target in (
            Target(f"{system}: what does not hold", _count(both, "faults"), "", at_most=0),
            Target(f"{system}: errors of the server", _count(both, "errors"), "", at_most=0),
        )
    ]


def _count(both: tuple[Outcome, Outcome], kind: str) -> int:
    found = {"faults": [one.faults for one in both], "errors": [one.tally.errors for one in both]}
    return sum(map(len, found[kind]))


if __name__ == "__main__":
    sys.exit(main())
