"""Pages are full until the data ends, without gaps or repeats between them."""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from typing import Any, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel
from tests.access.executors import Counted

from sortkey import DB, TTL, Collection, Entity, Refused, Table, gsi, merged
from sortkey.clock import clock
from sortkey.operations.walk import Walk

R = TypeVar("R")

# Far enough in the future that no engine deletes anything by its own clock.
START = int(time.time()) + 10_000


class Calls(Table, name="{environment}-Calls", ttl="ends"):
    gsi1 = gsi("GSI1PK", "GSI1SK")
    gsi2 = gsi("GSI2PK", "GSI2SK")
    gsi3 = gsi("GSI3PK", "GSI3SK")


class Call(Entity, table=Calls):
    team: str
    call_id: int
    caller: str
    callee: str
    at: int
    answered: bool = True
    memo: str = ""
    ends: TTL | None = None

    primary = Calls.primary.key("TEAM#{team}", "CALL#{call_id:04d}")
    by_caller = Calls.gsi1.key("CALLER#{caller}", "{at:04d}")
    by_callee = Calls.gsi2.key("CALLEE#{callee}", "{at:04d}")
    recent = Calls.gsi3.key("RECENT", "{at:04d}", shards=3)


class Note(Entity, table=Calls):
    """Something else in the same partition."""

    team: str
    call_id: int

    primary = Calls.primary.key("TEAM#{team}", "CALL#{call_id:04d}#NOTE")


class Team(Collection):
    calls: list[Call]
    notes: list[Note]


class Moment(BaseModel):
    at: int


def recent() -> Walk[Call]:
    return Call.query(Call.recent)


def of_ann() -> Walk[Call]:
    return merged(
        Call.query(Call.by_caller, caller="ann").reverse(),
        Call.query(Call.by_callee, callee="ann").reverse(),
        by=lambda call: call.at,
    )


WALKS: dict[str, Callable[[], Walk[Any]]] = {
    "query": lambda: Call.query(team="t"),
    "reversed": lambda: Call.query(team="t").reverse(),
    "range": lambda: Call.query(team="t").ge(call_id=4),
    "index": lambda: Call.query(Call.by_caller, caller="ann"),
    "filter": lambda: Call.query(team="t").where(lambda c: c.answered == True),  # noqa: E712 - a condition
    "shape": lambda: Call.query(Call.by_caller, caller="ann").select(Moment),
    "scan": Call.scan,
    "scan with a filter": lambda: Call.scan().where(lambda c: c.caller == "ann"),
    "segment": lambda: Call.scan().segments(2)[0],
    "other segment": lambda: Call.scan().segments(2)[1],
    "shards": recent,
    "shards reversed": lambda: Call.query(Call.recent).reverse(),
    "shards with a filter": lambda: Call.query(Call.recent).where(lambda c: c.caller == "ann"),
    "merged": of_ann,
}


def later() -> AbstractContextManager[None]:
    """A time at which some calls have expired."""
    return clock(lambda: START + 50)


def call(number: int, **fields: object) -> Call:
    whole = {"team": "t", "call_id": number, "caller": "ann", "callee": "bob", "at": number}
    return Call.model_validate(whole | fields)


def crowd(db: DB) -> list[Call]:
    """Store twenty calls among notes, a third of them expired; return the live, answered ones."""
    made = [
        call(
            n,
            caller="ann" if n % 2 else "bob",
            callee="ann" if n % 4 else "eve",
            at=n // 2,
            answered=n % 5 != 0,
            ends=datetime.fromtimestamp(START + (10 if n % 3 == 0 else 100), UTC),
        )
        for n in range(20)
    ]
    notes = [Note(team="t", call_id=n) for n in range(0, 20, 2)]
    with clock(lambda: START):
        db.write_many([record.put() for record in (*made, *notes)])
    return [one for one in made if one.call_id % 3]


def pages(db: DB, walk: Walk[R], size: int) -> list[list[R]]:
    found: list[list[R]] = []
    cursor: str | None = None
    while True:
        page = db(walk.page(size, cursor))
        found.append(page.items)
        cursor = page.cursor
        if cursor is None:
            return found


@pytest.mark.parametrize("name", WALKS)
def test_pages_of_every_size_join_to_the_whole(opened: Callable[..., DB], name: str) -> None:
    db = opened(Calls)
    crowd(db)
    with later():
        whole = db(WALKS[name]())
        for size in (*range(1, 6), len(whole) or 1, len(whole) + 1, 1000):
            found = pages(db, WALKS[name](), size)
            assert [record for page in found for record in page] == whole
            assert all(len(page) == size for page in found[:-1])


def test_the_whole_is_every_living_record_in_order(opened: Callable[..., DB]) -> None:
    db = opened(Calls)
    living = crowd(db)
    with later():
        assert db(Call.query(team="t")) == living
        assert db(Call.query(team="t").reverse()) == living[::-1]
        answered = [one for one in living if one.answered]
        assert db(WALKS["filter"]()) == answered
        assert sorted(db(Call.scan()), key=lambda c: c.call_id) == living
        halves = [one for half in db.all(*Call.scan().segments(2)) for one in half]
        assert sorted(halves, key=lambda c: c.call_id) == living
        assert [c.at for c in db(recent())] == [c.at for c in living]
        anns = {c.call_id for c in living if "ann" in {c.caller, c.callee}}
        merged_ = db(of_ann())
        assert {c.call_id for c in merged_} == anns
        assert len(merged_) == len(anns)
        assert [c.at for c in merged_] == sorted((c.at for c in merged_), reverse=True)


PEOPLE = st.sampled_from(["ann", "bob", "eve"])
HISTORIES = st.lists(
    st.tuples(PEOPLE, PEOPLE, st.integers(0, 9), st.booleans(), st.booleans()), max_size=20
)


@given(HISTORIES, st.sampled_from(sorted(WALKS)), st.integers(1, 8))
def test_pages_join_whatever_is_stored(
    history: list[tuple[str, str, int, bool, bool]], name: str, size: int
) -> None:
    with DB.memory(Calls) as db:
        for n, (caller, callee, at, answered, over) in enumerate(history):
            ends = datetime.fromtimestamp(START + 10, UTC) if over else None
            one = call(n, caller=caller, callee=callee, at=at, answered=answered, ends=ends)
            db(one.put())
        with later():
            found = pages(db, WALKS[name](), size)
            assert [record for page in found for record in page] == db(WALKS[name]())
            assert all(len(page) == size for page in found[:-1])


def rejecting(db: DB) -> Walk[Call]:
    """A query of thirty calls, with a filter that matches only the last two."""
    db.write_many([call(n, answered=n > 27).put() for n in range(30)])
    return Call.query(team="t").where(lambda c: c.answered == True)  # noqa: E712 - a condition


def test_a_page_that_is_hard_to_fill_is_short_with_a_cursor(opened: Callable[..., DB]) -> None:
    db = opened(Calls)
    query = rejecting(db)
    lengths: list[int] = []
    cursor: str | None = None
    while True:
        page, requests = db(Counted(query.page(2, cursor, requests=1)))
        assert requests == 1
        lengths.append(len(page))
        cursor = page.cursor
        if cursor is None:
            break

    # Three items for each request: two for the page, and one to see whether more follow.
    assert lengths[:9] == [0] * 9
    assert sum(lengths) == 2


def test_with_a_larger_budget_the_page_is_full(opened: Callable[..., DB]) -> None:
    db = opened(Calls)
    page, requests = db(Counted(rejecting(db).page(2)))

    assert [c.call_id for c in page] == [28, 29]
    assert 1 < requests <= 10


@pytest.mark.parametrize("name", ["shards", "merged"])
def test_every_lane_of_a_merged_page_keeps_to_the_budget(
    opened: Callable[..., DB], name: str
) -> None:
    db = opened(Calls)
    # One live call among many expired ones, repeatedly.
    ends = datetime.fromtimestamp(START + 10, UTC)
    db.write_many(
        [
            call(
                n, caller=f"{'ann' if n % 2 else 'bob'}", callee="ann", ends=ends if n % 9 else None
            ).put()
            for n in range(60)
        ]
    )
    lanes = 3 if name == "shards" else 2
    seen: list[int] = []
    cursor: str | None = None
    with later():
        while True:
            page, requests = db(Counted(WALKS[name]().page(3, cursor, requests=2)))
            assert requests <= 2 * lanes
            seen += [one.at for one in page]
            cursor = page.cursor
            if cursor is None:
                break

    expected = [n for n in range(60) if n % 9 == 0]
    assert seen == (expected if name == "shards" else expected[::-1])


def test_no_records_make_one_empty_page(opened: Callable[..., DB]) -> None:
    db = opened(Calls)
    for make in WALKS.values():
        page = db(make().page(3))
        assert (page.items, page.cursor) == ([], None)


def test_a_range_that_nothing_can_lie_in_is_an_empty_page(opened: Callable[..., DB]) -> None:
    db = opened(Calls)
    db(call(1).put())
    page, requests = db(Counted(Call.query(team="t").between(call_id=(5, 4)).page(3)))

    assert (page.items, page.cursor, requests) == ([], None, 0)


def test_a_page_of_no_records_is_refused() -> None:
    with pytest.raises(Refused, match=r"the size of page\(\) must be at least 1, not 0"):
        Call.scan().page(0)
    with pytest.raises(Refused, match=r"requests of page\(\) must be at least 1, not 0"):
        Call.scan().page(1, requests=0)


def test_each_gives_what_pages_give(opened: Callable[..., DB]) -> None:
    db = opened(Calls)
    crowd(db)
    with later():
        for make in WALKS.values():
            assert list(db.each(make())) == db(make())


def test_a_collection_is_whole_over_many_requests(opened: Callable[..., DB]) -> None:
    """A Query returns at most a megabyte."""
    db = opened(Calls)
    db.write_many([call(n, memo="m" * 90_000).put() for n in range(24)])
    db.write_many([Note(team="t", call_id=n).put() for n in range(24)])

    team, requests = db(Counted(Team.load(team="t")))

    assert requests > 1
    assert [c.call_id for c in team.calls] == [n.call_id for n in team.notes] == [*range(24)]
