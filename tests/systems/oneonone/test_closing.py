"""The rooms of ended calls are deleted until nobody can open them again."""

from datetime import timedelta

import pytest
from tests.systems.oneonone.conftest import VideoRooms, Watch, matched

from sortkey import DB, ConditionFailed
from sortkey_systems.oneonone.calling import end
from sortkey_systems.oneonone.closing import close_now, end_call
from sortkey_systems.oneonone.design import (
    OpenCall,
    Session,
    close_room,
    due_calls,
    recheck_room,
    session_by_id,
)
from sortkey_systems.oneonone.errors import VideoServerError, VideoServerUnreachable
from sortkey_systems.oneonone.sweeping import Sweep, sweep


@pytest.fixture
def ended(db: DB, watch: Watch, rooms: VideoRooms) -> Session:
    """A call that was ended after two minutes, and whose room is open."""
    session = matched(db, watch, "ann", "bob")
    rooms.open.add(session.room_name)
    watch.wait(minutes=2)
    return end(db, "ann", session.session_id)


def due(db: DB, watch: Watch) -> list[OpenCall]:
    return db(due_calls(watch.now)).items


def stored(db: DB, session: Session) -> Session:
    found = db(session_by_id(session.session_id))
    assert found is not None
    return found


def test_the_end_of_a_call_makes_the_deletion_of_its_room_due(
    db: DB, watch: Watch, ended: Session
) -> None:
    [call] = due(db, watch)

    assert (call.session_id, call.room_name) == (ended.session_id, ended.room_name)
    assert call.due_at == ended.end_time == watch.now


def test_a_room_is_deleted_when_its_call_is_ended(db: DB, watch: Watch, rooms: VideoRooms) -> None:
    session = matched(db, watch, "ann", "bob")
    rooms.open.add(session.room_name)

    for user in ("ann", "bob"):
        end_call(db, rooms, user, session.session_id)

    assert rooms.deleted == [session.room_name]
    assert due(db, watch) == []


def test_a_call_is_ended_although_its_room_cannot_be_deleted(
    db: DB, watch: Watch, rooms: VideoRooms
) -> None:
    session = matched(db, watch, "ann", "bob")
    rooms.fails[session.room_name] = VideoServerUnreachable("no answer")

    assert end_call(db, rooms, "ann", session.session_id).end_time == watch.now

    [call] = due(db, watch)
    assert call.session_id == session.session_id


def test_a_room_is_deleted_again_when_all_tokens_have_expired(
    db: DB, watch: Watch, rooms: VideoRooms, ended: Session
) -> None:
    """A token of ours lasts until the limit of the call, one of LiveKit ten minutes."""
    assert sweep(db, rooms).closed == 1
    assert stored(db, ended).due_at == ended.limit + timedelta(minutes=11)
    rooms.open.add(ended.room_name)  # with a token that has not expired

    watch.now = ended.limit + timedelta(minutes=11)
    assert sweep(db, rooms).closed == 1
    assert rooms.open == set()
    # There was somebody, who has a token for ten minutes more.
    assert stored(db, ended).due_at == watch.now + timedelta(minutes=11)

    watch.wait(minutes=11)
    assert sweep(db, rooms).closed == 1
    assert (stored(db, ended).open_calls, stored(db, ended).due_at) == (None, None)
    assert rooms.deleted == [ended.room_name] * 3
    watch.wait(minutes=30)
    assert sweep(db, rooms) == Sweep(0, 0, 0, 0, 0)


def test_a_room_without_users_is_deleted_twice(
    db: DB, watch: Watch, rooms: VideoRooms, ended: Session
) -> None:
    rooms.open.clear()
    sweep(db, rooms)
    watch.now = ended.limit + timedelta(minutes=11)

    assert sweep(db, rooms).closed == 1

    assert stored(db, ended).open_calls is None
    assert rooms.deleted == [ended.room_name] * 2


def test_a_call_of_an_earlier_application_has_no_room_to_delete(
    db: DB, watch: Watch, rooms: VideoRooms, ended: Session
) -> None:
    db(Session.update(session_id=ended.session_id).remove(lambda s: s.open_calls))
    earlier = db(Session.update(session_id=ended.session_id).remove(lambda s: s.due_at))

    close_now(db, rooms, earlier)
    close_now(db, rooms, earlier.model_copy(update={"end_time": None}))

    assert rooms.deleted == []


def test_a_room_that_cannot_be_deleted_does_not_stop_the_others(
    db: DB, watch: Watch, rooms: VideoRooms
) -> None:
    first, second = (matched(db, watch, *pair) for pair in ("ab", "cd"))
    for call, who in ((first, "a"), (second, "c")):
        end(db, who, call.session_id)
        watch.wait(seconds=1)
    rooms.fails[first.room_name] = VideoServerError("500")

    assert sweep(db, rooms) == Sweep(settled=0, failed=0, matched=0, closed=1, left=1)
    assert rooms.deleted == [second.room_name]

    rooms.fails.clear()
    assert sweep(db, rooms).closed == 1


def test_a_video_service_that_does_not_answer_is_not_asked_again(
    db: DB, watch: Watch, rooms: VideoRooms
) -> None:
    """Each room would take seconds; calls are settled and users matched all the same."""
    calls = [matched(db, watch, *pair) for pair in ("ab", "cd")]
    rooms.fails[calls[0].room_name] = VideoServerUnreachable("no answer")
    watch.wait(minutes=15)

    assert sweep(db, rooms) == Sweep(settled=2, failed=0, matched=0, closed=0, left=2)
    assert rooms.deleted == []


def test_a_sweep_stops_deleting_when_its_time_is_over(
    db: DB, watch: Watch, rooms: VideoRooms, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sortkey_systems.oneonone import sweeping

    for pair in ("ab", "cd"):
        end(db, pair[0], matched(db, watch, *pair).session_id)
    passing = iter([0.0, 1.0, 21.0])
    monkeypatch.setattr(sweeping, "monotonic", lambda: next(passing))

    assert sweep(db, rooms) == Sweep(settled=0, failed=0, matched=0, closed=1, left=1)


def test_the_call_that_was_read_is_the_one_that_is_closed(
    db: DB, watch: Watch, ended: Session
) -> None:
    call = OpenCall.model_validate(ended, from_attributes=True)
    other = call.model_copy(update={"due_at": watch.now + timedelta(seconds=1)})

    for write in (close_room(other), recheck_room(other, watch.now)):
        with pytest.raises(ConditionFailed):
            db(write)
    assert stored(db, ended) == ended


def test_the_room_of_an_open_call_is_not_given_up(db: DB, watch: Watch) -> None:
    session = matched(db, watch, "ann", "bob")
    call = OpenCall.model_validate(session, from_attributes=True)

    for write in (close_room(call), recheck_room(call, watch.now)):
        with pytest.raises(ConditionFailed):
            db(write)
    assert stored(db, session) == session
