"""Parts of items."""

from typing import Any

import pytest

from sortkey.expressions.placeholders import Placeholders
from sortkey.expressions.projection import Projection
from sortkey.expressions.tree import Path

ITEM: dict[str, Any] = {
    "p": {"S": "key"},
    "a": {"M": {"b": {"L": [{"N": "2"}, {"N": "4"}, {"M": {"x": {"S": "hi"}}}]}, "c": {"N": "5"}}},
    "b": {"S": "hello"},
    "a.b": {"S": "dot"},
}


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("p, b", {"p": {"S": "key"}, "b": {"S": "hello"}}),
        ("a.c", {"a": {"M": {"c": {"N": "5"}}}}),
        ("a.b[0]", {"a": {"M": {"b": {"L": [{"N": "2"}]}}}}),
        ("a.b[2].x", {"a": {"M": {"b": {"L": [{"M": {"x": {"S": "hi"}}}]}}}}),
        ("a.b[1], a.b[0]", {"a": {"M": {"b": {"L": [{"N": "2"}, {"N": "4"}]}}}}),
        (
            "a.b[0], a.c, b",
            {"a": {"M": {"b": {"L": [{"N": "2"}]}, "c": {"N": "5"}}}, "b": {"S": "hello"}},
        ),
        ("a.x, a.b[0], x, a.b[3].x", {"a": {"M": {"b": {"L": [{"N": "2"}]}}}}),
        ("#dot", {"a.b": {"S": "dot"}}),
    ],
)
def test_parts_stand_where_they_stood(text: str, part: dict[str, Any]) -> None:
    names = {"#dot": "a.b"} if "#" in text else None
    assert Placeholders(names, None).projection(text).apply(ITEM) == part


@pytest.mark.parametrize(
    "text", ["x", "a.x", "a.x.y", "a.b[3]", "a.b[3].x", "a.b.x", "a[0]", "a.b[0].x", "a.b[0][0]"]
)
def test_what_is_not_there_is_left_out(text: str) -> None:
    assert Placeholders(None, None).projection(text).apply(ITEM) == {}


def test_names_are_taken_whole_and_literally() -> None:
    projection = Projection.of_names(["a.b", "b", "nowhere"])

    assert projection.apply(ITEM) == {"a.b": {"S": "dot"}, "b": {"S": "hello"}}


def test_a_projection_knows_its_attributes() -> None:
    projection = Placeholders({"#x": "x"}, None).projection("a.b[0], a.c, #x")

    assert projection.names == {"a", "x"}
    assert projection.nested_names == {"a"}
    assert projection.paths == (Path(("a", "b", 0)), Path(("a", "c")), Path(("x",)))


def test_the_item_is_left_as_it_is() -> None:
    Placeholders(None, None).projection("a.b[0]").apply(ITEM)

    assert len(ITEM["a"]["M"]["b"]["L"]) == 3
