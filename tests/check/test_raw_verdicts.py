"""Raw requests held against the entities: what each design comes to, finding by finding."""

from pathlib import Path

import pytest

from sortkey import load_design
from sortkey.check.runner import check
from sortkey.design.findings import ERROR, WARNING, Finding

FOLDER = Path(__file__).parent / "verdicts"
HELD = {"SK136", *(f"SK{number}" for number in range(519, 528))}


def found_in(name: str) -> list[Finding]:
    """Return what is found by the rules that hold raw requests against the design."""
    report = check(load_design(FOLDER / f"{name}.py"))
    return [found for found in report.open if found.code in HELD]


def verdicts(name: str) -> set[tuple[str, str]]:
    """Return the code and the place of each of these findings."""
    return {(found.code, found.where) for found in found_in(name)}


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
    ("SK519", "batch.action 2.key"),
    ("SK519", "transaction.action 2.key"),
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
    severities = {f.where: f.severity for f in found_in("raw_keys")}

    assert severities["undeclared.item"] is WARNING
    assert severities["other_partition.key_condition"] is ERROR


@pytest.mark.parametrize(
    ("place", "fix"),
    [
        ("other_word.key_condition", "Write `ORDER#` instead of `"),
        ("no_delimiter.key_condition", "Write `ORDER#{start}#` instead of `"),
        ("other_case.key_condition", "Write `USER#{user}` instead of `"),
        ("written_index.item", "Write `DAY#{day}` instead of `"),
        ("other_partition.key_condition", 'Write one of "DAY#{day}", or'),
        ("bare.key", "Write `USER#{pk}` instead of `"),
        ("short_end.key_condition", "Write `ORDER#{end}#~` instead of `"),
    ],
)
def test_a_finding_says_what_to_write(place: str, fix: str) -> None:
    [finding] = [f for f in found_in("raw_keys") if f.where == place]

    assert finding.fix.startswith(fix)


RAW_VALUES = {
    ("SK522", "text_into_number.item"),
    ("SK522", "text_into_time.item"),
    ("SK522", "text_into_day.item"),
    ("SK522", "text_into_seconds.item"),
    ("SK522", "number_into_text.item"),
    ("SK522", "time_into_number.item"),
    ("SK522", "other_choice.item"),
    ("SK522", "beyond.item"),
    ("SK522", "set_text.update"),
    ("SK522", "set_default.update"),
    ("SK522", "add_to_text.update"),
    ("SK522", "add_to_list.update"),
    ("SK522", "sum_of_text.update"),
    ("SK522", "append_to_set.update"),
    ("SK522", "delete_from_list.update"),
    ("SK523", "number_as_text.filter"),
    ("SK523", "text_as_number.filter"),
    ("SK523", "one_of.filter"),
    ("SK523", "never_less.filter"),
    ("SK523", "always_other.filter"),
    ("SK523", "prefix_of_number.filter"),
    ("SK523", "number_in_texts.filter"),
    ("SK523", "guarded.condition"),
    ("SK527", "count.update"),
}
RAW_ITEMS = {
    ("SK524", "no_title.item"),
    ("SK524", "no_title_by_its_key.item"),
    ("SK525", "no_index.item"),
    ("SK525", "no_index_by_default.item"),
    ("SK525", "half_an_index.action 1.item"),
    ("SK526", "misspelt_status.update"),
    ("SK526", "misspelt_filter.filter"),
    ("SK526", "misspelt_index.item"),
    ("SK527", "visit.update"),
}


def test_values_are_held_against_the_types_of_the_fields() -> None:
    assert verdicts("raw_values") == RAW_VALUES


def test_items_are_held_against_the_fields_and_the_indexes() -> None:
    assert verdicts("raw_items") == RAW_ITEMS


@pytest.mark.parametrize(
    ("design", "place", "message", "fix"),
    [
        (
            "raw_values",
            "text_into_time.item",
            (
                "joined is written as a text, but Player.joined is of type datetime: "
                "the record cannot be read back"
            ),
            "Give the argument at the type datetime",
        ),
        (
            "raw_values",
            "other_choice.item",
            (
                'level is written as "middle", which Player.level does not accept: '
                "the record cannot be read back"
            ),
            "Write a value that Player.level accepts",
        ),
        (
            "raw_values",
            "always_other.filter",
            (
                "coins is compared with a text, but Player.coins is of type int: "
                "the comparison always holds"
            ),
            "Compare it with a value of its type",
        ),
        (
            "raw_items",
            "no_title_by_its_key.item",
            "the item has no title, which Job needs: the record cannot be read back",
            "Write `title` instead of `titel`",
        ),
        (
            "raw_items",
            "half_an_index.action 1.item",
            "the item has no GSI2SK, so the Job record is missing from Work.GSI2",
            'Write `"GSI2SK": "{done_at}#{job_id}"` too, with the values of the record',
        ),
    ],
)
def test_a_finding_says_what_is_wrong(design: str, place: str, message: str, fix: str) -> None:
    [finding] = [f for f in found_in(design) if f.where == place]

    assert (finding.message, finding.fix) == (message, fix)


RAW_INDEXES = {
    ("SK136", "Visit.by_user"),
    ("SK519", "nobody.key_condition"),
    ("SK519", "nobody_at_all.key_condition"),
    ("SK519", "inverted_typo.key_condition"),
    ("SK519", "other_season.key_condition"),
}


def test_requests_are_held_against_the_keys_of_their_index() -> None:
    assert verdicts("raw_indexes") == RAW_INDEXES


@pytest.mark.parametrize(
    ("place", "fix"),
    [
        ("no_index.key_condition", 'Add `index="GSI1"`, whose key the condition names'),
        ("other_index.key_condition", 'Write `index="GSI1"`, whose key the condition names'),
        ("needless_index.key_condition", "Remove `index=`"),
        ("small_letters.key_condition", "Write PK"),
        ("one_letter.key_condition", "Write GSI1PK"),
        ("small_key.key", "Write PK"),
    ],
)
def test_a_rejected_request_has_one_finding_that_dynamodb_would_have(place: str, fix: str) -> None:
    report = check(load_design(FOLDER / "raw_indexes.py"))
    name = place.partition(".")[0]
    rejected = {f"SK{number}" for number in range(501, 530)}
    found = [f for f in report.open if f.where.partition(".")[0] == name]
    [finding] = [finding for finding in found if finding.code in rejected]

    assert (finding.where, finding.fix) == (place, fix)


def test_an_index_with_the_keys_of_the_table_exchanged_holds_every_record() -> None:
    codes = {f.code for f in check(load_design(FOLDER / "raw_indexes.py")).open}

    assert "SK422" not in codes
