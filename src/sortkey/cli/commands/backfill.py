"""``sortkey backfill``: rewrite stored records in the form that the design writes now."""

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
from sortkey.access.indexes import FindMissingIndexes
from sortkey.access.mismatch import MissingIndexes
from sortkey.access.targets import EMBEDDED, named_target
from sortkey.cli.loading import design_in
from sortkey.cli.misuse import Misuse
from sortkey.cli.text.backfill import progress_line, summary_text
from sortkey.design.declaring.design import Design
from sortkey.design.declaring.entity import Entity, kind_of
from sortkey.errors import SortkeyError
from sortkey.operations.scan import MOST_SEGMENTS
from sortkey.wire.errors import ResourceNotFoundException

STATE = ".sortkey-backfill.json"
_INTERRUPTED = 130  # the exit status of an interrupted program in a shell


@click.command()
@click.argument("design")
@click.option(
    "--target",
    metavar="TARGET",
    help="A file, a URL, or aws.  [default: the variable SORTKEY_TARGET]",
)
@click.option("--env", default="dev", show_default=True, help="The environment of the tables.")
@click.option(
    "--entity",
    "entities",
    multiple=True,
    metavar="NAME",
    help="Rewrite only the records of this entity; may be repeated.",
)
@click.option(
    "--rate",
    type=click.FloatRange(min=0, min_open=True),
    metavar="UNITS",
    help="The maximum number of capacity units per second, for reads and writes together.",
)
@click.option(
    "--segments",
    type=click.IntRange(1, MOST_SEGMENTS),
    help="The number of parts of a table to process at the same time.  [default: 1]",
)
@click.option(
    "--state",
    type=click.Path(path_type=Path, dir_okay=False),
    default=STATE,
    show_default=True,
    help="The file that records the progress, so that an interrupted run can resume; unused with "
    "--add-indexes, which reads everything again.",
)
@click.option(
    "--add-indexes",
    is_flag=True,
    help="At the end, add the declared indexes that the tables lack.",
)
@click.option("--dry-run", is_flag=True, help="Report what would be done, and write nothing.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Print the summary as text for people, or as JSON for programs.",
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
    add_indexes: bool,
    dry_run: bool,
    form: Literal["text", "json"],
) -> None:
    """Rewrite stored records in the form that the design writes now.

    These are records in an earlier shape, with missing or outdated index keys, or without an
    attribute that new records have. The tables may be in use: a record that changes during the run
    is read again, and never overwritten. An interrupted run resumes where it stopped. The exit
    status is 1 if a record could not be rewritten.

    With --add-indexes, tables on this machine get the declared indexes that they lack. An index is
    added after the records have their keys for it, so it is never incomplete. If a record cannot
    be rewritten, no index is added.

    \b
    Example:
      sortkey backfill design.py --target app.db --dry-run
      sortkey backfill design.py --target app.db --add-indexes
      sortkey backfill design.py --target aws --env prod --rate 200 --segments 4
    """  # noqa: D301 - \b is click's mark for lines to keep as they are
    if add_indexes and entities:
        raise Misuse("--add-indexes needs the records of every entity: leave out --entity")
    if not state.parent.is_dir():
        raise Misuse(f"there is no folder {state.parent}: choose another file with --state")
    indexes: list[MissingIndexes] = []
    try:
        loaded = design_in(design)
        wanted = _entities(loaded, entities)
        _expect_file(target)
        with DB.connect(target=target, environment=env) as db:
            if add_indexes:
                existing = _existing(db, loaded)
                indexes = [missing for missing in existing if missing.indexes]
                tables = {missing.table for missing in existing}
                wanted = [entity for entity in wanted if kind_of(entity).table in tables]
            for missing in indexes:
                click.echo(f"{missing.name} lacks {missing}.", err=True)
            work = Backfill(
                db,
                wanted,
                segments=segments,
                rate=rate,
                state=None if add_indexes else state,
                dry_run=dry_run,
                indexes=indexes,
            )
            if work.resumed:
                click.echo(f"Resuming the run in {state}.", err=True)
            last = _watched(work.run(), dry_run=dry_run)
    except ResourceNotFoundException as error:
        missing_table = f"a table of the design is missing in the environment {env}"
        raise Misuse(f"{missing_table}: check --target and --env ({error})") from error
    except SortkeyError as error:
        raise Misuse(str(error)) from error
    except KeyboardInterrupt:
        hint = "" if dry_run else " Run the same command to resume."
        click.echo(f"\nStopped.{hint}", err=True)
        sys.exit(_INTERRUPTED)
    if form == "json":
        value = {"version": 1, "dry_run": dry_run, **_value(last)}
        added = not (dry_run or last.failed)
        click.echo(json.dumps(value | {"indexes": _index_values(indexes, added=added)}, indent=2))
    else:
        click.echo(summary_text(last, indexes, dry_run=dry_run))
    if last.failed:
        sys.exit(1)


def _entities(design: Design, names: Sequence[str]) -> list[type[Entity]]:
    """Return the entities of these names, or all if none is named."""
    known: dict[str, type[Entity]] = {kind.name: kind.model for kind in design.kinds}
    for name in names:
        if name not in known:
            near = get_close_matches(name, known, 1)
            meant = f"Did you mean {near[0]}?" if near else f"It has {', '.join(known) or 'none'}."
            raise Misuse(f"the design {design.name} has no entity {name}. {meant}")
    return [known[name] for name in names or known]


def _existing(db: DB, design: Design) -> list[MissingIndexes]:
    """What each table lacks; one that does not exist yet has no records either."""
    environment = db._context.environment
    db._target.refuse_new_indexes(environment)
    existing = db(FindMissingIndexes(tuple(table.definition for table in design.tables)))
    if not existing:
        place = f"{db._target.shown} has no table of the design {design.name}"
        raise Misuse(f"{place} in the environment {environment}")
    return existing


def _expect_file(target: str | None) -> None:
    """Reject a file that does not exist: opening it would create an empty database."""
    named = named_target(target)
    if named.abilities is EMBEDDED and named.shown != "memory" and not Path(named.shown).exists():
        raise Misuse(f"there is no file {named.shown}")


def _watched(run: Iterable[Progress], *, dry_run: bool) -> Progress:
    """Show the progress of a run, on a terminal in one line, and return the last."""
    is_terminal = sys.stderr.isatty()
    printed = ""
    last = Progress()
    logged = -1
    for last in run:
        line = progress_line(last, dry_run=dry_run)
        if is_terminal:
            click.echo(f"\r\x1b[K{line}", err=True, nl=last.done)
        elif last.read // 10_000 > logged or (last.done and line != printed):
            # In a log, a line for each ten thousand items is enough.
            logged, printed = last.read // 10_000, line
            click.echo(line, err=True)
    return last


def _value(progress: Progress) -> dict[str, Any]:
    value = asdict(progress)
    del value["expected"], value["done"]
    return value


def _index_values(indexes: Iterable[MissingIndexes], *, added: bool) -> list[dict[str, Any]]:
    return [
        {"table": missing.name, "index": name, "added": added}
        for missing in indexes
        for name in missing.names
    ]
