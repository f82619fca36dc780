"""Joining and leaving the queue, and the status of a user."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from pydantic import ValidationError
from tests.access.executors import stored_items
from tests.systems.guards import fails_unless, with_and_without_guard
from tests.systems.oneonone.conftest import (
    MORNING,
    Watch,
    anything,
    matched,
    registered,
    user,
    waiting,
)

from sortkey import DB, Op
from sortkey.testing import Outcome, explore
from sortkey_systems.oneonone import design, queueing
from sortkey_systems.oneonone.calling import end
from sortkey_systems.oneonone.design import User, join_queue, join_queue_on_new_day
from sortkey_systems.oneonone.errors import (
    AlreadyInCall,
    AlreadyWaiting,
    BadInput,
    NoPointsLeft,
    OneOnOneError,
    UserNotFound,
)
from sortkey_systems.oneonone.matching import match
from sortkey_systems.oneonone.queueing import Status, join, leave, status


def test_a_user_who_joins_waits(db: DB) -> None:
    registered(db, "ann")

    joined = join(db, "ann")

    assert joined == user(db, "ann")
    assert (joined.is_waiting_in_queue, joined.queue) == (True, "WAITING")
    assert joined.last_queue_entry == MORNING


def test_a_waiting_user_cannot_join_again(db: DB, watch: Watch) -> None:
    waiting(db, watch, "ann")
    before = user(db, "ann")
    watch.wait(minutes=9)

    with pytest.raises(AlreadyWaiting, match="ann has been waiting since"):
        join(db, "ann")

    assert user(db, "ann") == before


def test_after_ten_minutes_a_place_in_the_queue_is_stale_and_taken_again(
    db: DB, watch: Watch
) -> None:
    waiting(db, watch, "ann")
    later = watch.wait(minutes=10)

    assert status(db, "ann").waiting_since is None
    assert join(db, "ann").last_queue_entry == later


def test_a_user_in_a_call_cannot_join(db: DB, watch: Watch) -> None:
    session = matched(db, watch, "ann", "bob")
    before = user(db, "ann")
    watch.wait(minutes=14)

    with pytest.raises(AlreadyInCall, match=session.session_id):
        join(db, "ann")

    assert user(db, "ann") == before


def test_after_fifteen_minutes_a_call_is_stale_and_the_user_can_join(db: DB, watch: Watch) -> None:
    matched(db, watch, "ann", "bob")
    watch.wait(minutes=15)

    assert status(db, "ann").session_id is None
    assert join(db, "ann").queue == "WAITING"


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


def test_a_start_without_a_call_is_no_call(memory: DB) -> None:
    for name, points in (("ann", 0), ("bob", 1)):
        person = User(user_id=name, points_left=points, points_day=MORNING.date())
        memory(person.model_copy(update={"current_session_start": MORNING}).create())

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


def test_on_a_new_day_a_waiting_user_or_one_in_a_call_cannot_join(db: DB, watch: Watch) -> None:
    watch.now = MORNING.replace(hour=23, minute=58)
    matched(db, watch, "ann", "bob")
    waiting(db, watch, "cat")
    watch.wait(minutes=5)
    assert watch.now.date() > MORNING.date()

    with pytest.raises(AlreadyInCall):
        join(db, "ann")
    with pytest.raises(AlreadyWaiting):
        join(db, "cat")

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


def one_joined(outcomes: list[Outcome]) -> None:
    assert sum(outcome.succeeded for outcome in outcomes) <= 1, "both have joined"


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

    if not guarded:
        monkeypatch.setattr(design, "is_not_waiting", anything)
    with fails_unless(guarded=guarded, match="both have joined"):
        explore(
            lambda: join(memory, "ann"),
            lambda: join(memory, "ann"),
            db=memory,
            invariant=one_joined,
            errors=(OneOnOneError,),
        )


@with_and_without_guard
def test_the_points_of_a_new_day_are_not_given_twice(
    memory: DB, watch: Watch, monkeypatch: pytest.MonkeyPatch, *, guarded: bool
) -> None:
    # A call over midnight, of fifteen minutes, which bob ends late, while ann joins again.
    watch.now = MORNING.replace(hour=23, minute=50)
    session = matched(memory, watch, "ann", "bob")
    watch.wait(minutes=20)

    def all_points_are_spent(outcomes: list[Outcome]) -> None:
        if outcomes[1].succeeded:
            points = status(memory, "ann").points_left
            assert points == 0, f"ann has {points} points after fifteen minutes"

    if not guarded:
        monkeypatch.setattr(design, "has_points_from_earlier_day", anything)
    with fails_unless(guarded=guarded, match="ann has 15 points"):
        explore(
            lambda: join(memory, "ann"),
            lambda: end(memory, "bob", session.session_id),
            db=memory,
            invariant=all_points_are_spent,
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
