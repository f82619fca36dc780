"""Batches request each record once, and repeat unprocessed ones."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel
from tests.operations.conversation import HERE, NOW, converse, play
from tests.operations.design import Badge, Event, Letter, Note, Reading, Task, User, Visit

from sortkey.design.declaring.entity import kind_of
from sortkey.errors import Refused
from sortkey.operations.batch import BatchGet, BatchWrite, pause
from sortkey.operations.delete import Delete
from sortkey.operations.put import Put
from sortkey.wire.errors import ProvisionedThroughputExceededException
from sortkey.wire.messages import Request

SHOP = "test-shop"


def note(number: int) -> Note:
    return Note(note_id=f"{number}", text="t")


def item(number: int) -> dict[str, Any]:
    return kind_of(Note).encode(note(number))


def key(number: int) -> dict[str, Any]:
    return {"PK": {"S": f"NOTE#{number}"}, "SK": {"S": "NOTE"}}


def gets(*numbers: int) -> BatchGet[Note]:
    return BatchGet(tuple(Note.get(note_id=f"{n}") for n in numbers))


def found(*numbers: int) -> dict[str, Any]:
    return {"Responses": {SHOP: [item(n) for n in numbers]}}


def requested(request: Request) -> list[dict[str, Any]]:
    return request.body["RequestItems"][SHOP]["Keys"]


def sent(request: Request) -> list[dict[str, Any]]:
    return request.body["RequestItems"][SHOP]


# Reading.


def test_no_gets_send_no_request() -> None:
    assert play(gets()).result == []


def test_records_come_in_the_order_of_the_gets_and_none_for_each_missing_one() -> None:
    heard = play(gets(1, 2, 3), found(3, 1))

    assert heard.request == Request(
        "BatchGetItem", {"RequestItems": {SHOP: {"Keys": [key(1), key(2), key(3)]}}}
    )
    assert heard.result == [note(1), None, note(3)]


def test_a_record_that_is_wanted_twice_is_requested_once() -> None:
    heard = play(gets(1, 1), found(1))

    assert requested(heard.request) == [key(1)]
    assert heard.result == [note(1), note(1)]


def test_a_request_has_at_most_a_hundred_keys() -> None:
    heard = play(gets(*range(101)), found(0), found(100))

    assert [len(requested(request)) for request in heard.requests] == [100, 1]
    assert [heard.result[0], heard.result[100]] == [note(0), note(100)]


@pytest.mark.parametrize("first", [0, 1])
def test_one_consistent_get_makes_the_request_consistent(first: int) -> None:
    both = [Note.get(note_id="1"), Note.get(note_id="1").consistently()]
    heard = play(BatchGet((both[first], both[1 - first])), found(1))

    assert heard.request.body["RequestItems"][SHOP]["ConsistentRead"] is True


def test_unprocessed_keys_are_requested_again_after_a_pause() -> None:
    # The members of a key have no order.
    left = dict(reversed(key(2).items()))
    heard = play(gets(1, 2), found(1) | {"UnprocessedKeys": {SHOP: {"Keys": [left]}}}, found(2))

    assert [requested(request) for request in heard.requests] == [[key(1), key(2)], [key(2)]]
    assert heard.result == [note(1), note(2)]
    assert len(heard.pauses) == 1


def test_records_of_several_tables_are_requested_together() -> None:
    reading = Reading(sensor="s", at=7)
    both: BatchGet[Any] = BatchGet((Note.get(note_id="1"), Reading.get(sensor="s", at=7)))
    heard = play(
        both,
        {"Responses": {SHOP: [item(1)], "Readings": [kind_of(Reading).encode(reading)]}},
    )

    assert heard.request.body["RequestItems"].keys() == {SHOP, "Readings"}
    assert heard.result == [note(1), reading]


def test_expired_records_are_not_there() -> None:
    visit = kind_of(Visit).encode(Visit(visit_id="v")) | {"expires": {"N": str(int(NOW))}}
    batch = BatchGet((Visit.get(visit_id="v"),))

    assert play(batch, {"Responses": {SHOP: [visit]}}).result == [None]


@given(st.lists(st.integers(0, 150), max_size=150), st.data())
def test_every_record_is_found_whatever_is_left_over(numbers: list[int], data: Any) -> None:
    def reply(request: Request) -> dict[str, Any]:
        keys = requested(request)
        done = data.draw(st.integers(1, len(keys)))
        answer = found(*(int(k["PK"]["S"][5:]) for k in keys[:done]))
        return answer | {"UnprocessedKeys": {SHOP: {"Keys": keys[done:]}} if keys[done:] else {}}

    assert converse(gets(*numbers), reply).result == [note(n) for n in numbers]


def test_the_plan_has_every_get() -> None:
    plan = gets(1, 2)._plan()

    assert plan.shape == "batch"
    assert [step.verb for step in plan.steps] == ["GetItem", "GetItem"]


def test_the_plan_reads_whole_records_as_the_request_does() -> None:
    class Shown(BaseModel):
        note_id: str

    batch = BatchGet((Note.get(note_id="1").select(Shown),))

    assert [step.projection for step in batch._plan().steps] == [None]
    assert "ProjectionExpression" not in batch._first_body(HERE)["RequestItems"][SHOP]


@pytest.mark.parametrize("batch", [gets(1, 2), BatchWrite((note(1).put(),))])
def test_a_batch_of_which_nothing_is_carried_out_ends_with_an_error(batch: Any) -> None:
    def throttle(request: Request) -> dict[str, Any]:
        items = request.body["RequestItems"]
        return {"Responses": {}, "UnprocessedKeys": items, "UnprocessedItems": items}

    with pytest.raises(
        ProvisionedThroughputExceededException, match="no part of a batch in 10 attempts"
    ):
        converse(batch, throttle)


@pytest.mark.parametrize(("attempt", "longest"), [(1, 0.1), (4, 0.8), (20, 20.0)])
def test_the_pause_is_random_and_longer_at_each_attempt(attempt: int, longest: float) -> None:
    pauses = {pause(attempt, is_stuck=False).seconds for _ in range(50)}

    assert len(pauses) > 1
    assert all(0 <= seconds <= longest for seconds in pauses)


# Writing.


def test_nothing_is_sent_for_no_writes() -> None:
    assert play(BatchWrite(())).requests == []


def test_puts_and_deletes_travel_together() -> None:
    heard = play(BatchWrite((note(1).put(), Note.delete(note_id="2"))), {})

    assert heard.request == Request(
        "BatchWriteItem",
        {
            "RequestItems": {
                SHOP: [{"PutRequest": {"Item": item(1)}}, {"DeleteRequest": {"Key": key(2)}}]
            }
        },
    )


def test_of_two_writes_to_one_record_the_last_counts() -> None:
    heard = play(
        BatchWrite((note(1).put(), Note.delete(note_id="2"), Note.delete(note_id="1"))), {}
    )

    assert sent(heard.request) == [
        {"DeleteRequest": {"Key": key(2)}},
        {"DeleteRequest": {"Key": key(1)}},
    ]


def test_a_request_has_at_most_twenty_five_writes() -> None:
    heard = play(BatchWrite(tuple(note(n).put() for n in range(26))), {}, {})

    assert [len(sent(request)) for request in heard.requests] == [25, 1]


def test_writes_that_are_left_over_are_sent_again_after_a_pause() -> None:
    put = {"PutRequest": {"Item": item(1)}}
    heard = play(BatchWrite((note(1).put(),)), {"UnprocessedItems": {SHOP: [put]}}, {})

    assert [sent(request) for request in heard.requests] == [[put], [put]]
    assert len(heard.pauses) == 1


def test_the_plan_has_every_write() -> None:
    plan = BatchWrite((note(1).put(), Note.delete(note_id="2")))._plan()

    assert [step.verb for step in plan.steps] == ["PutItem", "DeleteItem"]


def refused() -> Iterator[tuple[Put[Any] | Delete[Any], str]]:
    task, user = Task(project="p", task_id=1, title="t"), User(user_id="u")
    yield task.put(), "Task has a version"
    yield Event(event_id="e").create(), "Event is immutable"
    yield Badge(badge_id="b", code=1).create(), "Badge has a unique field"
    yield Letter(letter_id="l").put(), "Letter has an immutable field"
    yield note(1).create(), r"Note is written by create\(\) with a condition"
    yield note(1).put().where(lambda n: n.likes > 1), r"Note is written by put\(\) with a condition"
    yield user.delete(), "User has a unique field, whose lock must be deleted with it"
    yield task.delete(), r"Task has a version \(erase\(\) does not check it\)"
    yield Event.delete(event_id="e"), r"Event is immutable \(erase\(\) deletes it anyway\)"
    yield Note.delete(note_id="1").required(), "Note is deleted with a condition"
    yield Note.delete(note_id="1").where(lambda n: n.likes > 1), "Note is deleted with a condition"


@pytest.mark.parametrize(("write", "reason"), [*refused()])
def test_what_needs_a_condition_is_refused(write: Put[Any] | Delete[Any], reason: str) -> None:
    message = rf"^{reason}, and a batch cannot have conditions: use transact\(\), with at most 100"

    with pytest.raises(Refused, match=message):
        next(BatchWrite((write,))._steps(HERE))


@pytest.mark.parametrize("erase", [Task.erase(project="p", task_id=1), Event.erase(event_id="e")])
def test_what_is_erased_needs_no_condition(erase: Delete[Any]) -> None:
    assert [*sent(play(BatchWrite((erase,)), {}).request)[0]] == ["DeleteRequest"]
