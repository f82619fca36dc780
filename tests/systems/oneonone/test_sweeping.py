"""What a schedule does: it settles calls that nobody ended, and matches who still waits."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from tests.systems.oneonone.conftest import VideoRooms, Watch, matched, user, waiting, with_points

from sortkey import DB, Contended, Op, Page, Unreadable
from sortkey_systems.oneonone import design, sweeping
from sortkey_systems.oneonone.calling import settle
from sortkey_systems.oneonone.design import OpenCall, Session, due_calls
from sortkey_systems.oneonone.sweeping import Sweep, sweep


def talking(db: DB, watch: Watch, *pairs: str) -> list[Session]:
    """Calls of three minutes each, that nobody ends."""
    calls: list[Session] = []
    for first, second in pairs:
        with_points(db, first, 3)
        calls.append(matched(db, watch, first, second))
    return calls


def test_calls_past_their_deadline_are_settled(db: DB, watch: Watch, rooms: VideoRooms) -> None:
    talking(db, watch, "ab", "cd")
    watch.wait(minutes=2, seconds=58)  # now the first is over, but not the second

    assert sweep(db, rooms) == Sweep(settled=1, failed=0, matched=0, closed=1, left=0)

    assert [user(db, name).points_left for name in "abcd"] == [0, 12, 3, 15]
    assert [bool(user(db, name).current_session) for name in "abcd"] == [False, False, True, True]
    assert sweep(db, rooms) == Sweep(0, 0, 0, 0, 0)


def test_a_call_is_over_at_its_deadline(db: DB, watch: Watch, rooms: VideoRooms) -> None:
    [call] = talking(db, watch, "ab")
    watch.now = call.ends_by - timedelta(microseconds=1)
    assert sweep(db, rooms).settled == 0

    watch.now = call.ends_by
    assert sweep(db, rooms).settled == 1


def test_all_pages_and_shards_are_settled(
    db: DB, watch: Watch, rooms: VideoRooms, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(design, "DUE", 1)
    first = talking(db, watch, "ab", "cd")
    monkeypatch.setattr(design, "QUEUE_SHARDS", 3)
    calls = [*first, *talking(db, watch, *(f"{number}{chr(75 + number)}" for number in range(9)))]
    assert {call.open_calls for call in calls} > {"OPEN"}
    watch.wait(minutes=5)

    assert sweep(db, rooms).settled == len(calls)

    assert db(due_calls(watch.now)).items == []


def test_a_call_that_the_index_shows_as_due_too_early_goes_on(
    db: DB, watch: Watch, rooms: VideoRooms, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A user has come back, and the index does not know yet."""
    [call] = talking(db, watch, "ab")
    rooms.open.add(call.room_name)

    def due_too_early(until: datetime, after: str | None) -> Op[Page[OpenCall]]:
        return due_calls(until + timedelta(hours=1), after)

    monkeypatch.setattr(sweeping, "due_calls", due_too_early)

    assert sweep(db, rooms) == Sweep(0, 0, 0, 0, 0)
    assert rooms.open == {call.room_name}


def test_everybody_who_waits_is_matched(db: DB, watch: Watch, rooms: VideoRooms) -> None:
    waiting(db, watch, *"abcde")

    assert sweep(db, rooms).matched == 2

    assert [name for name in "abcde" if user(db, name).queue] == ["e"]


@pytest.mark.parametrize(
    "fault",
    [
        Contended("others were faster", attempts=5),
        Unreadable("Session", {}, {"duration": "is text"}),
    ],
    ids=lambda fault: type(fault).__name__,
)
def test_a_call_that_cannot_be_settled_does_not_stop_the_others(
    memory: DB,
    watch: Watch,
    rooms: VideoRooms,
    monkeypatch: pytest.MonkeyPatch,
    fault: Exception,
) -> None:
    busy, *_ = talking(memory, watch, "ab", "cd")
    watch.wait(minutes=5)

    def settle_others(db: DB, session: Session) -> Any:
        if session.session_id == busy.session_id:
            raise fault
        return settle(db, session)

    monkeypatch.setattr(sweeping, "settle", settle_others)
    assert sweep(memory, rooms) == Sweep(settled=1, failed=1, matched=0, closed=1, left=0)

    monkeypatch.undo()
    assert sweep(memory, rooms) == Sweep(settled=1, failed=0, matched=0, closed=1, left=0)


def test_a_call_whose_session_was_deleted_is_skipped(
    memory: DB, watch: Watch, rooms: VideoRooms, monkeypatch: pytest.MonkeyPatch
) -> None:
    talking(memory, watch, "ab")
    watch.wait(minutes=5)

    def deleted(_: str) -> Op[Session | None]:
        return Session.get(session_id="gone")

    monkeypatch.setattr(sweeping, "session_by_id", deleted)

    assert sweep(memory, rooms) == Sweep(0, 0, 0, 0, 0)
