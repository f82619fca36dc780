"""The findings of a report for people, within 80 columns."""

from collections.abc import Iterator

import click

from sortkey.check.report import CheckReport, FindingGroup
from sortkey.cli.text.layout import wrapped
from sortkey.design.declaring.functions import Function
from sortkey.design.findings import Finding, Severity
from sortkey.wording.prose import counted, listed, sentence

_COLOURS = {
    Severity.ERROR: "red",
    Severity.WARNING: "yellow",
    Severity.INFORMATION: "blue",
}
_NOUNS = {
    Severity.ERROR: ("error", "errors"),
    Severity.WARNING: ("warning", "warnings"),
    Severity.INFORMATION: ("informational", "informational"),
}
# At most this many places are named; JSON has all.
_NAMED = 12


def report_text(report: CheckReport) -> str:
    """Return every open finding in the order of the files, then the counts."""
    lines = [line for group in report.findings for line in _finding(group)]
    return "\n".join([*lines, *_sum(report), *_not_judged(report), *_details(report)])


def _finding(group: FindingGroup) -> Iterator[str]:
    first, count = group.first, len(group.places)
    severity = click.style(group.severity.value, fg=_COLOURS[group.severity], bold=True)
    place = "" if first.place is None else f"{first.place}: "
    places = "" if count == 1 else f", {counted(count, 'place')}"
    name = click.style(first.name, bold=True)
    yield f"{place}{severity} {first.code} {name}{places}"
    alike = _alike(group)
    fixes = {finding.fix for finding in group.places}
    for shown, *others in alike:
        message = sentence(f"{_where(shown, first)}: {shown.message}")
        also = sentence(f"Also {', '.join(_where(one, first) for one in others)}") if others else ""
        own = "" if len(fixes) == 1 else sentence(shown.fix)
        if len(alike) == 1:
            yield from wrapped(message, 4, 0)
            yield from wrapped(also, 4, 0)
        else:
            yield from wrapped(" ".join(filter(None, (message, also, own))), 4, 2)
    if len(fixes) == 1:
        yield from wrapped(sentence(first.fix), 4, 0)
    yield ""


def _alike(group: FindingGroup) -> list[list[Finding]]:
    """Return the places of a finding, grouped by message and fix."""
    places: dict[tuple[str, str], list[Finding]] = {}
    for finding in group.places:
        places.setdefault((finding.message, finding.fix), []).append(finding)
    return list(places.values())


def _where(finding: Finding, first: Finding) -> str:
    """Return the subject of a finding, with its place unless the first line has it."""
    is_known = finding.place is None or finding.place == first.place
    return finding.where if is_known else f"{finding.where} ({finding.place})"


def _sum(report: CheckReport) -> Iterator[str]:
    counts = [
        counted(count, *_NOUNS[severity])
        for severity in Severity
        if (count := report.count(severity))
    ]
    kept = sum(1 for _ in report.acknowledged)
    found = ", ".join(counts) or "nothing found"
    known = f"; {kept} acknowledged" if kept else ""
    yield from wrapped(f"{report.design}: {found} in {report.looked_at}{known}.", 0, 4)


def _not_judged(report: CheckReport) -> Iterator[str]:
    missing = sorted(map(_missing, report.not_judged))
    if missing:
        yield from wrapped(f"Not judged: {', and '.join(missing)}.", 0, 4)


def _missing(group: FindingGroup) -> str:
    """Return what is not judged, for how many, and what they lack."""
    missing = group.missing
    if missing is None:
        return ""
    names = list(dict.fromkeys(map(_name, group.places)))
    of = counted(len(names), missing.noun)
    return f"{missing.of} of {of} without {missing.what} ({listed(names, _NAMED)})"


def _name(finding: Finding) -> str:
    """Return the name of the subject without its kind, which stands before the names."""
    subject = finding.subject
    return subject.name if isinstance(subject, Function) else finding.where


def _details(report: CheckReport) -> Iterator[str]:
    worst = min(report.findings, key=lambda group: group.severity.rank, default=None)
    if worst is not None:
        yield f"For details: sortkey explain {worst.first.code}"
