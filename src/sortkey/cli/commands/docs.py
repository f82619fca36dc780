"""``sortkey docs``: write the item catalog of a design."""

import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Literal

import click

from sortkey.cli.loading import design_in
from sortkey.cli.misuse import Misuse
from sortkey.document.catalog import catalog
from sortkey.document.html import page_html
from sortkey.document.markdown import markdown
from sortkey.document.measured import Measured, ReportError, read_report
from sortkey.document.staleness import difference

_HTML = frozenset({".html", ".htm"})
_MARKDOWN = frozenset({".md", ".markdown"})


@click.command()
@click.argument("design")
@click.option(
    "--format",
    "form",
    type=click.Choice(["markdown", "html"]),
    help="Markdown, or one self-contained HTML page.  [default: by the file's name]",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="The file to write.  [default: the terminal]",
)
@click.option("--check", is_flag=True, help="Write nothing; fail if the file is stale.")
@click.option(
    "--report",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    metavar="FILE",
    help="The output of `sortkey prove --format json`; the page shows its verdicts.",
)
@click.pass_context
def docs(
    ctx: click.Context,
    *,
    design: str,
    form: Literal["markdown", "html"] | None,
    out: Path | None,
    check: bool,
    report: Path | None,
) -> None:
    """Write the item catalog of a design as Markdown or HTML.

    DESIGN is a Python file, the folder of a package, or the name of a module. It is imported, and
    nothing is sent anywhere. The exit status is 1 if --check finds a stale or missing file, and 2
    if the command is misused.

    \b
    Example:
      sortkey docs design.py --out docs/catalog.md
      sortkey docs design.py --out catalog.html
      sortkey docs design.py --out docs/catalog.md --check
      sortkey docs design.py --out catalog.html --report prove.json
    """  # noqa: D301 - \b is click's mark for lines to keep as they are
    if check and out is None:
        raise Misuse("--check compares with a file: name it with --out FILE")
    is_html = form == "html" if form or out is None else _is_html(out)
    loaded = design_in(design)
    # The output of the design's own patterns must not mix with the page.
    with redirect_stdout(sys.stderr):
        page = catalog(loaded, _measured(report, loaded.name))
    text = page_html(page) if is_html else markdown(page)
    if out is None:
        click.echo(text, nl=False)
    elif not check:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(text, encoding="utf-8")
    elif differences := _stale(out, text):
        options = {"--out": out, "--format": form, "--report": report}
        passed = [f" {option} {value}" for option, value in options.items() if value is not None]
        click.echo(f"{differences}\nTo write it: sortkey docs {design}{''.join(passed)}")
        ctx.exit(1)


def _is_html(out: Path) -> bool:
    if out.suffix not in _HTML | _MARKDOWN:
        raise Misuse(f"{out} ends in neither .md nor .html: choose the format with --format")
    return out.suffix in _HTML


def _measured(report: Path | None, design: str) -> Measured:
    if report is None:
        return Measured()
    try:
        return read_report(report.read_text(encoding="utf-8"), design)
    except ReportError as error:
        raise Misuse(f"{report}: {error}") from error


def _stale(out: Path, text: str) -> str:
    """Return why a file is stale, or "" if it is current."""
    if not out.exists():
        return f"{out} does not exist."
    differences = difference(out.read_text(encoding="utf-8"), text)
    return differences and f"{differences}\n\n{out} is stale."
