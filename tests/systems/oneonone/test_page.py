"""One-on-One's page matches the code: its units are measured, its names exist."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from tests.systems.oneonone.conftest import MORNING, Watch, registered, waiting
from tests.systems.oneonone.test_history import alternating, stored
from tests.systems.pages import Page, names, operations

from sortkey import DB, Call, Op, load_design
from sortkey_systems.oneonone import design
from sortkey_systems.oneonone.api import api
from sortkey_systems.oneonone.calling import end
from sortkey_systems.oneonone.design import (
    OpenCall,
    Session,
    Sessions,
    User,
    Users,
    close_room,
    due_calls,
    join_queue,
    join_queue_on_new_day,
    leave_lost_call,
    leave_queue,
    log_and_close_again,
    log_ended_call,
    log_open_call,
    recheck_room,
    register_user,
    session_by_id,
    session_history,
    user_status,
    waiting_users,
)
from sortkey_systems.oneonone.matching import match
from sortkey_systems.oneonone.presence import Connection, Log, with_connection
from sortkey_systems.oneonone.queueing import join

PAGE = Page("oneonone")


def measured(watch: Watch) -> Iterator[Call]:
    """Each pattern, run once on records of a usual size."""
    calls: list[Call] = []
    db = DB.memory(Users, Sessions, observers=[calls.append])

    def last(operation: Op[object]) -> Call:
        db(operation)
        return calls[-1]

    yield last(register_user("ann", "ann@example.org", MORNING.date()))
    yield last(user_status("ann"))
    yield last(join_queue("ann", MORNING))
    yield last(leave_queue("ann"))
    yield last(join_queue_on_new_day("ann", MORNING + timedelta(days=1)))
    watch.wait(days=2)
    waiting(db, watch, *(f"user{number}" for number in range(30)))
    yield last(waiting_users(MORNING + timedelta(days=2)))
    session = match(db)
    assert session is not None
    yield next(call for call in reversed(calls) if call.pattern == "match_users")
    yield last(session_by_id(session.session_id))
    watch.wait(minutes=3)
    seen = log_of(session)
    yield last(log_open_call(session, seen[:2], None))
    ended = end(db, "user0", session.session_id)
    yield next(call for call in reversed(calls) if call.pattern == "end_session")
    yield last(log_ended_call(ended, seen[:3], None))
    ended = ended.model_copy(update={"connections": seen[:3]})
    yield last(log_and_close_again(ended, seen, watch.wait(seconds=1)))
    due = OpenCall.model_validate(ended, from_attributes=True)
    due = due.model_copy(update={"due_at": watch.now})
    later = watch.now + timedelta(minutes=11)
    yield last(recheck_room(due, later))
    yield last(close_room(due.model_copy(update={"due_at": later})))
    lost = match(db)
    assert lost is not None
    yield last(due_calls(watch.wait(minutes=15)))
    db(Session.delete(session_id=lost.session_id))
    yield last(leave_lost_call(lost.user_a, lost.session_id))
    stored(db, alternating(40))
    yield last(session_history("user1", MORNING - timedelta(days=9), MORNING))
    db.close()


def log_of(session: Session) -> Log:
    """The connections of a call: two devices of each user."""
    log: Log = ()
    for name, user in (("PA_1", "user0"), ("PA_2", "user1"), ("PA_3", "user1"), ("PA_4", "user0")):
        seen = Connection(participant=name, user_id=user, joined=session.start_time)
        log = with_connection(log, seen)
    return log


def test_the_units_of_each_pattern_are_as_measured(watch: Watch) -> None:
    calls = {call.pattern: call for call in measured(watch)}

    assert calls.keys() == {pattern.name for pattern in load_design(design.__name__).patterns}
    for name, call in calls.items():
        units = f"{call.read_units:g} | {call.write_units:g}"
        title = getattr(design, name).title
        assert f"| `{name}` | {title} | {len(call.exchanges)} | {units} |" in PAGE.text


@pytest.mark.parametrize("heading", ["Guarantees", "Requirements"])
def test_every_name_on_the_page_exists(heading: str) -> None:
    found = [names(row[1:]) for row in PAGE.rows(heading)]

    assert all(found)
    assert [name for row in found for name in row if not PAGE.exists(name)] == []


def test_every_pattern_and_flow_is_on_the_page() -> None:
    listed = names([cell for row in PAGE.rows("Requirements") for cell in row[1:]])

    patterns = {f"design.{pattern.name}" for pattern in load_design(design.__name__).patterns}
    flows = {"queueing.join", "queueing.leave", "queueing.status", "matching.match"}
    flows |= {"calling.admit", "calling.end", "history.list_sessions", "registering.register"}
    flows |= {"queueing.join_and_match", "calling.settled", "sweeping.sweep"}
    flows |= {"closing.end_call", "closing.close", "receiving.receive", "webhooks.event_of"}
    flows |= {"livekit.LiveKit.pass_for", "livekit.LiveKit.delete_room"}
    names_of = ("join", "leave", "status", "token", "end", "history", "sweep", "webhook")
    assert patterns | flows | {f"functions.{name}" for name in names_of} <= set(listed)


def test_every_operation_of_the_api_is_on_the_page(memory: DB) -> None:
    assert [row[:2] for row in PAGE.rows("Over HTTP")] == operations(api, memory)


def test_every_attribute_is_in_the_catalog() -> None:
    listed = [cells[0] for cells in PAGE.rows("Item catalog")]

    for entity in (User, Session):
        for stored_name in entity.__kind__.stored_names.values():
            assert f"`{stored_name}`" in listed


def test_a_join_and_a_match_cost_what_they_should(memory: DB, watch: Watch) -> None:
    registered(memory, "ann", "bob")
    join(memory, "ann")
    with memory.budget(reads=0, requests=1):
        join(memory, "bob")
    with memory.budget(reads=0.5, requests=2):
        match(memory)
