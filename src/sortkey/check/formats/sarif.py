"""A report in SARIF 2.1.0, which code scanning services read."""

from importlib.metadata import version
from typing import Any

from sortkey.check.report import Found, Report
from sortkey.check.rule import Rule, Severity
from sortkey.check.rules import RULES

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFORMATION: "note",
}


def report_sarif(report: Report) -> dict[str, Any]:
    """One run, with every rule; what is acknowledged is a suppressed result.

    A finding in several places is one result: the other places are its related locations.
    """
    driver = {
        "name": "sortkey",
        "version": version("sortkey"),
        "rules": [_rule(rule) for rule in RULES],
    }
    results = [_result(*group.places) for group in report.findings]
    results += [_result(found) for found in report.acknowledged]
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


def _result(found: Found, *others: Found) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": found.finding.code,
        "level": _LEVELS[found.severity],
        "message": _message(found),
        "locations": [_location(found)],
    }
    if others:
        result["relatedLocations"] = [
            {"id": number, **_location(other), "message": _message(other)}
            for number, other in enumerate(others, 1)
        ]
    if found.reason is not None:
        result["suppressions"] = [{"kind": "inSource", "justification": found.reason}]
    return result


def _message(found: Found) -> dict[str, str]:
    finding = found.finding
    return {"text": f"{finding.where}: {finding.message}. {finding.fix}."}


def _location(found: Found) -> dict[str, Any]:
    location: dict[str, Any] = {
        "logicalLocations": [{"fullyQualifiedName": found.finding.where}],
    }
    if found.place is not None:
        location["physicalLocation"] = {
            "artifactLocation": {"uri": found.place.shown},
            "region": {"startLine": found.place.line},
        }
    return location
