"""A report as the workflow commands with which GitHub Actions marks lines of a change."""

from collections.abc import Iterator

from sortkey.check.report import CheckReport, FindingGroup
from sortkey.design.findings import Finding, Severity

_COMMANDS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFORMATION: "notice",
}


def report_commands(report: CheckReport) -> Iterator[str]:
    """A line for each finding that is not acknowledged, at its first place."""
    return map(_command, report.findings)


def _command(group: FindingGroup) -> str:
    finding = group.first
    place = finding.place
    where = "" if place is None else f"file={_property(place.shown)},line={place.line},"
    title = _property(f"{finding.code} {finding.name}")
    message = _data("\n".join(map(_text, group.places)))
    return f"::{_COMMANDS[group.severity]} {where}title={title}::{message}"


def _text(finding: Finding) -> str:
    place = "" if finding.place is None else f" ({finding.place})"
    return f"{finding.where}{place}: {finding.message}. {finding.fix}."


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
