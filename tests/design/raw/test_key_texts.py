"""Whether the text of a request fits a key template."""

from datetime import date, datetime
from enum import Enum
from typing import Any, Literal, NewType
from uuid import UUID

import pytest

from sortkey.design.plans.sources import Argument, Constant, Derived, Now, Text, slots_of
from sortkey.design.raw.key_texts import (
    Fit,
    KeyText,
    fit,
    fit_compared,
    is_near,
    key_text,
    rewritten,
)
from sortkey.design.records.keys.entity_key import KeyPart
from sortkey.design.records.keys.templates import parse_template
from sortkey.design.tables.table import Attribute


class Color(Enum):
    RED = "red"
    BLUE = "blue"


FIELDS = {"id": str, "day": date, "at": datetime, "n": int, "kind": Literal["A", "B"], "u": UUID}
TYPES = {
    "text": str,
    "other": str,
    "number": int,
    "day": date,
    "time": datetime,
    "letter": Literal["A", "C"],
    "color": Color,
    "id": UUID,
    "flag": bool,
    "user": NewType("UserId", str),
    "share": float,
    "size": Literal[1, 10],
}


def part_of(template: str, *, is_sharded: bool = False) -> KeyPart:
    return KeyPart(Attribute("PK", "S"), parse_template(template, FIELDS), is_sharded=is_sharded)


def text_of(text: str) -> KeyText:
    slots = {name: Argument(name) for name in slots_of(text)}
    made = key_text(Text(text, slots), TYPES)
    assert made is not None
    return made


@pytest.mark.parametrize(
    ("text", "template"),
    [
        ("USER#{text}", "USER#{id}"),
        ("USER#{number}", "USER#{id}"),
        ("USER#7", "USER#{id}"),
        ("USER#{id}", "USER#{u}"),
        ("{text}#{other}", "USER#{id}"),
        ("META#{text}", "META#WORK_PLANS"),
        ("KIND#{letter}", "KIND#{kind}"),
        ("{color}#{text}", "red#{id}"),
        ("DAY#{day}", "DAY#{day}"),
        ("DAY#{text}", "DAY#{at}"),
        ("DAY#{day:%Y-%m}", "DAY#{day:%Y-%m}"),
        ("N#{number:04d}", "N#{n:04d}"),
        ("{text}", "{id}"),
        ("USER#{text}", "{id}"),
        ("A:{text}:{other}", "A:{id}:{at}"),
    ],
)
def test_a_text_fits_where_its_arguments_stand_for_slots_or_words(text: str, template: str) -> None:
    assert fit(text_of(text), part_of(template)) is Fit.FITS


@pytest.mark.parametrize(
    ("text", "template"),
    [
        ("USERS#{text}", "USER#{id}"),
        ("USER{text}", "USER#{id}"),
        ("USER{text}", "USER_{id}"),
        ("USER|{text}", "USER#{id}"),
        ("user#{text}", "USER#{id}"),
        ("USER#{text}", "USER#{id}#PROFILE"),
        ("USER#{text}#PROFILE", "USER#{id}"),
        ("USER#{text}", "USER#PROFILE#{id}"),
        ("N#{number:02d}", "N#{n:04d}"),
        ("N#LAST", "N#{n:04d}"),
        ("DAY#{day}", "DAY#{at}"),
        ("{number}", "USER#{id}"),
        ("{flag}#{text}", "USER#{id}"),
        ("{color}#{text}", "green#{id}"),
        ("{id}", "USER#{id}"),
    ],
)
def test_a_text_never_fits_that_has_other_literal_text(text: str, template: str) -> None:
    assert fit(text_of(text), part_of(template)) is Fit.NEVER


@pytest.mark.parametrize(
    ("text", "template"),
    [
        ("{text}", "USER#{id}"),
        ("{text}", "PROFILE"),
        ("{text}", "{id}#{day}"),
        ("{text}", "{id}#PROFILE"),
        ("ORDER#{text}", "ORDER#{day}#{id}"),
        ("ORDER#{text}#{other}", "ORDER#{kind}#{day}#{id}"),
    ],
)
def test_an_argument_covers_literal_text_that_it_must_bring_along(text: str, template: str) -> None:
    assert fit(text_of(text), part_of(template)) is Fit.COVERS


@pytest.mark.parametrize(
    ("text", "template", "expected"),
    [
        ("OR", "ORDER#{day}", Fit.FITS),
        ("ORDER#{text}", "ORDER#{day}#{id}", Fit.FITS),
        ("DAY#{day}", "DAY#{at}", Fit.FITS),
        ("ORDER{text}", "ORDER#{day}", Fit.NEVER),
        ("ORDERS", "ORDER#{day}", Fit.NEVER),
        ("ORDER#{text}", "ORDER", Fit.NEVER),
        ("{text}", "ORDER#{day}", Fit.COVERS),
        ("{text}", "{day}#{id}", Fit.FITS),
    ],
)
def test_a_beginning_may_be_followed_by_anything(text: str, template: str, expected: Fit) -> None:
    assert fit(text_of(text), part_of(template), begins=True) is expected


def test_the_number_of_a_shard_may_follow() -> None:
    assert fit(text_of("DAY#{day}#{number}"), part_of("DAY#{day}")) is Fit.NEVER
    assert fit(text_of("DAY#{day}#{number}"), part_of("DAY#{day}", is_sharded=True)) is Fit.FITS


@pytest.mark.parametrize(
    ("op", "ends", "expected"),
    [
        ("between", ("ORDER#{day}", "ORDER#{day}"), Fit.FITS),
        ("between", ("ORDER#", "ORDER$"), Fit.FITS),
        ("between", ("A", "Z"), Fit.FITS),
        ("between", ("A", "ORDER"), Fit.NEVER),
        ("between", ("KID#{day}", "KID#{day}"), Fit.NEVER),
        ("between", ("ORDER{day}", "ORDER{day}"), Fit.NEVER),
        ("between", ("{text}", "{other}"), Fit.COVERS),
        (">=", ("ORDER#{day}",), Fit.FITS),
        (">", ("P",), Fit.NEVER),
        ("<", ("O",), Fit.NEVER),
        ("<=", ("ORDER#{text}~",), Fit.FITS),
    ],
)
def test_a_range_fits_where_keys_can_lie_in_it(
    op: str, ends: tuple[str, ...], expected: Fit
) -> None:
    assert fit_compared(op, [text_of(end) for end in ends], part_of("ORDER#{day}#{id}")) is expected


def test_the_last_text_of_a_range_may_be_the_key_itself() -> None:
    ends = [text_of("A"), text_of("PROFILE")]

    assert fit_compared("between", ends, part_of("PROFILE")) is Fit.FITS
    assert fit_compared("between", ends, part_of("PROFILE#{id}")) is Fit.NEVER


def test_a_key_that_is_a_field_has_no_text_to_fit() -> None:
    natural = KeyPart(Attribute("n", "N"), parse_template("{n}", FIELDS), lambda n: {"N": str(n)})

    assert fit_compared("=", [text_of("USER#1")], natural) is Fit.FITS


@pytest.mark.parametrize("source", [None, Constant(5), Constant(""), Derived(("text",))])
def test_nothing_is_known_of_what_is_no_text(source: Any) -> None:
    assert key_text(source, TYPES) is None


def test_a_text_is_made_of_literal_texts_and_arguments() -> None:
    assert str(key_text(Now(), TYPES)) == "{now()}"
    assert str(key_text(Constant("A"), TYPES)) == "A"
    assert str(text_of("a{{b{text}")) == "a{b{text}"


@pytest.mark.parametrize(
    ("text", "template", "expected"),
    [
        ("K#{user}", "K#{kind}", Fit.FITS),
        ("K#{share}", "K#{n:unordered}", Fit.FITS),
        ("K#{share}", "K#{kind}", Fit.NEVER),
        ("K#{size:04d}", "K#{n:04d}", Fit.FITS),
        # In formats that no key has.
        ("K#{letter:04d}", "K#{kind}", Fit.FITS),
        ("K#{number:x}", "K#{n:04d}", Fit.FITS),
    ],
)
def test_an_argument_is_as_its_type_and_its_format_write_it(
    text: str, template: str, expected: Fit
) -> None:
    assert fit(text_of(text), part_of(template)) is expected


def test_any_other_comparison_fits() -> None:
    assert fit_compared("contains", [text_of("A")], part_of("USER#{id}")) is Fit.FITS


def test_each_value_of_an_argument_with_few_is_a_text_of_its_own() -> None:
    assert list(map(str, text_of("{letter}#{text}").each())) == ["A#{text}", "C#{text}"]


@pytest.mark.parametrize(
    ("text", "begins", "expected"),
    [
        ("O{text}", True, "ORDER#{text}#"),
        ("O#", True, "ORDER#"),
        ("O{text}", False, "ORDER#{text}#{id}"),
        ("O{text}{other}", False, "ORDER#{text}#{other}"),
        ("{text}{other}{day}", False, "ORDER#{day}#{id}"),
    ],
)
def test_a_text_is_rewritten_as_the_template_has_it(text: str, begins: bool, expected: str) -> None:
    assert rewritten(text_of(text), part_of("ORDER#{day}#{id}"), begins=begins) == expected


def test_a_rewritten_argument_has_the_format_of_its_slot() -> None:
    part = part_of("AT#{at:%Y-%m}#{n:04d}#{n:unordered}")

    assert rewritten(text_of("AT#{day}#{number}#{number}"), part) == (
        "AT#{day:%Y-%m}#{number:04d}#{number}"
    )
    assert rewritten(text_of("AT#{text}"), part, begins=True) == "AT#{text}#"


def test_a_text_is_near_where_case_or_delimiters_differ() -> None:
    assert is_near(text_of("user{text}"), part_of("USER#{id}"))
    assert not is_near(text_of("USER#{text}"), part_of("USER#{id}"))
    assert not is_near(text_of("USERS#{text}"), part_of("USER#{id}"))
