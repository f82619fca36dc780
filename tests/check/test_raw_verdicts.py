"""Raw requests held against the entities: what each design comes to, finding by finding."""

from pathlib import Path

import pytest

from sortkey import load_design
from sortkey.check.report import Found
from sortkey.check.rule import ERROR, WARNING
from sortkey.check.runner import check

FOLDER = Path(__file__).parent / "verdicts"
HELD = {"SK136", *(f"SK{number}" for number in range(518, 530))}


def found_in(name: str) -> list[Found]:
    """Return what is found by the rules that hold raw requests against the design."""
    report = check(load_design(FOLDER / f"{name}.py"))
    return [found for found in report.open if found.finding.code in HELD]


def verdicts(name: str) -> set[tuple[str, str]]:
    """Return the code and the place of each of these findings."""
    return {(found.finding.code, found.finding.where) for found in found_in(name)}


RAW_KEYS = {
    ("SK519", "other_word.key_condition"),
    ("SK519", "other_case.key_condition"),
    ("SK519", "other_range.key_condition"),
    ("SK519", "too_late.key_condition"),
    ("SK519", "no_delimiter.key_condition"),
    ("SK519", "bare_days.key_condition"),
    ("SK519", "longer.key_condition"),
    ("SK519", "other_width.key_condition"),
    ("SK519", "dead_choice.key_condition"),
    ("SK519", "one_of_two.key_condition"),
    ("SK519", "not_in_index.index"),
    ("SK519", "other_partition.key_condition"),
    ("SK519", "filtered.filter"),
    ("SK519", "written_index.item"),
    ("SK519", "updated_index.update"),
    ("SK519", "batch.actions[2].key"),
    ("SK519", "transaction.actions[2].key"),
    ("SK519", "undeclared.item"),
    ("SK520", "bare.key"),
    ("SK520", "bare_id.key"),
    ("SK520", "both_bare.key"),
    ("SK520", "two_slots.key_condition"),
    ("SK520", "bare_range.key_condition"),
    ("SK521", "short_end.key_condition"),
    ("SK521", "short_end_meant.key_condition"),
    ("SK521", "short_end_of_text.key_condition"),
}


def test_keys_are_held_against_the_templates_of_the_entities() -> None:
    assert verdicts("raw_keys") == RAW_KEYS


def test_a_record_that_nothing_describes_is_a_warning_and_a_dead_read_an_error() -> None:
    severities = {f.finding.where: f.severity for f in found_in("raw_keys")}

    assert severities["undeclared.item"] is WARNING
    assert severities["other_partition.key_condition"] is ERROR


@pytest.mark.parametrize(
    ("place", "fix"),
    [
        ("other_word.key_condition", 'Write "ORDER#", or'),
        ("no_delimiter.key_condition", 'Write "ORDER#{start}#" and "ORDER#{end}#~", or'),
        ("other_case.key_condition", 'Write "USER#{user}", or'),
        ("written_index.item", 'Write "DAY#{day}", or'),
        ("other_partition.key_condition", 'Write one of "DAY#{day}", or'),
        ("bare.key", 'Write "USER#{pk}", or'),
        ("short_end.key_condition", 'Write "ORDER#{end}#~", '),
    ],
)
def test_a_finding_says_what_to_write(place: str, fix: str) -> None:
    [finding] = [f.finding for f in found_in("raw_keys") if f.finding.where == place]

    assert finding.fix.startswith(fix)
