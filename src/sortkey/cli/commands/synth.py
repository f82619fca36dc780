"""``sortkey synth``: infrastructure code from a design."""

import re
import sys
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path

import click

from sortkey.cli.loading import design_in
from sortkey.cli.misuse import Misuse
from sortkey.design.declaring.design import Design
from sortkey.design.declaring.roles import About
from sortkey.errors import Refused
from sortkey.synth.model import Stack, TableResource
from sortkey.synth.stack import stack_of
from sortkey.synth.targets import TARGETS

_ENVIRONMENT = re.compile(r"[A-Za-z0-9_-]+")


@click.command()
@click.argument("design")
@click.option(
    "--to",
    "target",
    type=click.Choice(list(TARGETS)),
    required=True,
    help="The format to write.",
)
@click.option(
    "--env",
    "environment",
    required=True,
    metavar="NAME",
    help="The environment; it determines names, and whether tables are retained.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="The folder to write to; without it, the files are printed.",
)
@click.option(
    "--adopt",
    "adopted",
    multiple=True,
    metavar="TABLE",
    help="A table that exists, by its class or its name: import it, with its global indexes.",
)
@click.option(
    "--programs/--no-programs",
    default=True,
    show_default=True,
    help="Compare the code of functions with their roles; this imports their handlers.",
)
def synth(
    *,
    design: str,
    target: str,
    environment: str,
    out: Path | None,
    adopted: tuple[str, ...],
    programs: bool,
) -> None:
    """Write CloudFormation, CDK or Terraform for tables, access policies and functions.

    The files include the alarms, dashboard, backups and exported names that the design declares,
    and the APIs, schedules, queues and buckets of its functions.

    DESIGN is a Python file, the folder of a package, or the name of a module. It is imported, and
    nothing is sent anywhere. The same design gives the same files. If a policy cannot keep the
    sessions of a role apart, or an API cannot verify tokens, a note on standard error and in the
    files says so. A note on standard error also names a function that could not be called, or whose
    code can use a pattern that its role lacks; `sortkey check --programs` says more.

    \b
    Example:
      sortkey synth design.py --to cloudformation --env prod > template.yaml
      sortkey synth design.py --to cdk-ts --env prod --out infrastructure
      sortkey synth design.py --to terraform --env dev --out infrastructure
      sortkey synth design.py --to terraform --env prod --adopt Orders --out infrastructure
    """  # noqa: D301 - \b is click's mark for lines to keep as they are
    loaded = design_in(design)
    stack = _stack(loaded, environment)
    if programs and loaded.functions:
        _note_contradictions(loaded)
    if adopted:
        stack = _adopting(stack, adopted, target)
    files = TARGETS[target](stack)
    for note in stack.notes:
        click.echo(f"note: {note}", err=True)
    if out is None:
        click.echo(_printed(files), nl=False)
        return
    for name, text in files.items():
        path = out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        click.echo(path)


def _note_contradictions(design: Design) -> None:
    """Report functions whose code does not fit their role."""
    # Only designs with functions need this.
    from sortkey.check.runner import contradictions  # noqa: PLC0415
    from sortkey.programs.walking import programs_of  # noqa: PLC0415

    # The output of the application's modules must not mix with the command's.
    with redirect_stdout(sys.stderr):
        found = contradictions(design, programs_of(design))
    for finding in found:
        click.echo(f"note: {finding.code} {finding.where}: {finding.message}", err=True)


def _stack(design: Design, environment: str) -> Stack:
    if not _ENVIRONMENT.fullmatch(environment):
        raise Misuse(
            f"--env {environment!r} becomes part of names: use only letters, digits, - and _"
        )
    declared = design.about.environments
    if environment not in declared and declared != About().environments:
        known = ", ".join(declared)
        click.echo(f"note: the design has no environment {environment}, only {known}", err=True)
    # The output of the design's own patterns must not mix with the command's.
    with redirect_stdout(sys.stderr):
        try:
            return stack_of(design, environment)
        except Refused as error:
            raise Misuse(str(error)) from error


def _adopting(stack: Stack, adopted: tuple[str, ...], target: str) -> Stack:
    if target != "terraform":
        raise Misuse(
            "--adopt is for Terraform: CloudFormation and the CDK import a table when they deploy, "
            "with a change set of the type IMPORT or `cdk import`"
        )
    known = {name: table for table in stack.tables for name in _names_of(table)}
    for name in adopted:
        if name not in known:
            tables = ", ".join(table.name for table in stack.tables)
            raise Misuse(f"--adopt {name}: the design has no such table, only {tables}")
    found = dict.fromkeys(known[name].id for name in adopted)
    return replace(stack, adopted=tuple(table for table in stack.tables if table.id in found))


def _names_of(table: TableResource) -> tuple[str, ...]:
    return table.name, table.id, table.id.removesuffix("Table")


def _printed(files: dict[str, str]) -> str:
    """Return a single file as it is; several files each after a line with its path."""
    if len(files) == 1:
        return next(iter(files.values()))
    return "\n".join(f"==> {name} <==\n{text}" for name, text in files.items())
