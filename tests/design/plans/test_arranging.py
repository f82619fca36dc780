"""A pattern that refuses arguments that do not belong together is planned all the same."""

import sys
from datetime import date
from enum import Enum
from typing import Annotated, Any

import pytest
from pydantic import Field

from sortkey import Entity, Op, Table, pattern, transact
from sortkey.design.declaring.design import design_of
from sortkey.design.declaring.pattern import Pattern
from sortkey.design.plans.arranging import arrangements
from sortkey.design.plans.drawing import Drawing
from sortkey.design.plans.tracing import overlong, paths, trace
from sortkey.design.plans.value import step_json


class Desk(Table):
    pass


class Kind(Enum):
    LETTER = "letter"
    MEMO = "memo"
    BILL = "bill"
    CARD = "card"
    FORM = "form"


class Owner(Entity, table=Desk):
    owner_id: str
    primary = Desk.primary.key("OWNER#{owner_id}", "OWNER")


class Note(Entity, table=Desk):
    owner_id: str
    day: date
    note_id: str
    kind: Kind = Kind.MEMO
    text: str = ""
    primary = Desk.primary.key("OWNER#{owner_id}", "NOTE#{day}#{note_id}")


class Tag(Entity, table=Desk):
    owner_id: Annotated[str, Field(max_length=8)]
    note_id: str
    text: str
    primary = Desk.primary.key("OWNER#{owner_id}", "TAG#{note_id}#{text}")


class Long(Entity, table=Desk):
    owner_id: str
    code: Annotated[str, Field(min_length=9)]
    primary = Desk.primary.key("OWNER#{owner_id}", "LONG#{code}")


class Short(Entity, table=Desk):
    owner_id: str
    code: Annotated[str, Field(max_length=3)]
    primary = Desk.primary.key("OWNER#{owner_id}", "SHORT#{code}")


DESIGN = design_of("desk", [sys.modules[__name__]])


def items(asked: Pattern[..., Any]) -> list[dict[str, Any]]:
    """The attributes that each step of a pattern's plan stores, with their sources."""
    plan = trace(asked, DESIGN)
    assert plan.error is None, plan.error
    shown = [step_json(step)["item"] for step in plan.steps]
    return [{name: made.get("value", made) for name, made in one.items()} for one in shown]


def refuse_unless(condition: object) -> None:
    if not condition:
        raise ValueError("they do not belong together")


class TestTies:
    def test_two_records_with_one_owner(self) -> None:
        @pattern("p")
        def asked(note: Note, tag: Tag) -> Op[None]:
            refuse_unless(note.owner_id == tag.owner_id)
            return transact(note.create(), tag.create())

        note, tag = items(asked)
        assert note["owner_id"] == tag["owner_id"] == "$note.owner_id"
        # Their other parts of one name are not taken for each other.
        assert (note["note_id"], note["text"]) == ("$note.note_id", "$note.text")
        assert (tag["note_id"], tag["text"]) == ("$tag.note_id", "$tag.text")

    def test_two_fields_of_two_records(self) -> None:
        @pattern("p")
        def asked(note: Note, tag: Tag) -> Op[None]:
            refuse_unless(note.owner_id == tag.owner_id)
            refuse_unless(note.note_id == tag.note_id)
            return transact(note.create(), tag.create())

        _, tag = items(asked)
        assert (tag["owner_id"], tag["note_id"]) == ("$note.owner_id", "$note.note_id")
        assert tag["text"] == "$tag.text"

    def test_two_records_of_one_entity_with_a_key_each(self) -> None:
        @pattern("p")
        def asked(one: Note, other: Note) -> Op[None]:
            refuse_unless((one.owner_id, one.day) == (other.owner_id, other.day))
            refuse_unless(one.note_id != other.note_id)
            return transact(one.create(), other.create())

        one, other = items(asked)
        assert (other["owner_id"], other["day"]) == ("$one.owner_id", "$one.day")
        assert (one["note_id"], other["note_id"]) == ("$one.note_id", "$other.note_id")
        assert (one["text"], other["text"]) == ("$one.text", "$other.text")

    def test_an_argument_that_none_depends_on_is_free(self) -> None:
        @pattern("p")
        def asked(owner: Owner, note: Note, tag: Tag) -> Op[None]:
            refuse_unless(note.owner_id == tag.owner_id)
            return transact(owner.create(), note.create(), tag.create())

        owner, note, tag = items(asked)
        assert owner["owner_id"] == "$owner.owner_id"
        assert note["owner_id"] == tag["owner_id"] == "$note.owner_id"

    @pytest.mark.parametrize("id_first", [True, False])
    def test_an_argument_and_a_field(self, *, id_first: bool) -> None:
        @pattern("p")
        def after(note: Note, owner_id: str) -> Op[Note]:
            refuse_unless(note.owner_id == owner_id)
            return note.create()

        @pattern("p")
        def before(owner_id: str, note: Note) -> Op[Note]:
            return after.function(note, owner_id)

        [note] = items(before if id_first else after)
        assert note["owner_id"] == ("$owner_id" if id_first else "$note.owner_id")
        assert note["note_id"] == "$note.note_id"

    def test_a_record_and_each_member_of_a_list(self) -> None:
        @pattern("p")
        def asked(owner: Owner, notes: list[Note]) -> Op[None]:
            refuse_unless(all(note.owner_id == owner.owner_id for note in notes))
            return transact(owner.create(), *(note.create() for note in notes))

        _, note = items(asked)
        assert note["owner_id"] == "$owner.owner_id"
        assert note["note_id"] == "$notes[].note_id"
        assert list(overlong(asked, DESIGN)) == [("notes", None)]

    def test_a_computed_value_is_derived_from_the_tied_part(self) -> None:
        @pattern("p")
        def asked(note: Note, owner_id: str) -> Op[Note]:
            refuse_unless(note.owner_id == owner_id)
            return note.model_copy(update={"text": f"{len(owner_id)}{owner_id[::-1]}"}).create()

        [note] = items(asked)
        assert note["text"] == "$derived(owner_id, note.owner_id)"

    def test_a_chosen_value_leads_to_each_path(self) -> None:
        @pattern("p")
        def asked(kind: Kind, note: Note) -> Op[Any]:
            refuse_unless(note.kind is kind)
            return note.create() if kind is Kind.MEMO else note.put()

        plan = trace(asked, DESIGN)
        conditions = [path.steps[0].condition is not None for path in plan.paths]
        assert sorted(conditions) == [False, True]

    def test_none_is_not_passed_on_to_the_tied_field(self) -> None:
        @pattern("p")
        def asked(note: Note, owner_id: str | None) -> Op[Note]:
            refuse_unless(owner_id is None or owner_id[:1] == note.owner_id[:1])
            return note.create() if owner_id is None else note.put()

        plan = trace(asked, DESIGN)
        conditions = [path.steps[0].condition is not None for path in plan.paths]
        assert sorted(conditions) == [False, True]

    def test_the_paths_for_policies_are_found_too(self) -> None:
        @pattern("p")
        def asked(note: Note, tag: Tag) -> Op[None]:
            refuse_unless(note.owner_id == tag.owner_id)
            return transact(note.create(), tag.create())

        assert {len(path.steps) for path in paths(asked, DESIGN)} == {2}


class TestOrder:
    def test_the_end_of_a_range_before_its_start(self) -> None:
        @pattern("p")
        def asked(owner_id: str, last: date, first: date) -> Op[list[Note]]:
            refuse_unless(first <= last)
            return Note.query(owner_id=owner_id).between(day=(first, last))

        [step] = trace(asked, DESIGN).steps
        assert step_json(step)["key"]["SK"]["range"]["values"] == ["$first", "$last"]

    def test_times_and_numbers_in_different_orders(self) -> None:
        @pattern("p")
        def asked(last: date, first: date, low: int, high: int) -> Op[Note]:
            refuse_unless(first <= last and low <= high)
            return Note(owner_id=f"{low}", day=first, note_id=f"{high}").create()

        [note] = items(asked)
        assert (note["owner_id"], note["day"], note["note_id"]) == ("$low", "$first", "$high")


class TestRefusals:
    def test_a_pattern_that_refuses_everything_keeps_its_error(self) -> None:
        @pattern("p")
        def asked(note: Note, tag: Tag) -> Op[None]:
            refuse_unless(note.text == tag.note_id == "known")
            return transact(note.create(), tag.create())

        plan = trace(asked, DESIGN)
        assert plan.why == "ValueError: they do not belong together"

    def test_another_error_is_no_refusal(self) -> None:
        calls: list[Any] = []

        @pattern("p")
        def asked(note: Note, owner_id: str) -> Op[Note]:
            calls.append(note)
            assert note.owner_id == owner_id
            return note.create()

        assert isinstance(trace(asked, DESIGN).error, AssertionError)
        assert len(calls) == 1

    def test_optional_arguments_are_left_out_first(self) -> None:
        @pattern("p")
        def asked(note: Note, owner_id: str | None = None) -> Op[Note]:
            refuse_unless(owner_id in {None, note.owner_id})
            return note.create()

        [note] = items(asked)
        assert note["owner_id"] == "$note.owner_id"

    def test_ties_without_a_common_value_do_not_end_the_search(self) -> None:
        @pattern("p")
        def asked(long: Long, short: Short, text: str | None = None) -> Op[None]:
            refuse_unless(text is None and long.owner_id == short.owner_id)
            return transact(long.create(), short.create())

        long, short = items(asked)
        assert long["owner_id"] == short["owner_id"] == "$long.owner_id"


def test_what_leaves_all_parts_independent_is_tried_first() -> None:
    @pattern("p")
    def asked(note: Note, tag: Tag) -> Op[None]:
        return transact(note.create(), tag.create())

    found = list(arrangements(Drawing(asked.parameters).draw()))
    has_ties = [bool(one.ties) for one in found]
    assert has_ties == sorted(has_ties)
    assert len(found) == len(set(found))
