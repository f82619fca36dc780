"""Upsert: one update after which the record is complete, whether or not it existed."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.operations.conversation import changes, play
from tests.operations.design import Badge, Event, Note, Task, Visit

from sortkey import ConditionFailed, Refused
from sortkey.operations.upsert import Upsert
from sortkey.wire.errors import ConditionalCheckFailedException

VISIT = {
    "PK": {"S": "VISIT#v"},
    "SK": {"S": "VISIT"},
    "_type": {"S": "Visit"},
    "visit_id": {"S": "v"},
    "hits": {"N": "1"},
}
EXPIRED = VISIT | {"expires": {"N": "1000000000"}}


def over(item: dict[str, Any]) -> ConditionalCheckFailedException:
    """The error for a condition that is false for the stored record."""
    return ConditionalCheckFailedException("The conditional request failed", item=item)


def hit() -> Upsert[Visit]:
    return Visit.upsert(visit_id="v").add(lambda v: v.hits).by(1)


def test_defaults_are_for_a_record_that_is_new() -> None:
    params = Note.upsert(note_id="n").set(lambda n: n.text).to("t").params()

    text = str(changes(params))
    assert "text = t" in text
    assert "stars = if_not_exists(stars, 3)" in text
    assert "likes = if_not_exists(likes, 0)" in text


def test_what_the_record_needs_must_be_set() -> None:
    with pytest.raises(Refused, match="an upsert of Note must set text, which has no default"):
        Note.upsert(note_id="n").add(lambda n: n.likes).by(1).params()


def test_an_index_key_is_written_whole_or_not_at_all() -> None:
    task = Task.upsert(project="p", task_id=1).where(lambda t: t.points == 0)

    with pytest.raises(Refused, match=r"Task\.by_owner is made from state, which this upsert"):
        task.set(lambda t: t.title).to("t").set(lambda t: t.owner).to("o").params()


UNFIT: list[tuple[Callable[[], Upsert[Any]], str]] = [
    (lambda: Event.upsert(event_id="e"), r"Event is immutable: create\(\) is the only way"),
    (
        lambda: Badge.upsert(badge_id="b").set(lambda b: b.code).to(1),
        r"Badge has a unique field, so an upsert would need its old value",
    ),
]


@pytest.mark.parametrize(("change", "message"), UNFIT)
def test_some_records_are_not_for_it(change: Callable[[], Upsert[Any]], message: str) -> None:
    with pytest.raises(Refused, match=message):
        change().params()


def test_over_an_expired_record_a_new_one_is_written() -> None:
    heard = play(hit(), over(EXPIRED), {})

    update, put = heard.requests
    assert (update.operation, put.operation) == ("UpdateItem", "PutItem")
    assert put.body["Item"] == VISIT
    assert heard.result == Visit(visit_id="v", hits=1)


def test_unless_another_caller_was_first() -> None:
    theirs = VISIT | {"hits": {"N": "8"}}

    heard = play(hit(), over(EXPIRED), over(theirs), {"Attributes": theirs})

    operations = [request.operation for request in heard.requests]
    assert operations == ["UpdateItem", "PutItem", "UpdateItem"]
    assert heard.result.hits == 8


def test_a_condition_treats_an_expired_record_as_absent() -> None:
    with pytest.raises(ConditionFailed):
        play(hit().where(lambda v: v.hits > 0), over(EXPIRED))
