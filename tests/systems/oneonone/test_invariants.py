"""Invariants of the records, and records that break them."""

from datetime import UTC, datetime, timedelta

import pytest

from sortkey_systems.oneonone.design import (
    QUEUE,
    Session,
    User,
    can_be_paid,
    entered_the_queue,
    is_current_call_of_both,
    is_due_in_time,
    is_in_own_call,
    is_of_two_users,
    lasts_its_minutes,
    named,
    waits_in_a_queue,
    waits_or_talks,
    waits_with_points,
)
from sortkey_systems.oneonone.presence import Connection

AT = datetime(2026, 3, 1, tzinfo=UTC)
ADA, BEN = (User.model_construct(user_id=name, current_session="s1") for name in ("ada", "ben"))
CALL = Session.model_construct(
    session_id="s1",
    user_a="ada",
    user_b="ben",
    open_calls="OPEN",
    start_time=AT,
    due_at=AT + timedelta(minutes=15),
)
OTHER = Session.model_construct(session_id="s2", user_a="ada", user_b="ben")


@pytest.mark.parametrize(
    ("waiting", "queue", "holds"),
    [(True, QUEUE, True), (False, None, True), (True, None, False), (False, QUEUE, False)],
)
def test_a_user_waits_in_a_queue(waiting: bool, queue: str | None, holds: bool) -> None:
    user = User.model_construct(is_waiting_in_queue=waiting, queue=queue)

    assert waits_in_a_queue(user) is holds


@pytest.mark.parametrize(
    ("queue", "at", "holds"), [(None, None, True), (QUEUE, AT, True), (QUEUE, None, False)]
)
def test_a_user_in_a_queue_has_entered_it(
    queue: str | None, at: datetime | None, holds: bool
) -> None:
    assert entered_the_queue(User.model_construct(queue=queue, last_queue_entry=at)) is holds


@pytest.mark.parametrize(
    ("one", "other", "holds"),
    [("ada", "ben", True), ("ada", "ada", False), ("ada", "unknown", False)],
)
def test_a_session_is_of_two_users_who_are_registered(one: str, other: str, holds: bool) -> None:
    session = Session.model_construct(session_id="s1", user_a=one, user_b=other)

    assert is_of_two_users(session, [ADA, BEN]) is holds


def test_a_user_in_a_call_is_one_of_its_two() -> None:
    assert is_in_own_call(ADA, [OTHER, CALL])
    assert is_in_own_call(User.model_construct(user_id="eve", current_session=None), [CALL])
    assert not is_in_own_call(ADA, [OTHER])
    assert not is_in_own_call(User.model_construct(user_id="eve", current_session="s1"), [CALL])
    assert not is_in_own_call(ADA, [CALL.model_copy(update={"end_time": AT})])


def test_an_open_call_is_the_call_of_both_users() -> None:
    gone = User.model_construct(user_id="ben", current_session=None)

    assert is_current_call_of_both(CALL, [ADA, BEN])
    assert is_current_call_of_both(changed(end_time=AT), [gone])
    assert not is_current_call_of_both(CALL, [ADA, gone])


def changed(**fields: object) -> Session:
    """The call with other values."""
    return CALL.model_copy(update=fields)


def test_an_open_call_is_due_when_it_ends() -> None:
    left = Connection(participant="p", user_id="ada", joined=AT, left=AT + timedelta(minutes=2))
    soon = AT + timedelta(minutes=2, seconds=30)

    assert is_due_in_time(CALL)
    assert is_due_in_time(changed(connections=(left,), due_at=soon))
    assert not is_due_in_time(changed(connections=(left,)))
    assert not is_due_in_time(changed(open_calls=None))
    assert not is_due_in_time(changed(due_at=None))


def test_an_ended_call_is_in_the_list_while_its_room_is_due() -> None:
    assert is_due_in_time(changed(end_time=AT, due_at=AT))
    assert is_due_in_time(changed(end_time=AT, open_calls=None, due_at=None))
    assert not is_due_in_time(changed(end_time=AT, due_at=None))
    assert not is_due_in_time(changed(end_time=AT, open_calls=None))


@pytest.mark.parametrize(
    ("minutes", "duration", "holds"),
    [(0, 0, True), (2, 2, True), (15, 15, True), (2, 3, False), (16, 16, False), (-1, 0, False)],
)
def test_a_call_lasts_until_its_limit_at_most(minutes: int, duration: int, holds: bool) -> None:
    ended = changed(end_time=AT + timedelta(minutes=minutes), duration=duration)

    assert lasts_its_minutes(ended) is holds


def test_an_open_call_has_no_minutes_yet() -> None:
    assert lasts_its_minutes(CALL)


def test_a_user_waits_or_talks() -> None:
    assert waits_or_talks(ADA)
    assert waits_or_talks(User.model_construct(queue=QUEUE, current_session=None))
    assert not waits_or_talks(ADA.model_copy(update={"queue": QUEUE}))


def test_a_user_waits_with_points() -> None:
    assert waits_with_points(User.model_construct(queue=QUEUE, points_left=1))
    assert waits_with_points(User.model_construct(queue=None, points_left=0))
    assert not waits_with_points(User.model_construct(queue=QUEUE, points_left=0))


@pytest.mark.parametrize(
    ("minutes", "points", "day", "holds"),
    [(3, 3, AT, True), (4, 3, AT, False), (15, 0, AT - timedelta(1), True), (16, 15, AT, False)],
)
def test_both_users_can_pay_a_call(minutes: int, points: int, day: datetime, holds: bool) -> None:
    call = CALL.model_copy(update={"deadline": AT + timedelta(minutes=minutes)})
    ada = ADA.model_copy(update={"points_left": points, "points_day": day.date()})

    assert can_be_paid(call, [ada, BEN]) is holds


def test_a_table_has_its_documented_name_in_production_alone() -> None:
    assert named("Users")("prod") == "Users"
    assert named("Users")("dev") == "dev-Users"
