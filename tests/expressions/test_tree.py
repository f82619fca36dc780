"""Trees are values."""

from typing import Any

import pytest

from sortkey.expressions.tree import Path

ITEM: dict[str, Any] = {"a": {"L": [{"M": {"b": {"N": "1"}}}]}}


@pytest.mark.parametrize(
    ("parts", "found"),
    [
        (("a", 0, "b"), {"N": "1"}),
        (("a", 0), {"M": {"b": {"N": "1"}}}),
        (("a", 1), None),
        (("a", "b"), None),
        (("a", 0, 0), None),
        (("a", 0, "b", "c"), None),
        (("b",), None),
        (("b", 0, "c"), None),
    ],
)
def test_a_path_finds_what_lies_there(parts: tuple[str | int, ...], found: Any) -> None:
    assert Path(parts).find(ITEM) == found


def test_a_path_is_shown_as_dynamodb_shows_it() -> None:
    assert str(Path(("a", 0, "b"))) == "[a, [0], b]"
