"""Words with their article, and lists of names."""

import pytest

from sortkey.prove.words import a, listed


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
    ("names", "said"),
    [
        ("A", "A"),
        ("AB", "A and B"),
        ("ABCD", "A, B, C and D"),
        ("ABCDE", "A, B, C and 2 more"),
    ],
)
def test_of_many_names_three_are_listed(names: str, said: str) -> None:
    assert listed([*names]) == said
