"""Events of LiveKit: they are logged, and a call ends when one of its users has left it."""

from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import permutations
from typing import Any

import pytest
from tests.systems.guards import fails_unless, with_and_without_guard
from tests.systems.oneonone.conftest import (
    MORNING,
    VideoRooms,
    Watch,
    any_session,
    matched,
    user,
)
from tests.systems.oneonone.events import event
from tests.systems.racing import explore

from sortkey import DB, ConditionFailed, Contended, TransactionFailed
from sortkey.testing import Outcome as Explored
from sortkey.testing import clock
from sortkey_systems.oneonone import design
from sortkey_systems.oneonone.calling import admit, end
from sortkey_systems.oneonone.closing import end_call
from sortkey_systems.oneonone.design import (
    Session,
    end_session,
    log_and_close_again,
    log_ended_call,
    log_open_call,
    session_by_id,
)
from sortkey_systems.oneonone.errors import SessionEnded, TryAgain, VideoServerUnreachable
from sortkey_systems.oneonone.presence import GRACE, Connection
from sortkey_systems.oneonone.queueing import join, status
from sortkey_systems.oneonone.receiving import Outcome, Receipt, receive
from sortkey_systems.oneonone.sweeping import sweep

JOINED, LEFT, FINISHED = "participant_joined", "participant_left", "room_finished"
ABORTED = "participant_connection_aborted"
LOGGED, REPEATED, IGNORED = map(Receipt, Outcome)


def stored(db: DB, session: Session) -> Session:
    found = db(session_by_id(session.session_id))
    assert found is not None
    return found


class Call:
    """A call of Ann and Bob whose room reports events."""

    def __init__(self, db: DB, watch: Watch, rooms: VideoRooms) -> None:
        self.db, self.watch, self.rooms = db, watch, rooms
        self.session = matched(db, watch, "ann", "bob")
        self.id = self.session.session_id
        self.start = self.session.start_time

    def at(self, minutes: float) -> datetime:
        return self.start + timedelta(minutes=minutes)

    def report(self, kind: str, minutes: float, who: str | None = None, **more: Any) -> Receipt:
        """Receive an event that happened so many minutes after the start."""
        return receive(self.db, self.rooms, event(kind, self.id, self.at(minutes), who, **more))

    def both_join(self) -> None:
        for who in ("ann", "bob"):
            assert self.report(JOINED, 0, who) == LOGGED

    @property
    def stored(self) -> Session:
        return stored(self.db, self.session)


@pytest.fixture
def call(db: DB, watch: Watch, rooms: VideoRooms) -> Call:
    return Call(db, watch, rooms)


@pytest.fixture
def in_memory(memory: DB, watch: Watch, rooms: VideoRooms) -> Call:
    return Call(memory, watch, rooms)


# The log.


def test_joins_and_leaves_are_logged(call: Call) -> None:
    call.watch.wait(minutes=3)
    call.both_join()

    assert call.report(LEFT, 2, "ann", joined=call.start) == LOGGED

    ann = Connection(participant="PA_ann", user_id="ann", joined=call.at(0), left=call.at(2))
    bob = Connection(participant="PA_bob", user_id="bob", joined=call.at(0))
    assert call.stored.connections == (ann, bob)


def test_an_event_that_is_repeated_changes_nothing(call: Call) -> None:
    call.watch.wait(minutes=3)
    events = [(JOINED, 0, "ann"), (LEFT, 2, "ann"), (ABORTED, 2, "bob"), (FINISHED, 2.5, None)]
    assert [call.report(*each) for each in events] == [LOGGED] * 4
    before = call.stored

    assert [call.report(*each) for each in events] == [REPEATED] * 4
    assert call.stored == before


@pytest.mark.parametrize("order", [*permutations(range(4))])
def test_events_in_any_order_give_the_same_log(in_memory: Call, order: tuple[int, ...]) -> None:
    in_memory.watch.wait(minutes=3)
    events: list[tuple[str, float, str]] = [
        (JOINED, 0, "ann"),
        (JOINED, 0, "bob"),
        (LEFT, 2, "ann"),
        (LEFT, 2.8, "bob"),
    ]

    for place in order:
        in_memory.report(*events[place], joined=in_memory.start)

    found = in_memory.stored
    assert found.connections
    assert [each.left for each in found.connections] == [in_memory.at(2), in_memory.at(2.8)]
    assert (found.end_time, found.duration) == (in_memory.at(2), 2)


def test_an_event_of_an_unknown_room_is_ignored(call: Call) -> None:
    before = call.stored

    for room in ("s9", "", "a#b", "x" * 200):
        assert receive(call.db, call.rooms, event(LEFT, room, MORNING, "ann")) == IGNORED
    assert call.stored == before


@pytest.mark.parametrize("kind", ["room_started", "track_published", "egress_ended", "new"])
def test_other_events_are_ignored(call: Call, kind: str) -> None:
    before = call.stored
    other = event(LEFT, call.id, call.start, "ann").model_copy(update={"event": kind})

    assert receive(call.db, call.rooms, other) == IGNORED
    assert call.stored == before


def test_a_participant_who_is_none_of_the_two_is_ignored(call: Call) -> None:
    before = call.stored
    without = event(LEFT, call.id, call.start, "ann").model_copy(update={"participant": None})

    assert call.report(JOINED, 0, "recorder") == IGNORED
    assert call.report(JOINED, 0, "ann", participant="a b") == IGNORED
    assert receive(call.db, call.rooms, without) == IGNORED
    assert call.stored == before


def test_an_expired_call_has_no_log(call: Call) -> None:
    call.watch.wait(days=90)

    assert call.report(LEFT, 1, "ann") == IGNORED


# The end.


def test_a_call_is_over_when_a_user_left_and_costs_the_minutes_until_then(call: Call) -> None:
    call.both_join()
    call.watch.wait(minutes=3, seconds=10)
    call.report(LEFT, 3, "ann")
    assert call.stored.end_time is None

    call.watch.wait(minutes=1)
    assert sweep(call.db, call.rooms).settled == 1

    ended = call.stored
    assert (ended.end_time, ended.duration) == (call.at(3), 3)
    assert [user(call.db, name).points_left for name in ("ann", "bob")] == [12, 12]


def test_a_user_who_comes_back_in_time_goes_on(call: Call) -> None:
    call.both_join()
    call.watch.wait(minutes=3, seconds=20)
    call.report(LEFT, 3, "ann")
    assert call.stored.due_at == call.at(3) + GRACE
    assert admit(call.db, "ann", call.id).until == call.session.limit

    call.report(JOINED, 3.25, "ann", participant="PA_again")

    assert call.stored.due_at == call.session.deadline
    call.watch.wait(minutes=2)
    assert sweep(call.db, call.rooms).settled == 0
    assert end(call.db, "bob", call.id).duration == 6


def test_a_user_who_comes_back_late_finds_the_call_over(call: Call) -> None:
    call.both_join()
    call.watch.wait(minutes=5)
    call.report(LEFT, 3, "ann", joined=call.start)
    # Nobody has settled the call before.
    assert call.stored.end_time == call.at(3)

    with pytest.raises(SessionEnded):
        admit(call.db, "ann", call.id)
    assert join(call.db, "ann").current_session is None


def test_a_return_that_was_too_late_does_not_revive_the_call(call: Call) -> None:
    call.both_join()
    call.watch.wait(minutes=3)
    call.report(LEFT, 3, "ann", joined=call.start)
    call.watch.wait(minutes=2)

    call.report(JOINED, 4, "ann", participant="PA_again")

    assert (call.stored.end_time, call.stored.duration) == (call.at(3), 3)
    assert call.rooms.deleted == [call.id]


def test_the_former_device_of_a_user_leaves_after_the_new_one_has_joined(call: Call) -> None:
    call.both_join()
    call.watch.wait(minutes=3)
    call.report(JOINED, 2, "ann", participant="PA_phone")

    call.report(LEFT, 2.1, "ann", joined=call.start)

    assert call.stored.due_at == call.session.deadline


def test_whoever_ends_a_call_after_a_user_left_pays_until_then(call: Call) -> None:
    call.both_join()
    call.watch.wait(minutes=3, seconds=20)
    call.report(LEFT, 3, "ann")

    assert end(call.db, "bob", call.id).end_time == call.at(3)
    assert status(call.db, "bob").points_left == 12


def test_a_connection_that_was_never_established_ends_the_call_too(call: Call) -> None:
    call.report(JOINED, 0, "bob")
    call.watch.wait(minutes=1)
    call.report(ABORTED, 0.3, "ann")

    assert (call.stored.end_time, call.stored.duration) == (call.at(0.3), 1)


def test_the_end_of_a_room_counts_if_no_departure_was_reported(call: Call) -> None:
    call.both_join()
    call.watch.wait(minutes=5)

    call.report(FINISHED, 4, None)

    assert (call.stored.end_time, call.stored.duration) == (call.at(4), 4)


def test_the_last_end_of_a_room_counts_in_any_order(call: Call) -> None:
    """A room that was empty for a while ends, and comes back with the next user."""
    call.watch.wait(minutes=5)

    assert [call.report(FINISHED, minutes, None) for minutes in (4, 3)] == [LOGGED, REPEATED]

    assert call.stored.room_finished_at == call.at(4)


def test_the_end_of_a_room_comes_after_the_departures_and_changes_no_minutes(call: Call) -> None:
    call.both_join()
    call.watch.wait(minutes=5)
    for who in ("bob", "ann"):
        call.report(LEFT, 3, who, joined=call.start)

    call.report(FINISHED, 4, None)

    assert (call.stored.end_time, call.stored.duration) == (call.at(3), 3)
    assert call.stored.room_finished_at == call.at(4)


def test_a_call_ends_at_its_deadline_whoever_is_in_it(call: Call) -> None:
    call.both_join()
    call.watch.wait(minutes=16)
    call.report(LEFT, 15.5, "ann", joined=call.start)

    assert (call.stored.end_time, call.stored.duration) == (call.at(15), 15)


def test_an_event_from_before_the_call_costs_nothing_and_one_from_the_future_no_more(
    call: Call,
) -> None:
    call.watch.wait(seconds=10)
    call.report(LEFT, -60, "ann")
    call.report(JOINED, 99, "bob")

    found = call.stored
    assert found.connections
    assert {each.user_id: (each.joined, each.left) for each in found.connections} == {
        "ann": (call.start, call.start),
        "bob": (call.watch.now, None),
    }
    call.watch.wait(seconds=30)
    assert end(call.db, "bob", call.id).duration == 0


def test_an_event_without_a_time_happened_now(call: Call) -> None:
    now = call.watch.wait(minutes=1)
    left = event(LEFT, call.id, MORNING, "ann").model_copy(update={"created_at": 0})

    receive(call.db, call.rooms, left)

    assert call.stored.connections
    assert call.stored.connections[0].left == now


def test_a_departure_after_the_end_is_logged_and_changes_nothing_else(call: Call) -> None:
    call.both_join()
    call.watch.wait(minutes=2)
    ended = end(call.db, "ann", call.id)
    call.watch.wait(seconds=5)

    assert call.report(LEFT, 2, "bob", joined=call.start) == LOGGED
    assert call.report(FINISHED, 2, None) == LOGGED

    found = call.stored
    assert found.connections
    assert found.connections[1].left == call.at(2)
    assert (found.end_time, found.duration) == (ended.end_time, ended.duration)
    assert status(call.db, "ann").points_left == 13


def test_whoever_comes_into_the_room_of_an_ended_call_is_put_out(call: Call) -> None:
    call.watch.wait(minutes=2)
    end(call.db, "ann", call.id)
    call.watch.wait(minutes=1)
    call.rooms.open.add(call.id)

    assert call.report(JOINED, 3, "bob") == LOGGED

    assert call.rooms.open == set()
    assert call.stored.end_time == call.at(2)


def test_a_room_that_cannot_be_deleted_stays_due(call: Call) -> None:
    call.watch.wait(minutes=2)
    end(call.db, "ann", call.id)
    sweep(call.db, call.rooms)
    call.watch.wait(minutes=1)
    call.rooms.open.add(call.id)
    call.rooms.fails[call.id] = VideoServerUnreachable("no answer")

    assert call.report(JOINED, 3, "bob") == LOGGED
    assert call.stored.due_at == call.watch.now

    call.rooms.fails.clear()
    assert sweep(call.db, call.rooms).closed == 1
    assert call.rooms.open == set()


def test_an_event_that_cannot_be_logged_now_is_sent_again(
    in_memory: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(*_: object) -> Any:
        raise Contended("others were faster", attempts=5)

    monkeypatch.setattr(in_memory.db, "decide", busy)

    with pytest.raises(TryAgain):
        in_memory.report(LEFT, 1, "ann")


# Several callers.


def test_two_events_at_once_are_both_logged(in_memory: Call) -> None:
    in_memory.watch.wait(minutes=1)

    def both_are_known(outcomes: list[Explored]) -> None:
        logged = {each.participant for each in in_memory.stored.connections or ()}
        expected = {
            name
            for name, outcome in zip(("PA_ann", "PA_bob"), outcomes, strict=True)
            if outcome.succeeded
        }
        assert expected <= logged, f"only {logged} is logged"

    explore(
        lambda: in_memory.report(JOINED, 0, "ann"),
        lambda: in_memory.report(JOINED, 0, "bob"),
        db=in_memory.db,
        invariant=both_are_known,
    )


def test_a_call_whose_log_has_changed_is_not_ended(call: Call) -> None:
    """Or its users would pay for minutes after a departure."""
    call.both_join()
    read, ann, bob = call.stored, user(call.db, "ann"), user(call.db, "bob")
    call.watch.wait(minutes=3, seconds=20)
    call.report(LEFT, 3, "ann")
    call.report(FINISHED, 3.1, None)
    known = call.stored

    for older in (read, known.model_copy(update={"room_finished_at": None})):
        with pytest.raises(TransactionFailed):
            call.db(end_session(older, ann, bob, call.watch.now))
    assert call.stored.end_time is None


def test_a_log_that_has_changed_is_not_written_over(call: Call) -> None:
    call.watch.wait(minutes=1)
    read = call.stored
    call.report(JOINED, 0, "ann")

    with pytest.raises(ConditionFailed):
        call.db(log_open_call(read, (), None))
    ended = end(call.db, "ann", call.id)
    call.report(JOINED, 0.5, "bob")
    with pytest.raises(ConditionFailed):
        call.db(log_ended_call(ended, (), None))
    with pytest.raises(ConditionFailed):
        call.db(log_and_close_again(ended, (), call.watch.now))


def test_an_open_call_is_logged_as_open_and_an_ended_one_as_ended(call: Call) -> None:
    opened = call.stored
    with pytest.raises(ConditionFailed):
        call.db(log_ended_call(opened, (), None))
    with pytest.raises(ConditionFailed):
        call.db(log_and_close_again(opened, (), call.watch.now))

    end(call.db, "ann", call.id)
    with pytest.raises(ConditionFailed):
        call.db(log_open_call(opened, (), None))


ENDING: dict[str, Callable[[Call], object]] = {
    "end": lambda call: end_call(call.db, call.rooms, "bob", call.id),
    "sweep": lambda call: sweep(call.db, call.rooms),
    "the other leaves": lambda call: call.report(LEFT, 4, "bob", joined=call.start),
    "the same again": lambda call: call.report(LEFT, 3, "ann", joined=call.start),
    "a return": lambda call: call.report(JOINED, 3.2, "ann", participant="PA_again"),
    "a join": lambda call: join(call.db, "ann"),
}


@pytest.mark.parametrize("sample", [30, pytest.param(400, marks=pytest.mark.acceptance)])
@pytest.mark.parametrize("ending", ENDING)
def test_a_call_ends_once_and_its_room_is_deleted(
    in_memory: Call, ending: str, sample: int
) -> None:
    call = in_memory
    call.both_join()
    call.watch.wait(minutes=5)
    call.rooms.open.add(call.id)

    def it_is_paid_once_and_closed(outcomes: list[Explored]) -> None:
        assert all(outcome.succeeded or outcome.crashed for outcome in outcomes), f"{outcomes}"
        with clock((call.watch.now + timedelta(minutes=20)).timestamp):
            sweep(call.db, call.rooms)
        found = call.stored
        assert found.duration is not None
        points = [status(call.db, name).points_left for name in ("ann", "bob")]
        assert points == [15 - found.duration] * 2, f"{found.duration} minutes, but {points}"
        assert call.rooms.open == set(), "the room is open"
        call.rooms.open.add(call.id)  # for the next order

    # All orders are too many.
    explore(
        lambda: call.report(LEFT, 3, "ann", joined=call.start),
        lambda: ENDING[ending](call),
        db=call.db,
        invariant=it_is_paid_once_and_closed,
        sample=sample,
    )


@with_and_without_guard
def test_a_room_that_somebody_opens_while_it_is_closed_is_deleted_again(
    in_memory: Call, monkeypatch: pytest.MonkeyPatch, *, guarded: bool
) -> None:
    call = in_memory
    call.watch.wait(minutes=2)
    end(call.db, "ann", call.id)

    def come_in() -> Receipt:
        status(call.db, "bob")  # so that a deletion of the room may come before
        call.rooms.open.add(call.id)
        return call.report(JOINED, 2, "bob")

    def the_room_is_deleted_soon(outcomes: list[Explored]) -> None:
        with clock((call.watch.now + timedelta(minutes=1)).timestamp):
            sweep(call.db, call.rooms)
        # Without the event nobody knows, until the tokens have expired.
        if call.stored.connections:
            assert call.rooms.open == set(), "the room is open"
        call.rooms.open.clear()

    if not guarded:
        monkeypatch.setattr(design, "is_due_as_read", any_session_of)
    with fails_unless(guarded=guarded, match="the room is open"):
        explore(
            come_in,
            lambda: sweep(call.db, call.rooms),
            db=call.db,
            invariant=the_room_is_deleted_soon,
            index_lag=False,
        )


def any_session_of(session: Session, _read: object) -> bool:
    return any_session(session)
