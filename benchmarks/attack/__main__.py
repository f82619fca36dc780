"""`python -m benchmarks.attack`: attack `sortkey serve`, and fail if a polite client notices."""

import argparse
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from random import SystemRandom

from benchmarks.attack.attackers import ATTACKS
from benchmarks.attack.bench import Outcome, hold, plan
from benchmarks.environments import ROOT
from benchmarks.progress import Progress
from benchmarks.stopping import stop_on_sigterm
from benchmarks.table import Cell, Table, as_text

MINUTES = 5.0
FOLDER = ROOT / "build" / "attack"
_OVERHEAD_SECONDS = 3.0
_SHORTEST_SECONDS = 2.0
_MOST_SHOWN = 700


def main(arguments: Sequence[str] | None = None) -> int:
    """Attack, and print what was noticed; return 0 if it was nothing, 1 if not."""
    options = _parser().parse_args(arguments)
    stop_on_sigterm()
    FOLDER.mkdir(parents=True, exist_ok=True)
    chosen = {name: ATTACKS[name] for name in options.only or ATTACKS}
    trials, seconds = plan(chosen, options.minutes * 60, _OVERHEAD_SECONDS, _SHORTEST_SECONDS)
    outcomes: list[Outcome] = []
    try:
        with Progress() as progress:
            for at, trial in enumerate(trials, 1):
                progress.say(f"{at} of {len(trials)}: {trial.name} ({trial.setting})")
                seed = f"{options.seed} {trial.name} {trial.setting}"
                outcomes.append(hold(trial, seconds, seed, FOLDER))
    except KeyboardInterrupt:
        print(report(outcomes))
        return 130
    print(report(outcomes))
    noticed = [outcome for outcome in outcomes if is_noticed(outcome)]
    for outcome in noticed:
        print(_details(outcome))
    if noticed:
        names = " ".join(dict.fromkeys(outcome.trial.name for outcome in noticed))
        print(f"\nAgain: python -m benchmarks.attack --seed {options.seed} --only {names}")
    return 1 if noticed else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.attack", description=__doc__)
    parser.add_argument(
        "--minutes", type=float, default=MINUTES, help="how long it takes; default 5"
    )
    parser.add_argument(
        "--seed", type=int, default=SystemRandom().randrange(10**6), help="chooses the requests"
    )
    parser.add_argument("--only", nargs="+", choices=ATTACKS, help="only these attacks")
    return parser


def is_noticed(outcome: Outcome) -> bool:
    """Return whether anything was noticed; in CI, that includes an attack that cannot run."""
    missing = outcome.missing and os.environ.get("CI") == "true"
    return bool(outcome.notices or outcome.polite.notices or missing)


def report(outcomes: Sequence[Outcome]) -> str:
    """Return the table of all attacks."""
    rows = tuple(
        (
            Cell(outcome.trial.name),
            Cell(str(outcome.trial.setting)),
            Cell(f"{outcome.sent:,}"),
            Cell(f"{outcome.polite.requests:,}"),
            Cell(f"{outcome.polite.longest_wait:.2f} s"),
            Cell(f"{outcome.megabytes:,.0f} MB"),
            Cell(_verdict(outcome)),
        )
        for outcome in outcomes
    )
    columns = ("attack", "server, workers", "sent", "polite", "longest", "grew", "noticed")
    notes = tuple(
        f"{outcome.trial.name} did not run: {outcome.missing}"
        for outcome in outcomes
        if outcome.missing
    )
    return as_text(Table("sortkey serve under attack", columns, rows, notes))


def _verdict(outcome: Outcome) -> str:
    count = len(outcome.notices) + len(outcome.polite.notices)
    return str(count) if count else "not run" if outcome.missing else "nothing"


def _details(outcome: Outcome) -> str:
    lines = [f"\n{outcome.trial.name} ({outcome.trial.setting}):"]
    lines += [f"- a polite client: {text}" for text in outcome.polite.notices]
    for number, notice in enumerate(outcome.notices):
        lines.append(f"- {notice.text}")
        if notice.request:
            lines.append(f"  {_kept(outcome, number, notice.request)}: {_shown(notice.request)}")
    if outcome.missing:
        lines.append(f"- it did not run: {outcome.missing}")
    return "\n".join(lines)


def _kept(outcome: Outcome, number: int, request: bytes) -> Path:
    """Write a request to a file, and return the file."""
    file = FOLDER / f"{outcome.trial.name}-{time.strftime('%H%M%S')}-{number}.http"
    file.write_bytes(request)
    return file.relative_to(ROOT)


def _shown(request: bytes) -> str:
    text = repr(request)[2:-1]
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}... {len(request):,} bytes"


if __name__ == "__main__":
    sys.exit(main())
