"""Words with their article."""

import pytest

from sortkey.prove.words import a


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
