"""A report for people: what is wrong, where, and what to do, within 80 columns."""

from collections.abc import Iterator

import click

from sortkey.check.report import Found, Group, Report
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
# So many of those that lack something are named; JSON has all.
_NAMED = 12


def report_text(report: Report) -> str:
    """Every open finding in the order of the files, and what it comes to."""
    lines = [line for group in report.findings for line in _finding(group)]
    return "\n".join([*lines, *_sum(report), *_not_judged(report), *_details(report)])


def _finding(group: Group) -> Iterator[str]:
    first, count = group.first, len(group.places)
    severity = click.style(first.severity.value, fg=_COLOURS[first.severity], bold=True)
    place = "" if first.place is None else f"{first.place}: "
    places = "" if count == 1 else f", {count} places"
    name = click.style(first.finding.name, bold=True)
    yield f"{place}{severity} {first.finding.code} {name}{places}"
    alike = _alike(group)
    fixes = {found.finding.fix for found in group.places}
    for first_of_them, *others in alike:
        said = sentence(f"{_where(first_of_them, first)}: {first_of_them.finding.message}")
        also = sentence(f"Also {', '.join(_where(one, first) for one in others)}") if others else ""
        own = "" if len(fixes) == 1 else sentence(first_of_them.finding.fix)
        if len(alike) == 1:
            yield from wrapped(said, 4, 0)
            yield from wrapped(also, 4, 0)
        else:
            yield from wrapped(" ".join(filter(None, (said, also, own))), 4, 2)
    if len(fixes) == 1:
        yield from wrapped(sentence(first.finding.fix), 4, 0)
    yield ""


def _alike(group: Group) -> list[list[Found]]:
    """The places of a finding, those of which the same is said together."""
    places: dict[tuple[str, str], list[Found]] = {}
    for found in group.places:
        places.setdefault((found.finding.message, found.finding.fix), []).append(found)
    return list(places.values())


def _where(found: Found, first: Found) -> str:
    """What it is about, and where that is unless the first line says it."""
    is_said = found.place is None or found.place == first.place
    return found.finding.where if is_said else f"{found.finding.where} ({found.place})"


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


def _not_judged(report: Report) -> Iterator[str]:
    said = sorted(map(_missing, report.not_judged))
    if said:
        yield from wrapped(f"Not judged: {', and '.join(said)}.", 0, 4)


def _missing(group: Group) -> str:
    """What is not judged, of how many, and what they lack."""
    missing = group.missing
    if missing is None:
        return ""
    names = list(dict.fromkeys(found.finding.where for found in group.places))
    # "and 1 more" is no shorter than the name.
    shown = names if len(names) == _NAMED + 1 else names[:_NAMED]
    more = len(names) - len(shown)
    named = ", ".join(shown) + (f" and {more} more" if more else "")
    of = f"{len(names)} {missing.noun}{'s' * (len(names) != 1)}"
    return f"{missing.of} of {of} without {missing.what} ({named})"


def _details(report: Report) -> Iterator[str]:
    worst = min(report.findings, key=lambda group: group.severity.rank, default=None)
    if worst is not None:
        yield f"For details: sortkey explain {worst.first.finding.code}"
