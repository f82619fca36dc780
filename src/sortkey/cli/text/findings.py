"""A report for people: what is wrong, where, and what to do, within 80 columns."""

from collections.abc import Iterator

import click

from sortkey.check.report import Found, Report
from sortkey.check.rule import Severity
from sortkey.cli.text.layout import sentence, wrapped

_COLOURS = {
    Severity.ERROR: "red",
    Severity.WARNING: "yellow",
    Severity.INFORMATION: "blue",
}
_NOUNS = {
    Severity.ERROR: ("error", "errors"),
    Severity.WARNING: ("warning", "warnings"),
    Severity.INFORMATION: ("for information", "for information"),
}


def report_text(report: Report) -> str:
    """Every open finding in the order of the files, and what it comes to."""
    return "\n".join([*(line for found in report.open for line in _found(found)), *_sum(report)])


def _found(found: Found) -> Iterator[str]:
    finding = found.finding
    severity = click.style(found.severity.value, fg=_COLOURS[found.severity], bold=True)
    place = "" if found.place is None else f"{found.place}: "
    yield f"{place}{severity} {finding.code} {click.style(finding.name, bold=True)}"
    yield from wrapped(sentence(f"{finding.where}: {finding.message}"), 4, 0)
    yield from wrapped(sentence(finding.fix), 4, 0)
    yield ""


def _sum(report: Report) -> Iterator[str]:
    counted = [
        f"{count} {_NOUNS[severity][count != 1]}"
        for severity in Severity
        if (count := report.count(severity))
    ]
    kept = sum(1 for _ in report.acknowledged)
    said = ", ".join(counted) or "nothing found"
    known = f"; {kept} acknowledged" if kept else ""
    yield from wrapped(f"{report.design}: {said} in {report.looked_at}{known}.", 0, 4)
    worst = min(report.open, key=lambda found: found.severity.rank, default=None)
    if worst is not None:
        yield f"sortkey explain {worst.finding.code} tells more."
