"""Designs with odd fields, names and templates: what is found in each, where and how heavy."""

from pathlib import Path

import pytest

from sortkey import load_design
from sortkey.check.report import Report
from sortkey.check.rule import INFORMATION, Severity
from sortkey.check.runner import check

FOLDER = Path(__file__).parent / "verdicts"

CARD_DATA = {
    ("SK137", "Subscription.amount"): INFORMATION,
    ("SK137", "Subscription.details.total"): INFORMATION,
    ("SK137", "Subscription.num_items"): INFORMATION,
    ("SK137", "Subscription.price_cents"): INFORMATION,
    ("SK424", "About"): INFORMATION,
    ("SK609", "Subscription.card_number"): INFORMATION,
    ("SK609", "Subscription.details.card_number"): INFORMATION,
    ("SK610", "Subscription.of_iban"): INFORMATION,
    ("SK610", "Subscription.on_day"): INFORMATION,
    ("SK813", "Billing.by_day"): INFORMATION,
}


def report_of(design: str) -> Report:
    return check(load_design(FOLDER / f"{design}.py"))


@pytest.mark.parametrize(("design", "expected"), [("card_data", CARD_DATA)])
def test_exactly_what_is_wrong_is_found(
    design: str, expected: dict[tuple[str, str], Severity]
) -> None:
    found = {(f.finding.code, f.finding.where): f.severity for f in report_of(design).open}

    assert found == expected


def test_an_index_is_told_which_of_its_data_are_sensitive() -> None:
    said = {
        found.finding.where: found.finding.message
        for found in report_of("card_data").open
        if found.finding.code == "SK610"
    }

    assert "details.card_number, details.default_card" in said["Subscription.on_day"]
    assert "birth_date" not in said["Subscription.on_day"]
    # An index's own key is meant to be there, and the secret field is reported by itself.
    assert "iban of" not in said["Subscription.of_iban"]
