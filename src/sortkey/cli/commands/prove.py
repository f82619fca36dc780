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
from sortkey.design.declaring.design import Design
from sortkey.errors import SortkeyError

try:
    from hypothesis.configuration import set_hypothesis_home_dir

    from sortkey.cli.text.verdicts import progress_line, report_text
    from sortkey.prove.files import write_files
    from sortkey.prove.formats.html import report_html
    from sortkey.prove.formats.value import report_value
    from sortkey.prove.runner import ASPECTS, ProofProgress
    from sortkey.prove.runner import prove as proved
    from sortkey.prove.strategies import Strategies, strategies_in
    from sortkey.prove.trial import QUICK, THOROUGH, ProofSettings
    from sortkey.prove.verdict import ProofReport
    from sortkey.wording.prose import counted
except ModuleNotFoundError as error:
    if error.name is None or not error.name.startswith("hypothesis"):
        raise
    raise Misuse("sortkey prove needs Hypothesis: pip install 'sortkey[prove]'") from error

FOLDER = "counterexamples"
# The exit status of an interrupted program in a shell.
INTERRUPTED = 130


@click.command()
@click.argument("design")
@click.option(
    "--only",
    multiple=True,
    metavar="NAME",
    help="Prove only this pattern, entity or invariant; may be repeated.",
)
@click.option(
    "--aspect",
    "aspects",
    type=click.Choice([aspect.name for aspect in ASPECTS]),
    multiple=True,
    help="Prove only this aspect; may be repeated.",
)
@click.option("--quick", is_flag=True, help="Try fewer cases; fast enough to run at each commit.")
@click.option(
    "--tries",
    type=click.IntRange(min=1),
    help="The number of cases for each pattern and entity.",
)
@click.option(
    "--seed", type=int, default=0, show_default=True, help="The seed of the generated cases."
)
@click.option("--strict", is_flag=True, help="Also exit with 1 if something is unproven.")
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
    help="The folder for counterexamples, each as a test and as a script.",
)
@click.option(
    "--html",
    "page",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Also write the report to this file, as a page with plots.",
)
@click.option("--verbose", is_flag=True, help="Also print what is proved, with its figures.")
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
    memory. The verdict on each pattern and entity is proved, refuted or unproven. A refutation
    shows the smallest records and call that fail, and writes them to files that run. The exit
    status is 0 if nothing is refuted, 1 if something is, and 2 if the command is misused.

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
        settings = ProofSettings(seed, tries or (QUICK if quick else THOROUGH), own)
        report = _watched(loaded, settings, aspects, only)
    except SortkeyError as error:
        raise Misuse(str(error)) from error
    try:
        files = write_files(report, loaded, design, folder)
        if page is not None:
            page.parent.mkdir(parents=True, exist_ok=True)
            page.write_text(report_html(report, files))
    except OSError:
        # A report that took minutes is not lost because a file cannot be written.
        click.echo(_text(report, {}, form, verbose=verbose))
        raise
    click.echo(_text(report, files, form, verbose=verbose))
    if report.left:
        missing = counted(report.left, "verdict")
        click.echo(
            f"Interrupted: {missing} of {len(report.verdicts) + report.left} missing.", err=True
        )
        ctx.exit(INTERRUPTED)
    if report.fails(strict=strict):
        ctx.exit(1)


def _refuse_unknown(design: Design, names: Sequence[str]) -> None:
    known = {
        "Patterns": [pattern.name for pattern in design.patterns],
        "Entities": [kind.name for kind in design.kinds],
        "Invariants": [invariant.name for invariant in design.invariants],
    }
    every = {name.casefold(): name for several in known.values() for name in several}
    listed = " ".join(f"{what}: {', '.join(has) or 'none'}." for what, has in known.items())
    for name in names:
        if not any(name in several for several in known.values()):
            near = get_close_matches(name.casefold(), every, 1)
            meant = f"Did you mean {every[near[0]]}?" if near else listed
            raise Misuse(
                f"the design {design.name} has no pattern, entity or invariant {name}. {meant}"
            )


def _watched(
    design: Design, settings: ProofSettings, names: Sequence[str], only: Sequence[str]
) -> ProofReport:
    """Return the report; show the progress on a terminal meanwhile."""
    aspects = [aspect for aspect in ASPECTS if not names or aspect.name in names]
    is_terminal = sys.stderr.isatty()

    def show(progress: ProofProgress) -> None:
        click.echo(f"\r\x1b[K{progress_line(progress)}", err=True, nl=False)

    try:
        # The output of the design's own patterns must not mix with the command's.
        with redirect_stdout(sys.stderr), _no_folder_left():
            watch = show if is_terminal else None
            return proved(design, settings, aspects=aspects, only=only, watch=watch)
    finally:
        if is_terminal:
            click.echo("\r\x1b[K", err=True, nl=False)


@contextmanager
def _no_folder_left() -> Generator[None]:
    """Let Hypothesis store its files in a temporary folder."""
    with TemporaryDirectory(prefix="sortkey-prove-") as folder:
        set_hypothesis_home_dir(folder)
        try:
            yield
        finally:
            set_hypothesis_home_dir(None)


def _text(
    report: ProofReport,
    files: Mapping[str, tuple[str, ...]],
    form: Literal["text", "json"],
    *,
    verbose: bool,
) -> str:
    if form == "json":
        return json.dumps(report_value(report, files), indent=2, ensure_ascii=False)
    return report_text(report, files, every=verbose)
