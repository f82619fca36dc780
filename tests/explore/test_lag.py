"""Lag: reads of indexes and tables that miss the latest writes, explored."""

from collections import Counter
from collections.abc import Callable
from itertools import count, product
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sortkey import DB, AsyncDB, Entity, Refused, Table, gsi, lsi
from sortkey.access.transports.embedded import EmbeddedTransport
from sortkey.engine import Engine
from sortkey.engine.database import Database
from sortkey.engine.lag import Lagging, Versions, View
from sortkey.engine.lagging_reads import LaggingReads
from sortkey.engine.weather import Scenario
from sortkey.explore.lag import PRESENT, History
from sortkey.explore.schedule import BadSchedule
from sortkey.testing import Exploration, ExplorationFailed, explore
from sortkey.wire.messages import Request


class App(Table):
    by_room = gsi("GSI1PK", "GSI1SK")
    by_rank = lsi("rank")


class Guest(Entity, table=App):
    name: str
    room: int
    primary = App.primary.key("GUEST#{name}", "GUEST")
    in_room = App.by_room.key("ROOM#{room:03d}", "{name}")


class Flag(Entity, table=App):
    name: str
    raised: bool = False
    primary = App.primary.key("FLAGS", "FLAG#{name}")
    ranked = App.by_rank.key(sort="{name}")


class Entered(Entity, table=App):
    name: str
    primary = App.primary.key("ENTERED", "{name}")


@pytest.fixture
def db() -> DB:
    return DB.memory(App)


def exploring(db: DB | AsyncDB, *calls: Callable[[], Any], **settings: Any) -> Exploration:
    return explore(*calls, db=db, crashes=False, lost_responses=False, **settings)


# Enter a room, see who is in it, and leave again unless alone.


def take_room(db: DB, name: str) -> None:
    db(Guest(name=name, room=7).create())
    if len(db(Guest.query(Guest.in_room, room=7))) > 1:
        db(Guest.delete(name=name))


def one_guest(db: DB) -> Callable[[], None]:
    def check() -> None:
        guests = sorted(guest.name for guest in db(Guest.scan()))
        assert len(guests) <= 1, f"{guests} are in one room"

    return check


def test_a_check_by_an_index_is_right_only_while_the_index_does_not_lag(db: DB) -> None:
    calls = [lambda: take_room(db, "ann"), lambda: take_room(db, "bob")]

    exploring(db, *calls, invariant=one_guest(db))
    exploring(db, *calls, invariant=one_guest(db), stale_reads=True)
    with pytest.raises(ExplorationFailed, match="are in one room") as failed:
        exploring(db, *calls, invariant=one_guest(db), index_lag=True)

    assert failed.value.schedule == "A2BB~"
    with pytest.raises(ExplorationFailed, match="are in one room"):
        exploring(db, *calls, invariant=one_guest(db), index_lag=True, replay="A2BB~")


def test_a_story_shows_which_index_was_behind_and_what_it_missed(db: DB) -> None:
    with pytest.raises(ExplorationFailed) as failed:
        exploring(
            db,
            lambda: take_room(db, "ann"),
            lambda: take_room(db, "bob"),
            invariant=one_guest(db),
            index_lag=True,
        )

    lines = failed.value.story.splitlines()
    assert lines[-6:-2] == [
        "  4  B  Query       App  ROOM#007",
        "          -> 1 item",
        "             stale: by_room has not received the write of GUEST#bob / GUEST in",
        "             step 3",
    ]


# Raise a flag, and enter unless the other one is raised: Dekker's way into a critical section.


def enter(db: DB, me: str, other: str, *, consistent: bool) -> None:
    db(Flag(name=me, raised=True).put())
    read = Flag.get(name=other)
    seen = db(read.consistently() if consistent else read)
    if seen is None or not seen.raised:
        db(Entered(name=me).put())


def test_flags_keep_two_apart_only_while_no_read_is_stale(db: DB) -> None:
    def calls(*, consistent: bool) -> list[Callable[[], None]]:
        return [
            lambda: enter(db, "ann", "bob", consistent=consistent),
            lambda: enter(db, "bob", "ann", consistent=consistent),
        ]

    def apart() -> bool:
        return len(db(Entered.scan())) <= 1

    exploring(db, *calls(consistent=False), invariant=apart)
    exploring(db, *calls(consistent=False), invariant=apart, index_lag=True)
    exploring(db, *calls(consistent=True), invariant=apart, index_lag=True, stale_reads=True)
    with pytest.raises(ExplorationFailed) as failed:
        exploring(db, *calls(consistent=False), invariant=apart, stale_reads=True)

    assert "~" in failed.value.schedule
    assert "-> not found\n             stale: this copy of the table" in failed.value.story
    assert max(map(len, failed.value.story.splitlines())) <= 80


@pytest.mark.parametrize(
    ("read", "stale"),
    [
        (lambda: Flag.query(name="ann"), 1),
        (lambda: Flag.query(name="ann").consistently(), 0),
        (lambda: Flag.query(Flag.ranked, name="ann"), 1),
        (lambda: Flag.query(Flag.ranked, name="ann").consistently(), 0),
        (Flag.scan, 1),
        (lambda: Flag.scan().consistently(), 0),
        (lambda: Guest.query(Guest.in_room, room=7), 0),
    ],
)
def test_a_call_may_miss_its_own_write_unless_it_reads_consistently(
    db: DB, read: Callable[[], Any], stale: int
) -> None:
    def write_then_read() -> list[str]:
        db(Guest(name="ann", room=7).put())
        db(Flag(name="ann").put())
        return [record.name for record in db(read())]

    explored = exploring(db, write_then_read, invariant=lambda: True, stale_reads=True)

    assert len(explored.endings) == 1 + stale


def test_batches_may_be_stale_and_transactions_never_are(db: DB) -> None:
    flags = [Flag.get(name=name) for name in "ab"]

    def in_batches() -> list[Flag | None]:
        db.transact(Flag(name="a").put(), Flag(name="b").put())
        return db.get_many(flags)

    def in_a_transaction() -> object:
        db.transact(Flag(name="a").put(), Flag(name="b").put())
        return db.snapshot(*flags)

    # Neither, one of the two, both: the items of a transaction lag independently.
    assert exploring(db, in_batches, invariant=lambda: True, stale_reads=True).schedules == 4
    assert exploring(db, in_a_transaction, invariant=lambda: True, stale_reads=True).schedules == 1


def test_a_second_read_may_go_back(db: DB) -> None:
    def twice() -> list[int]:
        db(Guest(name="ann", room=7).put())
        return [len(db(Guest.query(Guest.in_room, room=7))) for _ in range(2)]

    explored = exploring(db, twice, invariant=lambda: True, index_lag=True)

    assert {ending[0] for ending in explored.endings} == {
        f"returned {counts}" for counts in ([1, 1], [1, 0], [0, 1], [0, 0])
    }


def test_an_item_that_moves_is_seen_at_its_old_place(db: DB) -> None:
    db(Guest(name="ann", room=1).create())

    def move() -> list[int]:
        db(Guest.update(name="ann").set(lambda g: g.room).to(2))
        return [len(db(Guest.query(Guest.in_room, room=room))) for room in (1, 2)]

    explored = exploring(db, move, invariant=lambda: True, index_lag=True)

    assert {ending[0] for ending in explored.endings} == {
        f"returned {counts}" for counts in ([0, 1], [1, 1], [0, 0], [1, 0])
    }


def test_what_was_stored_before_the_exploration_is_never_missed(db: DB) -> None:
    db(Guest(name="ann", room=7).create())

    explored = exploring(
        db,
        lambda: len(db(Guest.query(Guest.in_room, room=7))),
        invariant=lambda: True,
        index_lag=True,
        stale_reads=True,
    )

    assert explored.endings == (("returned 1",),)


def test_a_stale_answer_that_an_earlier_read_would_get_is_not_explored_again(db: DB) -> None:
    calls = [
        lambda: db(Guest(name="ann", room=7).put()),
        lambda: len(db(Guest.query(Guest.in_room, room=7))),
    ]

    assert exploring(db, *calls, invariant=lambda: True).schedules == 2
    assert exploring(db, *calls, invariant=lambda: True, index_lag=True).schedules == 2


def test_the_invariant_and_then_see_every_write(db: DB) -> None:
    seen: list[int] = []

    def look() -> None:
        seen.append(len(db(Guest.query(Guest.in_room, room=7))))

    exploring(
        db,
        lambda: db(Guest(name="ann", room=7).put()),
        invariant=look,
        then=look,
        index_lag=True,
        stale_reads=True,
    )

    assert seen == [1, 1]


def test_conditions_see_the_present(db: DB) -> None:
    def create_twice() -> str:
        db(Guest(name="ann", room=7).create())
        db(Guest(name="ann", room=8).create())
        return "created twice"

    explored = exploring(db, create_twice, invariant=lambda: True, index_lag=True, stale_reads=True)

    assert [ending[0].partition(":")[0] for ending in explored.endings] == ["raised AlreadyExists"]


def test_the_database_is_as_it_was_afterwards(db: DB) -> None:
    db(Guest(name="cid", room=7).create())

    with pytest.raises(ExplorationFailed):
        exploring(
            db,
            lambda: take_room(db, "ann"),
            lambda: take_room(db, "bob"),
            invariant=lambda: False,
            index_lag=True,
            stale_reads=True,
        )

    assert [guest.name for guest in db(Guest.query(Guest.in_room, room=7))] == ["cid"]


def test_a_stale_schedule_is_refused_where_nothing_lags(db: DB) -> None:
    calls = [lambda: take_room(db, "ann"), lambda: take_room(db, "bob")]

    with pytest.raises(BadSchedule, match="B~ cannot be a stale read: replay it with"):
        exploring(db, *calls, invariant=one_guest(db), replay="A2BB~")


def test_a_read_with_too_many_stale_answers_is_refused(db: DB) -> None:
    def fill() -> int:
        db.write_many([Guest(name=f"g{n}", room=7).put() for n in range(12)])
        return len(db(Guest.query(Guest.in_room, room=7)))

    with pytest.raises(Refused, match="the writes of 12 items in 4,096 ways"):
        exploring(db, fill, invariant=lambda: True, index_lag=True)


def test_records_with_random_ids_lag_as_those_with_fixed_ids(db: DB) -> None:
    def enter(name: str) -> int:
        db(Guest(name=name, room=7).create())
        return len(db(Guest.query(Guest.in_room, room=7)))

    fixed = exploring(
        db, lambda: enter("a"), lambda: enter("b"), invariant=lambda: True, index_lag=True
    )
    random = exploring(
        db,
        lambda: enter(uuid4().hex),
        lambda: enter(uuid4().hex),
        invariant=lambda: True,
        index_lag=True,
    )

    assert random.schedules == fixed.schedules
    assert set(random.endings) == set(fixed.endings)
    assert ("returned 0", "returned 0") in random.endings


def test_a_scan_in_another_order_each_time_is_refused_and_a_sample_is_not(db: DB) -> None:
    """A scan returns partitions in the order of their keys' hashes."""
    names = (f"{number}" for number in count())

    def fill_and_clear() -> None:
        for name in [next(names) for _ in range(3)]:
            db(Guest(name=name, room=7).create())
        clear()

    def clear() -> None:
        for guest in db(Guest.scan()):
            db(Guest.delete(name=guest.name))

    with pytest.raises(Refused, match=r"not repeatable: at step \d+ .*Give records fixed ids"):
        exploring(db, fill_and_clear, clear, invariant=lambda: True, stale_reads=True)
    exploring(db, fill_and_clear, clear, invariant=lambda: True, stale_reads=True, sample=5)


@pytest.mark.parametrize("changing", [["a"], ["a", "b"]], ids=["one", "all"])
def test_a_call_that_sends_fewer_requests_than_before_is_refused(
    db: DB, changing: list[str]
) -> None:
    run = Counter[str]()

    def enter(name: str) -> None:
        run[name] += 1
        if run[name] == 1 or name not in changing:
            db(Guest(name="cid", room=7).put())

    with pytest.raises(Refused, match="sent PutItem before, and has now ended"):
        exploring(db, lambda: enter("a"), lambda: enter("b"), invariant=lambda: True)


def test_a_call_that_sends_another_request_than_before_is_refused(db: DB) -> None:
    run = count(1)

    def enter() -> None:
        if next(run) <= 2:  # in the first schedule
            db(Guest(name="a", room=7).put())
        else:
            db(Guest.get(name="a"))
        db(Guest(name="a", room=8).put())

    with pytest.raises(Refused, match="sent PutItem before, and now sends GetItem"):
        exploring(db, enter, enter, invariant=lambda: True)


def test_code_that_awaits_meets_the_same_lag() -> None:
    db = AsyncDB.memory(App)

    async def take(name: str) -> None:
        await db(Guest(name=name, room=7).create())
        if len(await db(Guest.query(Guest.in_room, room=7))) > 1:
            await db(Guest.delete(name=name))

    async def one() -> bool:
        return len(await db(Guest.scan())) <= 1

    exploring(db, lambda: take("ann"), lambda: take("bob"), invariant=one)
    with pytest.raises(ExplorationFailed) as failed:
        exploring(db, lambda: take("ann"), lambda: take("bob"), invariant=one, index_lag=True)

    assert failed.value.schedule == "A2BB~"


# The possible results of a read, compared with a brute-force model.

_NAMES = ("a", "b", "c")
_IN_ROOM: dict[str, Any] = {
    "TableName": "App",
    "IndexName": "by_room",
    "KeyConditionExpression": "GSI1PK = :room",
    "ExpressionAttributeValues": {":room": {"S": "ROOM#001"}},
}
_change = st.tuples(st.sampled_from(_NAMES), st.sampled_from((None, 1, 2)))


@settings(max_examples=60, deadline=None)
@given(
    changes=st.lists(_change, min_size=1, max_size=6),
    since=st.integers(0, 6),
    limit=st.sampled_from((None, 1, 2)),
)
def test_a_stale_answer_shows_each_item_as_it_once_was(
    changes: list[tuple[str, int | None]], since: int, limit: int | None
) -> None:
    db = DB.memory(App)
    transport = db._transport
    assert isinstance(transport, EmbeddedTransport)
    history = History(transport.engine, {"App": ("PK", "SK")}, Lagging(indexes=True))
    states: list[dict[str, int]] = [{}]
    for step, (name, room) in enumerate(changes, start=1):
        write = Guest.delete(name=name) if room is None else Guest(name=name, room=room).put()
        request = next(write._steps(db._context))
        assert isinstance(request, Request)
        history.send(request, transport.send, step, PRESENT)
        after = {**states[-1]}
        after.pop(name, None)
        if room is not None:
            after[name] = room
        if after != states[-1]:
            states.append(after)
    request = Request("Query", _IN_ROOM if limit is None else {**_IN_ROOM, "Limit": limit})
    since = min(since, len(history.writes))

    answers = [_names(history.send(request, transport.send, 9, PRESENT), limit)]
    stale = [
        _names(history.send(request, transport.send, 9, view), limit)
        for view in history.views(request, since)
    ]

    everything = {
        _query(dict(zip(_NAMES, rooms, strict=True)), limit)
        for rooms in product(*({state.get(name) for state in states} for name in _NAMES))
    }
    without_lag = {_query(state, limit) for state in states[since:]}
    assert set(answers) <= without_lag
    assert set(stale) == everything - without_lag
    assert len(stale) == len(set(stale))
    assert _query(states[-1], limit) == _names(transport.send(request), limit)


# The weather chooses one of the views that explore tries.


@settings(max_examples=30, deadline=None)
@given(changes=st.lists(_change, min_size=1, max_size=5), seed=st.integers(0, 9))
def test_the_weather_shows_nothing_that_explore_does_not_try(
    changes: list[tuple[str, int | None]], seed: int
) -> None:
    db = DB.memory(App)
    transport = db._transport
    assert isinstance(transport, EmbeddedTransport)
    history = History(transport.engine, {"App": ("PK", "SK")}, Lagging(indexes=True, tables=True))
    weather = Scenario(
        name="test", throttling=False, index_lag_seconds=60, stale_seconds=60, seed=seed
    )
    lagging = Engine.memory(clock=lambda: 1e9, weather=weather)
    lagging.load(transport.engine.image())
    for step, (name, room) in enumerate(changes, start=1):
        write = Guest.delete(name=name) if room is None else Guest(name=name, room=room).put()
        request = next(write._steps(db._context))
        assert isinstance(request, Request)
        history.send(request, transport.send, step, PRESENT)
        lagging.answer(*request)
    reads: list[tuple[Request, int]] = [
        (Request("Query", {**_IN_ROOM, "Limit": 2}), 40),
        (Request("Scan", {"TableName": "App"}), 40),
        (Request("GetItem", {"TableName": "App", "Key": _key_of("a")}), 20),
    ]

    for request, times in reads:
        views = [PRESENT, *history.views(request, len(history.writes))]
        tried = [history.send(request, transport.send, 9, view) for view in views]
        for _ in range(times):
            answer = lagging.answer(*request)
            assert any(_result(answer) == _result(each) for each in tried)


def _result(answer: dict[str, Any]) -> tuple[Any, ...]:
    return (
        answer.get("Item"),
        list(answer.get("Items", ())),
        answer.get("LastEvaluatedKey"),
    )


def _key_of(name: str) -> dict[str, Any]:
    return {"PK": {"S": f"GUEST#{name}"}, "SK": {"S": "GUEST"}}


def test_both_read_earlier_states_through_one_class(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Versions] = []

    class Watched(LaggingReads):
        def __init__(self, db: Database, versions: Versions, view: View) -> None:
            super().__init__(db, versions, view)
            made.append(versions)

    for module in ("sortkey.engine.engine", "sortkey.explore.lag"):
        monkeypatch.setattr(f"{module}.LaggingReads", Watched)

    def put_and_look(db: DB) -> int:
        db(Guest(name="ann", room=7).put())
        return len(db(Guest.query(Guest.in_room, room=7)))

    db = DB.memory(App)
    exploring(db, lambda: put_and_look(db), invariant=lambda: True, index_lag=True)
    explored = len(made)
    put_and_look(DB.memory(App, weather="lagging-indexes"))

    assert explored > 0
    assert len(made) == explored + 1


def _names(answer: dict[str, Any], limit: int | None) -> tuple[Any, ...]:
    names = tuple(item["name"]["S"] for item in answer["Items"])
    return (*names, "more") if limit is not None and "LastEvaluatedKey" in answer else names


def _query(state: dict[str, int | None] | dict[str, int], limit: int | None) -> tuple[Any, ...]:
    found = sorted(name for name, room in state.items() if room == 1)
    page = tuple(found[:limit])
    return (*page, "more") if limit is not None and len(page) == limit else page
