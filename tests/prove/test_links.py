"""The fields that a pattern compares its arguments with, derived from its plan."""

from pathlib import Path
from typing import Any

import pytest
from tests.prove.designs import design

from sortkey.design.declaring.design import Design
from sortkey.design.plans.tracing import trace
from sortkey.prove.links import FieldLinks, facing
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


def links(tmp_path: Path, function: str) -> tuple[FieldLinks, Any]:
    loaded = design(tmp_path, f'{NOTES}@pattern("Read")\n{function}')
    learnt = FieldLinks()
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
    assert learnt.is_in_condition("Note", "size")
    assert not learnt.is_in_condition("Note", "level")


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


def test_a_slot_that_a_range_leaves_open_is_not_a_constant(tmp_path: Path) -> None:
    learnt, note = links(
        tmp_path, "def read(owner: str) -> Op[list[Note]]:\n    return Note.query(owner=owner)\n"
    )

    assert learnt.constants_of(note.__kind__) == {}


OLD = """
class Old(Table, raw=True):
    pass

class Order(Entity, table=Old):
    shop: str
    status: str
    day: date
    number: int
    note: str = ""
    tags: set[str] = set()
    primary = Old.primary.key("S#{shop}", "ST#{status}#D#{day}#{number}")
"""


def learned(tmp_path: Path, request: str, arguments: str) -> FieldLinks:
    text = f"""
asked = raw_pattern("asked", table=Old, operation="Query", entity=Order, {request},
    arguments={{{arguments}}})
"""
    loaded: Design = design(tmp_path, OLD + text)
    [pattern] = loaded.patterns
    links = FieldLinks()
    links.learn(trace(pattern, loaded), list(loaded.kinds))
    return links


@pytest.mark.parametrize(
    ("request_text", "faced"),
    [
        ("ST#", []),
        ("ST#OPEN", [("status", "OPEN", True)]),
        ("ST#OPEN#", [("status", "OPEN", False)]),
        ("ST#OPEN#D", [("status", "OPEN", False)]),
        ("ST#{s}#D#{d:%Y}", [("status", "{s}", False), ("day", "{d:%Y}", True)]),
        ("ST#a{{b#D#x{d}", [("status", "a{{b", False), ("day", "x{d}", True)]),
        ("OTHER#{s}", []),
        ("{s}", []),
        ("ST##D#{d}", [("day", "{d}", True)]),
    ],
)
def test_a_request_s_text_is_taken_apart_as_the_key_is(
    tmp_path: Path, request_text: str, faced: list[tuple[str, str, bool]]
) -> None:
    [kind] = design(tmp_path, OLD).kinds
    [part] = kind.primary.sort
    found = [(s.field, text, ends) for s, text, ends in facing(request_text, part.template.parts)]

    assert found == faced


def test_a_literal_of_a_key_is_a_value_of_its_field(tmp_path: Path) -> None:
    links = learned(
        tmp_path,
        'key_condition="PK = :p AND begins_with(SK, :s)", '
        'values={":p": "S#{shop}", ":s": "ST#PENDING#D#"}',
        '"shop": str',
    )

    assert links.of_field("Order", "status") == ("PENDING",)
    assert links.of_field("Order", "day") == ()


def test_a_literal_of_a_filter_is_one_too(tmp_path: Path) -> None:
    links = learned(
        tmp_path,
        'key_condition="PK = :p", filter="note = :n AND contains(tags, :t)", '
        'values={":p": "S#{shop}", ":n": "PENDING", ":t": "red"}',
        '"shop": str',
    )

    assert links.of_field("Order", "note") == ("PENDING",)
    assert links.of_field("Order", "tags") == ("red",)


def test_an_argument_is_taken_from_the_field_that_it_replaces_in_a_key(tmp_path: Path) -> None:
    loaded = design(tmp_path, OLD)
    [kind] = loaded.kinds
    record = kind.model(shop="a", status="b", day="2032-02-29", number=7)
    links = learned(
        tmp_path,
        'key_condition="PK = :p AND begins_with(SK, :s)", '
        'values={":p": "S#{owner}", ":s": "ST#{state}#D#{month}"}',
        '"owner": str, "state": str, "month": str',
    )

    def held(name: str) -> list[object]:
        return [value for link in links.of_argument(name) for value in link.values_in(record)]

    assert held("owner") == ["a"]
    assert held("state") == ["b"]
    assert "2032-02" in held("month")
    assert "2032-02-29" in held("month")


def test_the_end_of_a_range_that_includes_all_texts_is_not_a_value(tmp_path: Path) -> None:
    links = learned(
        tmp_path,
        'key_condition="PK = :p AND SK BETWEEN :a AND :b", '
        'values={":p": "S#{shop}", ":a": "ST#{status}", ":b": "ST#~"}',
        '"shop": str, "status": str',
    )

    assert links.of_field("Order", "status") == ()
    assert links.is_capped("Order", "status")
    assert not links.is_capped("Order", "shop")


def test_a_literal_that_only_the_meaning_has_is_a_value_too(tmp_path: Path) -> None:
    links = learned(
        tmp_path,
        'key_condition="PK = :p", values={":p": "S#{shop}"}, '
        'where=lambda o, shop: (o.shop, o.status) == (shop, "PENDING")',
        '"shop": str',
    )

    assert links.of_field("Order", "status") == ("PENDING",)
    assert links.of_field("Order", "shop") == ()
