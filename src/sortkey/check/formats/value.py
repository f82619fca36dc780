"""A report as one JSON value."""

from typing import Any

from sortkey.check.report import Found, Group, Report
from sortkey.check.rule import Severity
from sortkey.design.notation import present

# 2: a finding has places, and what is not judged has a member of its own.
REPORT_VERSION = 2


def report_value(report: Report) -> dict[str, Any]:
    """Everything that was found; what is acknowledged stands apart, with its reasons."""
    return {
        "version": REPORT_VERSION,
        "design": report.design,
        "counts": {severity.value: report.count(severity) for severity in Severity},
        "findings": [_finding(group) for group in report.findings],
        "not_judged": [_not_judged(group) for group in report.not_judged],
        "acknowledged": [_acknowledged(found) for found in report.acknowledged],
    }


def _finding(group: Group) -> dict[str, Any]:
    return _rule(group.first) | {"places": [_place(found) for found in group.places]}


def _not_judged(group: Group) -> dict[str, Any]:
    finding = group.first.finding
    return {
        "code": finding.code,
        "name": finding.name,
        "places": [_place(found) for found in group.places],
    }


def _acknowledged(found: Found) -> dict[str, Any]:
    return _rule(found) | _place(found) | {"reason": found.reason}


def _rule(found: Found) -> dict[str, Any]:
    finding = found.finding
    return {"code": finding.code, "name": finding.name, "severity": found.severity.value}


def _place(found: Found) -> dict[str, Any]:
    finding, place = found.finding, found.place
    return present(
        {
            "where": finding.where,
            "file": None if place is None else place.shown,
            "line": None if place is None else place.line,
            "message": finding.message,
            "fix": finding.fix,
        }
    )
