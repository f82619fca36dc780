"""The two users who have waited longest are matched, and no user is in two sessions."""

from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta
from uuid import UUID

import pytest
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
)
from tests.systems.racing import explore

from sortkey import DB, Done, Op, Page, TransactionFailed
from sortkey.access.transports.embedded import EmbeddedTransport
from sortkey.testing import Outcome
from sortkey_systems.oneonone import design, matching
from sortkey_systems.oneonone.design import (
    KEPT_FOR,
    Session,
    User,
    Waiting,
    match_users,
    session_by_id,
    waiting_users,
)
from sortkey_systems.oneonone.errors import OneOnOneError
from sortkey_systems.oneonone.matching import match
from sortkey_systems.oneonone.queueing import join, join_and_match, leave, status
from sortkey_systems.oneonone.sweeping import sweep

LONG_AGO = MORNING - timedelta(days=1)


def pair(session: Session | None) -> tuple[str, str]:
    assert session is not None
    return session.user_a, session.user_b


def test_the_two_users_who_have_waited_longest_are_matched(db: DB, watch: Watch) -> None:
    waiting(db, watch, "cat", "user12", "user1", "zoë")

    assert pair(match(db)) == ("cat", "user12")
    assert pair(match(db)) == ("user1", "zoë")
    assert match(db) is None


def test_a_session_begins_when_it_is_matched(db: DB, watch: Watch) -> None:
    waiting(db, watch, "ann", "bob")

    session = match(db)

    assert session is not None
    assert session == db(session_by_id(session.session_id))
    assert session == Session(
        session_id=session.session_id,
        user_a="ann",
        user_b="bob",
        start_time=watch.now,
        deadline=watch.now + timedelta(minutes=15),
        open_calls="OPEN",
        due_at=watch.now + timedelta(minutes=15),
        room_name=session.session_id,
        created_at=watch.now,
        expires_at=watch.now + KEPT_FOR,
    )


def test_a_matched_user_is_in_a_call_and_not_waiting(db: DB, watch: Watch) -> None:
    session = matched(db, watch, "ann", "bob")

    for name in ("ann", "bob"):
        talking = user(db, name)
        assert (talking.is_waiting_in_queue, talking.queue) == (False, None)
        assert talking.current_session == session.session_id
        assert talking.current_session_deadline == session.deadline
    assert db(waiting_users(LONG_AGO)).items == []


@pytest.mark.parametrize("names", [(), ("ann",)], ids=["none", "one"])
def test_fewer_than_two_are_not_matched(db: DB, watch: Watch, names: tuple[str, ...]) -> None:
    waiting(db, watch, *names)

    assert match(db) is None
    assert len(db(waiting_users(LONG_AGO))) == len(names)


def test_a_wait_of_ten_minutes_is_skipped(db: DB, watch: Watch) -> None:
    waiting(db, watch, "ann")
    watch.wait(minutes=10)
    waiting(db, watch, "bob", "cat")

    assert pair(match(db)) == ("bob", "cat")


def test_two_users_who_joined_at_the_same_time_are_matched(db: DB) -> None:
    for name in ("user1", "user12"):
        registered(db, name)
        join(db, name)

    assert set(pair(match(db))) == {"user1", "user12"}


def test_waiting_people_are_found_without_a_scan(db: DB, watch: Watch) -> None:
    waiting(db, watch, "ann", "bob")
    registered(db, *(f"other{number}" for number in range(20)))

    with db.budget() as calls:
        match(db)

    asked = [exchange for call in calls for exchange in call.exchanges]
    assert [exchange.operation for exchange in asked] == ["Query", "TransactWriteItems"]
    assert asked[0].items_read == 2


def test_users_on_later_pages_of_the_queue_are_matched(
    db: DB, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(design, "CANDIDATES", 1)
    waiting(db, watch, "ann", "bob", "cat", "dan")

    assert pair(match(db)) == ("ann", "bob")
    assert pair(match(db)) == ("cat", "dan")


@pytest.mark.parametrize("joins", [True, False], ids=["who joins", "for a schedule"])
def test_a_user_who_rejoins_while_the_queue_is_read_is_not_matched_with_oneself(
    memory: DB, watch: Watch, monkeypatch: pytest.MonkeyPatch, *, joins: bool
) -> None:
    monkeypatch.setattr(design, "CANDIDATES", 1)
    waiting(memory, watch, "ann", "bob")
    memory(user(memory, "bob").update().set(lambda u: u.points_left).to(0))
    ann = user(memory, "ann")

    def reading(since: datetime, after: str | None = None) -> Op[Page[Waiting]]:
        if after is not None and user(memory, "ann") == ann:
            leave(memory, "ann")
            waiting(memory, watch, "ann", "cat")
        return waiting_users(since, after)

    monkeypatch.setattr(matching, "waiting_users", reading)

    session = match(memory, ann if joins else None)

    assert pair(session) == ("ann", "cat")


def test_a_queue_in_shards_is_one_queue(
    db: DB, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"user{number}" for number in range(16)]
    waiting(db, watch, *names[:8])
    monkeypatch.setattr(design, "QUEUE_SHARDS", 3)
    waiting(db, watch, *names[8:])
    assert {user(db, name).queue for name in names} == {"WAITING", "WAITING#1", "WAITING#2"}

    assert [entry.user_id for entry in db(waiting_users(LONG_AGO))] == names
    pairs = [pair(match(db)) for _ in range(8)]

    assert pairs == list(zip(names[::2], names[1::2], strict=True))


# Each condition of the transaction, on its own.


def entries(db: DB) -> tuple[Waiting, Waiting]:
    first, second = db(waiting_users(LONG_AGO)).items
    return first, second


def left(user: User) -> User:
    return user.model_copy(update={"queue": None, "is_waiting_in_queue": False})


def came_back(user: User) -> User:
    return user.model_copy(update={"last_queue_entry": MORNING + timedelta(minutes=1)})


def spent(user: User) -> User:
    return user.model_copy(update={"points_left": 3})


def talks(user: User) -> User:
    call = {"current_session": "other", "current_session_deadline": MORNING}
    return user.model_copy(update=call)


@pytest.mark.parametrize("who", ["ann", "bob"])
@pytest.mark.parametrize("meanwhile", [left, came_back, talks, spent])
def test_a_user_who_changed_since_is_not_matched_by_an_old_entry(
    db: DB, watch: Watch, meanwhile: Callable[[User], User], who: str
) -> None:
    waiting(db, watch, "ann", "bob")
    both = entries(db)
    db(meanwhile(user(db, who)).put())
    before = [user(db, name) for name in ("ann", "bob")]

    with pytest.raises(TransactionFailed):
        db(match_users(*both, "s1", watch.now))

    assert [user(db, name) for name in ("ann", "bob")] == before
    assert db(session_by_id("s1")) is None


def test_a_session_is_not_written_over_another(db: DB, watch: Watch) -> None:
    session = matched(db, watch, "ann", "bob")
    waiting(db, watch, "cat", "dan")

    with pytest.raises(TransactionFailed):
        db(match_users(*entries(db), session.session_id, watch.now))

    assert db(session_by_id(session.session_id)) == session
    assert len(entries(db)) == 2


def test_a_user_without_points_is_not_matched(db: DB, watch: Watch) -> None:
    waiting(db, watch, "ann", "bob", "cat")
    db(user(db, "ann").update().set(lambda u: u.points_left).to(0))

    assert pair(match(db)) == ("bob", "cat")
    assert match(db) is None
    with pytest.raises(ValueError, match="without points"):
        match_users(*entries_of(user(db, "ann"), user(db, "bob")), "s1", watch.now)


def entries_of(*users: User) -> tuple[Waiting, Waiting]:
    first, second = (Waiting.model_validate(user, from_attributes=True) for user in users)
    return first, second


def test_a_user_who_is_not_in_the_index_yet_is_matched(
    memory: DB, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting(memory, watch, "ann")
    registered(memory, "bob")
    before = memory(waiting_users(LONG_AGO))

    def lagging(*_: object) -> Done[Page[Waiting]]:
        return Done(before)

    monkeypatch.setattr(matching, "waiting_users", lagging)

    joined = join_and_match(memory, "bob")

    assert joined.session_id == user(memory, "ann").current_session is not None


def test_a_user_who_joins_is_matched_although_others_wait_before(db: DB, watch: Watch) -> None:
    waiting(db, watch, "ann", "bob", "cat")
    registered(db, "dan")

    assert join_and_match(db, "dan").session_id == user(db, "cat").current_session is not None
    assert user(db, "ann").current_session == user(db, "bob").current_session is not None


# Index lag, crashes and lost responses.


def nobody_waits_beside_another(db: DB) -> None:
    waits = [person.user_id for person in db(User.scan()) if person.queue]
    assert len(waits) < 2, f"{waits} wait beside each other"


AGAIN: dict[str, Callable[[DB], object]] = {
    "status": lambda db: status(db, "ann"),
    "join": lambda db: join_and_match(db, "ann"),
    "sweep": lambda db: sweep(db, VideoRooms()),
}


@with_and_without_guard
def test_two_users_who_join_meet_although_the_index_lags(
    memory: DB, watch: Watch, *, guarded: bool
) -> None:
    registered(memory, "ann", "bob")
    transport = memory._transport
    assert isinstance(transport, EmbeddedTransport)
    engine = transport.engine

    def each_later_call_matches_them() -> None:
        ended = engine.image()
        for again in AGAIN.values():
            again(memory)
            nobody_waits_beside_another(memory)
            engine.load(ended)

    with fails_unless(guarded=guarded, match="wait beside each other"):
        explore(
            lambda: join_and_match(memory, "ann"),
            lambda: join_and_match(memory, "bob"),
            db=memory,
            invariant=(
                each_later_call_matches_them
                if guarded
                else lambda: nobody_waits_beside_another(memory)
            ),
        )


@pytest.mark.parametrize("names", ["ab", "abc"])
def test_matchers_of_a_lagging_index_put_no_user_in_two_sessions(
    memory: DB, watch: Watch, names: str
) -> None:
    waiting(memory, watch, *names)

    explore(
        lambda: match(memory),
        lambda: match(memory),
        db=memory,
        invariant=lambda: nobody_is_in_two_sessions(memory),
    )


# Two callers.


def nobody_is_in_two_sessions(db: DB) -> None:
    sessions = db(Session.scan())
    often = Counter(name for session in sessions for name in pair(session))
    assert max(often.values(), default=0) <= 1, f"{often} in {len(sessions)} sessions"


@pytest.mark.parametrize("names", ["ab", "abc", "abcd"])
@with_and_without_guard
def test_two_matchers_put_no_user_in_two_sessions(
    memory: DB, watch: Watch, monkeypatch: pytest.MonkeyPatch, *, names: str, guarded: bool
) -> None:
    waiting(memory, watch, *names)

    if not guarded:
        monkeypatch.setattr(design, "is_still_waiting", anything)
        monkeypatch.setattr(design, "is_not_in_call", anything)
    with fails_unless(guarded=guarded, match="in 2 sessions"):
        explore(
            lambda: match(memory),
            lambda: match(memory),
            db=memory,
            invariant=lambda: nobody_is_in_two_sessions(memory),
        )


def test_two_matchers_match_all_four(memory: DB, watch: Watch) -> None:
    waiting(memory, watch, *"abcd")

    def four_talk() -> None:
        nobody_is_in_two_sessions(memory)
        assert len(memory(Session.scan())) == 2

    explore(
        lambda: match(memory),
        lambda: match(memory),
        db=memory,
        invariant=four_talk,
        then=lambda: [match(memory) for _ in range(2)],
    )


@with_and_without_guard
def test_a_user_who_left_is_not_matched(
    memory: DB, watch: Watch, monkeypatch: pytest.MonkeyPatch, *, guarded: bool
) -> None:
    waiting(memory, watch, "ann", "bob", "cat")

    def who_left_does_not_talk(outcomes: list[Outcome]) -> None:
        left_first = outcomes[1].succeeded and outcomes[1].result.current_session is None
        now_talks = user(memory, "ann").current_session is not None
        assert not (left_first and now_talks), "ann left, and was matched"

    if not guarded:
        monkeypatch.setattr(design, "is_still_waiting", anything)
    with fails_unless(guarded=guarded, match="ann left, and was matched"):
        explore(
            lambda: match(memory),
            lambda: leave(memory, "ann"),
            db=memory,
            invariant=who_left_does_not_talk,
        )


@pytest.mark.parametrize("who", ["ann", "bob"])
def test_the_remaining_users_are_matched_when_one_leaves(
    memory: DB, watch: Watch, who: str
) -> None:
    waiting(memory, watch, "ann", "bob", "cat")

    def two_of_three_talk(outcomes: list[Outcome]) -> None:
        assert all(outcome.succeeded or outcome.crashed for outcome in outcomes), f"{outcomes}"
        assert outcomes[0].crashed or outcomes[0].result is not None, "no users were matched"

    explore(
        lambda: match(memory),
        lambda: leave(memory, who),
        db=memory,
        invariant=two_of_three_talk,
    )


def test_a_taken_session_id_raises(db: DB, watch: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    session = matched(db, watch, "ann", "bob")
    waiting(db, watch, "cat", "dan", "eve")
    monkeypatch.setattr(matching, "uuid4", lambda: UUID(session.session_id))

    with pytest.raises(TransactionFailed):
        match(db)


@with_and_without_guard
def test_a_user_who_rejoins_waits_behind_the_others(
    memory: DB, watch: Watch, monkeypatch: pytest.MonkeyPatch, *, guarded: bool
) -> None:
    waiting(memory, watch, "ann", "bob", "cat")
    watch.wait(seconds=1)

    def come_back() -> None:
        leave(memory, "ann")
        join(memory, "ann")

    def cat_is_not_passed_over(outcomes: list[Outcome]) -> None:
        ann, cat = user(memory, "ann"), user(memory, "cat")
        assert ann.last_queue_entry
        assert cat.last_queue_entry
        overtaken = ann.current_session and cat.queue
        overtaken = overtaken and ann.last_queue_entry > cat.last_queue_entry
        assert not overtaken, "ann came back after cat, and was matched before"

    if not guarded:
        monkeypatch.setattr(design, "is_still_waiting", anything)
    with fails_unless(guarded=guarded, match="was matched before"):
        explore(
            lambda: match(memory),
            come_back,
            db=memory,
            invariant=cat_is_not_passed_over,
            errors=(OneOnOneError,),
        )


@with_and_without_guard
def test_a_user_is_never_waiting_and_in_a_call(
    memory: DB, watch: Watch, monkeypatch: pytest.MonkeyPatch, *, guarded: bool
) -> None:
    waiting(memory, watch, "ann", "bob")

    def one_at_a_time() -> None:
        ann = user(memory, "ann")
        assert not (ann.queue and ann.current_session), "ann waits and talks"

    if not guarded:
        monkeypatch.setattr(design, "is_not_in_call", anything)
    with fails_unless(guarded=guarded, match="ann waits and talks"):
        explore(
            lambda: match(memory),
            lambda: join(memory, "ann"),
            db=memory,
            invariant=one_at_a_time,
            errors=(OneOnOneError,),
        )
