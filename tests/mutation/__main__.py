"""`python -m tests.mutation`: faults planted in the systems one by one, and who notices them."""

import argparse
import json
import os
import signal
import sys
import tempfile
import traceback
from collections.abc import Iterable, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import NoReturn

from tests.mutation.baseline import Baseline, baseline_of, tests_about
from tests.mutation.children import OutOfTime, WorkFailed, in_child
from tests.mutation.copies import copy_systems, prefer
from tests.mutation.judges import warm_up
from tests.mutation.mutants import PACKAGE, SYSTEMS, Mutant, mutants_of
from tests.mutation.operators import OPERATORS
from tests.mutation.results import (
    TARGET,
    Report,
    read_equivalent,
    read_results,
    result_of,
    write_result,
)
from tests.mutation.trial import NOBODY, Bench, tried

ROOT = Path(__file__).parents[2]
_BASELINE_SECONDS = 1_800


def main(arguments: Sequence[str] | None = None) -> int:
    """Try what was asked for and print it: 0 where enough is noticed, 1 where not."""
    options = _parser().parse_args(arguments)
    # Ended politely, it stops what it started, as it does on Ctrl-C.
    signal.signal(signal.SIGTERM, _leave)
    folder: Path = options.results
    folder.mkdir(parents=True, exist_ok=True)
    chosen = _chosen(options)
    lines = folder / "results.jsonl"
    if options.anew:
        lines.unlink(missing_ok=True)
    done = {
        result.name
        for result in read_results(lines)
        if not (options.again and result.noticed_by == NOBODY)
    }
    left = [mutant for mutant in chosen if mutant.name not in done]
    if left and not options.report:
        _try_all(left, folder, options.jobs)
    names = {mutant.name for mutant in chosen}
    results = [result for result in read_results(lines) if result.name in names]
    report = Report(results, read_equivalent())
    (folder / "report.json").write_text(json.dumps(report.value, indent=2))
    print(report.text)  # noqa: T201 - this is a command
    return 0 if report.share >= TARGET else 1


def _leave(*_: object) -> NoReturn:
    sys.exit(1)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("--system", action="append", choices=SYSTEMS, help="this one only")
    parser.add_argument("--operator", action="append", choices=OPERATORS, help="this one only")
    parser.add_argument("--mutant", action="append", help="this one only, by its name")
    parser.add_argument("--sample", type=int, help="so many of each system, by chance")
    parser.add_argument("--seed", type=int, default=0, help="which ones these are")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes at once")
    parser.add_argument("--again", action="store_true", help="also those that nobody noticed")
    parser.add_argument("--anew", action="store_true", help="forget earlier results")
    parser.add_argument("--report", action="store_true", help="only tell what is known")
    parser.add_argument(
        "--results", type=Path, default=ROOT / "build/mutation", help="where results are kept"
    )
    return parser


def _chosen(options: argparse.Namespace) -> list[Mutant]:
    chosen: list[Mutant] = []
    for system in options.system or SYSTEMS:
        known = [
            mutant
            for mutant in mutants_of(system, ROOT)
            if (not options.operator or mutant.operator in options.operator)
            and (not options.mutant or mutant.name in options.mutant)
        ]
        if options.sample is not None and options.sample < len(known):
            known = Random(options.seed).sample(known, options.sample)
        chosen += known
    # So that what is known of a run that was ended is a fair sample of all.
    Random(options.seed).shuffle(chosen)
    return chosen


def _try_all(mutants: Sequence[Mutant], folder: Path, jobs: int) -> None:
    """Every mutant before its judges; results are written as they come."""
    with tempfile.TemporaryDirectory(prefix="sortkey-mutation-") as temporary:
        home = Path(temporary)
        sound = home / "sound"
        copy_systems(ROOT, sound)
        systems = dict.fromkeys(mutant.system for mutant in mutants)
        baselines = {system: _baseline(system, folder, sound) for system in systems}
        workers = [
            _started(
                mutants[number::jobs],
                Bench(ROOT, home / f"copy{number}", sound, baselines),
                folder,
            )
            for number in range(jobs)
        ]
        try:
            ended = [os.waitpid(worker, 0)[1] for worker in workers]
        except BaseException:
            _end(workers)
            raise
    if any(ended):
        sys.exit("not every mutant was tried")


def _end(workers: Sequence[int]) -> None:
    """End the workers, each of which ends what it has started."""
    for worker in workers:
        with suppress(ProcessLookupError, ChildProcessError):
            os.kill(worker, signal.SIGTERM)
            os.waitpid(worker, 0)


def _baseline(system: str, folder: Path, sound: Path) -> Baseline:
    """How a system is without faults: found out once for its code and tests, and kept."""
    kept = folder / f"{system}-{_digest(system)}.json"
    if kept.exists():
        return Baseline.of(json.loads(kept.read_text()))
    _say(f"{system} without faults")
    log = folder / f"{system}.log"
    try:
        found = in_child(lambda: baseline_of(system, sound, ROOT), log, _BASELINE_SECONDS)
    except (OutOfTime, WorkFailed) as error:
        sys.exit(f"{system} is not sound without a fault: {error}, see {log}")
    kept.write_text(json.dumps(found))
    return Baseline.of(found)


def _digest(system: str) -> str:
    """What tells a system and its tests from those of another day."""
    places = [ROOT / name for name in (PACKAGE / system, *tests_about(system))]
    paths = (path for place in places for path in [place, *sorted(place.rglob("*.py"))])
    texts = [path.read_bytes() for path in paths if path.is_file()]
    return sha256(b"\0".join(texts)).hexdigest()[:12]


def _started(mutants: Iterable[Mutant], bench: Bench, folder: Path) -> int:
    """A process that tries some of the mutants; its id."""
    worker = os.fork()
    if worker:
        return worker
    try:
        copy_systems(ROOT, bench.copy)
        prefer(bench.copy, ROOT)
        warm_up([file for system in bench.baselines for file in tests_about(system)], ROOT)
        for mutant in mutants:
            result = result_of(mutant, tried(mutant, bench))
            write_result(result, folder / "results.jsonl")
            _say(f"{result.noticed_by}: {mutant.file}:{mutant.line} {mutant.operator}")
    except BaseException:  # noqa: BLE001 - whatever it is, this process is over
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def _say(text: str) -> None:
    """Tell a terminal how far it is."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)  # noqa: T201 - a command


if __name__ == "__main__":
    sys.exit(main())
