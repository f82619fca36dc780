"""A text is found that a simple regular expression matches."""

import re
from random import Random

import pytest

from sortkey.design.matching import matching_text


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
