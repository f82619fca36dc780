"""Two templates collide exactly when some text is a key of both."""

import itertools
from datetime import date
from enum import StrEnum
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sortkey.design.records.keys.slots import KeyValueError
from sortkey.design.records.keys.templates import Template, parse_template
from sortkey.design.records.keys.unify import ambiguity, can_collide, can_start, reads_alike


class Kind(StrEnum):
    B = "b"
    BC = "bc"


TYPES: dict[str, Any] = {
    "a": str,
    "b": str,
    "n": int,
    "m": int,
    "kind": Kind,
    "day": date,
    "token": UUID,
}
# Every text of up to two of these characters, and numbers to match.
_ALPHABET = "ab#1"
_TEXTS = ["".join(t) for size in (1, 2) for t in itertools.product(_ALPHABET, repeat=size)]
_SMALL: dict[str, list[Any]] = {
    "a": _TEXTS,
    "b": _TEXTS,
    "n": [0, 1, 10, 11, -1],
    "m": [1, 11],
    "kind": list(Kind),
}
_PIECES = ["{a}", "{b}", "{n:02d}", "{m:unordered}", "{n}", "{kind}", "a", "#", "1", "-"]
TEMPLATES = st.lists(st.sampled_from(_PIECES), min_size=1, max_size=4).map(
    lambda pieces: template("".join(pieces))
)


def template(text: str) -> Template:
    return parse_template(text, TYPES)


def _keys(made: Template) -> list[tuple[tuple[Any, ...], str]]:
    """The keys of small values, with those values."""
    keys: list[tuple[tuple[Any, ...], str]] = []
    for values in itertools.product(*(_SMALL[name] for name in made.fields)):
        try:
            keys.append((values, made.build(dict(zip(made.fields, values, strict=True)))))
        except KeyValueError:
            continue
    return keys


@given(TEMPLATES, TEMPLATES)
def test_templates_that_share_a_key_can_collide(one: Template, other: Template) -> None:
    shared = {text for _, text in _keys(one)} & {text for _, text in _keys(other)}
    if shared:
        assert can_collide(one, other)
        assert can_collide(other, one)


@given(TEMPLATES, TEMPLATES)
def test_templates_that_cannot_collide_do_not_read_each_others_keys(
    one: Template, other: Template
) -> None:
    if not can_collide(one, other):
        assert all(other.parse(text) is None for _, text in _keys(one)[:200])


@given(TEMPLATES)
def test_a_template_collides_with_itself(made: Template) -> None:
    assert can_collide(made, made)


@given(TEMPLATES)
def test_a_template_without_ambiguity_gives_each_key_to_one_record(made: Template) -> None:
    keys = _keys(made)
    if len({text for _, text in keys}) < len(keys):
        assert ambiguity(made)


@given(TEMPLATES, TEMPLATES)
def test_templates_that_read_alike_read_the_same_values_from_every_common_text(
    one: Template, other: Template
) -> None:
    if reads_alike(one, other):
        for _, text in _keys(one):
            assert other.parse(text) in (None, one.parse(text))


# Two formats for the numbers of one template.
FORMATS = ["{n}", "{n:01d}", "{n:02d}", "{n:unordered}", "{m:02d}", "{m}"]
ALIKE = st.tuples(
    st.lists(st.sampled_from([*_PIECES, "N"]), min_size=1, max_size=4).map("".join),
    st.sampled_from(FORMATS),
    st.sampled_from(FORMATS),
)


@given(ALIKE)
def test_a_number_in_two_formats_reads_alike_only_if_each_text_stands_for_one_record(
    written: tuple[str, str, str],
) -> None:
    text, one, other = written
    now, before = template(text.replace("N", one)), template(text.replace("N", other))
    records: dict[str, set[tuple[tuple[str, Any], ...]]] = {}
    for made in (now, before):
        for values, key in _keys(made):
            record = tuple(sorted(zip(made.fields, values, strict=True)))
            records.setdefault(key, set()).add(record)
    if reads_alike(now, before) and not ambiguity(now) and not ambiguity(before):
        assert all(len(found) == 1 for found in records.values())


@given(TEMPLATES)
def test_a_template_reads_alike_with_itself_unless_it_is_ambiguous(made: Template) -> None:
    assert reads_alike(made, made) is (ambiguity(made) is None)


@pytest.mark.parametrize(
    ("now", "before", "alike"),
    [
        ("PART#{n:02d}", "PART#{n}", True),
        ("PART#{n:02d}", "PART#{n:unordered}", True),
        ("PART#{n:02d}", "PART#{n:03d}", True),
        ("MILESTONE#{a}#AWARD#{n:02d}", "MILESTONE#{a}#AWARD#{n}", True),
        ("{n:02d}#{m:02d}", "{n}#{m}", True),
        ("PART#{n:02d}", "PART#{m}", False),
        ("PART#{n:02d}", "PART#{a}", False),
        ("PART#{n:02d}", "PART#1{n}", False),
        ("PART#{n:02d}", "PART#{n}#", False),
        ("{n:02d}#{m:02d}", "{m}#{n}", False),
        ("{a}{n:02d}", "{a}{n}", False),
        ("{n:02d}{m:02d}", "{n}{m}", False),
        ("{day:%Y-%m-%d}", "{day:%Y-%d-%m}", False),
    ],
)
def test_whether_two_templates_read_alike(now: str, before: str, alike: bool) -> None:
    assert reads_alike(template(now), template(before)) is alike
    assert reads_alike(template(before), template(now)) is alike


@given(TEMPLATES, TEMPLATES, st.integers(0, 3))
def test_a_prefix_that_begins_a_key_can_start_it(
    one: Template, other: Template, count: int
) -> None:
    bound = one.fields[:count]
    if can_start(one, bound, other):
        return
    others = {text for _, text in _keys(other)}
    for values, _ in _keys(one)[:50]:
        given_ = dict(zip(one.fields, values, strict=True))
        prefix, complete = one.prefix({name: given_[name] for name in bound})
        assert not any(text == prefix if complete else text.startswith(prefix) for text in others)


@pytest.mark.parametrize(
    ("one", "other", "collide"),
    [
        ("USER#{a}", "USER#{b}", True),
        ("USER#{a}", "ORDER#{b}", False),
        ("MILESTONE#{a}", "MILESTONE#{a}#AWARD#{n:02d}", False),
        ("SESSION#{a}", "META", False),
        ("{a}", "META", True),
        ("{a}", "ORDER#{b}#{n:02d}", True),
        ("{a}", "{n:012d}", True),
        ("{a}#X", "USER#{b}", True),
        ("{n:02d}", "{n:03d}", False),
        ("{n:02d}", "{m:unordered}", True),
        ("{m:unordered}", "-5", True),
        ("{m:unordered}", "05", False),
        ("{m:unordered}", "{a}x", False),
        ("{day}", "{n:010d}", False),
        ("{day}", "2024-{a}", True),
        ("{day}", "2024-9{a}", False),
        ("{token}", "{day}", False),
        ("{token}", "{a}", True),
        ("T#{kind}", "T#{a}", True),
        ("T#{kind}", "T#bcd", False),
        ("T#{kind}", "T#bc", True),
        ("T#{kind}{n:02d}", "T#bc{a}", True),
    ],
)
def test_whether_two_templates_can_make_one_text(one: str, other: str, collide: bool) -> None:
    assert can_collide(template(one), template(other)) is collide
    assert can_collide(template(other), template(one)) is collide


@pytest.mark.parametrize(
    ("one", "bound", "other", "start"),
    [
        ("MILESTONE#{a}", [], "MILESTONE#{a}#AWARD#{n:02d}", True),
        ("MILESTONE#{a}", ["a"], "MILESTONE#{a}#AWARD#{n:02d}", False),
        ("MILESTONE#{a}#AWARD#{n:02d}", ["a"], "MILESTONE#{a}", False),
        ("MILESTONE#{a}#AWARD#{n:02d}", [], "MILESTONE#{a}", True),
        ("USER#{a}", [], "USERS", False),
        ("USER{a}", [], "USERS", True),
        ("USER#{a}", [], "META", False),
        ("{a}", [], "META", True),
        ("{n:02d}#{a}", ["n"], "{day}", False),
        ("{n:02d}{a}", ["n"], "{day}", True),
        ("META", [], "META", True),
        ("META", [], "METADATA", False),
    ],
)
def test_whether_what_is_bound_can_start_another_key(
    one: str, bound: list[str], other: str, start: bool
) -> None:
    assert can_start(template(one), bound, template(other)) is start


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("{a}{b}", ("{a}", "{b}")),
        ("{a}{n}", ("{a}", "{n}")),
        ("{n}{m}", ("{n}", "{m}")),
        ("{n}5{a}", ("{n}", "5")),
        ("{kind}{a}", ("{kind}", "{a}")),
        ("{a}#{n:02d}{m}{b}", ("{m}", "{b}")),
        ("{a}{n:02d}", None),
        ("{n:02d}{a}", None),
        ("{day}{a}", None),
        ("{a}{day}-{b}", None),
        ("{kind}-{a}", None),
        ("{kind}{n:02d}", None),
        ("{n}-{a}", None),
        ("{a}5{n}", None),
        ("{a}#{b}", None),
        ("X", None),
    ],
)
def test_an_ambiguity_names_the_parts_that_claim_one_character(
    text: str, claims: tuple[str, str] | None
) -> None:
    found = ambiguity(template(text))
    assert (found and tuple(map(str, found))) == claims


def test_slots_that_are_named_alike_and_refuse_other_characters_stay_apart() -> None:
    before_bar = parse_template("A{a}{n:04d}|Z", TYPES)
    before_hash = parse_template("A{a}{n:04d}#Z", TYPES)
    other = parse_template("A|B", TYPES)

    assert not can_start(before_bar, ["a"], other)
    assert can_start(before_hash, ["a"], other)


def test_numbers_that_are_written_alike_may_have_other_texts() -> None:
    types = {"year": int}
    bounded = parse_template("{year}", types, {"year": (1900, 9999)})
    word = parse_template("{year:02d}", types)

    assert can_collide(parse_template("{year}", types), word)
    assert not can_collide(bounded, word)
