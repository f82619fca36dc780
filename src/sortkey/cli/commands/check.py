"""``sortkey check``: what is wrong with a design."""

import json
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Literal

import click

from sortkey.check.deployed import (
    NOTHING,
    Deployed,
    NotADesignError,
    deployed_design,
    deployed_value,
)
from sortkey.check.formats.github import report_commands
from sortkey.check.formats.sarif import report_sarif
from sortkey.check.formats.value import report_value
from sortkey.check.report import Report, together
from sortkey.check.rule import Severity
from sortkey.check.runner import check as checked
from sortkey.check.runner import refused
from sortkey.cli.loading import design_in, loaded
from sortkey.cli.misuse import Misuse
from sortkey.cli.text.findings import report_text
from sortkey.design.loader import LoadError


@click.command()
@click.argument("designs", metavar="DESIGN...", nargs=-1, required=True)
@click.option(
    "--against",
    metavar="OLD",
    help="What is deployed: another design, or what `show --format json` printed of it.",
)
@click.option(
    "--fail-on",
    type=click.Choice([*(severity.value for severity in Severity), "never"]),
    default=Severity.WARNING.value,
    show_default=True,
    help="The least severity of a finding that makes the exit status 1.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "sarif", "github"]),
    default="text",
    show_default=True,
    help="Text for people; JSON, SARIF or GitHub's workflow commands for programs.",
)
@click.pass_context
def check(
    ctx: click.Context,
    *,
    designs: tuple[str, ...],
    against: str | None,
    fail_on: str,
    form: Literal["text", "json", "sarif", "github"],
) -> None:
    """Find what DynamoDB would reject, lose, leak, throttle or overcharge.

    A DESIGN is a Python file, the folder of a package, or the name of a module. It is imported, and
    nothing is sent anywhere. The exit status is 0 where nothing is found, 1 where there are errors
    or warnings, 2 where the command was misused. With --against, changes that DynamoDB cannot make
    in place are found too.

    \b
    Example:
      sortkey check design.py
      sortkey check design.py --fail-on error
      sortkey check design.py --against deployed.json
      sortkey check design.py --format sarif > sortkey.sarif
    """  # noqa: D301 - \b is click's mark for lines to keep as they are
    if against is not None and len(designs) > 1:
        raise Misuse("--against compares one design with another: check the others without it")
    # First, since a design that is loaded later may bring modules of the same names.
    before = NOTHING if against is None else _deployed(against)
    report = together([_report(design, before) for design in designs])
    if written := _written(report, form):
        click.echo(written)
    if fail_on != "never" and report.fails(Severity(fail_on)):
        ctx.exit(1)


def _deployed(source: str) -> Deployed:
    path = Path(source)
    if path.suffix != ".json":
        return deployed_design(design_in(source))
    try:
        return deployed_value(json.loads(path.read_text()))
    except OSError as error:
        raise Misuse(f"{source}: {error.strerror}") from error
    except (ValueError, NotADesignError) as error:
        raise Misuse(f"{source}: {error}") from error


def _report(source: str, before: Deployed) -> Report:
    try:
        design = loaded(source)
    except LoadError as error:
        if not error.findings:
            raise Misuse(str(error)) from error
        return refused(source, error)
    # What the design's own patterns print is no part of the answer.
    with redirect_stdout(sys.stderr):
        return checked(design, before)


def _written(report: Report, form: Literal["text", "json", "sarif", "github"]) -> str:
    match form:
        case "text":
            return report_text(report)
        case "json":
            return json.dumps(report_value(report), indent=2, ensure_ascii=False)
        case "sarif":
            return json.dumps(report_sarif(report), indent=2, ensure_ascii=False)
        case "github":
            return "\n".join(report_commands(report))
