"""A counterexample runs again as it was found."""

from pathlib import Path
from typing import Any

import pytest
from tests.prove.designs import design

from sortkey import Design, Refused
from sortkey.testing import names_in, prove_again, replay

NOTES = """
class App(Table, raw=True):
    pass

class Note(Entity, table=App, identity=("owner", "day")):
    owner: str
    day: date
    text: str = ""
    primary = App.primary.key("NOTE#{owner}", "{day:%Y-%m}")

class Tag(BaseModel):
    name: str

@pattern("All notes", where=lambda note, owner: note.owner == owner and note.text != "")
def notes(owner: str, tags: list[Tag]) -> Op[list[Note]]:
    return Note.query(owner=owner)
"""


@pytest.fixture
def loaded(tmp_path: Path) -> Design:
    return design(tmp_path, NOTES)


def test_a_pattern_is_wrong_after_the_same_calls(loaded: Design) -> None:
    names = names_in(loaded)
    note = names.Note(owner="a", day=names.date(2032, 1, 1))
    call: dict[str, Any] = {"owner": "a", "tags": []}

    assert replay(loaded, "notes", [note], [call]) == (
        "a record is returned that does not belong to the answer"
    )
    assert replay(loaded, "notes", [note.model_copy(update={"text": "x"})], [call]) is None


def test_an_entity_loses_the_same_record(loaded: Design) -> None:
    names = names_in(loaded)
    days = [names.Note(owner="a", day=names.date(2032, 1, day)) for day in (1, 2)]

    assert "overwrites" in str(replay(loaded, "Note", days))
    assert replay(loaded, "Note", days[:1]) is None


def test_the_classes_of_arguments_have_names(loaded: Design) -> None:
    assert names_in(loaded).Tag(name="x").name == "x"


def test_a_renamed_pattern_is_reported(loaded: Design) -> None:
    with pytest.raises(Refused, match="has no pattern or entity old_notes"):
        replay(loaded, "old_notes", [])
    with pytest.raises(Refused, match="nothing named old_notes that the aspect right judges"):
        prove_again(loaded, "right", "old_notes", seed=0, tries=1)


def test_an_aspect_is_proved_again(loaded: Design) -> None:
    reason = prove_again(loaded, "lossless", "Note", seed=0, tries=50)

    assert reason is not None
    assert "share the key" in reason
