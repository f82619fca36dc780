"""What a report of `prove` says, as lines for the catalog."""

import json
from typing import Any

import pytest

from sortkey.document.measured import ReportError, read_report
from sortkey.document.page import Break
from sortkey.prove.formats.value import report_value
from sortkey.prove.verdict import Outcome, Report, Verdict


def report(*verdicts: dict[str, Any]) -> str:
    return json.dumps({"version": 1, "design": "shop", "verdicts": verdicts})


def test_a_report_as_prove_writes_it_is_read() -> None:
    verdicts = (
        Verdict("right", "pattern", "session", Outcome.PROVED),
        Verdict("right", "pattern", "orders", Outcome.UNPROVEN, "it states no meaning"),
        Verdict("lossless", "entity", "Order", Outcome.PROVED),
    )
    value = report_value(Report("shop", 0, 25, verdicts), {})

    found = read_report(json.dumps(value), "shop")

    assert found.patterns == {
        "session": ("right: proved",),
        "orders": ("right: unproven", " (it states no meaning)"),
    }
    assert found.entities == {"Order": ("lossless: proved",)}


def test_units_are_told_and_aspects_stand_below_each_other() -> None:
    text = report(
        {"aspect": "right", "pattern": "session", "outcome": "proved", "figures": {"cases": 25}},
        {
            "aspect": "affordable",
            "pattern": "session",
            "outcome": "proved",
            "figures": {"read_units": 1.5, "write_units": 2, "cases": 3},
        },
    )

    assert read_report(text, "shop").patterns["session"] == (
        "right: proved",
        Break(),
        "affordable: proved",
        ", 1.5 read units, 2 write units",
    )


@pytest.mark.parametrize(
    ("grows", "told"), [("constant", "constant"), ("with the answer", "grows with the answer")]
)
def test_it_is_told_with_what_a_cost_grows(grows: str, told: str) -> None:
    text = report(
        {
            "aspect": "affordable",
            "pattern": "session",
            "outcome": "proved",
            "figures": {"read_units": 0.5},
            "detail": {"grows": grows, "curves": {}},
        }
    )

    assert read_report(text, "shop").patterns["session"] == (
        "affordable: proved",
        f", 0.5 read units, {told}",
    )


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"version": 2, "verdicts": []}'])
def test_what_is_no_report_is_refused(text: str) -> None:
    with pytest.raises(ReportError):
        read_report(text, "shop")


def test_a_report_of_another_design_is_refused() -> None:
    with pytest.raises(ReportError, match="about shop, and the design is store"):
        read_report(report(), "store")
