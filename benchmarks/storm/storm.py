"""The storm of one system: its crowd on the stormy server, and what holds afterwards."""

import logging
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.load.__main__ import CROWDS
from benchmarks.load.crowd import Crowd, Scheduled, Visit
from benchmarks.load.running import Tally, Until, call, crowded, database
from benchmarks.storm.server import stormy
from sortkey import DB, Retries
from sortkey.cli.loading import design_in
from sortkey.errors import SortkeyError
from sortkey.testing import MovableClock, clock

CALLERS = 4
# A visit that fails is made again, so often and after so long.
_VISITS = 20
_PAUSE_SECONDS = 0.5
_HOUR = 10


@dataclass(frozen=True, slots=True)
class Storm:
    """What happened in a storm, and what no longer holds after it."""

    visits: int
    refused: int
    again: int
    kills: int
    moves: int
    events: dict[str, int]
    faults: list[str]


def storm_of(system: str, seconds: float, seed: int) -> Storm:
    """Run the storm of a system for so many seconds, and return what happened."""
    # The services log what fails for good, as much does here.
    logging.disable()
    crowd = CROWDS[system]()
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
            if isinstance(crowd, Scheduled):
                crowd.finish(db)
            faults = [*crowd.faults(db), *_breaches(crowd, db), *tally.errors]
    return Storm(
        visits=tally.visits,
        refused=tally.refused.total(),
        again=again.total(),
        kills=server.kills,
        moves=server.moves,
        events=server.events,
        faults=faults,
    )


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
                if visit.doubt is not None:
                    visit.doubt()
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
