"""A report as the workflow commands with which GitHub Actions marks lines of a change."""

from collections.abc import Iterator

from sortkey.check.report import Found, Report
from sortkey.check.rule import Severity

_COMMANDS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFORMATION: "notice",
}


def report_commands(report: Report) -> Iterator[str]:
    """A line for each finding that is not acknowledged."""
    return map(_command, report.open)


def _command(found: Found) -> str:
    finding, place = found.finding, found.place
    where = "" if place is None else f"file={_property(place.shown)},line={place.line},"
    title = _property(f"{finding.code} {finding.name}")
    message = _data(f"{finding.where}: {finding.message}. {finding.fix}.")
    return f"::{_COMMANDS[found.severity]} {where}title={title}::{message}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
