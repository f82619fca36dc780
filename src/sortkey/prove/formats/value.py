"""A report as a versioned JSON value."""

from collections.abc import Mapping
from typing import Any

from sortkey.prove.counterexample import Counterexample
from sortkey.prove.requests import request_lines
from sortkey.prove.source import Source
from sortkey.prove.verdict import ProofOutcome, ProofReport, Verdict

REPORT_VERSION = 1


def report_value(report: ProofReport, files: Mapping[str, tuple[str, ...]]) -> dict[str, Any]:
    """Return the report; ``files`` has the counterexample files of each verdict by its name."""
    return {
        "version": REPORT_VERSION,
        "design": report.design,
        "seed": report.seed,
        "tries": report.tries,
        "counts": {outcome.value: report.count(outcome) for outcome in ProofOutcome},
        "verdicts": [_verdict(verdict, files) for verdict in report.verdicts],
    }


def _verdict(verdict: Verdict, files: Mapping[str, tuple[str, ...]]) -> dict[str, Any]:
    found = [
        _counterexample(each, files.get(name, ()))
        for name, each in zip(verdict.names, verdict.counterexamples, strict=True)
    ]
    value: dict[str, Any] = {
        "aspect": verdict.aspect,
        verdict.kind: verdict.subject,
        "outcome": verdict.outcome.value,
        "reason": verdict.reason or None,
        "figures": dict(verdict.figures) or None,
        "detail": None if verdict.detail is None else verdict.detail.value,
        "change": verdict.change or None,
        "assumed": list(verdict.assumed) or None,
        "counterexample": found[0] if found else None,
        "other_counterexamples": found[1:] or None,
    }
    return {name: member for name, member in value.items() if member is not None}


def _counterexample(found: Counterexample, files: tuple[str, ...]) -> dict[str, Any]:
    """Return a counterexample with its values as Python source, which keeps their types."""
    source = Source()
    return {
        "reason": found.message,
        "why": found.why,
        "change": found.change,
        "sent": request_lines(found.recording.requests),
        "records": [source.of(record) for record in found.records],
        "calls": [source.call(found.subject, call) for call in found.calls],
        "page": found.page,
        "wanted": source.of(found.wanted),
        "found": source.of(found.found),
        "files": list(files),
    }
