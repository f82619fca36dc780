"""A text is found that a simple regular expression matches."""

import re
from random import Random

import pytest

from sortkey.design.records.keys.characters import shape_pattern
from sortkey.design.records.matching import matching_shape, matching_text


@pytest.mark.parametrize(
    "expression",
    [
        r"^[^@\s]+@[^@\s]+$",
        r"^[a-z0-9][a-z0-9-]*(\.[a-z0-9-]+)+$",
        r"^\d{4}-\d{2}-\d{2}$",
        r"[A-Z]{3}|x+",
        r"^(?:a|b).\.c$",
        r"^\S+\s\w*$",
        r"^[^x]y?$",
        r"^(?P<name>\D+?)$",
        r"^~$",
    ],
)
def test_a_text_matches_and_differs_from_others(expression: str) -> None:
    random = Random(1)
    texts = [matching_text(expression, random) for _ in range(20)]

    assert all(text is not None and re.search(expression, text) for text in texts)
    assert len({*texts}) > 1 or expression == r"^~$"


@pytest.mark.parametrize("expression", [r"(?=a)b", r"(a)\1", r"[", r"^[^\x00-\U0010ffff]$"])
def test_what_takes_more_is_not_guessed(expression: str) -> None:
    assert matching_text(expression, Random(1)) is None


@pytest.mark.parametrize(
    ("expression", "inside", "outside"),
    [
        (r"^[A-Z0-9]{8}$", ["ABCDEF12"], ["ABCDEF1", "ABCDEF123", "abcdef12", "ABC#EF12"]),
        (r"^[a-z0-9]{1,20}$", ["a", "a" * 20], ["A", "a#b"]),
        (r"^20[0-9]{2}-(0[1-9]|1[0-2])$", ["2026-01", "2026-12"], ["2026-13", "1999-01"]),
        (r"^a|b$", ["ab", "ax", "xb"], ["xay"]),
        (r"^a$|^b$", ["a", "b"], ["ab"]),
        ("key", ["key", "a key", "keys"], ["ke"]),
        (r"^\d{2}$", ["12", "\u0661\u0662"], ["1a", "123"]),
        (r"^[^\w]$", ["-", "\u2013"], ["a", "_"]),
        (r"^[^#]*x?$", ["a", "ax"], ["#"]),
        (r"^(?:ab){2,90}$", ["abab", "ababab"], ["abc"]),
        (r"^(?:a|bc){2}$", ["abc", "bca", "aa"], ["a", "abcd"]),
    ],
)
def test_a_shape_has_every_text_that_matches(
    expression: str, inside: list[str], outside: list[str]
) -> None:
    shape = matching_shape(expression)

    assert shape is not None
    assert all(re.search(expression, text) for text in inside)
    assert all(re.fullmatch(shape_pattern(shape), text) for text in inside)
    assert not any(re.fullmatch(shape_pattern(shape), text) for text in outside)


@pytest.mark.parametrize(
    "expression",
    [
        *(r"(?i)^a$", r"(?m)^a$", r"(?i:a)b", r"(?=a)b", r"(a)\1", r"[", r"^(?:^a)+$"),
        *(r"^(ab|c){9}$", r"^[^\x00-\U0010ffff]$", r"^[^\D]$"),
    ],
)
def test_an_expression_that_takes_more_has_no_shape(expression: str) -> None:
    assert matching_shape(expression) is None
