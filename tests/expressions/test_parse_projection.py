"""Projections read from text."""

import pytest

from sortkey.expressions.placeholders import Placeholders
from sortkey.expressions.projection import Projection
from sortkey.expressions.tree import Path
from sortkey.wire.errors import ValidationException


def refusal(text: str, names: dict[str, str] | None = None) -> str:
    with pytest.raises(ValidationException) as caught:
        Placeholders(names, None).projection(text)
    return caught.value.message.removeprefix("Invalid ProjectionExpression: ")


def test_paths_are_listed_with_or_without_space() -> None:
    projection = Placeholders({"#n": "n.m"}, None).projection(" a ,b.c[10],#n.d ")

    assert projection == Projection((Path(("a",)), Path(("b", "c", 10)), Path(("n.m", "d"))))


@pytest.mark.parametrize(
    ("text", "token", "near"),
    [
        ("!!", "!", "!!"),
        ("a,", "<EOF>", ","),
        (",a", ",", ",a"),
        ("a,,b", ",", ",,b"),
        ("a[-1]", "-", "[-1"),
        ("a[]", "]", "[]"),
        ("a b", "b", "a b"),
        (":a", ":a", ":a"),
        ("(a)", "(", "(a"),
        ("size(a)", "(", "size(a"),
    ],
)
def test_a_syntax_error_shows_the_token_between_its_neighbours(
    text: str, token: str, near: str
) -> None:
    assert refusal(text) == f'Syntax error; token: "{token}", near: "{near}"'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("abort, #nowhere", "Attribute name is a reserved keyword; reserved keyword: abort"),
        (
            "a, a, #nowhere",
            (
                "An expression attribute name used in the document path is not defined; "
                "attribute name: #nowhere"
            ),
        ),
        ("a" + ".b" * 32, "The document path has too many nesting levels; nesting levels: 33"),
        (
            "a[99999999999999]",
            "List index is not within the allowable range; index: [99999999999999]",
        ),
    ],
)
def test_the_gravest_fault_is_reported(text: str, message: str) -> None:
    assert refusal(text) == message


def test_a_name_alone_may_fill_4_kb() -> None:
    Placeholders(None, None).projection("x" * 4096)
