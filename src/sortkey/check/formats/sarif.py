"""A report in SARIF 2.1.0, which code scanning services read."""

from importlib.metadata import version
from typing import Any

from sortkey.check.report import CheckReport
from sortkey.check.rule import Rule
from sortkey.check.rules import RULES
from sortkey.design.findings import Finding, Severity

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFORMATION: "note",
}


def report_sarif(report: CheckReport) -> dict[str, Any]:
    """One run, with every rule; what is acknowledged is a suppressed result.

    A finding in several places is one result: the other places are its related locations.
    """
    driver = {
        "name": "sortkey",
        "version": version("sortkey"),
        "rules": [_rule(rule) for rule in RULES],
    }
    results = [_result(*group.places) for group in report.findings]
    results += [_result(finding) for finding in report.acknowledged]
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": " ".join((rule.summary, *rule.why))},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
    }


def _result(finding: Finding, *others: Finding) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "level": _LEVELS[finding.weight],
        "message": _message(finding),
        "locations": [_location(finding)],
    }
    if others:
        result["relatedLocations"] = [
            {"id": number, **_location(other), "message": _message(other)}
            for number, other in enumerate(others, 1)
        ]
    if finding.reason is not None:
        result["suppressions"] = [{"kind": "inSource", "justification": finding.reason}]
    return result


def _message(finding: Finding) -> dict[str, str]:
    return {"text": f"{finding.where}: {finding.message}. {finding.fix}."}


def _location(finding: Finding) -> dict[str, Any]:
    location: dict[str, Any] = {
        "logicalLocations": [{"fullyQualifiedName": finding.where}],
    }
    if finding.place is not None:
        location["physicalLocation"] = {
            "artifactLocation": {"uri": finding.place.shown},
            "region": {"startLine": finding.place.line},
        }
    return location
