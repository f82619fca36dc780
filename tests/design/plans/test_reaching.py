"""Lines of a pattern's function that no call reaches are known; those that only raise are not."""

import sys
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import Field

from sortkey import About, Entity, Op, Table, pattern
from sortkey.design.declaring.design import Design
from sortkey.design.declaring.pattern import Pattern
from sortkey.design.plans.reaching import unreached_lines


class App(Table):
    pass


class Note(Entity, table=App):
    note_id: str
    primary = App.primary.key("NOTE#{note_id}", "NOTE")


class Kind(Enum):
    ONE = "one"
    TWO = "two"


def unreached(*patterns: Pattern[..., Any]) -> list[str]:
    """The texts of the lines that no call reached."""
    design = Design("app", About(), (App,), {App: (Note,)}, (), patterns, (), ())
    lines = Path(__file__).read_text().splitlines()
    return [lines[n - 1].strip() for _, found in unreached_lines(design) for n in found]


def test_a_function_without_branches_is_reached_whole() -> None:
    @pattern("p")
    def asked(note_id: str) -> Op[Any]:
        return Note.get(note_id=note_id)

    assert unreached(asked) == []


def test_flags_choices_and_what_may_be_left_out_are_explored() -> None:
    @pattern("p")
    def asked(note_id: str, kind: Kind, *, flag: bool, after: str | None = None) -> Op[Any]:
        if flag:
            note_id += "1"
        if after is None:
            return Note.scan()
        match kind:
            case Kind.ONE:
                return Note.get(note_id=note_id)
            case Kind.TWO:
                return Note.get(note_id=after)

    assert unreached(asked) == []


def test_so_are_small_numbers_and_nothing() -> None:
    @pattern("p")
    def asked(number: int, ids: list[str]) -> Op[Any]:
        if not ids:
            return Note.scan()
        if not number:
            return Note.scan().limit(1)
        if number < 100:
            return Note.scan().limit(2)
        return Note.get(note_id=ids[0])

    assert unreached(asked) == []


def test_so_is_what_depends_on_one_value() -> None:
    @pattern("p")
    def asked(name: str, note: Note) -> Op[Any]:
        if name == "root":
            return Note.get(note_id="1")
        if note.note_id == name:
            return note.put()
        return Note.get(note_id=name)

    assert unreached(asked) == []


def test_what_depends_on_a_computed_value_is_not() -> None:
    @pattern("p")
    def asked(name: str) -> Op[Any]:
        if name.count("-") > 4:
            name = "1"
            return Note.get(note_id=name)
        if len(name) > 1_000:
            raise ValueError(name)
        return Note.get(note_id=name)

    assert unreached(asked) == ['name = "1"', "return Note.get(note_id=name)"]


def test_an_example_leads_there() -> None:
    @pattern("p")
    def asked(name: Annotated[str, Field(examples=["root", "other"])]) -> Op[Any]:
        if name == "root":
            return Note.get(note_id="1")
        return Note.get(note_id=name)

    assert unreached(asked) == []


def test_patterns_that_one_function_makes_share_their_lines() -> None:
    def made(*, scans: bool) -> Pattern[..., Any]:
        def asked(note_id: str) -> Op[Any]:
            if scans:
                return Note.scan()
            return Note.get(note_id=note_id)

        return pattern("p")(asked)

    assert unreached(made(scans=True)) == ["return Note.get(note_id=note_id)"]
    assert unreached(made(scans=True), made(scans=False)) == []


@pytest.mark.parametrize("fails", [False, True])
def test_who_traces_goes_on_tracing(fails: bool) -> None:
    def watch(*_: Any) -> None:
        return None

    @pattern("p")
    def asked(name: str) -> Op[Any]:
        if fails:
            raise ValueError(name)
        return Note.get(note_id=name)

    before = sys.gettrace()
    sys.settrace(watch)
    try:
        unreached(asked)
        assert sys.gettrace() is watch
    finally:
        sys.settrace(before)
