"""What a pattern sends is found whatever its function decides by."""

import os
import re
import subprocess
import sys
from datetime import datetime, timedelta
from decimal import Decimal
from enum import Enum
from functools import cache, partial
from typing import Annotated, Any, Literal, cast
from uuid import UUID

import pytest
from pydantic import BaseModel, Field

from sortkey import About, Entity, Op, Table, pattern, transact, utc_now
from sortkey.design.declaring.design import Design
from sortkey.design.declaring.pattern import Pattern
from sortkey.design.plans.sources import Argument, Constant, Text
from sortkey.design.plans.tracing import branch_calls, paths, trace


class App(Table):
    pass


class Lock(Entity, table=App):
    lock_id: str
    primary = App.primary.key("LOCK#{lock_id}", "LOCK")


class State(Enum):
    NEW, OLD, GONE = "new", "old", "gone"


class Part(BaseModel):
    code: str
    count: int


class Note(Entity, table=App):
    note_id: str
    owner: str
    parent: str | None = None
    status: str
    kind: Literal["a", "b", "c", "d", "e", "f"]
    state: State
    count: Annotated[int, Field(ge=0)]
    price: Decimal
    done: bool
    at: datetime
    tags: list[str]
    part: Part
    uid: UUID
    primary = App.primary.key("NOTE#{note_id}", "NOTE")

    def is_of(self, owner: str) -> bool:
        return self.owner == owner

    @property
    def is_open(self) -> bool:
        return self.parent is None and not self.done


FINAL = {"paid": 1, "lost": 2}


class Sets:
    FINAL = frozenset({"paid", "lost"})


class Judge:
    def is_final(self, note: "Note") -> bool:
        return note.status == "paid"


JUDGE = Judge()


@cache
def is_final(status: str) -> bool:
    return status == "paid"


def is_one_of(statuses: str, status: str) -> bool:
    return status == statuses


is_lost = partial(is_one_of, "lost")
HOUR = timedelta(hours=1)


def now() -> datetime:
    return utc_now()


def sending(note: Note, *, locks: bool) -> Op[Any]:
    if locks:
        return transact(Lock(lock_id=note.note_id).create())
    return transact(note.create())


DECISIONS = {
    "two fields are equal": "note.parent == other.note_id",
    "a field is None": "note.parent is None",
    "a field is nothing": "not note.parent",
    "a text": 'note.status == "paid"',
    "a text in small letters": 'note.status.lower() == "paid"',
    "the beginning of a text": 'note.status.startswith("paid")',
    "a text within a text": '"paid" in note.status',
    "a text of a set": 'note.status in {"paid", "lost"}',
    "a key of a map": "note.status in FINAL",
    "a member of a list": "note.owner in names",
    "one of a few texts": 'note.kind == "d"',
    "a member of an enumeration": "note.state is State.GONE",
    "a flag": "not note.done",
    "zero": "note.count == 0",
    "a large number": "note.count > 1_000_000",
    "a decimal": 'note.price >= Decimal("1000000.5")',
    "an empty list": "not note.tags",
    "an earlier time": "note.at < moment",
    "a later time": "note.at > moment",
    "a time that has come": "note.at <= now()",
    "a time that will come": "note.at > now()",
    "a time plus a span": "note.at == moment + HOUR",
    "a field of a part": 'note.part.code == "x"',
    "a number of a part": "note.part.count == 77",
    "a method of the record": "note.is_of(owner)",
    "a property of the record": "note.is_open",
    "one of several": "any(note.owner == owner for note in notes)",
    "two ids are equal": "note.uid == other.uid",
    "two parts are equal": "note.part == other.part",
    "a member of a set of fields": "note.owner in {each.owner for each in notes}",
    "the length of a list": "len(note.tags) > 3",
    "a member of a field": '"admin" in note.tags',
    "a key of an argument": '"kind" in known',
    "a value of an argument": 'known.get("kind") == "new"',
    "the beginning of a text of several": 'note.status.startswith(("paid", "lost"))',
    "a part of a text": 'note.status.split(":")[0] == "paid"',
    "a span of time": "moment - note.at > HOUR",
    "a remainder": "note.count % 2 == 0",
    "a set of a class": "note.status in Sets.FINAL",
    "a method of an object": "JUDGE.is_final(note)",
    "a function that remembers": "is_final(note.status)",
    "a function with arguments": "is_lost(note.status)",
    "three at once": "note.owner == other.owner and note.parent is None and note.count == 5",
}
TYPES = {
    "note": Note,
    "other": Note,
    "notes": list[Note],
    "names": list[str],
    "owner": str,
    "moment": datetime,
    "known": dict[str, str],
}


def deciding(decision: str) -> Pattern[..., Any]:
    """A pattern that sends one of two records, as the expression decides."""
    names = [name for name in TYPES if re.search(rf"\b{name}\b", decision)]
    if "notes" not in names and "note" not in names:
        names.insert(0, "note")
    parameters = ", ".join(f"{name}: TYPES[{name!r}]" for name in names)
    note = "notes[0]" if "notes" in names else "note"
    known = dict(globals())
    source = f"def asked({parameters}) -> Op[Any]:\n return sending({note}, locks={decision})"
    exec(source, known)
    return pattern("p")(known["asked"])


def design_of(*patterns: Pattern[..., Any]) -> Design:
    return Design("app", About(), (App,), {App: (Lock, Note)}, (), patterns, (), ())


@pytest.mark.parametrize("decision", DECISIONS)
def test_both_outcomes_of_a_decision_are_found(decision: str) -> None:
    asked = deciding(DECISIONS[decision])
    design = design_of(asked)

    found = {e for path in paths(asked, design) for step in path.steps for e in step.entities}
    planned = {
        e for path in trace(asked, design).paths for step in path.steps for e in step.entities
    }

    assert found == planned == {"Lock", "Note"}


def test_the_keys_of_another_path_are_those_of_its_arguments() -> None:
    @pattern("p")
    def asked(note: Note, other: Note) -> Op[Any]:
        if note.parent == other.note_id:
            return other.delete()
        return note.create()

    steps = [path.steps[0] for path in paths(asked, design_of(asked))]
    [key] = [step.key["PK"].source for step in steps if step.verb == "DeleteItem"]

    # Both have the same value where that is sent.
    assert isinstance(key, Text)
    assert key.slots["note_id"] in {Argument("note.parent"), Argument("other.note_id")}


def test_without_branches_no_more_calls_are_made() -> None:
    count = 0

    @pattern("p")
    def asked(note: Note) -> Op[Any]:
        nonlocal count
        count += 1
        return note.create()

    design = design_of(asked)
    trace(asked, design)
    before = count
    assert list(branch_calls(asked, design)) == []
    assert count == before


def test_a_branch_that_only_fails_is_not_sought() -> None:
    count = 0

    @pattern("p")
    def asked(note: Note) -> Op[Any]:
        nonlocal count
        count += 1
        if note.status == "paid":
            raise ValueError(note.status)
        return note.create()

    design = design_of(asked)
    trace(asked, design)
    before = count
    assert list(branch_calls(asked, design)) == []
    assert count - before < 4


def test_a_branch_that_nothing_leads_to_is_given_up() -> None:
    @pattern("p")
    def asked(note: Note) -> Op[Any]:
        if hash(note.status) == 7 and note.status[3] == "x":
            return Lock(lock_id="1").create()
        return note.create()

    assert list(branch_calls(asked, design_of(asked))) == []


def entities_of(asked: Pattern[..., Any]) -> set[str]:
    """The entities of all paths."""
    design = design_of(asked)
    return {e for path in paths(asked, design) for step in path.steps for e in step.entities}


def test_what_no_caller_can_pass_is_not_tried() -> None:
    @pattern("p")
    def of_a_record(note: Note) -> Op[Any]:
        return Lock(lock_id="1").create() if note.count < 0 else note.create()

    @pattern("p")
    def of_an_argument(note: Note, page: Annotated[int, Field(ge=1)]) -> Op[Any]:
        return Lock(lock_id="1").create() if page < 1 else note.create()

    @pattern("p")
    def of_a_text(note: Note, code: Annotated[str, Field(pattern="^[A-Z]{3}$")]) -> Op[Any]:
        return Lock(lock_id="1").create() if code == "none" else note.create()

    @pattern("p")
    def of_a_list(notes: Annotated[list[Note], Field(min_length=1)]) -> Op[Any]:
        return notes[0].create() if notes else Lock(lock_id="1").create()

    for asked in (of_a_record, of_an_argument, of_a_text, of_a_list):
        assert entities_of(asked) == {"Note"}


def keys_of(asked: Pattern[..., Any]) -> list[Any]:
    """Where the ids of the locks that it sends come from."""
    steps = [step for path in paths(asked, design_of(asked)) for step in path.steps]
    return [cast("Text", step.key["PK"].source).slots["lock_id"] for step in steps]


def test_the_key_of_a_branch_is_no_constant_if_its_arguments_are_not() -> None:
    @pattern("p")
    def beyond(page: int) -> Op[Any]:
        return Lock.get(lock_id=f"{page}") if page > 1_000_000 else Lock.get(lock_id="small")

    @pattern("p")
    def of_several(mode: str) -> Op[Any]:
        return Lock.get(lock_id=mode) if mode in {"a", "b", "c"} else Lock.get(lock_id="other")

    for asked in (beyond, of_several):
        assert not all(isinstance(key, Constant) for key in keys_of(asked))


def test_branches_that_send_the_same_from_elsewhere_are_kept_apart() -> None:
    @pattern("p")
    def asked(note: Note, caller: str) -> Op[Any]:
        who = note.owner if note.status == "delegated" else caller
        return Lock.get(lock_id=who)

    assert any("note.owner" in repr(key) for key in keys_of(asked))


def test_a_function_that_remembers_hides_nothing_from_the_next_pattern() -> None:
    def asking() -> Pattern[..., Any]:
        return deciding("is_final(note.status)")

    assert entities_of(asking()) == entities_of(asking()) == {"Lock", "Note"}


def test_a_call_that_does_not_end_is_given_up() -> None:
    @pattern("p")
    def asked(note: Note, step: int) -> Op[Any]:
        done = 0
        while done < 10_000:
            done += step
            if note.done:
                break
        return Lock(lock_id="1").create() if note.status == "paid" else note.create()

    assert entities_of(asked) == {"Lock", "Note"}


def test_a_call_that_would_end_the_program_fails() -> None:
    @pattern("p")
    def asked(note: Note) -> Op[Any]:
        if note.status == "paid":
            sys.exit(2)
        return note.create()

    assert entities_of(asked) == {"Note"}


def test_arguments_that_a_call_changes_are_its_own() -> None:
    lengths = set[int]()

    @pattern("p")
    def asked(note: Note, names: list[str]) -> Op[Any]:
        names.append("more")
        lengths.add(len(names))
        return sending(note, locks=note.status == "paid")

    assert entities_of(asked) == {"Lock", "Note"}
    assert max(lengths) < 4


_ORDERED = """
from tests.design.plans.test_branching import DECISIONS, deciding, design_of
from sortkey.design.plans.tracing import paths

for decision in DECISIONS.values():
    asked = deciding(decision)
    found = paths(asked, design_of(asked))
    print([repr([step.key for step in path.steps]) for path in found])
"""


def test_paths_are_the_same_in_every_process() -> None:
    printed = {
        subprocess.run(
            [sys.executable, "-c", _ORDERED],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }

    assert len(printed) == 1
