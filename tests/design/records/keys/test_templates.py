"""A template builds keys from typed values, and reads the values of its own keys back."""

from datetime import UTC, date, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any, NewType
from uuid import UUID

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sortkey.design.records.keys.slots import KeyValueError
from sortkey.design.records.keys.templates import (
    KeyBindingError,
    Template,
    TemplateError,
    parse_template,
)
from sortkey.design.records.keys.unify import ambiguity


class Status(StrEnum):
    OPEN = "open"
    REOPENED = "open again"


UserId = NewType("UserId", str)
TYPES: dict[str, Any] = {
    "org_id": str,
    "user_id": UserId,
    "order_id": int,
    "placed": datetime,
    "day": date,
    "price": Decimal,
    "token": UUID,
    "status": Status,
    "tags": list[str],
}
PLACED = datetime(2024, 5, 6, 7, 8, 9, 10, tzinfo=UTC)

_SLOTS = [
    "{org_id}",
    "{user_id}",
    "{order_id:03d}",
    "{order_id:unordered}",
    "{placed}",
    "{day}",
    "{price:06.2f}",
    "{token}",
    "{status}",
]
_LITERALS = ["#", "-", "A", "1", "USER#", "{{", ".*"]
_VALUES: dict[str, st.SearchStrategy[Any]] = {
    "org_id": st.text("ab-1#", min_size=1, max_size=4),
    "user_id": st.text("ab-1#", min_size=1, max_size=4),
    "order_id": st.integers(0, 999),
    "placed": st.sampled_from([PLACED, PLACED.replace(year=1)]),
    "day": st.sampled_from([date(2024, 1, 1), date(2024, 11, 11)]),
    "price": st.decimals(0, 999, places=2),
    "token": st.uuids(),
    "status": st.sampled_from(Status),
}
TEMPLATES = (
    st.lists(st.sampled_from([*_SLOTS, *_LITERALS]), min_size=1, max_size=6)
    .map("".join)
    .map(lambda text: parse_template(text, TYPES))
)
VALUES = st.fixed_dictionaries(_VALUES)


def template(text: str) -> Template:
    return parse_template(text, TYPES)


def _built(made: Template, values: dict[str, Any]) -> str:
    """The key, for values that the template takes."""
    try:
        return made.build(values)
    except KeyValueError:
        assume(False)
        raise


@given(TEMPLATES, VALUES)
def test_values_that_build_a_key_are_read_back_from_it(
    made: Template, values: dict[str, Any]
) -> None:
    assume(ambiguity(made) is None)
    text = _built(made, values)
    assert made.parse(text) == {name: values[name] for name in made.fields}


@given(TEMPLATES, VALUES, VALUES)
def test_different_values_never_build_the_same_key(
    made: Template, one: dict[str, Any], other: dict[str, Any]
) -> None:
    assume(ambiguity(made) is None)
    if _built(made, one) == _built(made, other):
        assert all(one[name] == other[name] for name in made.fields)


@given(TEMPLATES, st.text("ab#-A1{.*SER USER#024T:Z"))
def test_a_text_is_parsed_only_if_the_values_build_it_again(made: Template, text: str) -> None:
    values = made.parse(text)
    assert values is None or made.build(values) == text


@given(TEMPLATES, VALUES, st.integers(0, 6))
def test_a_prefix_is_the_beginning_of_the_whole_key(
    made: Template, values: dict[str, Any], count: int
) -> None:
    bound = {name: values[name] for name in made.fields[:count]}
    whole = _built(made, values)
    prefix, complete = made.prefix(bound)
    assert whole.startswith(prefix)
    assert complete == (len(bound) == len(made.fields))
    assert not complete or prefix == whole


def test_a_template_knows_its_parts() -> None:
    made = template("ORG#{org_id}#{order_id:012d}")
    assert made.fields == ("org_id", "order_id")
    assert [str(part) for part in made.parts] == ["ORG#", "{org_id}", "#", "{order_id:012d}"]
    assert [slot.type for slot in made.slots] == [str, int]
    assert str(made) == made.text == "ORG#{org_id}#{order_id:012d}"
    assert made == template("ORG#{org_id}#{order_id:012d}")


def test_a_constant_is_a_template_without_fields() -> None:
    made = template("USER")
    assert made.build({}) == "USER"
    assert made.prefix({}) == ("USER", True)
    assert made.parse("USER") == {}
    assert made.parse("USERS") is None


def test_a_prefix_includes_the_text_after_the_last_bound_slot() -> None:
    made = template("ORG#{org_id}#USER#{user_id}")
    assert made.prefix({}) == ("ORG#", False)
    assert made.prefix({"org_id": "acme"}) == ("ORG#acme#USER#", False)
    assert made.prefix({"org_id": "acme", "user_id": "u"}) == ("ORG#acme#USER#u", True)


def test_a_gap_in_what_is_bound_names_both_fields() -> None:
    with pytest.raises(KeyBindingError, match=r'"user_id" comes after "org_id"'):
        template("ORG#{org_id}#USER#{user_id}").prefix({"user_id": "u"})


def test_a_field_bound_on_the_left_may_stand_on_the_right_as_well() -> None:
    made = template("{org_id}#{order_id:03d}#{org_id}")
    assert made.prefix({"org_id": "a"}) == ("a#", False)


def test_a_missing_field_is_named() -> None:
    with pytest.raises(KeyBindingError, match='also needs "user_id"'):
        template("ORG#{org_id}#USER#{user_id}").build({"org_id": "acme"})


def test_a_text_slot_refuses_the_delimiters_of_its_template() -> None:
    made = template("{org_id}-{user_id}")
    assert made.build({"org_id": "a", "user_id": "b-c"}) == "a-b-c"
    assert made.parse("a-b-c") == {"org_id": "a", "user_id": "b-c"}
    for unfit in ("a-b", "a#b"):
        with pytest.raises(KeyValueError, match='"org_id"'):
            made.build({"org_id": unfit, "user_id": "b"})


def test_a_natural_key_takes_any_text_that_is_not_empty() -> None:
    made = template("{user_id}")
    assert made.build({"user_id": "a#b-c \n\0"}) == "a#b-c \n\0"
    assert made.parse("a#b-c \n\0") == {"user_id": "a#b-c \n\0"}
    assert made.parse("") is None


def test_a_delimiter_counts_beyond_a_slot_of_fixed_width() -> None:
    made = template("{org_id}{order_id:03d}-{user_id}")
    with pytest.raises(KeyValueError):
        made.build({"org_id": "x123-y", "order_id": 1, "user_id": "b"})


def test_a_field_in_two_places_must_have_one_value() -> None:
    made = template("{org_id}#{order_id:03d}#{org_id}")
    assert made.parse("a#001#a") == {"org_id": "a", "order_id": 1}
    assert made.parse("a#001#b") is None


def test_a_time_in_several_parts_is_read_as_one() -> None:
    made = template("{placed:%Y}/{placed:%m}#{placed:%d}")
    assert made.parse(made.build({"placed": PLACED})) == {
        "placed": datetime(2024, 5, 6, tzinfo=UTC)
    }


def test_a_time_that_is_also_whole_is_read_whole() -> None:
    made = template("{placed:%Y-%m}#{placed}")
    assert made.parse(made.build({"placed": PLACED})) == {"placed": PLACED}
    assert made.parse("2023-01#2024-05-06T07:08:09.000010Z") is None


def test_a_text_with_a_day_that_does_not_exist_is_not_a_key() -> None:
    assert template("D#{day}").parse("D#2023-02-28") == {"day": date(2023, 2, 28)}
    assert template("D#{day}").parse("D#2023-02-29") is None


def test_doubled_braces_are_braces() -> None:
    made = template("{{{org_id}}}")
    assert made.build({"org_id": "a"}) == "{a}"
    assert made.parse("{a}") == {"org_id": "a"}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "must have text"),
        ("A\U0010ffff", "which is not allowed in a key"),
        ("A\ud800", "which is not allowed in a key"),
        ("{org_id", "and {{ or }} for a brace itself"),
        ("A}", "and {{ or }} for a brace itself"),
        ("{}", "write {field} or {field:format}"),
        ("{org_id!r}", "write {field} or {field:format}"),
        ("{org_id.name}", "write {field} or {field:format}"),
        ("{order_id:{org_id}}", "write {field} or {field:format}"),
        ("{orgid}", 'did you mean "org_id"?'),
        ("{zzz}", 'its fields are "org_id", "user_id"'),
        ("{tags}", '"tags" is of type list[str]'),
        ("{price}", "write {price:012.2f}"),
        ("{status} {org_id}", "'open again': it contains ' '"),
    ],
)
def test_a_template_that_cannot_be_understood_is_refused_with_advice(text: str, why: str) -> None:
    with pytest.raises(TemplateError) as caught:
        template(text)
    assert why in str(caught.value)
