"""``sortkey check``: find what is wrong with a design."""

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
from sortkey.check.report import CheckReport, together
from sortkey.check.runner import check as checked
from sortkey.check.runner import refused
from sortkey.check.samples.reading import (
    FILE_NAME,
    NotSamplesError,
    Sample,
    read_samples,
    samples_beside,
)
from sortkey.cli.loading import design_in, loaded
from sortkey.cli.misuse import Misuse
from sortkey.cli.text.findings import report_text
from sortkey.design.declaring.design import Design
from sortkey.design.declaring.loader import LoadError
from sortkey.design.findings import Severity
from sortkey.programs.program import WalkedProgram


@click.command()
@click.argument("designs", metavar="DESIGN...", nargs=-1, required=True)
@click.option(
    "--against",
    metavar="OLD",
    help="The deployed design: another DESIGN, or the output of `show --format json`.",
)
@click.option(
    "--samples",
    metavar="FILE",
    multiple=True,
    help=f"A JSON file with stored items; may be repeated.  "
    f"[default: {FILE_NAME} beside the design, if there is one]",
)
@click.option(
    "--programs",
    is_flag=True,
    help="Import the handlers of the functions, which runs the code of their modules, and compare "
    "what they can use with their roles.",
)
@click.option(
    "--fail-on",
    type=click.Choice([*(severity.value for severity in Severity), "never"]),
    default=Severity.WARNING.value,
    show_default=True,
    help="The lowest severity that makes the exit status 1.",
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
    samples: tuple[str, ...],
    programs: bool,
    fail_on: str,
    form: Literal["text", "json", "sarif", "github"],
) -> None:
    """Find what DynamoDB would reject, lose, leak, throttle or overcharge.

    A DESIGN is a Python file, the folder of a package, or the name of a module. It is imported, and
    nothing is sent anywhere. The exit status is 0 if nothing is found, 1 if there are errors or
    warnings, and 2 if the command is misused. With --against, the command also reports changes that
    DynamoDB cannot make in place.

    Sample items are compared with the design: their keys, types, times to live and sizes. They are
    DynamoDB JSON or plain JSON, and are read from samples.json in the folder of the design's module
    or package, or from the files that --samples names.

    With --programs, the command also reports handlers that cannot be called, patterns that a
    function can use and its role lacks, and patterns that no function of a role needs.

    \b
    Example:
      sortkey check design.py
      sortkey check design.py --fail-on error
      sortkey check design.py --against deployed.json
      sortkey check design.py --samples exported.json
      sortkey check design.py --programs
      sortkey check design.py --format sarif > sortkey.sarif
    """  # noqa: D301 - \b is click's mark for lines to keep as they are
    if against is not None and len(designs) > 1:
        raise Misuse("--against compares one design with another: check the others without it")
    if samples and len(designs) > 1:
        raise Misuse("--samples belongs to one design: check the others without it")
    # First, since a design that is loaded later may bring modules of the same names.
    before = NOTHING if against is None else _deployed(against)
    report = together([_report(design, before, samples, programs=programs) for design in designs])
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


def _report(
    source: str, before: Deployed, samples: tuple[str, ...], *, programs: bool
) -> CheckReport:
    try:
        design = loaded(source)
    except LoadError as error:
        if not error.findings:
            raise Misuse(str(error)) from error
        return refused(source, error)
    # The output of the design's own patterns must not mix with the command's.
    with redirect_stdout(sys.stderr):
        return checked(
            design, before, _samples(design, samples), _programs(design) if programs else None
        )


def _programs(design: Design) -> tuple[WalkedProgram, ...]:
    # A plain check does not need the walk.
    from sortkey.programs.walking import programs_of  # noqa: PLC0415

    return programs_of(design)


def _samples(design: Design, named: tuple[str, ...]) -> list[Sample]:
    """Return the items of these files, or of the file beside the design if none is named."""
    beside = None if named else samples_beside(design)
    try:
        files = map(Path, named) if beside is None else [beside]
        return [sample for file in files for sample in read_samples(file)]
    except OSError as error:
        raise Misuse(f"{error.filename}: {error.strerror}") from error
    except NotSamplesError as error:
        hint = "" if beside is None else " (name another file with --samples, or rename this one)"
        raise Misuse(f"{error}{hint}") from error


def _written(report: CheckReport, form: Literal["text", "json", "sarif", "github"]) -> str:
    match form:
        case "text":
            return report_text(report)
        case "json":
            return json.dumps(report_value(report), indent=2, ensure_ascii=False)
        case "sarif":
            return json.dumps(report_sarif(report), indent=2, ensure_ascii=False)
        case "github":
            return "\n".join(report_commands(report))
