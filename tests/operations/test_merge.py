"""Merging lanes: shards of one key, and the same records in two indexes."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from sortkey import DB, Entity, Refused, Table, gsi, merged, number
from sortkey.operations.walk import Walk


class Calls(Table, partition="id", type_attribute=None):
    by_caller = gsi("caller", number("at"))
    by_callee = gsi("callee", number("at"))
    lobby = gsi("LOBBY", "POSITION")


class Call(Entity, table=Calls):
    id: str
    caller: str
    callee: str
    at: int
    by_caller = Calls.by_caller.key()
    by_callee = Calls.by_callee.key()
    in_lobby = Calls.lobby.key("LOBBY", "{at:06d}", shards=3)


def calls_of(person: str) -> Walk[Call]:
    return merged(
        Call.query(Call.by_caller, caller=person).reverse(),
        Call.query(Call.by_callee, callee=person).reverse(),
        by=lambda call: call.at,
    )


def pages(db: DB, walk: Walk[Call], size: int) -> list[list[Call]]:
    found: list[list[Call]] = []
    cursor: str | None = None
    while True:
        page = db(walk.page(size, cursor))
        found.append(page.items)
        cursor = page.cursor
        if cursor is None:
            return found


people = st.sampled_from(["ann", "bob", "eve"])
histories = st.lists(st.tuples(people, people, st.integers(0, 9)), max_size=25)


@given(histories, st.integers(1, 7))
def test_pages_of_merged_queries_join_without_gaps_or_repeats(
    history: list[tuple[str, str, int]], size: int
) -> None:
    with DB.memory(Calls) as db:
        for n, (caller, callee, at) in enumerate(history):
            db(Call(id=f"c{n:02d}", caller=caller, callee=callee, at=at).put())

        found = pages(db, calls_of("ann"), size)

    joined = [call for page in found for call in page]
    expected = {
        f"c{n:02d}" for n, (caller, callee, _) in enumerate(history) if "ann" in {caller, callee}
    }
    assert sorted(call.id for call in joined) == sorted(expected)
    assert [call.at for call in joined] == sorted((call.at for call in joined), reverse=True)
    assert all(len(page) == size for page in found[:-1])


class Moment(BaseModel):
    at: int


def test_narrowed_queries_are_merged_too() -> None:
    with DB.memory(Calls) as db:
        for n, (caller, callee) in enumerate(["ab", "ca", "ac", "bc"]):
            db(Call(id=f"c{n}", caller=caller, callee=callee, at=n).put())

        page = db(
            merged(
                Call.query(Call.by_caller, caller="a").select(Moment),
                Call.query(Call.by_callee, callee="a").select(Moment),
                by=lambda moment: moment.at,
            ).page(9)
        )

    assert page.items == [Moment(at=0), Moment(at=1), Moment(at=2)]


@given(st.lists(st.integers(0, 99), max_size=30), st.integers(1, 7))
def test_a_sharded_key_reads_as_one(moments: list[int], size: int) -> None:
    with DB.memory(Calls) as db:
        for n, at in enumerate(moments):
            db(Call(id=f"c{n:02d}", caller="a", callee="b", at=at).put())
        lobby = Call.query(Call.in_lobby)

        assert [call.at for call in db(lobby)] == sorted(moments)
        assert [c.at for page in pages(db, lobby, size) for c in page] == sorted(moments)
        assert db(lobby.count()) == len(moments)
        latest = db(lobby.reverse().first())
        assert (latest.at if latest else None) == max(moments, default=None)


@pytest.mark.parametrize("first", [0, 60])
def test_all_records_are_paid_for_once_and_pages_for_about_twice(first: int) -> None:
    """Even if the first ones are all in one lane."""
    persons = ["ann", "bob", "eve"]
    with DB.memory(Calls) as db:
        for n in range(90):
            caller = "ann" if n < first else persons[n % 3]
            db(Call(id=f"c{n:02d}", caller=caller, callee="x", at=n).put())
        queries = [Call.query(Call.by_caller, caller=person) for person in persons]
        walk = merged(*queries, by=lambda call: call.at)

        with db.budget() as whole:
            assert [call.at for call in db(walk)] == list(range(90))
        with db.budget() as paged:
            assert [call.at for page in pages(db, walk, 30) for call in page] == list(range(90))

    assert sum(call.items_read for call in whole) == 90
    assert sum(call.items_read for call in paged) <= 2 * 90


# What happens between two pages: a call appears, vanishes, or moves to another time or person.
upheavals = st.lists(
    st.lists(
        st.tuples(st.sampled_from("+-"), st.integers(0, 39), people, people, st.integers(0, 9)),
        max_size=6,
    ),
    max_size=12,
)


@given(histories, upheavals, st.integers(1, 4), st.sampled_from(["merged", "sharded"]))
def test_what_keeps_its_place_appears_once_whatever_else_changes(
    history: list[tuple[str, str, int]],
    changes: list[list[tuple[str, int, str, str, int]]],
    size: int,
    kind: str,
) -> None:
    walk = calls_of("ann") if kind == "merged" else Call.query(Call.in_lobby)
    touched = {n for some in changes for _, n, *_ in some}
    with DB.memory(Calls) as db:
        for n, (caller, callee, at) in enumerate(history):
            db(Call(id=f"c{n:02d}", caller=caller, callee=callee, at=at).put())
        expected = {call.id for call in db(walk)} - {f"c{n:02d}" for n in touched}

        found: list[str] = []
        cursor: str | None = None
        upheaval = iter(changes)
        while True:
            page = db(walk.page(size, cursor))
            found += [call.id for call in page]
            cursor = page.cursor
            if cursor is None:
                break
            for change, n, caller, callee, at in next(upheaval, ()):
                if change == "-":
                    db(Call.delete(id=f"c{n:02d}"))
                else:
                    db(Call(id=f"c{n:02d}", caller=caller, callee=callee, at=at).put())

    unmoved = [name for name in found if int(name[1:]) not in touched]
    assert sorted(unmoved) == sorted(expected)


def test_shards_spread_the_entries_over_that_many_partitions() -> None:
    stored = [
        Call(id=f"c{n}", caller="a", callee="b", at=1).put().params()["Item"]["LOBBY"]["S"]
        for n in range(50)
    ]

    assert set(stored) == {"LOBBY", "LOBBY#1", "LOBBY#2"}


def test_a_sharded_query_asks_every_shard() -> None:
    steps = Call.query(Call.in_lobby).ge(at=5)._plan().steps

    assert [step.body("dev")["ExpressionAttributeValues"][":v0"]["S"] for step in steps] == [
        "LOBBY",
        "LOBBY#1",
        "LOBBY#2",
    ]


def test_an_update_keeps_a_record_in_its_shard() -> None:
    with DB.memory(Calls) as db:
        call = db(Call(id="c1", caller="a", callee="b", at=1).create())

        db(call.update().set(lambda c: c.at).to(7))

        assert [c.at for c in db(Call.query(Call.in_lobby))] == [7]


def test_a_record_in_both_indexes_is_returned_once() -> None:
    with DB.memory(Calls) as db:
        db(Call(id="c1", caller="ann", callee="ann", at=1).create())
        db(Call(id="c2", caller="ann", callee="bob", at=1).create())

        assert [call.id for page in pages(db, calls_of("ann"), 1) for call in page] in (
            ["c1", "c2"],
            ["c2", "c1"],
        )


def test_a_cursor_goes_on_after_what_it_points_at_is_gone() -> None:
    with DB.memory(Calls) as db:
        for n in range(6):
            caller, callee = ("ann", "bob") if n % 2 else ("bob", "ann")
            db(Call(id=f"c{n}", caller=caller, callee=callee, at=n).create())
        page = db(calls_of("ann").page(2))

        for call in page:
            db(call.delete())

        rest = db(calls_of("ann").page(10, page.cursor))
        assert [call.id for call in rest] == ["c3", "c2", "c1", "c0"]


def test_merging_opposite_directions_is_refused() -> None:
    forward: Any = Call.query(Call.by_caller, caller="ann")

    with pytest.raises(Refused, match="one direction"):
        merged(forward, Call.query(Call.by_callee, callee="ann").reverse(), by=lambda c: c.at)


class Board(Table):
    pass


class Post(Entity, table=Board):
    room: str
    number: int
    primary = Board.primary.key("ROOM#{room}", "POST#{number:06d}")


def rooms(*names: str) -> Walk[Post]:
    return merged(*(Post.query(room=name) for name in names), by=lambda post: post.number)


def test_consistently_is_meant_for_every_query() -> None:
    steps = rooms("a", "b").consistently()._plan().steps

    assert [step.consistent for step in steps] == [True, True]
    with pytest.raises(Refused, match="is a global index, which has no consistent reads"):
        calls_of("ann").consistently()


def test_what_cannot_be_merged_is_refused() -> None:
    with pytest.raises(Refused, match=r"merged\(\) needs at least one query"):
        merged(by=lambda post: post)
    with pytest.raises(Refused, match=r"in one direction: reverse all of them, or none"):
        merged(Post.query(room="a"), Post.query(room="b").reverse(), by=lambda post: post.number)
    with pytest.raises(Refused, match=r"takes no query with a limit\(\)"):
        merged(Post.query(room="a").limit(3), by=lambda post: post.number)


def test_an_order_that_is_not_that_of_the_queries_is_refused() -> None:
    walk = merged(
        Call.query(Call.by_caller, caller="ann"),
        Call.query(Call.by_callee, callee="ann"),
        by=lambda call: -call.at,
    )
    with DB.memory(Calls) as db:
        for n in range(3):
            db(Call(id=f"c{n}", caller="ann", callee="bob", at=n).put())

        with pytest.raises(Refused, match="in another order than that of by="):
            db(walk)
