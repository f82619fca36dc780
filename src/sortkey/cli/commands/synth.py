"""``sortkey synth``: infrastructure code from a design."""

import re
import sys
from contextlib import redirect_stdout
from pathlib import Path

import click

from sortkey.cli.loading import design_in
from sortkey.cli.misuse import Misuse
from sortkey.design.roles import About
from sortkey.errors import Refused
from sortkey.synth.model import Stack
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
    help="What to write.",
)
@click.option(
    "--env",
    "environment",
    required=True,
    metavar="NAME",
    help="The environment: names, and what happens to tables at their end, depend on it.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="The folder to write to; without it, the files are printed.",
)
def synth(*, design: str, target: str, environment: str, out: Path | None) -> None:
    """Write CloudFormation, CDK or Terraform for the tables and who may use them.

    Alarms, a dashboard, backups and exported names go with them, as the design says.

    DESIGN is a Python file, the folder of a package, or the name of a module. It is imported, and
    nothing is sent anywhere. The same design gives the same files. Where a policy cannot keep the
    sessions of a role apart, that is told on standard error, and in the files.

    \b
    Example:
      sortkey synth design.py --to cloudformation --env prod > template.yaml
      sortkey synth design.py --to cdk-ts --env prod --out infrastructure
      sortkey synth design.py --to terraform --env dev --out infrastructure
    """  # noqa: D301 - \b is click's mark for lines to keep as they are
    stack = _stack(design, environment)
    files = TARGETS[target](stack)
    for told in stack.unconfined:
        click.echo(f"note: {told}", err=True)
    if out is None:
        click.echo(_printed(files), nl=False)
        return
    for name, text in files.items():
        path = out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        click.echo(path)


def _stack(source: str, environment: str) -> Stack:
    design = design_in(source)
    if not _ENVIRONMENT.fullmatch(environment):
        raise Misuse(f"--env {environment!r} is part of names: letters, digits, - and _ alone")
    declared = design.about.environments
    if environment not in declared and declared != About().environments:
        known = ", ".join(declared)
        click.echo(f"note: the design has no environment {environment}, only {known}", err=True)
    # What the design's own patterns print is no part of the answer.
    with redirect_stdout(sys.stderr):
        try:
            return stack_of(design, environment)
        except Refused as error:
            raise Misuse(str(error)) from error


def _printed(files: dict[str, str]) -> str:
    """The one file as it is; several each after a line with its path."""
    if len(files) == 1:
        return next(iter(files.values()))
    return "\n".join(f"==> {name} <==\n{text}" for name, text in files.items())
