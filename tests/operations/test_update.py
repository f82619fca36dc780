"""An update names its fields by keyword or by a function, to the same effect."""

from typing import Any

import pytest
from tests.operations.design import Letter, Note, Task

from sortkey import Refused, ValueRefused

NOTE: dict[str, Any] = {"note_id": "n"}


def test_fields_are_set_by_keyword_as_by_a_function() -> None:
    by_keyword = Note.update(**NOTE).set(text="x", address=None)
    by_function = Note.update(**NOTE).set(lambda n: n.text).to("x")
    by_function = by_function.set(lambda n: n.address).to(None)

    assert by_keyword.params() == by_function.params()


def test_numbers_are_added_by_keyword_as_by_a_function() -> None:
    by_keyword = Note.update(**NOTE).add(likes=2, stars=-1)
    by_function = Note.update(**NOTE).add(lambda n: n.likes).by(2).add(lambda n: n.stars).by(-1)

    assert by_keyword.params() == by_function.params()


def test_no_keyword_changes_nothing() -> None:
    update = Note.update(**NOTE).set(text="x")

    assert update.set().params() == update.params()


def test_a_misspelt_keyword_is_refused_with_the_field_that_is_near() -> None:
    with pytest.raises(Refused, match=r"Note has no field txt; did you mean text\?"):
        Note.update(**NOTE).set(txt="x")


def test_a_value_is_held_to_the_type_of_its_field() -> None:
    update = Note.update(**NOTE).set(likes="many")

    with pytest.raises(ValueRefused, match=r"Note\.likes cannot be 'many'"):
        update.params()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda: Note.update(**NOTE).set(note_id="m"), "note_id is part of the primary key"),
        (lambda: Letter.update(letter_id="l").set(origin="x"), "Letter.origin is immutable"),
        (lambda: Task.update(project="p", task_id=1).set(rev=3), "Task.rev is set by sortkey"),
    ],
    ids=["key", "immutable", "version"],
)
def test_a_field_that_no_update_may_change_is_refused_by_keyword_too(
    change: Any, reason: str
) -> None:
    with pytest.raises(Refused, match=reason):
        change()


def likes(note: Note) -> int:
    return note.likes


@pytest.mark.parametrize("method", ["set", "add"])
def test_a_function_and_keywords_are_not_mixed(method: str) -> None:
    with pytest.raises(Refused, match=rf"{method}\(\) takes a function or fields, not both"):
        getattr(Note.update(**NOTE), method)(likes, stars=1)
