"""A report as one JSON value."""

from typing import Any

from sortkey.check.report import Found, Report
from sortkey.check.rule import Severity
from sortkey.design.notation import present

REPORT_VERSION = 1


def report_value(report: Report) -> dict[str, Any]:
    """Everything that was found; what is acknowledged stands apart, with its reasons."""
    return {
        "version": REPORT_VERSION,
        "design": report.design,
        "counts": {severity.value: report.count(severity) for severity in Severity},
        "findings": [_found(found) for found in report.open],
        "acknowledged": [_found(found) for found in report.acknowledged],
    }


def _found(found: Found) -> dict[str, Any]:
    finding, place = found.finding, found.place
    return present(
        {
            "code": finding.code,
            "name": finding.name,
            "severity": found.severity.value,
            "where": finding.where,
            "file": None if place is None else place.shown,
            "line": None if place is None else place.line,
            "message": finding.message,
            "fix": finding.fix,
            "reason": found.reason,
        }
    )
