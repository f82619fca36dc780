"""Small designs at the border of a rule: what `check` must report of each, and what it must not."""

from pathlib import Path

import pytest

from sortkey import load_design
from sortkey.check.report import Report
from sortkey.check.runner import check

FOLDER = Path(__file__).parent / "verdicts"


def report_of(name: str) -> Report:
    return check(load_design(FOLDER / f"{name}.py"))


def found_in(name: str, code: str) -> list[str]:
    return [f.finding.where for f in report_of(name).open if f.finding.code == code]


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("bounds_fix_the_width", "SK201"),
        ("number_given_whole", "SK201"),
        ("text_before_a_date", "SK206"),
        ("type_in_a_filter", "SK407"),
        ("choice_as_argument", "SK407"),
        ("whole_day", "SK416"),
        ("expiry_as_data", "SK301"),
        ("guarded_updates", "SK704"),
    ],
)
def test_what_is_right_is_not_reported(name: str, code: str) -> None:
    assert found_in(name, code) == []


@pytest.mark.parametrize(
    ("name", "code", "where"),
    [
        ("milliseconds", "SK201", ["Visit.primary.SK"]),
        ("first_moment_of_the_last_day", "SK416", ["sessions_by_date_range.key_condition"]),
        ("unguarded_updates", "SK704", ["either", "other", "unless"]),
        ("expired_read", "SK305", ["sessions_of_a_user"]),
    ],
)
def test_what_is_wrong_is_reported(name: str, code: str, where: list[str]) -> None:
    assert found_in(name, code) == where


def test_the_advised_width_holds_the_milliseconds_of_today() -> None:
    [fix] = [f.finding.fix for f in report_of("milliseconds").open if f.finding.code == "SK201"]

    assert "{timestamp_ms:013d}" in fix
