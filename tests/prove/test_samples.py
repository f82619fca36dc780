"""Records and arguments are drawn so that they match each other."""

from collections.abc import Callable
from random import Random

from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from sortkey import Entity, Op, Table, pattern, refers
from sortkey.prove.quiet import quiet_settings
from sortkey.prove.samples import Case, Samples, TrialEntities
from sortkey.prove.strategies import Strategies


class App(Table):
    pass


class Author(Entity, table=App):
    author_id: str
    primary = App.primary.key("AUTHOR#{author_id}", "AUTHOR")


class Note(Entity, table=App, relations=(refers("written_by", Author),)):
    owner: str
    number: int
    text: str | None = None
    written_by: str = "a"
    primary = App.primary.key("NOTE#{owner}", "N#{number:04d}")


class Part(BaseModel):
    """The changes that a call makes to a note."""

    owner: str
    text: str | None


class Other(BaseModel):
    colour: str
    size: int


@pattern("Change notes")
def change(
    *,
    note: Note,
    pair: tuple[Note, Note],
    mixed: tuple[str, int],
    many: list[Note],
    names: set[str],
    part: Part,
    other: Other,
    size: int = 1,
) -> Op[Note]:
    raise NotImplementedError


ROLES = TrialEntities([Note.__kind__, Author.__kind__])


def cases(strategies: Strategies | None = None) -> st.SearchStrategy[Case]:
    samples = Samples(strategies or Strategies())
    return samples.cases(ROLES, change, {}, lambda _, arguments: "size" in arguments, 2)


def identity(note: Note) -> tuple[str, int]:
    return note.owner, note.number


@settings(max_examples=50)
@given(case=cases())
def test_every_argument_is_of_its_type(case: Case) -> None:
    for call in case.calls:
        assert isinstance(call["note"], Note)
        assert all(isinstance(note, Note) for note in call["many"])
        assert [type(member) for member in call["mixed"]] == [str, int]
        assert isinstance(call["names"], set)
        assert isinstance(call["part"], Part)
        assert isinstance(call["other"], Other)
        assert isinstance(call.get("size", 1), int)


@settings(max_examples=50)
@given(case=cases())
def test_of_two_records_the_second_is_the_first_with_other_values(case: Case) -> None:
    for call in case.calls:
        before, after = call["pair"]
        assert identity(before) == identity(after)


def first(condition: Callable[[Case], bool], strategies: Strategies | None = None) -> Case:
    """Return the first case of this kind among a few hundred, unchanged."""
    once = settings(quiet_settings(300), phases=[Phase.generate])
    return find(cases(strategies), condition, settings=once, random=Random(0))


def test_an_argument_is_a_stored_record_a_part_of_one_or_a_new_one() -> None:
    assert first(lambda case: any(call["note"] in case.records for call in case.calls))
    assert first(lambda case: any(call["note"] not in case.records for call in case.calls))
    assert first(
        lambda case: any(
            (call["part"].owner, call["part"].text) == (record.owner, record.text)
            for call in case.calls
            for record in case.records
            if isinstance(record, Note) and record.text
        )
    )


def test_an_optional_argument_is_sometimes_left_out() -> None:
    assert first(lambda case: any("size" not in call for call in case.calls))


def test_a_field_that_refers_to_a_record_has_its_values() -> None:
    def referred(case: Case) -> set[str]:
        return {r.written_by for r in case.records if isinstance(r, Note)} - {"a"}

    def authors(case: Case) -> set[str]:
        return {r.author_id for r in case.records if isinstance(r, Author)}

    assert first(lambda case: bool(referred(case) & authors(case)))


def test_the_strategies_of_a_design_are_drawn_instead() -> None:
    own = Strategies(
        also={
            change: {"size": st.just(99)},
            Author: st.just(Author(author_id="me")),
            Note: {"text": st.just("mine")},
        }
    )
    case = first(
        lambda case: "size" in case.calls[0] and {type(r) for r in case.records} == {Note, Author},
        own,
    )

    assert case.calls[0]["size"] == 99
    assert {r.author_id for r in case.records if isinstance(r, Author)} == {"me"}
    assert {r.text for r in case.records if isinstance(r, Note)} <= {"mine", None}


def test_a_case_becomes_smaller_by_a_record_or_an_earlier_call() -> None:
    note, author = Note(owner="a", number=1), Author(author_id="b")
    case = Case((note, author), ({"n": 1}, {"n": 2}))

    assert list(case.parts) == [
        Case((author,), case.calls),
        Case((note,), case.calls),
        Case(case.records, ({"n": 2},)),
    ]


def test_no_record_is_drawn_where_there_is_no_entity() -> None:
    assert find(Samples(Strategies()).records(TrialEntities([])), lambda _: True) == Case(())
