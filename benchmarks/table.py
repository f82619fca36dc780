"""Figures as tables: aligned text for a terminal of 80 columns, Markdown for the docs."""

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchmarks.figures import Measured, Series, Target, ratio

COLUMNS = 80
# The lowest ratio that prints as 1.00.
EVEN = 0.995


@dataclass(frozen=True, slots=True)
class Cell:
    """A figure, and a remark under it or beside it."""

    figure: str
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of figures under a title; the first column names the row."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()


def rates(title: str, measured: Measured, rivals: Mapping[str, str]) -> Table:
    """Return the requests per second of each engine, and how many times as fast its rival is."""
    names = list(dict.fromkeys(name for row in measured.values() for name in row))
    return Table(
        title=title,
        columns=("requests/s", *names),
        rows=tuple(
            (Cell(operation), *(_rate(row, name, rivals) for name in names))
            for operation, row in measured.items()
        ),
        notes=_notes(measured, rivals),
    )


def targets_table(targets: Sequence[Target]) -> Table:
    """Return each target with the figure that meets or misses it."""
    return Table(
        title="Targets",
        columns=("target", "required", "measured", ""),
        rows=tuple(
            (
                Cell(target.promise),
                Cell(_wanted(target)),
                Cell(_number(target.figure, target.unit)),
                Cell("pass" if target.kept else "MISS"),
            )
            for target in targets
        ),
    )


def as_text(table: Table) -> str:
    """Return the table in aligned columns, with remarks on lines of their own."""
    lines = [list(table.columns)]
    for row in table.rows:
        lines.append([cell.figure for cell in row])
        if any(cell.remark for cell in row):
            lines.append([cell.remark for cell in row])
    widths = [max(len(line[at]) for line in lines) for at in range(len(table.columns))]
    body = [
        "  ".join(
            [line[0].ljust(widths[0])]
            + [text.rjust(width) for text, width in zip(line[1:], widths[1:], strict=True)]
        ).rstrip()
        for line in lines
    ]
    rule = "-" * max(map(len, body))
    return "\n".join(
        [table.title, rule, body[0], rule, *body[1:], rule, *map(wrapped, table.notes)]
    )


def wrapped(sentence: str) -> str:
    """Return a sentence in lines that fit a terminal, with a hanging indent."""
    return textwrap.fill(sentence, COLUMNS, subsequent_indent="  ")


def as_markdown(table: Table) -> str:
    """Return the table in Markdown, with remarks beside their figures."""
    rows = [
        [f"{cell.figure} ({cell.remark})" if cell.remark else cell.figure for cell in row]
        for row in table.rows
    ]
    marks = ["---", *["---:"] * (len(table.columns) - 1)]
    lines = [f"| {' | '.join(row)} |" for row in [list(table.columns), marks, *rows]]
    notes = [f"\n{note}" for note in table.notes]
    return "\n".join([f"### {table.title}", "", *lines, *notes])


def times(factor: float) -> str:
    """Return a factor with a sensible number of digits."""
    return (
        f"{factor:,.0f} x"
        if factor >= 100
        else f"{factor:.1f} x"
        if factor >= 10
        else f"{factor:.2f} x"
    )


def _rate(row: Mapping[str, Series], name: str, rivals: Mapping[str, str]) -> Cell:
    if name not in row:
        return Cell("none")
    series = row[name]
    mark = "~" if series.one_at_a_time else ""
    shown = f"{series.median:,.0f}" if series.median >= 100 else f"{series.median:.3g}"
    rival = row.get(rivals.get(name, ""))
    return Cell(f"{mark}{shown} ±{series.spread:.0%}", times(ratio(rival, series)) if rival else "")


def _notes(measured: Measured, rivals: Mapping[str, str]) -> tuple[str, ...]:
    cells = [(op, name, series) for op, row in measured.items() for name, series in row.items()]
    wrong = [
        f"{name} returned {series.errors:,} errors for {op}: its figure is meaningless"
        for op, name, series in cells
        if series.errors
    ]
    faster = [
        f"{name} is faster than {ours} at {op}: {times(ratio(row[ours], row[name]))}"
        for op, row in measured.items()
        for name, ours in rivals.items()
        if {name, ours} <= row.keys() and ratio(row[ours], row[name]) < EVEN
    ]
    slow = any(series.one_at_a_time for _, _, series in cells)
    explained = ["~ too slow for concurrent connections: measured one request at a time"] * slow
    return (*wrong, *faster, *explained)


def _number(figure: float, unit: str) -> str:
    shown = f"{figure:,.0f}" if figure >= 100 else f"{figure:.3g}"
    return f"{shown} {unit}".strip()


def _wanted(target: Target) -> str:
    if target.at_least is not None:
        return f">= {_number(target.at_least, target.unit)}"
    return f"<= {_number(target.at_most or 0, target.unit)}"
