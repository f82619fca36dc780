"""A report as one JSON value."""

from typing import Any

from sortkey.check.report import CheckReport, FindingGroup
from sortkey.design.findings import Finding, Severity
from sortkey.design.plans.notation import present
from sortkey.programs.program import programs_value

# 2: a finding has places, and what is not judged has a member of its own.
REPORT_VERSION = 2


def report_value(report: CheckReport) -> dict[str, Any]:
    """Everything that was found; what is acknowledged stands apart, with its reasons."""
    return {
        "version": REPORT_VERSION,
        "design": report.design,
        "counts": {severity.value: report.count(severity) for severity in Severity},
        "findings": [_finding(group) for group in report.findings],
        "not_judged": [_not_judged(group) for group in report.not_judged],
        "acknowledged": [_acknowledged(finding) for finding in report.acknowledged],
        **({"programs": programs_value(report.programs)} if report.programs else {}),
    }


def _finding(group: FindingGroup) -> dict[str, Any]:
    return _rule(group.first) | {"places": [_place(finding) for finding in group.places]}


def _not_judged(group: FindingGroup) -> dict[str, Any]:
    finding = group.first
    return {
        "code": finding.code,
        "name": finding.name,
        "places": [_place(finding) for finding in group.places],
    }


def _acknowledged(finding: Finding) -> dict[str, Any]:
    return _rule(finding) | _place(finding) | {"reason": finding.reason}


def _rule(finding: Finding) -> dict[str, Any]:
    return {"code": finding.code, "name": finding.name, "severity": finding.weight.value}


def _place(finding: Finding) -> dict[str, Any]:
    place = finding.place
    return present(
        {
            "where": finding.where,
            "file": None if place is None else place.shown,
            "line": None if place is None else place.line,
            "message": finding.message,
            "fix": finding.fix,
        }
    )
