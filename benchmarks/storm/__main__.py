"""`python -m benchmarks.storm`: the crowd of each system, on a server on which all goes wrong.

Requests are throttled, fail, conflict and lose their responses; the server is killed and restarted,
and the clock is moved. The callers are the systems' services, with the retries of the data access;
a visit that still fails is made again, as a user or a worker would. Afterwards every guarantee of
the crowds and every invariant of the designs must hold.
"""

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.figures import Target
from benchmarks.load.__main__ import CROWDS
from benchmarks.load.crowd import Crowd, Visit
from benchmarks.load.running import Tally, Until, call, crowded, database, secrets_key
from benchmarks.peers import PeerError
from benchmarks.progress import Progress
from benchmarks.report import NoPlaceError, Report, describe_machine, find_place
from benchmarks.storm.server import stormy
from benchmarks.table import Cell, Table
from sortkey import DB, Retries
from sortkey.cli.loading import design_in
from sortkey.errors import SortkeyError
from sortkey.testing import MovableClock, clock

SECONDS = 600
CALLERS = 4
# A visit that fails is made again, so often and after so long.
_VISITS = 20
_PAUSE_SECONDS = 0.5
_HOUR = 10


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the storms and print the report; return 0 if all holds, 1 if not, 2 if it cannot run."""
    options = _parser().parse_args(arguments)
    try:
        if options.write:
            find_place(options.write)
        with Progress() as progress, secrets_key():
            storms: dict[str, Storm] = {}
            for system in options.only or CROWDS:
                progress.say(f"{system}: {CALLERS} callers for {options.seconds:g} seconds")
                storms[system] = _storm(CROWDS[system](), options.seconds, options.seed)
        report = Report(describe_machine(None, CALLERS))
        report.add("storm", _table(storms), _targets(storms), {})
        if options.write:
            report.write_into(options.write)
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
    parser.add_argument("--seed", type=int, default=1, help="which visits, kills and moves")
    parser.add_argument("--write", type=Path, help="write the figures into this Markdown page")
    return parser


@dataclass(frozen=True, slots=True)
class Storm:
    """What happened in a storm, and what no longer holds after it."""

    tally: Tally
    again: Counter[str]
    kills: int
    moves: int
    events: dict[str, int]
    faults: list[str]


def _storm(crowd: Crowd, seconds: float, seed: int) -> Storm:
    again: Counter[str] = Counter()
    moved = MovableClock()
    # Late enough after midnight that no day ends during a run, which the crowds do not expect.
    moved.move((_HOUR * 3600 - time.time()) % 86400)
    with tempfile.TemporaryDirectory() as folder, clock(moved):
        file = Path(folder, "storm.db")
        with database(crowd, file) as db:
            crowd.prepare(db)
        with stormy(file, moved, Path(folder, "log"), seed) as server:
            tally = _crowded(crowd, server.url, moved, Until(seconds), seed=seed, again=again)
        with database(crowd, file) as db:
            faults = [*crowd.faults(db), *_breaches(crowd, db), *tally.errors]
    return Storm(tally, again, server.kills, server.moves, server.events, faults)


def _crowded(
    crowd: Crowd, url: str, moved: MovableClock, until: Until, *, seed: int, again: Counter[str]
) -> Tally:
    """Let the crowd make its visits, each until it succeeds or is refused."""
    generator: Any = import_module(f"sortkey_systems.{crowd.system}.generator")

    def visited(db: DB, visit: Visit, tally: Tally) -> None:
        for number in range(_VISITS):
            try:
                with clock(moved):
                    call(crowd, db, visit, tally)
            except SortkeyError as error:
                again[type(error).__name__] += 1
                if number + 1 == _VISITS:
                    tally.errors.append(f"{visit.operation} of {visit.who}: {error}")
                time.sleep(_PAUSE_SECONDS)
            else:
                return

    retries = Retries(base=0.02, cap=2.0)
    with DB.connect(*generator.TABLES, target=url, retries=retries) as db:
        return crowded(
            crowd,
            lambda: nullcontext(lambda visit, tally: visited(db, visit, tally)),
            CALLERS,
            until,
            seed,
        )


def _breaches(crowd: Crowd, db: DB) -> Iterator[str]:
    """Yield every broken invariant of the system's design."""
    design = design_in(f"sortkey_systems.{crowd.system}.design")
    for invariant in design.invariants:
        records = {entity: list(db.each(entity.scan())) for entity in invariant.entities}
        breach = invariant.breach(records)
        if breach is not None:
            yield f"{invariant.title}: {breach.describe()}"


def _table(storms: dict[str, Storm]) -> Table:
    columns = ("system", "visits", "refused", "made again", "throttled", "lost", "conflicts")
    return Table(
        title=f"Storms: {CALLERS} callers",
        columns=(*columns, "kills", "moves", "broken"),
        rows=tuple(
            (
                Cell(system),
                *(
                    Cell(f"{count:,}")
                    for count in (
                        storm.tally.visits,
                        storm.tally.refused.total(),
                        storm.again.total(),
                        _events(storm, "Exceeded"),
                        _events(storm, "lost-", "error-"),
                        _events(storm, "Transaction"),
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
