"""`python -m benchmarks.storm`: the crowd of each system, on a server on which all goes wrong.

Requests are throttled, fail, conflict and lose their responses; the server is killed and restarted,
and the clock is moved. The callers are the systems' services, with the retries of the data access;
a visit that still fails is made again, as a user or a worker would. Afterwards every guarantee of
the crowds and every invariant of the designs must hold.
"""

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from benchmarks.figures import Target
from benchmarks.load.__main__ import CROWDS
from benchmarks.load.running import secrets_key
from benchmarks.peers import PeerError
from benchmarks.progress import Progress
from benchmarks.report import NoPlaceError, Report, describe_machine, find_place
from benchmarks.stopping import stop_on_sigterm
from benchmarks.storm.storm import CALLERS, Storm, storm_of
from benchmarks.table import Cell, Table

BEGIN = "<!-- figures of the storm: written by the benchmark -->"
SECONDS = 600


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the storms and print the report; return 0 if all holds, 1 if not, 2 if it cannot run."""
    options = _parser().parse_args(arguments)
    stop_on_sigterm()
    try:
        if options.write:
            find_place(options.write, BEGIN)
        systems: list[str] = options.only or list(CROWDS)
        machine = describe_machine(None, CALLERS) | _manner(options, len(systems))
        storms = _storms(systems, options)
        report = Report(machine)
        report.add("storm", _table(storms), _targets(storms), {})
        if options.write:
            report.write_into(options.write, BEGIN)
    except (NoPlaceError, PeerError) as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    print(report.as_text())
    for storm in storms.values():
        for fault in storm.faults[:20]:
            print(fault, file=sys.stderr)
    return 1 if any(storm.faults for storm in storms.values()) else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.storm", description=__doc__)
    parser.add_argument(
        "--seconds", type=float, default=SECONDS, help="seconds for each system; default 600"
    )
    parser.add_argument("--only", nargs="+", choices=CROWDS, help="run only these systems")
    parser.add_argument(
        "--at-once", type=int, default=1, help="how many systems run at the same time; default 1"
    )
    parser.add_argument("--seed", type=int, default=1, help="which visits, kills and moves")
    parser.add_argument("--write", type=Path, help="write the figures into this Markdown page")
    return parser


def _manner(options: argparse.Namespace, systems: int) -> dict[str, str]:
    at_once = min(options.at_once, systems)
    manner = f"{options.seconds:g} seconds for each system, seed {options.seed}"
    return {"storm": manner + (f", {at_once} systems at once" if at_once > 1 else "")}


def _storms(systems: Sequence[str], options: argparse.Namespace) -> dict[str, Storm]:
    """Run the storm of each system, as many at once as wanted, and return what happened."""
    with (
        Progress() as progress,
        secrets_key(),
        # Forked before there is a thread or an open database.
        ProcessPoolExecutor(options.at_once, get_context("fork")) as pool,
    ):
        running = [pool.submit(storm_of, each, options.seconds, options.seed) for each in systems]
        storms: dict[str, Storm] = {}
        try:
            for system, storm in zip(systems, running, strict=True):
                progress.say(f"{system}: {CALLERS} callers for {options.seconds:g} seconds")
                storms[system] = storm.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
    return storms


def _table(storms: dict[str, Storm]) -> Table:
    columns = (
        "system",
        "visits",
        "refused",
        "made again",
        "throttled",
        "lost",
        "conflicts",
        "stale",
    )
    return Table(
        title=f"Storms: {CALLERS} callers",
        columns=(*columns, "kills", "moves", "broken"),
        rows=tuple(
            (
                Cell(system),
                *(
                    Cell(f"{count:,}")
                    for count in (
                        storm.visits,
                        storm.refused,
                        storm.again,
                        _events(storm, "Exceeded"),
                        _events(storm, "lost-", "error-"),
                        _events(storm, "Transaction"),
                        _events(storm, "index-lag", "stale-read"),
                        storm.kills,
                        storm.moves,
                        len(storm.faults),
                    )
                ),
            )
            for system, storm in storms.items()
        ),
    )


def _events(storm: Storm, *parts: str) -> int:
    return sum(count for what, count in storm.events.items() if any(part in what for part in parts))


def _targets(storms: dict[str, Storm]) -> list[Target]:
    return [
        Target(f"{system}: broken guarantees", len(storm.faults), "", at_most=0)
        for system, storm in storms.items()
    ]


if __name__ == "__main__":
    sys.exit(main())
