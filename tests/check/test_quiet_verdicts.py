"""Small designs at the border of a rule: what `check` must report of each, and what it must not."""

from pathlib import Path

import pytest

from sortkey import load_design
from sortkey.check.examples import codes_found
from sortkey.check.report import CheckReport
from sortkey.check.runner import check

FOLDER = Path(__file__).parent / "verdicts"
# What is said of keys, tables and entities, whatever the requests are.
KEYS_AND_TABLES = {"SK134", "SK206", "SK615", "SK803"}


def report_of(name: str) -> CheckReport:
    return check(load_design(FOLDER / f"{name}.py"))


def found_in(name: str, code: str) -> list[str]:
    return [f.where for f in report_of(name).open if f.code == code]


def of_requests(name: str) -> set[tuple[str, str]]:
    found = {(f.code, f.where) for f in report_of(name).open}
    return {(code, where) for code, where in found if code not in KEYS_AND_TABLES}


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("bounds_fix_the_width", "SK201"),
        ("changed_unique_value", "SK719"),
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
    [fix] = [f.fix for f in report_of("milliseconds").open if f.code == "SK201"]

    assert "{timestamp_ms:013d}" in fix


def test_a_request_that_cannot_be_read_is_not_judged_further() -> None:
    assert of_requests("rejected_requests") == {
        ("SK508", "unknown_index.index"),
        ("SK506", "missing_index.key_condition"),
        ("SK510", "put_with_index.index"),
    }


def test_a_request_that_is_rejected_and_can_be_read_is_judged_further() -> None:
    assert of_requests("readable_requests") == {
        ("SK502", "reserved_word.update"),
        ("SK704", "reserved_word"),
        ("SK504", "spare_value.values"),
        ("SK524", "spare_value.item"),
        ("SK525", "spare_value.item"),
        ("SK514", "consistent_index.consistent"),
        ("SK414", "consistent_index"),
        ("SK515", "misspelt_filter.filter"),
        ("SK515", "not_projected.projection"),
        ("SK413", "not_projected"),
        ("SK519", "filtered_key.filter"),
        ("SK413", "filtered_key"),
    }


def test_the_other_actions_of_a_transaction_that_is_rejected_are_judged() -> None:
    assert of_requests("rejected_actions") == {
        ("SK511", "misspelt_key.action 1.key"),
        ("SK524", "misspelt_key.action 2.item"),
        ("SK519", "unknown_key.action 1.key"),
        ("SK524", "unknown_key.action 2.item"),
        ("SK509", "unknown_verb.action 1.operation"),
        ("SK524", "unknown_verb.action 2.item"),
        ("SK517", "checked_twice.action 2"),
        ("SK708", "checked_twice.action 2.update"),
        ("SK524", "checked_twice.action 3.item"),
        ("SK517", "changed_twice.action 2"),
    }


def test_two_actions_on_one_item_are_named() -> None:
    [found] = [
        f.message for f in report_of("rejected_actions").open if f.where == "checked_twice.action 2"
    ]

    assert found == (
        "Update is on the same item as ConditionCheck in action 1, which DynamoDB rejects in one "
        "TransactWriteItems"
    )


def test_a_key_condition_of_an_index_that_is_not_named_says_which() -> None:
    [fix] = [f.fix for f in report_of("rejected_requests").open if f.code == "SK506"]

    assert fix.startswith('Add `index="GSI1"`')


def test_what_a_rejected_request_uses_is_not_called_unused() -> None:
    codes = {f.code for f in report_of("rejected_requests").open}

    assert not codes & {"SK419", "SK420", "SK421"}


def test_a_rejection_that_is_acknowledged_lets_a_request_be_judged(tmp_path: Path) -> None:
    text = (FOLDER / "rejected_requests.py").read_text()
    name = 'name="put_with_index",'
    kept = text.replace(name, f'{name}\n    ignore={{"SK510": "only documented so"}},')
    (tmp_path / "kept.py").write_text(kept)

    report = check(load_design(tmp_path / "kept.py"))

    assert "SK703" in {f.code for f in report.open if f.where == "put_with_index"}


def test_an_id_that_is_not_in_a_key_of_a_time_is_one_finding() -> None:
    design = """
class Event(Entity, table=App):
    user_id: str
    at: datetime
    event_id: str
    primary = App.primary.key("USER#{user_id}", "EVENT#{at}")
"""
    assert codes_found(design) & {"SK133", "SK208"} == {"SK208"}
