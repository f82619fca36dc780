"""Joining and leaving the queue, and the status of a user."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from pydantic import ValidationError
from tests.access.executors import stored_items
from tests.systems.guards import fails_unless, with_and_without_guard
from tests.systems.oneonone.conftest import (
    MORNING,
    VideoRooms,
    Watch,
    anything,
    matched,
    registered,
    user,
    waiting,
    with_points,
)
from tests.systems.racing import explore, explore_with_some_crashes

from sortkey import DB, Op
from sortkey.testing import Outcome, clock
from sortkey_systems.oneonone import design, matching, queueing
from sortkey_systems.oneonone.calling import admit, end
from sortkey_systems.oneonone.design import (
    User,
    join_queue,
    join_queue_on_new_day,
    session_by_id,
)
from sortkey_systems.oneonone.errors import (
    BadInput,
    NoPointsLeft,
    OneOnOneError,
    UserNotFound,
)
from sortkey_systems.oneonone.matching import match
from sortkey_systems.oneonone.queueing import Status, join, join_and_match, leave, status
from sortkey_systems.oneonone.registering import register
from sortkey_systems.oneonone.sweeping import sweep


def test_a_user_who_joins_waits(db: DB) -> None:
    registered(db, "ann")

    joined = join(db, "ann")

    assert joined == user(db, "ann")
    assert (joined.is_waiting_in_queue, joined.queue) == (True, "WAITING")
    assert joined.last_queue_entry == MORNING


def test_a_waiting_user_who_joins_again_keeps_the_place(db: DB, watch: Watch) -> None:
    waiting(db, watch, "ann")
    before = user(db, "ann")
    watch.wait(minutes=9)

    assert join(db, "ann") == before

    assert user(db, "ann") == before


def test_after_ten_minutes_a_place_in_the_queue_is_stale_and_taken_again(
    db: DB, watch: Watch
) -> None:
    waiting(db, watch, "ann")
    later = watch.wait(minutes=10)

    assert status(db, "ann").waiting_since is None
    assert join(db, "ann").last_queue_entry == later


def test_a_user_in_a_call_who_joins_stays_in_it(db: DB, watch: Watch) -> None:
    session = matched(db, watch, "ann", "bob")
    before = user(db, "ann")
    watch.wait(minutes=14)

    assert join(db, "ann").current_session == session.session_id

    assert user(db, "ann") == before


def test_a_call_that_nobody_ended_is_paid_before_the_user_joins(db: DB, watch: Watch) -> None:
    with_points(db, "ann", 3)
    session = matched(db, watch, "bob", "ann")
    watch.wait(minutes=4)

    joined = join(db, "bob")

    assert (joined.queue, joined.points_left, joined.current_session) == ("WAITING", 12, None)
    assert status(db, "ann") == Status("ann", 0, None, None, session.deadline)
    with pytest.raises(NoPointsLeft):
        join(db, "ann")


@pytest.mark.parametrize("act", [status, leave, join_and_match])
def test_a_call_that_nobody_ended_is_paid_when_either_acts(
    db: DB, watch: Watch, act: Callable[[DB, str], Any]
) -> None:
    with_points(db, "ann", 3)
    session = matched(db, watch, "bob", "ann")
    watch.wait(minutes=3)

    act(db, "bob")

    ended = db(session_by_id(session.session_id))
    assert ended
    assert (ended.end_time, ended.duration) == (session.deadline, 3)
    assert [user(db, name).points_left for name in ("ann", "bob")] == [0, 12]
    assert [user(db, name).current_session for name in ("ann", "bob")] == [None, None]


def test_four_calls_that_nobody_ends_are_not_free(db: DB, watch: Watch) -> None:
    registered(db, "ann", "bob")
    join_and_match(db, "ann")
    session_id = join_and_match(db, "bob").session_id
    assert session_id
    assert admit(db, "ann", session_id).until == watch.now + timedelta(minutes=15)
    watch.wait(minutes=15)

    for name in ("ann", "bob"):
        with pytest.raises(NoPointsLeft):
            join_and_match(db, name)


def test_a_user_whose_call_no_longer_exists_can_join(db: DB, watch: Watch) -> None:
    matched(db, watch, "ann", "bob")
    watch.wait(days=91)

    assert status(db, "ann").session_id is None
    assert join(db, "ann").queue == "WAITING"
    assert join_and_match(db, "bob").session_id


@pytest.mark.parametrize("left_over", [{"queue": "WAITING"}, {"current_session": "old"}])
def test_a_wait_or_a_call_without_a_time_is_stale_and_the_user_can_join(
    db: DB, left_over: dict[str, Any]
) -> None:
    db(User(user_id="ann", points_day=MORNING.date(), **left_over).create())

    joined = join(db, "ann")

    assert (joined.queue, joined.last_queue_entry) == ("WAITING", MORNING)


def test_a_user_without_points_cannot_join(db: DB) -> None:
    db(User(user_id="ann", points_left=0, points_day=MORNING.date()).create())

    with pytest.raises(NoPointsLeft, match="ann has no points left today"):
        join(db, "ann")

    assert user(db, "ann").queue is None


def test_a_user_with_one_point_can_join(memory: DB) -> None:
    memory(User(user_id="ann", points_left=1, points_day=MORNING.date()).create())

    assert join(memory, "ann").queue == "WAITING"


def test_a_deadline_without_a_call_is_no_call(memory: DB) -> None:
    for name, points in (("ann", 0), ("bob", 1)):
        person = User(user_id=name, points_left=points, points_day=MORNING.date())
        memory(person.model_copy(update={"current_session_deadline": MORNING}).create())

    with pytest.raises(NoPointsLeft):
        join(memory, "ann")
    assert memory(join_queue("bob", MORNING)).queue == "WAITING"


def test_the_first_join_of_a_day_stores_its_points(db: DB, watch: Watch) -> None:
    db(User(user_id="ann", points_left=0, points_day=MORNING.date()).create())
    watch.wait(days=1)

    joined = join(db, "ann")

    assert (joined.points_left, joined.points_day) == (15, watch.now.date())
    assert joined.queue == "WAITING"


def test_a_join_while_the_points_of_the_day_are_stored_uses_them(
    memory: DB, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    registered(memory, "ann")
    watch.wait(days=1)
    meanwhile = [
        user(memory, "ann").model_copy(update={"points_left": 5, "points_day": watch.now.date()})
    ]

    def too_late(*given: Any) -> Op[User]:
        memory(meanwhile.pop().put())
        return join_queue_on_new_day(*given)

    monkeypatch.setattr(queueing, "join_queue_on_new_day", too_late)

    joined = join(memory, "ann")

    assert (joined.queue, joined.points_left) == ("WAITING", 5)


def test_points_without_a_day_are_of_an_earlier_one(db: DB) -> None:
    db(User(user_id="ann", points_left=3).create())

    joined = join(db, "ann")

    assert (joined.points_left, joined.points_day) == (15, MORNING.date())


def test_a_join_on_the_same_day_leaves_the_points_alone(db: DB) -> None:
    db(User(user_id="ann", points_left=3, points_day=MORNING.date()).create())

    assert join(db, "ann").points_left == 3


def test_on_a_new_day_a_waiting_user_or_one_in_a_call_stays_there(db: DB, watch: Watch) -> None:
    watch.now = MORNING.replace(hour=23, minute=58)
    matched(db, watch, "ann", "bob")
    waiting(db, watch, "cat")
    watch.wait(minutes=5)
    assert watch.now.date() > MORNING.date()

    assert join(db, "ann") == user(db, "ann")
    assert join(db, "cat") == user(db, "cat")

    assert user(db, "ann").queue is None
    assert user(db, "cat").points_day == MORNING.date()


def test_a_user_who_leaves_is_not_waiting(db: DB, watch: Watch) -> None:
    waiting(db, watch, "ann", "bob")

    left = leave(db, "ann")

    assert (left.is_waiting_in_queue, left.queue) == (False, None)
    assert left.last_queue_entry == MORNING + timedelta(seconds=1)
    [entry] = stored_items(db, design.Users, "WaitingIndex")
    assert entry["userId"] == {"S": "bob"}


def test_leaving_twice_is_leaving_once(db: DB, watch: Watch) -> None:
    waiting(db, watch, "ann")

    assert leave(db, "ann") == leave(db, "ann")


def test_leaving_does_not_end_a_call(db: DB, watch: Watch) -> None:
    session = matched(db, watch, "ann", "bob")

    assert leave(db, "ann").current_session == session.session_id


def test_a_status_has_points_place_and_call(db: DB, watch: Watch) -> None:
    waiting(db, watch, "ann")
    assert status(db, "ann") == Status("ann", 15, watch.now, None, None)

    waiting(db, watch, "bob")
    session = match(db)
    assert session
    assert status(db, "ann") == Status("ann", 15, None, session.session_id, None)

    watch.wait(minutes=3)
    end(db, "ann", session.session_id)
    assert status(db, "ann") == Status("ann", 12, None, None, watch.now)


def test_a_status_has_no_wait_or_call_without_a_time(db: DB) -> None:
    db(User(user_id="ann", queue="WAITING", current_session="s1").create())

    found = status(db, "ann")

    assert (found.waiting_since, found.session_id) == (None, None)


@pytest.mark.parametrize("points", [-1, 16])
def test_points_are_from_zero_to_the_daily_points(points: int) -> None:
    with pytest.raises(ValidationError, match="points_left"):
        User(user_id="ann", points_left=points)


def test_a_status_counts_points_of_an_earlier_day_as_all_and_writes_nothing(
    db: DB, watch: Watch
) -> None:
    db(User(user_id="ann", points_left=2, points_day=MORNING.date()).create())
    assert status(db, "ann").points_left == 2
    watch.wait(days=1)

    assert status(db, "ann").points_left == 15
    assert user(db, "ann").points_left == 2


@pytest.mark.parametrize("call", [join, leave, status])
def test_an_unregistered_user_is_not_found(db: DB, call: Callable[[DB, str], Any]) -> None:
    with pytest.raises(UserNotFound, match="user ann does not exist"):
        call(db, "ann")

    assert stored_items(db, design.Users) == []


@pytest.mark.parametrize("call", [join, leave, status])
def test_an_invalid_id_is_rejected_by_name(memory: DB, call: Callable[[DB, str], Any]) -> None:
    with pytest.raises(BadInput, match="user_id must have"):
        call(memory, "a#b")


# Two callers.


def one_place(outcomes: list[Outcome]) -> None:
    places = {outcome.result.last_queue_entry for outcome in outcomes if outcome.succeeded}
    assert len(places) <= 1, "both have a place"


@pytest.mark.parametrize("passed", [{"minutes": 0}, {"days": 1}], ids=["same day", "new day"])
@with_and_without_guard
def test_two_devices_of_one_user_join_once(
    memory: DB,
    watch: Watch,
    monkeypatch: pytest.MonkeyPatch,
    *,
    passed: dict[str, float],
    guarded: bool,
) -> None:
    registered(memory, "ann")
    watch.wait(**passed)

    a_second_later = (watch.now + timedelta(seconds=1)).timestamp()

    def join_later() -> User:
        with clock(lambda: a_second_later):
            return join(memory, "ann")

    if not guarded:
        monkeypatch.setattr(design, "is_not_waiting", anything)
    with fails_unless(guarded=guarded, match="both have a place"):
        explore(lambda: join(memory, "ann"), join_later, db=memory, invariant=one_place)


@with_and_without_guard
def test_the_points_of_a_new_day_are_not_given_twice(
    memory: DB, watch: Watch, monkeypatch: pytest.MonkeyPatch, *, guarded: bool
) -> None:
    # On a new day ann joins with two devices; on one of them she has a call meanwhile.
    registered(memory, "ann")
    watch.wait(days=1)
    waiting(memory, watch, "bob")
    five_minutes_later = (watch.now + timedelta(minutes=5)).timestamp()

    def talk() -> None:
        session_id = join_and_match(memory, "ann").session_id
        with clock(lambda: five_minutes_later):
            end(memory, "ann", session_id or "none")

    def five_points_are_spent(outcomes: list[Outcome]) -> None:
        if outcomes[1].succeeded:
            points = user(memory, "ann").points_left
            assert points == 10, f"ann has {points} points after five minutes"

    if not guarded:
        monkeypatch.setattr(design, "has_points_from_earlier_day", anything)
    with fails_unless(guarded=guarded, match="ann has 15 points"):
        explore_with_some_crashes(
            lambda: join(memory, "ann"),
            talk,
            db=memory,
            invariant=five_points_are_spent,
            errors=(OneOnOneError,),
        )


@with_and_without_guard
def test_a_user_without_points_cannot_join_while_a_call_is_paid(
    memory: DB, watch: Watch, monkeypatch: pytest.MonkeyPatch, *, guarded: bool
) -> None:
    session = matched(memory, watch, "ann", "bob")
    watch.wait(minutes=15)

    def joined_with_points(outcomes: list[Outcome]) -> None:
        joined = outcomes[0]
        assert not joined.succeeded or joined.result.points_left, "ann joined without points"

    if not guarded:
        monkeypatch.setattr(design, "has_points_on", anything)
    with fails_unless(guarded=guarded, match="ann joined without points"):
        explore(
            lambda: join(memory, "ann"),
            lambda: end(memory, "bob", session.session_id),
            db=memory,
            invariant=joined_with_points,
            errors=(OneOnOneError,),
        )


# Lost responses.


def talk_of_ann(memory: DB, watch: Watch) -> str:
    session_id = matched(memory, watch, "ann", "bob").session_id
    waiting(memory, watch, "cat", "dan")
    watch.wait(minutes=2)
    return session_id


OPERATIONS: dict[str, Callable[[DB, str], Any]] = {
    "join": lambda db, _: join(db, "eve"),
    "join and match": lambda db, _: join_and_match(db, "eve"),
    "leave": lambda db, _: leave(db, "cat"),
    "status": lambda db, _: status(db, "cat"),
    "register": lambda db, _: register(db, "new").user_id,
    "token": lambda db, session_id: admit(db, "ann", session_id),
    "end": lambda db, session_id: end(db, "ann", session_id),
    "sweep": lambda db, _: sweep(db, VideoRooms()),
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation_whose_response_is_lost_answers_as_if_it_were_not(
    memory: DB, watch: Watch, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    registered(memory, "eve")
    session_id = talk_of_ann(memory, watch)
    results: list[Any] = []

    def all_are_alike(outcomes: list[Outcome]) -> None:
        [outcome] = outcomes
        assert outcome.succeeded, f"{outcome}"
        results.append(outcome.result)
        assert results[-1] == results[0]

    monkeypatch.setattr(matching, "uuid4", lambda: UUID(int=8))
    explored = explore(
        lambda: OPERATIONS[name](memory, session_id),
        db=memory,
        invariant=all_are_alike,
        crashes=False,  # a call that crashed has no answer
    )
    assert explored.schedules > 1
