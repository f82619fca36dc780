"""What a pattern holds its arguments against, learnt from its plan."""

from pathlib import Path
from typing import Any

import pytest
from tests.prove.designs import design

from sortkey.design.tracing import trace
from sortkey.prove.links import Links
from sortkey.prove.replay import names_in

NOTES = """
from typing import Literal

class App(Table):
    pass

class Level(Enum):
    LOW = "low"
    HIGH = "high"

class Note(Entity, table=App):
    owner: str
    day: str
    level: str = "low"
    size: int = 0
    primary = App.primary.key("NOTE#{owner}", "{day}")

"""


def links(tmp_path: Path, function: str) -> tuple[Links, Any]:
    loaded = design(tmp_path, f'{NOTES}@pattern("Read")\n{function}')
    learnt = Links()
    learnt.learn(trace(loaded.pattern("read"), loaded), list(loaded.kinds))
    return learnt, names_in(loaded).Note


def test_an_argument_hits_the_field_that_it_is_compared_with(tmp_path: Path) -> None:
    learnt, note = links(
        tmp_path,
        """
def read(who: str, least: int) -> Op[list[Note]]:
    return Note.query(owner=who).where(lambda n: n.size > least)
""",
    )
    record = note(owner="a", day="b", size=3)

    assert [v for link in learnt.of_argument("who") for v in link.values_in(record)] == ["a"]
    assert [v for link in learnt.of_argument("least") for v in link.values_in(record)] == [3]
    assert learnt.is_asked("Note", "size")
    assert not learnt.is_asked("Note", "level")


def test_an_argument_within_a_text_hits_a_part_of_the_field(tmp_path: Path) -> None:
    learnt, note = links(
        tmp_path,
        """
def read(who: str) -> Op[list[Note]]:
    return Note.query(owner=f"user-{who}")
""",
    )
    [link] = learnt.of_argument("who")

    assert list(link.values_in(note(owner="user-ann", day="b"))) == ["ann"]
    assert list(link.values_in(note(owner="ann", day="b"))) == []
    assert all(value.startswith("user-") for value in learnt.of_field("Note", "owner"))


@pytest.mark.parametrize("kind", ["Level", 'Literal["low", "high"]'])
def test_the_few_values_of_an_argument_are_looked_for(tmp_path: Path, kind: str) -> None:
    value = "level.value" if kind == "Level" else "level"
    learnt, _ = links(
        tmp_path,
        f"""
def read(level: {kind}) -> Op[list[Note]]:
    return Note.query(owner="a").where(lambda n: n.level == {value})
""",
    )

    assert {"low", "high"} <= set(learnt.of_field("Note", "level"))


def test_the_neighbours_of_a_number_are_looked_for(tmp_path: Path) -> None:
    learnt, _ = links(
        tmp_path,
        """
def read() -> Op[list[Note]]:
    return Note.query(owner="a").where(lambda n: n.size > 5)
""",
    )

    assert {4, 5, 6} <= set(learnt.of_field("Note", "size"))
