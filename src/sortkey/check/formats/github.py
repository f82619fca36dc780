"""A report as the workflow commands with which GitHub Actions marks lines of a change."""

from collections.abc import Iterator

from sortkey.check.report import Found, Group, Report
from sortkey.check.rule import Severity

_COMMANDS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFORMATION: "notice",
}


def report_commands(report: Report) -> Iterator[str]:
    """A line for each finding that is not acknowledged, at its first place."""
    return map(_command, report.findings)


def _command(group: Group) -> str:
    finding, place = group.first.finding, group.first.place
    where = "" if place is None else f"file={_property(place.shown)},line={place.line},"
    title = _property(f"{finding.code} {finding.name}")
    message = _data("\n".join(map(_said, group.places)))
    return f"::{_COMMANDS[group.severity]} {where}title={title}::{message}"


def _said(found: Found) -> str:
    finding = found.finding
    place = "" if found.place is None else f" ({found.place})"
    return f"{finding.where}{place}: {finding.message}. {finding.fix}."


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
