"""``sortkey package``: the code asset of a design's functions, for AWS Lambda."""

import json
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import click

from sortkey.cli.loading import design_in
from sortkey.cli.misuse import Misuse
from sortkey.design.declaring.functions import RUNTIME
from sortkey.design.declaring.loader import root_of

try:
    from sortkey.assets.building import build
    from sortkey.assets.choices import PackageChoices
    from sortkey.assets.errors import AssetError
    from sortkey.assets.target import ARCHITECTURES, PYTHONS, LambdaTarget
    from sortkey.cli.text.package import asset_text, asset_value
except ModuleNotFoundError as error:
    if error.name is None or not error.name.startswith("packaging"):
        raise
    raise Misuse("sortkey package needs packaging: pip install 'sortkey[package]'") from error


@click.command()
@click.argument("design")
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    default="asset.zip",
    show_default=True,
    metavar="FILE",
    help="The archive to write.",
)
@click.option(
    "--python",
    type=click.Choice(PYTHONS),
    default=RUNTIME.removeprefix("python"),
    show_default=True,
    help="The version of Python that the functions run on.",
)
@click.option(
    "--architecture",
    type=click.Choice(ARCHITECTURES),
    help="The processors that the functions run on, if not those that the design declares.",
)
@click.option(
    "--requirements",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    metavar="FILE",
    help="Fetch every distribution, with the versions and hashes that this file pins.",
)
@click.option(
    "--include",
    "included",
    multiple=True,
    metavar="NAME",
    help="Include a module, package or distribution that no import names; may be repeated.",
)
@click.option(
    "--exclude",
    "excluded",
    multiple=True,
    metavar="NAME",
    help="Leave out a distribution, with what only it requires; may be repeated.",
)
@click.option(
    "--bytecode/--no-bytecode",
    default=True,
    show_default=True,
    help="Compile the modules, so that functions start faster.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Print the contents as text for people, or as JSON for programs.",
)
def package(
    *,
    design: str,
    out: Path,
    python: str,
    architecture: str | None,
    requirements: Path | None,
    included: tuple[str, ...],
    excluded: tuple[str, ...],
    bytecode: bool,
    form: Literal["text", "json"],
) -> None:
    """Build the code asset of a design's functions for AWS Lambda.

    DESIGN is a Python file, the folder of a package, or the name of a module. The archive has what
    the handlers of its functions need: the folders of the application that they import from,
    sortkey, and the distributions that these require on the target. One archive serves all
    functions. It does not have what nothing imports, nor boto3 and botocore, which Lambda has.

    Distributions are copied from this environment. Binary ones that do not fit the target are
    fetched with pip or uv, in the version that is installed here. The same files give the same
    archive, byte for byte.

    If a Python of the target's version is on the path or known to uv, it compiles the modules, and
    tries to import every handler from the archive alone. The exit status is 0, or 2 if the archive
    cannot be built.

    \b
    Example:
      sortkey package design.py --out asset.zip
      sortkey package design.py --python 3.14 --architecture arm64
      sortkey package design.py --requirements requirements.txt --format json
      sortkey package design.py --include notes.plugins --exclude uvicorn
    """  # noqa: D301 - \b is click's mark for lines to keep as they are
    loaded = design_in(design)
    machine = LambdaTarget(python, architecture or loaded.about.architecture)
    choices = PackageChoices(machine, requirements, included, excluded, bytecode)
    try:
        with _steps_shown() as say:
            asset = build(loaded, root_of(loaded), out, choices, say)
    except AssetError as error:
        raise Misuse(str(error)) from error
    if form == "json":
        click.echo(json.dumps(asset_value(asset), indent=2))
    else:
        click.echo(asset_text(asset))


@contextmanager
def _steps_shown() -> Generator[Callable[[str], None]]:
    """Yield a function that shows the current step on a terminal, in one line that disappears."""
    is_shown = sys.stderr.isatty()

    def show(line: str) -> None:
        if is_shown:
            click.echo(f"\r\x1b[K{line}", err=True, nl=False)

    try:
        yield show
    finally:
        show("")
