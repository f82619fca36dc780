"""The verdicts in a report of `prove`, as lines for the catalog."""

import json
from typing import Any

import pytest

from sortkey.document.measured import ReportError, read_report
from sortkey.document.page import Break
from sortkey.prove.formats.value import report_value
from sortkey.prove.verdict import ProofOutcome, ProofReport, Verdict


def report(*verdicts: dict[str, Any]) -> str:
    return json.dumps({"version": 1, "design": "shop", "verdicts": verdicts})


def test_a_report_as_prove_writes_it_is_read() -> None:
    verdicts = (
        Verdict("right", "pattern", "session", ProofOutcome.PROVED),
        Verdict("right", "pattern", "orders", ProofOutcome.UNPROVEN, "it states no meaning"),
        Verdict("lossless", "entity", "Order", ProofOutcome.PROVED),
        Verdict("kept", "invariant", "adds_up", ProofOutcome.REFUTED, "broken by #2"),
    )
    value = report_value(ProofReport("shop", 0, 25, verdicts), {})

    found = read_report(json.dumps(value), "shop")

    assert found.patterns == {
        "session": ("Proved right",),
        "orders": ("Unproven right: it states no meaning",),
    }
    assert found.entities == {"Order": ("Proved lossless",)}
    assert found.invariants == {"adds_up": ("Refuted kept: broken by #2",)}


def test_what_is_not_proved_comes_first_and_the_cost_last() -> None:
    cost = {"grows": "constant", "summary": "1 read unit; constant"}
    text = report(
        {"aspect": "right", "pattern": "session", "outcome": "proved"},
        {"aspect": "affordable", "pattern": "session", "outcome": "proved", "detail": cost},
        {"aspect": "safe", "pattern": "session", "outcome": "refuted", "reason": "a race"},
    )

    assert read_report(text, "shop").patterns["session"] == (
        "Refuted safe: a race",
        Break(),
        "Proved right and affordable",
        Break(),
        "1 read unit; constant",
    )


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"version": 2, "verdicts": []}'])
def test_a_text_that_is_not_a_report_is_rejected(text: str) -> None:
    with pytest.raises(ReportError):
        read_report(text, "shop")


def test_a_report_of_another_design_is_rejected() -> None:
    with pytest.raises(ReportError, match="about shop, but the design is store"):
        read_report(report(), "store")
