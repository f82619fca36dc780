"""Names as a person lists them in a sentence."""

import pytest

from sortkey.design.prose import FEW, listed


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ("A", "A"),
        ("AB", "A and B"),
        ("ABCD", "A, B, C and D"),
        ("ABCDE", "A, B, C and 2 more"),
    ],
)
def test_of_many_names_a_few_are_listed(names: str, said: str) -> None:
    assert listed([*names], FEW) == said


def test_all_names_are_listed_where_no_limit_is_given() -> None:
    assert listed([*"ABCDE"]) == "A, B, C, D and E"
