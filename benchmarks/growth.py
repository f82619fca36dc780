"""Growth: whether the cost of an operation grows with data that it does not touch.

At every size the operations touch ten thousand items, scattered over the whole table, so that only
the untouched data differs. One more row reads anywhere: its extra cost is due to the machine's
caches, which hold ten thousand items but not ten million.

Run on its own, `python -m benchmarks.growth --full` also measures ten million items, which takes
some minutes and about 8 GB of disk.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.environments import ENVIRONMENTS, ROOT
from benchmarks.figures import Series, Target, ratio
from benchmarks.progress import Progress
from benchmarks.startup import resident_megabytes
from benchmarks.table import Cell, Table, as_text, targets_table, times
from benchmarks.workloads import (
    BATCH_ITEMS,
    PARTITION_ITEMS,
    TABLE,
    Body,
    batch_write,
    create_table,
    get_item,
    put_item,
    query,
)
from sortkey.engine import Engine

SMALL, LARGE, HUGE = 10_000, 1_000_000, 10_000_000
ANYWHERE = "GetItem, anywhere"
OPERATIONS_A_ROUND = {"GetItem": 2_000, "PutItem": 1_000, "Query of 50": 500, ANYWHERE: 2_000}
WARM_UP = 6  # enough to touch probably each of the ten thousand items
ROUNDS = 7
BATCHES_A_COMMIT = 200

# Room for a deeper tree and fuller caches; a cost that grew with the data would be a hundred
# times as high.
FLAT = 1.5
# The memory that the allocator leaves unused between pages of different items.
SCAN_MEGABYTES = 16.0


@dataclass(frozen=True, slots=True)
class Scan:
    """A whole Scan: the memory of its first page, and the additional memory of all others."""

    items: int
    pages: int
    seconds: float
    first_page_megabytes: float
    further_megabytes: float


@dataclass(frozen=True, slots=True)
class Growth:
    """Microseconds for each operation at each size, and the time and memory of a whole Scan."""

    micros: dict[str, dict[int, Series]]
    load_seconds: dict[int, float]
    scan: Scan


def measure_growth(sizes: Sequence[int], progress: Progress) -> Growth:
    """Get, put and query random items of tables of these sizes, then scan up to a million items."""
    ENVIRONMENTS.mkdir(exist_ok=True)
    load_seconds: dict[int, float] = {}
    with tempfile.TemporaryDirectory(dir=ENVIRONMENTS, prefix="bench-data-") as scratch:
        paths = {size: Path(scratch) / f"{size}.db" for size in sizes}
        for size, path in paths.items():
            began = time.perf_counter()
            _load(path, size, progress)
            load_seconds[size] = time.perf_counter() - began
        micros = _take_turns(paths, progress)
        scanned = min(max(sizes), LARGE)
        progress.say(f"growth: Scan of {scanned:,} items")
        return Growth(micros, load_seconds, _scan_in_a_child(paths[scanned]))


def growth_targets(growth: Growth) -> list[Target]:
    """Return the targets for growth."""
    flat = [
        Target(
            promise=f"{name} at {size:,} items against {min(row):,}",
            figure=ratio(row[size], row[min(row)]),
            unit="x",
            at_most=FLAT,
        )
        for name, row in growth.micros.items()
        for size in row
        if size != min(row) and name != ANYWHERE
    ]
    scan = Target(
        promise=f"memory of a Scan of {growth.scan.pages} pages beyond the first page",
        figure=growth.scan.further_megabytes,
        unit="MB",
        at_most=SCAN_MEGABYTES,
    )
    return [*flat, scan]


def growth_table(growth: Growth) -> Table:
    """Return the table of microseconds at each size, compared with the smallest."""
    sizes, scan = list(growth.load_seconds), growth.scan
    return Table(
        title="Growth: in process, one file, the same number of items touched at each size",
        columns=("microseconds", *(f"{size:,} items" for size in sizes)),
        rows=tuple(
            (Cell(name), *(_growth_cell(row, size) for size in sizes))
            for name, row in growth.micros.items()
        ),
        notes=(
            f"Scan of {scan.items:,} items, {scan.pages} pages: {scan.seconds:.1f} s",
            f"memory for its first page, decoded: {scan.first_page_megabytes:.0f} MB",
            f"additional memory for all others: {scan.further_megabytes:.1f} MB",
        ),
    )


def _growth_cell(row: dict[int, Series], size: int) -> Cell:
    series = row[size]
    remark = "" if size == min(row) else times(ratio(series, row[min(row)]))
    return Cell(f"{series.median:.1f} ±{series.spread:.0%}", remark)


def _load(path: Path, size: int, progress: Progress) -> None:
    with Engine.open(path, grouped=True) as engine:
        engine.answer("CreateTable", create_table())
        for number, start in enumerate(range(0, size, BATCH_ITEMS)):
            engine.reply("BatchWriteItem", _batch(start))
            if number % BATCHES_A_COMMIT == 0:
                engine.flush()
                progress.say(f"growth: load {start:,} of {size:,} items")
        engine.flush()


def _batch(start: int) -> Body:
    return batch_write(
        [divmod(at, PARTITION_ITEMS) for at in range(start, start + BATCH_ITEMS)], edition=0
    )


def _take_turns(paths: dict[int, Path], progress: Progress) -> dict[str, dict[int, Series]]:
    samples: dict[str, dict[int, list[float]]] = {
        name: {size: [] for size in paths} for name in OPERATIONS_A_ROUND
    }
    with ExitStack() as stack:
        engines = {size: stack.enter_context(Engine.open(path)) for size, path in paths.items()}
        for turn in range(WARM_UP + ROUNDS):
            progress.say(f"growth: round {turn} of {WARM_UP + ROUNDS - 1}")
            for name, rows in samples.items():
                for size, engine in engines.items():
                    rows[size].append(_micros(engine, size, name, turn))
    # The first rounds are only a warm-up.
    return {
        name: {size: Series(tuple(figures[WARM_UP:])) for size, figures in rows.items()}
        for name, rows in samples.items()
    }


def _micros(engine: Engine, size: int, name: str, turn: int) -> float:
    """Return the average time of the operation on random items."""
    action, bodies = _requests(size, name, turn)
    began = time.perf_counter()
    for body in bodies:
        engine.answer(action, body)
    return (time.perf_counter() - began) / len(bodies) * 1e6


def _requests(size: int, name: str, turn: int) -> tuple[str, list[Body]]:
    chance = random.Random(f"{name} {turn}")  # noqa: S311
    partitions = range(size // PARTITION_ITEMS)
    touched = partitions if name == ANYWHERE else _touched(partitions)
    places = [
        (chance.choice(touched), chance.randrange(PARTITION_ITEMS))
        for _ in range(OPERATIONS_A_ROUND[name])
    ]
    match name:
        case "GetItem" | "GetItem, anywhere":
            return "GetItem", [get_item(*place) for place in places]
        case "PutItem":
            return "PutItem", [put_item(*place) for place in places]
        case _:
            return "Query", [query(partition) for partition, _ in places]


def _touched(partitions: range) -> Sequence[int]:
    """Return as many partitions as the smallest table has, scattered over this one."""
    return random.Random(len(partitions)).sample(partitions, SMALL // PARTITION_ITEMS)  # noqa: S311


def _scan_in_a_child(path: Path) -> Scan:
    """Run the Scan in a child process, to measure its memory alone."""
    ran = subprocess.run(
        [sys.executable, "-m", "benchmarks.growth", "--scan", str(path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return Scan(**json.loads(ran.stdout))


def scan_whole(path: Path) -> Scan:
    """Scan the whole table, holding one page at a time.

    The file's pages that SQLite maps belong to the system's cache, and are not counted.
    """
    with Engine.open(path) as engine:
        engine.answer("Scan", {"TableName": TABLE, "Limit": 1})
        began = time.perf_counter()
        held = [resident_megabytes(os.getpid(), "RssAnon")]
        items = 0
        start: Body = {}
        while True:
            page = engine.answer("Scan", {"TableName": TABLE, **start})
            held.append(resident_megabytes(os.getpid(), "RssAnon"))
            items += page["Count"]
            if "LastEvaluatedKey" not in page:
                break
            start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}
            del page  # otherwise two pages would be held while the next one is read
    return Scan(
        items=items,
        pages=len(held) - 1,
        seconds=time.perf_counter() - began,
        first_page_megabytes=held[1] - held[0],
        further_megabytes=max(held[1:]) - held[1],
    )


def main() -> None:
    """Measure growth alone, or run the Scan of the child process."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="also measure ten million items")
    parser.add_argument("--scan", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.scan:
        print(json.dumps(asdict(scan_whole(options.scan))))
        return
    with Progress() as progress:
        growth = measure_growth((SMALL, LARGE, *[HUGE] * options.full), progress)
    print(
        as_text(growth_table(growth)), "", as_text(targets_table(growth_targets(growth))), sep="\n"
    )


if __name__ == "__main__":
    main()
