"""``sortkey backfill``: stored records brought to what the design would write now."""

import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal

import click

from sortkey.access.backfill import Backfill, Progress
from sortkey.access.db import DB
from sortkey.access.targets import EMBEDDED, named_target
from sortkey.cli.loading import design_in
from sortkey.cli.misuse import Misuse
from sortkey.cli.text.backfill import progress_line, summary_text
from sortkey.design.design import Design
from sortkey.design.entity import Entity
from sortkey.errors import SortkeyError
from sortkey.operations.scan import MOST_SEGMENTS

STATE = ".sortkey-backfill.json"
_INTERRUPTED = 130  # as shells say it


@click.command()
@click.argument("design")
@click.option(
    "--target",
    metavar="TARGET",
    help="A file, a URL, or aws; without it the environment's SORTKEY_TARGET.",
)
@click.option("--env", default="dev", show_default=True, help="The environment of the tables.")
@click.option(
    "--entity",
    "entities",
    multiple=True,
    metavar="NAME",
    help="The records of this entity only; may be given again for others.",
)
@click.option(
    "--rate",
    type=click.FloatRange(min=0, min_open=True),
    metavar="UNITS",
    help="The most capacity units a second, reads and writes together.",
)
@click.option(
    "--segments",
    type=click.IntRange(1, MOST_SEGMENTS),
    help="How many parts of a table are worked on at the same time.  [default: 1]",
)
@click.option(
    "--state",
    type=click.Path(path_type=Path, dir_okay=False),
    default=STATE,
    show_default=True,
    help="Where the progress is kept, so that a run that was ended goes on.",
)
@click.option("--dry-run", is_flag=True, help="Tell what would be rewritten, and write nothing.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="The summary as text for people, or as JSON for programs.",
)
def backfill(
    *,
    design: str,
    target: str | None,
    env: str,
    entities: tuple[str, ...],
    rate: float | None,
    segments: int | None,
    state: Path,
    dry_run: bool,
    form: Literal["text", "json"],
) -> None:
    """Rewrite stored records to what the design would write now.

    Records in an earlier shape, with index keys that are missing or written otherwise now, or
    without an attribute that they would have. The tables may be in use: a record that somebody
    changes meanwhile is read again, and never overwritten. A run that was ended goes on where it
    was. The exit status is 1 if a record could not be rewritten.

    \b
    Example:
      sortkey backfill design.py --target app.db --dry-run
      sortkey backfill design.py --target aws --env prod --rate 200 --segments 4
    """  # noqa: D301 - \b is click's mark for lines to keep as they are
    try:
        wanted = _entities(design_in(design), entities)
        _expect_file(target)
        with DB.connect(target=target, environment=env) as db:
            work = Backfill(db, wanted, segments=segments, rate=rate, state=state, dry_run=dry_run)
            if work.resumed:
                click.echo(f"Going on where {state} says an earlier run was.", err=True)
            last = _watched(work.run(), dry_run=dry_run)
    except SortkeyError as error:
        raise Misuse(str(error)) from error
    except KeyboardInterrupt:
        goes_on = "" if dry_run else " The same command goes on from here."
        click.echo(f"\nStopped.{goes_on}", err=True)
        sys.exit(_INTERRUPTED)
    if form == "json":
        click.echo(json.dumps({"version": 1, "dry_run": dry_run, **_value(last)}, indent=2))
    else:
        click.echo(summary_text(last, dry_run=dry_run))
    if last.failed:
        sys.exit(1)


def _entities(design: Design, names: Sequence[str]) -> list[type[Entity]]:
    """The entities of these names; all of them where none is named."""
    known: dict[str, type[Entity]] = {kind.name: kind.model for kind in design.kinds}
    for name in names:
        if name not in known:
            near = get_close_matches(name, known, 1)
            meant = f"Did you mean {near[0]}?" if near else f"It has {', '.join(known) or 'none'}."
            raise Misuse(f"the design {design.name} has no entity {name}. {meant}")
    return [known[name] for name in names or known]


def _expect_file(target: str | None) -> None:
    """Refuse a file that is not there: opening it would make one, with nothing to rewrite."""
    named = named_target(target)
    if named.abilities is EMBEDDED and named.shown != "memory" and not Path(named.shown).exists():
        raise Misuse(f"there is no file {named.shown}")


def _watched(run: Iterable[Progress], *, dry_run: bool) -> Progress:
    """The last progress; each is shown on the way, over the one before where that is possible."""
    is_terminal = sys.stderr.isatty()
    told = ""
    last = Progress()
    logged = -1
    for last in run:
        line = progress_line(last, dry_run=dry_run)
        if is_terminal:
            click.echo(f"\r\x1b[K{line}", err=True, nl=last.done)
        elif last.read // 10_000 > logged or (last.done and line != told):
            # In a log, a line for each ten thousand items is enough.
            logged, told = last.read // 10_000, line
            click.echo(line, err=True)
    return last


def _value(progress: Progress) -> dict[str, Any]:
    value = asdict(progress)
    del value["expected"], value["done"]
    return value
