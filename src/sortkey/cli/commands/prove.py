"""``sortkey prove``: run every pattern on generated data and compare it with its meaning."""

import json
import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from difflib import get_close_matches
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import click

from sortkey.cli.loading import design_in
from sortkey.cli.misuse import Misuse
from sortkey.design.design import Design
from sortkey.errors import SortkeyError

try:
    from hypothesis.configuration import set_hypothesis_home_dir

    from sortkey.cli.text.verdicts import progress_line, report_text
    from sortkey.prove.files import write_files
    from sortkey.prove.formats.html import html
    from sortkey.prove.formats.value import report_value
    from sortkey.prove.runner import ASPECTS, Progress
    from sortkey.prove.runner import prove as proved
    from sortkey.prove.strategies import Strategies, strategies_in
    from sortkey.prove.trial import QUICK, THOROUGH, Settings
    from sortkey.prove.verdict import Report
    from sortkey.prove.words import counted
except ModuleNotFoundError as error:
    if error.name is None or not error.name.startswith("hypothesis"):
        raise
    raise Misuse("sortkey prove needs Hypothesis: pip install 'sortkey[prove]'") from error

FOLDER = "counterexamples"
# What a shell makes of a program that ends by an interrupt.
INTERRUPTED = 130


@click.command()
@click.argument("design")
@click.option(
    "--only",
    multiple=True,
    metavar="NAME",
    help="This pattern or entity only; may be given again for others.",
)
@click.option(
    "--aspect",
    "aspects",
    type=click.Choice([aspect.name for aspect in ASPECTS]),
    multiple=True,
    help="This question only; may be given again for others.",
)
@click.option("--quick", is_flag=True, help="Fewer tries, as for a check of each commit.")
@click.option(
    "--tries",
    type=click.IntRange(min=1),
    help="How many cases each pattern and entity is tried with.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Which cases these are.")
@click.option("--strict", is_flag=True, help="Exit with 1 also where something is unproven.")
@click.option(
    "--strategies",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="A Python file with the design's own Hypothesis strategies.",
)
@click.option(
    "--counterexamples",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    default=FOLDER,
    show_default=True,
    help="Where counterexamples are written, each as a test and as a script.",
)
@click.option(
    "--html",
    "page",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the report to this file as well, as a page with plots.",
)
@click.option("--verbose", is_flag=True, help="Tell what is proved as well, with its figures.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Text for people, or JSON for programs.",
)
@click.pass_context
def prove(
    ctx: click.Context,
    *,
    design: str,
    only: tuple[str, ...],
    aspects: tuple[str, ...],
    quick: bool,
    tries: int | None,
    seed: int,
    strict: bool,
    strategies: Path | None,
    folder: Path,
    page: Path | None,
    verbose: bool,
    form: Literal["text", "json"],
) -> None:
    """Run every access pattern on generated data and compare it with its specification.

    DESIGN is a Python file, the folder of a package, or the name of a module. Everything runs in
    memory. Of each pattern and entity the verdict is proved, refuted or unproven; a refutation
    shows the smallest records and call that do, and writes them to files that run. The exit status
    is 0 where nothing is refuted, 1 where something is, 2 where the command was misused.

    \b
    Example:
      sortkey prove design.py
      sortkey prove design.py --quick --strict
      sortkey prove design.py --only orders_since --tries 2000 --seed 7
      sortkey prove design.py --aspect affordable --html report.html
    """  # noqa: D301 - \b is click's mark for lines to keep as they are
    loaded = design_in(design)
    _refuse_unknown(loaded, only)
    try:
        own = Strategies(loaded.modules, strategies_in(strategies) if strategies else {})
        settings = Settings(seed, tries or (QUICK if quick else THOROUGH), own)
        report = _watched(loaded, settings, aspects, only)
    except SortkeyError as error:
        raise Misuse(str(error)) from error
    try:
        files = write_files(report, loaded, design, folder)
        if page is not None:
            page.parent.mkdir(parents=True, exist_ok=True)
            page.write_text(html(report, files))
    except OSError:
        # What took minutes is not lost for want of a folder.
        click.echo(_text(report, {}, form, verbose=verbose))
        raise
    click.echo(_text(report, files, form, verbose=verbose))
    if report.left:
        told = counted(report.left, "verdict")
        click.echo(
            f"Interrupted: {told} of {len(report.verdicts) + report.left} missing.", err=True
        )
        ctx.exit(INTERRUPTED)
    if report.fails(strict=strict):
        ctx.exit(1)


def _refuse_unknown(design: Design, names: Sequence[str]) -> None:
    patterns = [pattern.name for pattern in design.patterns]
    entities = [kind.name for kind in design.kinds]
    for name in names:
        if name not in {*patterns, *entities}:
            near = get_close_matches(name, [*patterns, *entities], 1)
            meant = f" Did you mean {near[0]}?" if near else ""
            raise Misuse(
                f"the design {design.name} has no pattern or entity {name}.{meant} "
                f"Patterns: {', '.join(patterns) or 'none'}. "
                f"Entities: {', '.join(entities) or 'none'}."
            )


def _watched(
    design: Design, settings: Settings, names: Sequence[str], only: Sequence[str]
) -> Report:
    """The report; what is being tried is shown on a terminal meanwhile."""
    aspects = [aspect for aspect in ASPECTS if not names or aspect.name in names]
    is_terminal = sys.stderr.isatty()

    def show(progress: Progress) -> None:
        click.echo(f"\r\x1b[K{progress_line(progress)}", err=True, nl=False)

    try:
        # What the design's own patterns print is no part of the answer.
        with redirect_stdout(sys.stderr), _no_folder_left():
            watch = show if is_terminal else None
            return proved(design, settings, aspects=aspects, only=only, watch=watch)
    finally:
        if is_terminal:
            click.echo("\r\x1b[K", err=True, nl=False)


@contextmanager
def _no_folder_left() -> Generator[None]:
    """What Hypothesis keeps for itself is not left where the command was called."""
    with TemporaryDirectory(prefix="sortkey-prove-") as folder:
        set_hypothesis_home_dir(folder)
        try:
            yield
        finally:
            set_hypothesis_home_dir(None)


def _text(
    report: Report,
    files: Mapping[str, tuple[str, ...]],
    form: Literal["text", "json"],
    *,
    verbose: bool,
) -> str:
    if form == "json":
        return json.dumps(report_value(report, files), indent=2, ensure_ascii=False)
    return report_text(report, files, every=verbose)
