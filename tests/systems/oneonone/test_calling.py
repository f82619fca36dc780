"""Admission to the video room, and the end of a call with its payment."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from tests.systems.guards import fails_unless, with_and_without_guard
from tests.systems.oneonone.conftest import (
    MORNING,
    VideoRooms,
    Watch,
    any_session,
    anything,
    matched,
    registered,
    user,
    waiting,
    with_points,
)
from tests.systems.racing import explore

from sortkey import DB, TransactionFailed
from sortkey.testing import Outcome, clock
from sortkey.wire.errors import TransactionConflictException
from sortkey_systems.oneonone import calling, design
from sortkey_systems.oneonone.calling import Admission, admit, end
from sortkey_systems.oneonone.design import (
    Session,
    User,
    end_session,
    leave_lost_call,
    session_by_id,
    started_minutes,
    user_status,
)
from sortkey_systems.oneonone.errors import (
    BadInput,
    NoPointsLeft,
    NotInSession,
    SessionEnded,
    SessionNotFound,
)
from sortkey_systems.oneonone.queueing import join, status
from sortkey_systems.oneonone.sweeping import sweep

# The check before a token is made.


@pytest.mark.parametrize("name", ["ann", "bob"])
def test_both_of_a_session_may_enter_its_room_until_fifteen_minutes_are_over(
    db: DB, watch: Watch, name: str
) -> None:
    session = matched(db, watch, "ann", "bob")
    watch.wait(minutes=14, seconds=59)

    admission = admit(db, name, session.session_id)

    until = session.start_time + timedelta(minutes=15)
    assert admission == Admission(name, session.room_name, until)


def test_the_check_reads_the_session_consistently() -> None:
    assert session_by_id("s1").params()["ConsistentRead"] is True
    assert user_status("ann").params()["ConsistentRead"] is True


def test_a_missing_session_admits_no_user(db: DB) -> None:
    registered(db, "ann")

    with pytest.raises(SessionNotFound, match="session s1 does not exist"):
        admit(db, "ann", "s1")


def test_a_user_cannot_enter_the_session_of_others(db: DB, watch: Watch) -> None:
    session = matched(db, watch, "ann", "bob")
    registered(db, "cat")

    with pytest.raises(NotInSession, match="cat is not in session"):
        admit(db, "cat", session.session_id)


def test_a_user_cannot_enter_an_ended_session(db: DB, watch: Watch) -> None:
    session = matched(db, watch, "ann", "bob")
    watch.wait(minutes=1)
    end(db, "bob", session.session_id)

    with pytest.raises(SessionEnded):
        admit(db, "ann", session.session_id)


def test_a_user_cannot_enter_a_session_that_began_fifteen_minutes_ago(db: DB, watch: Watch) -> None:
    session = matched(db, watch, "ann", "bob")
    watch.wait(minutes=15)

    with pytest.raises(SessionEnded):
        admit(db, "ann", session.session_id)


def test_a_user_cannot_enter_without_points(db: DB, watch: Watch) -> None:
    session = matched(db, watch, "ann", "bob")
    db(user(db, "ann").update().set(lambda u: u.points_left).to(0))

    with pytest.raises(NoPointsLeft):
        admit(db, "ann", session.session_id)
    assert admit(db, "bob", session.session_id)


def test_points_of_an_earlier_day_count_as_all(db: DB, watch: Watch) -> None:
    watch.now = MORNING.replace(hour=23, minute=55)
    session = matched(db, watch, "ann", "bob")
    db(user(db, "ann").update().set(lambda u: u.points_left).to(0))
    watch.wait(minutes=10)

    assert admit(db, "ann", session.session_id)


def test_a_session_that_has_expired_is_not_there(db: DB, watch: Watch) -> None:
    session = matched(db, watch, "ann", "bob")
    watch.wait(days=90)

    with pytest.raises(SessionNotFound):
        admit(db, "ann", session.session_id)
    with pytest.raises(SessionNotFound):
        end(db, "ann", session.session_id)


# The end.


def test_the_end_is_written_and_both_pay_a_point_for_each_started_minute(
    db: DB, watch: Watch
) -> None:
    session = matched(db, watch, "ann", "bob")
    ending = watch.wait(minutes=4, seconds=1)

    ended = end(db, "ann", session.session_id)

    changed = {"end_time": ending, "duration": 5, "due_at": ending}
    assert ended == session.model_copy(update=changed)
    assert ended == db(session_by_id(session.session_id))
    for name in ("ann", "bob"):
        assert user(db, name) == User(
            user_id=name,
            points_left=10,
            points_day=MORNING.date(),
            last_session_timestamp=ending,
            last_queue_entry=user(db, name).last_queue_entry,
        )


@pytest.mark.parametrize(
    ("seconds", "minutes"),
    [(-5, 0), (0, 0), (0.000001, 1), (1, 1), (60, 1), (60.000001, 2), (61, 2), (900, 15)],
)
def test_a_minute_counts_once_it_has_started(seconds: float, minutes: int) -> None:
    assert started_minutes(MORNING, MORNING + timedelta(seconds=seconds)) == minutes


def test_a_call_ends_when_the_points_of_one_user_run_out(db: DB, watch: Watch) -> None:
    with_points(db, "ann", 1)
    session = matched(db, watch, "ann", "bob")
    a_minute_later = session.start_time + timedelta(minutes=1)
    assert admit(db, "bob", session.session_id).until == a_minute_later
    watch.wait(minutes=14, seconds=30)

    ended = end(db, "bob", session.session_id)

    assert (ended.end_time, ended.duration) == (a_minute_later, 1)
    assert status(db, "ann").points_left == 0
    assert status(db, "bob").points_left == 14


def test_a_call_does_not_end_before_it_begins(db: DB, watch: Watch) -> None:
    """Clocks of different machines differ."""
    session = matched(db, watch, "ann", "bob")
    watch.wait(seconds=-1)

    ended = end(db, "bob", session.session_id)

    assert (ended.end_time, ended.duration) == (session.start_time, 0)


def test_points_of_an_earlier_day_do_not_limit_a_call(db: DB, watch: Watch) -> None:
    with_points(db, "ann", 1)
    watch.now = MORNING + timedelta(days=1)

    session = matched(db, watch, "ann", "bob")

    assert session.deadline == session.start_time + timedelta(minutes=15)


def test_points_do_not_fall_below_zero(db: DB, watch: Watch) -> None:
    session = matched(db, watch, "ann", "bob")
    db(user(db, "ann").update().set(lambda u: u.points_left).to(2))
    watch.wait(minutes=5)

    end(db, "bob", session.session_id)

    assert status(db, "ann").points_left == 0
    assert status(db, "bob").points_left == 10


def test_a_call_over_midnight_is_paid_on_the_day_it_ends(db: DB, watch: Watch) -> None:
    with_points(db, "ann", 12)
    watch.now = MORNING.replace(hour=23, minute=55)
    session = matched(db, watch, "ann", "bob")
    watch.wait(minutes=7)

    end(db, "ann", session.session_id)

    assert user(db, "ann").points_left == 15 - 7
    assert user(db, "ann").points_day == watch.now.date() > MORNING.date()


def test_a_call_that_is_ended_late_has_ended_at_its_deadline(db: DB, watch: Watch) -> None:
    session = matched(db, watch, "ann", "bob")
    watch.wait(minutes=40)

    ended = end(db, "ann", session.session_id)

    assert ended.end_time == session.start_time + timedelta(minutes=15)
    assert ended.duration == 15
    assert status(db, "ann").points_left == 0


def test_a_call_that_is_ended_days_late_costs_nothing_of_today(db: DB, watch: Watch) -> None:
    session = matched(db, watch, "ann", "bob")
    watch.wait(days=2)
    waiting(db, watch, "ann")

    end(db, "bob", session.session_id)

    assert status(db, "ann").points_left == 15
    assert user(db, "ann").points_day == watch.now.date()
    assert status(db, "ann").waiting_since is not None
    assert user(db, "bob").points_day == MORNING.date()


@pytest.mark.parametrize("second", ["ann", "bob"])
def test_ending_twice_charges_once_and_returns_the_first_end(
    db: DB, watch: Watch, second: str
) -> None:
    session = matched(db, watch, "ann", "bob")
    watch.wait(minutes=3)
    first = end(db, "ann", session.session_id)
    watch.wait(minutes=5)

    assert end(db, second, session.session_id) == first
    assert status(db, "ann").points_left == 12
    assert status(db, "bob").points_left == 12


def test_a_user_who_is_not_in_the_call_does_not_pay_it(db: DB, watch: Watch) -> None:
    session = matched(db, watch, "ann", "bob")
    ann = db(in_another(user(db, "ann")).put())
    watch.wait(minutes=2)

    end(db, "bob", session.session_id)

    assert user(db, "ann") == ann
    assert (user(db, "bob").points_left, user(db, "bob").current_session) == (13, None)


def test_the_last_session_does_not_go_back(db: DB, watch: Watch) -> None:
    session = matched(db, watch, "ann", "bob")
    later = watch.now + timedelta(hours=1)
    db(user(db, "ann").update().set(lambda u: u.last_session_timestamp).to(later))
    watch.wait(minutes=2)

    end(db, "bob", session.session_id)

    assert user(db, "ann").last_session_timestamp == later


def test_a_user_cannot_end_the_session_of_others(db: DB, watch: Watch) -> None:
    session = matched(db, watch, "ann", "bob")

    with pytest.raises(NotInSession):
        end(db, "cat", session.session_id)
    with pytest.raises(SessionNotFound):
        end(db, "ann", "s1")

    assert db(session_by_id(session.session_id)) == session


def test_a_call_with_a_deleted_user_is_paid_by_the_other(db: DB, watch: Watch) -> None:
    session = matched(db, watch, "ann", "bob")
    db(User.delete(user_id="bob"))
    watch.wait(minutes=2)

    assert end(db, "ann", session.session_id).duration == 2

    assert (user(db, "ann").points_left, user(db, "ann").current_session) == (13, None)
    assert db(user_status("bob")) is None


def test_an_end_that_keeps_meeting_another_transaction_is_not_tried_for_ever(
    memory: DB, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = matched(memory, watch, "ann", "bob")
    busy = [TransactionFailed([None, TransactionConflictException("another"), None])]

    def meets_another(*given: Any) -> Any:
        if busy:
            raise busy.pop()
        return end_session(*given)

    monkeypatch.setattr(calling, "end_session", meets_another)
    with pytest.raises(TransactionFailed):
        end(memory, "ann", session.session_id)

    assert memory(session_by_id(session.session_id)) == session


@pytest.mark.parametrize("call", [admit, end])
@pytest.mark.parametrize(("who", "what", "field"), [("#", "s", "user_id"), ("a", "", "session_id")])
def test_an_invalid_id_is_rejected_by_name(
    memory: DB, call: Callable[[DB, str, str], Any], who: str, what: str, field: str
) -> None:
    with pytest.raises(BadInput) as refused:
        call(memory, who, what)

    assert refused.value.field == field


# Each condition of the transaction, on its own.


def spent(user: User) -> User:
    return user.model_copy(update={"points_left": 1})


def of_tomorrow(user: User) -> User:
    return user.model_copy(update={"points_day": MORNING.date() + timedelta(days=1)})


def without_a_day(user: User) -> User:
    return user.model_copy(update={"points_day": None})


def in_another(user: User) -> User:
    return user.model_copy(update={"current_session": "other"})


@pytest.mark.parametrize("who", ["ann", "bob"])
@pytest.mark.parametrize("meanwhile", [spent, of_tomorrow, without_a_day, in_another])
def test_a_payment_fails_if_the_points_have_changed(
    db: DB, watch: Watch, meanwhile: Callable[[User], User], who: str
) -> None:
    session = matched(db, watch, "ann", "bob")
    both = user(db, "ann"), user(db, "bob")
    changed = db(meanwhile(user(db, who)).put())

    with pytest.raises(TransactionFailed):
        db(end_session(session, *both, watch.wait(minutes=1)))

    assert user(db, who) == changed
    assert db(session_by_id(session.session_id)) == session


def test_an_ended_call_is_not_ended_again(db: DB, watch: Watch) -> None:
    session = matched(db, watch, "ann", "bob")
    both = user(db, "ann"), user(db, "bob")
    ended = db(session.model_copy(update={"end_time": watch.now, "duration": 0}).put())

    with pytest.raises(TransactionFailed):
        db(end_session(session, *both, watch.wait(minutes=1)))

    assert db(session_by_id(session.session_id)) == ended
    assert (user(db, "ann"), user(db, "bob")) == both


# Two callers.


@with_and_without_guard
def test_a_call_that_both_users_end_is_ended_once(
    memory: DB, watch: Watch, monkeypatch: pytest.MonkeyPatch, *, guarded: bool
) -> None:
    session = matched(memory, watch, "ann", "bob")
    watch.wait(minutes=4)
    two_minutes_later = (watch.now + timedelta(minutes=2)).timestamp()

    def end_later() -> Session:
        with clock(lambda: two_minutes_later):
            return end(memory, "bob", session.session_id)

    def both_tell_one_end(outcomes: list[Outcome]) -> None:
        durations = {outcome.result.duration for outcome in outcomes if outcome.succeeded}
        assert len(durations) <= 1, f"the call took {durations} minutes"
        for minutes in durations:
            assert user(memory, "ann").points_left == 15 - minutes

    if not guarded:
        # The first would do; each of the others sees in the users that the call was paid.
        monkeypatch.setattr(design, "is_not_ended", any_session)
        monkeypatch.setattr(design, "points_are_unchanged", anything)
        monkeypatch.setattr(design, "is_in_call", anything)
    with fails_unless(guarded=guarded, match="the call took"):
        explore(
            lambda: end(memory, "ann", session.session_id),
            end_later,
            db=memory,
            invariant=both_tell_one_end,
        )


def test_the_second_end_of_a_call_returns_the_first(memory: DB, watch: Watch) -> None:
    session = matched(memory, watch, "ann", "bob")
    watch.wait(minutes=4)

    def both_are_told(outcomes: list[Outcome]) -> None:
        assert all(outcome.succeeded or outcome.crashed for outcome in outcomes), f"{outcomes}"
        results = [outcome.result for outcome in outcomes if outcome.succeeded]
        assert all(result == results[0] for result in results)

    explore(
        lambda: end(memory, "ann", session.session_id),
        lambda: end(memory, "bob", session.session_id),
        db=memory,
        invariant=both_are_told,
    )


SETTLING: dict[str, Callable[[DB], object]] = {
    "join": lambda db: join(db, "bob"),
    "sweep": lambda db: sweep(db, VideoRooms()),
}


@pytest.mark.parametrize("settle", SETTLING)
def test_a_call_that_nobody_ended_is_paid_once(memory: DB, watch: Watch, settle: str) -> None:
    with_points(memory, "ann", 3)
    matched(memory, watch, "ann", "bob")
    watch.wait(minutes=20)

    def both_pay_three_points(outcomes: list[Outcome]) -> None:
        assert all(outcome.succeeded or outcome.crashed for outcome in outcomes), f"{outcomes}"
        points = [status(memory, name).points_left for name in ("ann", "bob")]
        assert points == [0, 12], f"they have {points} points"

    explore(
        lambda: status(memory, "ann"),
        lambda: SETTLING[settle](memory),
        db=memory,
        invariant=both_pay_three_points,
    )


def test_a_user_is_in_the_call_although_another_was_read(db: DB, watch: Watch) -> None:
    session = matched(db, watch, "ann", "bob")
    ann, bob = user(db, "ann"), user(db, "bob")
    later = watch.wait(minutes=1)

    for first in (in_another(ann), None):
        with pytest.raises(TransactionFailed):
            db(end_session(session, first, bob, later))

    assert db(session_by_id(session.session_id)) == session


def test_a_call_of_other_users_is_not_ended(db: DB, watch: Watch) -> None:
    session = matched(db, watch, "ann", "bob")
    registered(db, "cat", "dan")
    wrong = session.model_copy(update={"user_a": "cat", "user_b": "dan"})

    with pytest.raises(TransactionFailed):
        db(end_session(wrong, user(db, "cat"), user(db, "dan"), watch.now))

    assert db(session_by_id(session.session_id)) == session


def test_a_user_leaves_only_a_call_that_no_longer_exists(db: DB, watch: Watch) -> None:
    session = matched(db, watch, "ann", "bob")

    with pytest.raises(TransactionFailed):
        db(leave_lost_call("ann", session.session_id))
    assert user(db, "ann").current_session == session.session_id

    db(Session.delete(session_id=session.session_id))
    with pytest.raises(TransactionFailed):
        db(leave_lost_call("ann", "other"))
    db(leave_lost_call("ann", session.session_id))
    assert user(db, "ann").current_session is None


def test_a_user_who_could_not_leave_a_call_gets_an_error(
    memory: DB, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = matched(memory, watch, "ann", "bob")
    memory(Session.delete(session_id=session.session_id))
    watch.wait(minutes=15)

    def meets_another(*_: object) -> Any:
        raise TransactionFailed([TransactionConflictException("another"), None])

    monkeypatch.setattr(calling, "leave_lost_call", meets_another)
    with pytest.raises(TransactionFailed):
        status(memory, "ann")


def test_two_devices_leave_a_call_that_no_longer_exists(memory: DB, watch: Watch) -> None:
    session = matched(memory, watch, "ann", "bob")
    memory(Session.delete(session_id=session.session_id))
    watch.wait(minutes=15)

    def both_are_told(outcomes: list[Outcome]) -> None:
        assert all(outcome.succeeded or outcome.crashed for outcome in outcomes), f"{outcomes}"

    explore(
        lambda: status(memory, "ann"),
        lambda: status(memory, "ann"),
        db=memory,
        invariant=both_are_told,
        declared=False,
    )
