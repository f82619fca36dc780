"""Whether the cost of an operation grows with data that it does not touch.

Run on its own, `python -m benchmarks.growth --full` also measures ten million items, which takes
some minutes and about 8 GB of disk.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.environments import ENVIRONMENTS
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
OPERATIONS_A_ROUND = {"GetItem": 2_000, "PutItem": 1_000, "Query of 50": 500}
ROUNDS = 7
BATCHES_A_COMMIT = 200

# Caches that hold ten thousand items and not a million cost this much and no more; a cost that
# grew with the data would be a hundredfold.
FLAT = 2.0
# A page is a megabyte of items: as bytes, as JSON and decoded it takes several times that.
SCAN_MEGABYTES = 32.0


@dataclass(frozen=True, slots=True)
class Growth:
    """Microseconds for each operation at each size, and what a whole Scan took and held."""

    micros: dict[str, dict[int, Series]]
    load_seconds: dict[int, float]
    scanned: int
    scan_seconds: float
    scan_megabytes: float


def measure_growth(sizes: Sequence[int], progress: Progress) -> Growth:
    """Get, put and query random items of tables of these sizes, then scan the million."""
    ENVIRONMENTS.mkdir(exist_ok=True)
    micros: dict[str, dict[int, Series]] = {name: {} for name in OPERATIONS_A_ROUND}
    load_seconds: dict[int, float] = {}
    scan = (0, 0.0, 0.0)
    with tempfile.TemporaryDirectory(dir=ENVIRONMENTS, prefix="bench-data-") as scratch:
        for size in sizes:
            path = Path(scratch) / f"{size}.db"
            began = time.perf_counter()
            _load(path, size, progress)
            load_seconds[size] = time.perf_counter() - began
            for name, series in _operations(path, size, progress).items():
                micros[name][size] = series
            if size == min(max(sizes), LARGE):
                progress.say(f"growth: Scan of {size:,} items")
                scan = _scan_in_a_child(path)
    return Growth(micros, load_seconds, *scan)


def growth_targets(growth: Growth) -> list[Target]:
    """The promises about size."""
    flat = [
        Target(
            promise=f"{name} at {size:,} items against {min(row):,}",
            figure=ratio(row[size], row[min(row)]),
            unit="x",
            at_most=FLAT,
        )
        for name, row in growth.micros.items()
        for size in row
        if size != min(row)
    ]
    scan = Target(
        promise=f"memory that a Scan of {growth.scanned:,} items adds",
        figure=growth.scan_megabytes,
        unit="MB",
        at_most=SCAN_MEGABYTES,
    )
    return [*flat, scan]


def growth_table(growth: Growth) -> Table:
    """Microseconds for one operation at each size, and against the smallest."""
    sizes = list(growth.load_seconds)
    return Table(
        title="Growth: random keys, in process, one file",
        columns=("microseconds", *(f"{size:,} items" for size in sizes)),
        rows=tuple(
            (Cell(name), *(_growth_cell(row, size) for size in sizes))
            for name, row in growth.micros.items()
        ),
        notes=(
            f"Scan of {growth.scanned:,} items, page by page: {growth.scan_seconds:.1f} s",
            f"memory that it held more: {growth.scan_megabytes:.1f} MB",
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


def _operations(path: Path, size: int, progress: Progress) -> dict[str, Series]:
    chance = random.Random(size)  # noqa: S311
    partitions = size // PARTITION_ITEMS

    def somewhere() -> tuple[int, int]:
        return chance.randrange(partitions), chance.randrange(PARTITION_ITEMS)

    makers: dict[str, tuple[str, Callable[[], Body]]] = {
        "GetItem": ("GetItem", lambda: get_item(*somewhere())),
        "PutItem": ("PutItem", lambda: put_item(*somewhere())),
        "Query of 50": ("Query", lambda: query(chance.randrange(partitions))),
    }
    samples: dict[str, list[float]] = {name: [] for name in makers}
    with Engine.open(path) as engine:
        for turn in range(ROUNDS + 1):
            progress.say(f"growth: {size:,} items, round {turn} of {ROUNDS}")
            for name, (action, make) in makers.items():
                bodies = [make() for _ in range(OPERATIONS_A_ROUND[name])]
                began = time.perf_counter()
                for body in bodies:
                    engine.answer(action, body)
                samples[name].append((time.perf_counter() - began) / len(bodies) * 1e6)
    # The first round only warmed up.
    return {name: Series(tuple(figures[1:])) for name, figures in samples.items()}


def _scan_in_a_child(path: Path) -> tuple[int, float, float]:
    """Items, seconds and megabytes of a Scan in a process of its own, whose memory is its own."""
    ran = subprocess.run(
        [sys.executable, "-m", "benchmarks.growth", "--scan", str(path)],
        capture_output=True,
        text=True,
        check=True,
    )
    items, seconds, megabytes = ran.stdout.split()
    return int(items), float(seconds), float(megabytes)


def scan_whole(path: Path) -> tuple[int, float, float]:
    """Items, seconds and the most memory held beyond what the open engine had.

    Pages of the file that SQLite maps are the system's cache, not the process's memory, and are
    not counted.
    """
    items = 0
    with Engine.open(path) as engine:
        engine.answer("Scan", {"TableName": TABLE, "Limit": 1})
        before = most = resident_megabytes(os.getpid(), "RssAnon")
        began = time.perf_counter()
        start: Body = {}
        while True:
            page = engine.answer("Scan", {"TableName": TABLE, **start})
            items += page["Count"]
            most = max(most, resident_megabytes(os.getpid(), "RssAnon"))
            if "LastEvaluatedKey" not in page:
                return items, time.perf_counter() - began, most - before
            start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}


def main() -> None:
    """Measure growth alone, or be the child that scans."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="ten million items as well")
    parser.add_argument("--scan", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.scan:
        print(*scan_whole(options.scan))
        return
    with Progress() as progress:
        growth = measure_growth((SMALL, LARGE, *[HUGE] * options.full), progress)
    print(
        as_text(growth_table(growth)), "", as_text(targets_table(growth_targets(growth))), sep="\n"
    )


if __name__ == "__main__":
    main()
