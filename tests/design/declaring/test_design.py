"""A design is everything that its modules hold, and what that leads to, each thing once."""

from pathlib import Path
from types import ModuleType

import pytest

from sortkey import About, Collection, Entity, Op, Role, Table, load_design, pattern
from sortkey.design.declaring.design import Design, design_of

SHOP = load_design(Path(__file__).parents[1] / "designs/shop.py")


class App(Table):
    pass


class Other(Table):
    pass


class Note(Entity, table=App):
    note_id: str
    primary = App.primary.key("NOTE#{note_id}", "NOTE")


class Line(Entity, table=App):
    note_id: str
    number: int
    primary = App.primary.key("NOTE#{note_id}", "LINE#{number:04d}")


class Whole(Collection):
    note: Note | None
    lines: list[Line]


@pattern("a note")
def note(note_id: str) -> Op[Note | None]:
    return Note.get(note_id=note_id)


def module(**held: object) -> ModuleType:
    made = ModuleType("notes")
    vars(made).update(held)
    return made


def gathered(**held: object) -> Design:
    return design_of("notes", [module(**held)])


def test_a_design_has_all_that_its_module_defines() -> None:
    assert SHOP.name == "shop"
    assert SHOP.about.tenant == "org_id"
    assert [table.__name__ for table in SHOP.tables] == ["App", "Sessions"]
    assert [kind.name for kind in SHOP.kinds] == ["Org", "User", "Order", "Session"]
    assert [collection.__name__ for collection in SHOP.collections] == ["OrgPage"]
    assert [found.name for found in SHOP.patterns] == [
        "user_by_email",
        "orders_since",
        "org_page",
        "add_user",
        "count_login",
        "session",
    ]
    assert [role.name for role in SHOP.roles] == ["api"]
    assert SHOP.findings == ()


def test_a_table_knows_its_entities() -> None:
    sessions = SHOP.tables[1]

    assert [entity.__name__ for entity in SHOP.entities[sessions]] == ["Session"]
    assert [kind.name for kind in SHOP.kinds_of(sessions)] == ["Session"]


def test_a_pattern_is_found_by_its_name() -> None:
    assert SHOP.pattern("org_page").title == "AP3: an organisation's page"
    with pytest.raises(KeyError):
        SHOP.pattern("nothing")


@pytest.mark.parametrize("held", [Note, Whole, App])
def test_an_entity_or_a_collection_brings_its_table_and_all_that_is_in_it(held: type) -> None:
    design = gathered(held=held)

    assert design.tables == (App,)
    assert design.entities == {App: (Note, Line)}


def test_a_role_brings_its_patterns() -> None:
    assert gathered(reader=Role("reader", [note])).patterns == (note,)


def test_what_has_two_names_or_lies_in_two_modules_is_there_once() -> None:
    reader = Role("reader", [note])
    about = About(tenant="note_id")
    one = module(App=App, Again=App, note=note, Whole=Whole, reader=reader, about=about)

    design = design_of("notes", [one, module(App=App, note=note, reader=reader, about=about)])

    assert (design.tables, design.patterns) == ((App,), (note,))
    assert (design.collections, design.roles) == ((Whole,), (reader,))
    assert (design.about, design.findings) == (about, ())


def test_the_things_that_designs_are_made_of_are_no_part_of_a_design() -> None:
    design = gathered(Table=Table, Entity=Entity, Collection=Collection, text="text", number=1)

    assert (design.tables, design.collections, design.patterns) == ((), (), ())


def test_tables_keep_the_order_in_which_they_are_declared() -> None:
    assert gathered(Other=Other, App=App).tables == (Other, App)


def test_the_name_of_a_design_is_what_its_about_says() -> None:
    assert gathered(about=About(name="other")).name == "other"
    assert gathered(about=About()).name == "notes"


def test_two_abouts_that_differ_are_a_finding_and_the_first_counts() -> None:
    design = gathered(one=About(tenant="a"), two=About(tenant="b"))

    assert design.about.tenant == "a"
    assert [finding.code for finding in design.findings] == ["SK602"]


def test_two_patterns_of_one_name_are_a_finding() -> None:
    @pattern("another note")
    def other(note_id: str) -> Op[Note | None]:
        return Note.get(note_id=note_id)

    other.name = "note"

    [finding] = gathered(note=note, other=other).findings

    assert (finding.code, finding.where) == ("SK404", "note")
    assert finding.message == 'two patterns have this name: "a note" and "another note"'
