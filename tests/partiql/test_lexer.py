"""Tokens of a statement."""

import pytest

from sortkey.partiql.lexer import tokens_of
from sortkey.wire.errors import ValidationException


def pieces(text: str) -> list[tuple[str, str]]:
    return [(token.kind, token.text) for token in tokens_of(text)][:-1]


def test_words_are_keywords_in_any_case_unless_they_are_quoted() -> None:
    assert pieces('select "select" name') == [
        ("SELECT", "select"),
        ("quoted", "select"),
        ("word", "name"),
    ]


def test_a_doubled_quotation_mark_stands_for_one() -> None:
    assert pieces("""'it''s' "a""b" '' ''''""") == [
        ("string", "it's"),
        ("quoted", 'a"b'),
        ("string", ""),
        ("string", "'"),
    ]


def test_comments_and_space_separate_tokens() -> None:
    assert pieces("a -- to the end\n/* or\nto here */b") == [("word", "a"), ("word", "b")]


@pytest.mark.parametrize("number", ["0", "05", "1.5", ".5", "5.", "1e3", "1.5E-10"])
def test_numbers_are_written_in_any_of_the_usual_ways(number: str) -> None:
    assert pieces(number) == [("number", number)]


def test_two_signs_say_that_values_differ() -> None:
    assert pieces("a<>b!=c") == [
        ("word", "a"),
        ("<>", "<>"),
        ("word", "b"),
        ("<>", "!="),
        ("word", "c"),
    ]


def test_a_place_is_a_line_a_column_and_a_length() -> None:
    places = [str(token.place) for token in tokens_of("a\n  'b\nc' \"d\"")]

    assert places == ["1:1:1", "2:3:5", "3:4:3", "3:7:0"]


@pytest.mark.parametrize("text", ["'a", '"a', "`a", "/* a", "#a", "1a", "1.5.5", "é", "a \\", "!"])
def test_unreadable_text_is_refused_without_a_detail(text: str) -> None:
    with pytest.raises(ValidationException) as raised:
        tokens_of(text)

    assert raised.value.message == "Statement wasn't well formed, can't be processed: "
