"""``sortkey verify``: find damage in a database file, and copy what can be trusted."""

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal

import click

from sortkey.cli.misuse import Misuse
from sortkey.cli.progress import count_shown
from sortkey.cli.text.verify import repair_text, verification_text
from sortkey.engine.verify import Repair, SourceFile, Verification
from sortkey.engine.verify import repair as repaired
from sortkey.engine.verify import verify as verified
from sortkey.errors import SortkeyError


@click.command()
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option(
    "--repair",
    "repairs",
    is_flag=True,
    help="If there is damage, copy what can be trusted into a new file beside this one.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Print the report as text for people, or as JSON for programs.",
)
def verify(*, file: Path, repairs: bool, form: Literal["text", "json"]) -> None:
    """Find damage in a database file.

    Reads everything: each item with its checksum, its key, size and expiry time, and every table
    and index, which are compared in both directions. The file is not changed, and it may be in use.
    The exit status is 0 without damage, 1 with damage, and 2 if the file cannot be read.

    With --repair, a damaged app.db is copied to app.repaired.db. Items that match their checksums
    are copied, and indexes and counts are built again. A damaged item is restored if its key and
    size, or an index with all attributes, prove what it was. All other damaged rows are written to
    app.damaged.jsonl, one JSON object a line. The original stays as it is.

    \b
    Example:
      sortkey verify app.db
      sortkey verify app.db --repair
    """  # noqa: D301 - \b is click's mark for lines to keep as they are
    result: Repair | None = None
    try:
        with SourceFile(file) as source:
            found = verified(source, count_shown("{:,} rows read"))
            if repairs and found.damage_count:
                result = repaired(source, count_shown("{:,} items copied"))
    except SortkeyError as error:
        raise Misuse(str(error)) from error
    if form == "json":
        click.echo(json.dumps(_value(file, found, result), indent=2))
    else:
        click.echo(verification_text(file, found, repairs=repairs))
        if result is not None:
            click.echo(repair_text(result))
    if found.damage_count:
        sys.exit(1)


def _value(file: Path, found: Verification, result: Repair | None) -> dict[str, Any]:
    value = {"version": 1, "file": str(file), **asdict(found)}
    if result is not None:
        value["repair"] = {
            name: str(each) if isinstance(each, Path) else each
            for name, each in asdict(result).items()
        }
    return value
