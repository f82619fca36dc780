"""The engine in process compared with bare SQLite, with the same file layout and settings.

The bare side gets everything that the engine must compute: the key as bytes, the item as JSON, the
statement. It reads or writes one row and commits. The engine parses a request, checks it, does the
same, and returns a decoded response.
"""

import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from benchmarks.environments import ENVIRONMENTS
from benchmarks.figures import Series, Target, ratio
from benchmarks.progress import Progress
from benchmarks.table import Cell, Table, times
from benchmarks.workloads import (
    PARTITIONS,
    create_table,
    get_item,
    item,
    load_table,
    places,
    put_item,
)
from sortkey.engine import Engine
from sortkey.engine.keys import hashed
from sortkey.engine.storage import Storage
from sortkey.engine.storage.checksums import checksum
from sortkey.engine.storage.sql import row_statements
from sortkey.wire.values import read_item

GETS_A_ROUND = 2_000
PUTS_A_ROUND = 500
Row = tuple[bytes, bytes, bytes, int, int]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Microseconds of one operation, with the engine and with bare SQLite."""

    operation: str
    engine: Series
    bare: Series


def measure_in_process(rounds: int, progress: Progress) -> list[Comparison]:
    """Measure GetItem and PutItem, and a bare read and insert, taking turns on two equal files."""
    ENVIRONMENTS.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=ENVIRONMENTS, prefix="bench-data-") as scratch:
        ours, bare = Path(scratch) / "ours.db", Path(scratch) / "bare.db"
        for path in (ours, bare):
            progress.say(f"in process: fill {path.name}")
            _fill(path)
        with Engine.open(ours) as engine, closing(Storage(str(bare))) as storage:
            return _take_turns(engine, storage, rounds, progress)


def in_process_targets(comparisons: Sequence[Comparison]) -> list[Target]:
    """Return the targets for the engine compared with SQLite."""
    return [
        Target(
            promise=f"{comparison.operation} in process against bare sqlite3",
            figure=ratio(comparison.engine, comparison.bare),
            unit="x",
            at_most=4.0,
        )
        for comparison in comparisons
    ]


def in_process_table(comparisons: Sequence[Comparison]) -> Table:
    """Return the table of both sides in microseconds."""
    return Table(
        title="In process, one file (WAL, synchronous NORMAL), each write its own commit",
        columns=("microseconds", "Engine.answer", "bare sqlite3", "ratio"),
        rows=tuple(
            (
                Cell(each.operation),
                Cell(f"{each.engine.median:.1f} ±{each.engine.spread:.0%}"),
                Cell(f"{each.bare.median:.1f} ±{each.bare.spread:.0%}"),
                Cell(times(ratio(each.engine, each.bare))),
            )
            for each in comparisons
        ),
    )


def _fill(path: Path) -> None:
    with Engine.open(path, grouped=True) as engine:
        engine.answer("CreateTable", create_table())
        for batch in load_table():
            engine.answer("BatchWriteItem", batch)
        engine.flush()


def _take_turns(
    engine: Engine, storage: Storage, rounds: int, progress: Progress
) -> list[Comparison]:
    execute = storage.execute
    statements = row_statements(_rows_number(storage))
    every = places()
    gets: list[float] = []
    reads: list[float] = []
    puts: list[float] = []
    inserts: list[float] = []
    for turn in range(rounds + 1):
        progress.say(f"in process: round {turn} of {rounds}")
        chosen = [every[(turn * GETS_A_ROUND + at) % len(every)] for at in range(GETS_A_ROUND)]
        keys = [_row(place)[:2] for place in chosen]
        reads.append(_micros(lambda key: execute(statements.get, key).fetchone(), keys))
        requests = [get_item(*place) for place in chosen]
        gets.append(_micros(lambda body: engine.answer("GetItem", body), requests))

        # New partitions in every round, so that both sides insert and never replace.
        new = [(PARTITIONS + turn * PUTS_A_ROUND + at, 0) for at in range(PUTS_A_ROUND)]
        rows = [_row(place) for place in new]
        inserts.append(_micros(lambda row: execute(statements.put, row), rows))
        requests = [put_item(*place) for place in new]
        puts.append(_micros(lambda body: engine.answer("PutItem", body), requests))
    # The first round is only a warm-up.
    return [
        Comparison("GetItem", Series(tuple(gets[1:])), Series(tuple(reads[1:]))),
        Comparison("PutItem", Series(tuple(puts[1:])), Series(tuple(inserts[1:]))),
    ]


def _micros(act: Callable[[Any], object], arguments: Sequence[Any]) -> float:
    """Return the average time of one call."""
    start = time.perf_counter()
    for argument in arguments:
        act(argument)
    return (time.perf_counter() - start) / len(arguments) * 1e6


def _rows_number(storage: Storage) -> int:
    """Return the number under which the engine stores the rows of the only table."""
    [number] = storage.execute("SELECT id FROM tables").fetchone()
    return number


def _row(place: tuple[int, int]) -> Row:
    """Return an item as the engine stores it."""
    stored, size = read_item(item(*place, edition=1))
    partition, position = stored["pk"]["S"].encode(), stored["sk"]["S"].encode()
    text = orjson.dumps(stored)
    return hashed(partition), position, text, size, checksum(position, text, size)
