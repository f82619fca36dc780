"""Lists of names, numbers with their nouns, and articles."""

import pytest

from sortkey.wording.prose import FEW, a, counted, first_paragraph, listed, sentence


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


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Count", "a Count"),
        ("Info", "an Info"),
        ("User", "a User"),
        ("UsernameLookup", "a UsernameLookup"),
        ("Unit", "a Unit"),
        ("UrlMapping", "a UrlMapping"),
        ("Upload", "an Upload"),
        ("UnreadMessage", "an UnreadMessage"),
        ("Event", "an Event"),
        ("EuropeanOrder", "a EuropeanOrder"),
        ("OneTimeCode", "a OneTimeCode"),
        ("Order", "an Order"),
        ("Hour", "an Hour"),
        ("House", "a House"),
    ],
)
def test_an_article_goes_by_the_sound(name: str, said: str) -> None:
    assert a(name) == said


@pytest.mark.parametrize(
    ("number", "said"),
    [(1, "1 entity"), (0, "0 entities"), (1_234_567, "1,234,567 entities"), (0.5, "0.5 entities")],
)
def test_a_noun_agrees_with_its_number(number: float, said: str) -> None:
    assert counted(number, "entity", "entities") == said


@pytest.mark.parametrize(("text", "said"), [("It is", "It is."), ("Is it?", "Is it?"), ("", ".")])
def test_a_sentence_ends_with_a_mark(text: str, said: str) -> None:
    assert sentence(text) == said


def test_the_first_paragraph_of_a_docstring_is_one_line() -> None:
    assert first_paragraph("\n  One\n  and two.\n\n  More.\n") == "One and two."
    assert first_paragraph("") == ""
