"""``sortkey forget``: remove a key from the history of a table, for the erasure of a person."""

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Literal

import click

from sortkey.cli.misuse import Misuse
from sortkey.cli.progress import count_shown
from sortkey.cli.text.forget import forgotten_text
from sortkey.engine import Engine
from sortkey.errors import SortkeyError


@click.command()
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.argument("table")
@click.argument("key", nargs=-1, required=True, metavar="NAME=VALUE...")
@click.option(
    "--vacuum",
    is_flag=True,
    help="Write the whole file again, so that no unused page of it has traces of deleted items.",
)
@click.option(
    "--buckets",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="DIR",
    help="Search the exports and reports in the buckets of this folder, that of serve. Exports in "
    "Ion cannot be searched.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Print the report as text for people, or as JSON for programs.",
)
def forget(
    *,
    file: Path,
    table: str,
    key: tuple[str, ...],
    vacuum: bool,
    buckets: Path | None,
    form: Literal["text", "json"],
) -> None:
    """Remove a key from the history of a table, for the erasure of a person.

    After an item is deleted, the journal of a table with recovery keeps it for up to 35 days, and
    the stream for a day. This command removes the key and its items from both, so that no restore
    brings them back. Give the partition key alone to remove all items of a partition. The items
    must have been deleted from the table before.

    A reader of the stream that is behind does not see the removed changes, the deletion included:
    let it catch up first.

    Backups, exports, reports of bulk puts and other tables are not changed; those that hold the key
    are listed. Without --buckets, the exports and reports of the last 90 days are listed whether
    they hold it or not. The exit status is 0 if nothing is left, 1 if something is, and 2 if the
    key cannot be forgotten.

    \b
    Example:
      sortkey forget app.db Users PK=USER#7
      sortkey forget app.db Orders id=o-17 line=3 --vacuum
    """  # noqa: D301 - \b is click's mark for lines to keep as they are
    values = _read(key)
    try:
        with Engine.open(file, buckets=buckets) as engine:
            shown = count_shown("{:,} changes read")
            found = engine.forget(table, values, vacuum=vacuum, progress=shown)
    except SortkeyError as error:
        raise Misuse(str(error)) from error
    if form == "json":
        copies = [copy._asdict() for copy in found.copies]
        value = {"version": 1, "file": str(file), **asdict(found), "copies": copies}
        click.echo(json.dumps(value, indent=2))
    else:
        click.echo(forgotten_text(file, table, found))
    if found.copies:
        sys.exit(1)


def _read(key: tuple[str, ...]) -> dict[str, str]:
    values: dict[str, str] = {}
    for each in key:
        name, equals, value = each.partition("=")
        if not equals:
            raise Misuse(f"{each} is not of the form NAME=VALUE")
        values[name] = value
    return values
