"""Roles name the patterns that a program may use; About has the settings of a whole design."""

from typing import Any, cast

import pytest

from sortkey import About, DesignError, Entity, Op, Role, Standard, Table, pattern


class App(Table):
    pass


class Note(Entity, table=App):
    note_id: str
    primary = App.primary.key("NOTE#{note_id}", "NOTE")


@pattern("a note")
def note(note_id: str) -> Op[Note | None]:
    return Note.get(note_id=note_id)


def plain(note_id: str) -> Op[Note | None]:
    return Note.get(note_id=note_id)


def test_a_role_has_its_patterns_and_whom_it_acts_for() -> None:
    role = Role("reader", [note], acts_for="note_id")

    assert (role.name, list(role.patterns), role.acts_for) == ("reader", [note], "note_id")
    assert Role("service", [note]).acts_for is None


@pytest.mark.parametrize(
    ("stranger", "shown"), [(plain, "plain"), ("note", "'note'"), (Note, "Note")]
)
def test_a_role_takes_nothing_but_patterns(stranger: Any, shown: str) -> None:
    with pytest.raises(DesignError) as caught:
        Role("reader", cast("Any", [note, stranger]))

    [finding] = caught.value.findings
    assert (finding.code, finding.where) == ("SK601", 'Role "reader"')
    assert finding.message.startswith(f"{shown} is not a pattern")
    assert finding.fix == "Put @pattern(...) on the function"


def test_a_design_is_for_one_environment_without_tenants_unless_it_says_so() -> None:
    assert About() == About(name="", tenant=None, environments=("dev",), standard=None)


def test_abouts_that_say_the_same_are_the_same() -> None:
    house = Standard("house")

    assert (
        len({About(tenant="org_id", standard=house), About(tenant="org_id", standard=house)}) == 1
    )
