"""A sharded index reads as one partition, also while its count grows."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.access.executors import stored_items

from sortkey import DB, Collection, DesignError, Entity, Table, gsi


class Calls(Table, name="{environment}-Calls"):
    gsi1 = gsi("GSI1PK", "GSI1SK")


def calls(count: int) -> type[Any]:
    """The same entity, as designs with other counts of shards declare it."""
    # Not an entity of the table: only one of them would be a part of the design.
    before = list(Calls.definition.entities)
    Calls.definition.entities.clear()

    class Call(Entity, table=Calls, name="Call"):
        call_id: int
        room: str = "lobby"
        at: int = 0

        primary = Calls.primary.key("CALL#{call_id:06d}", "CALL")
        by_room = Calls.gsi1.key("ROOM#{room}", "{at:06d}", shards=count)

    Calls.definition.entities[:] = before
    return Call


ONE, FOUR, SIX, EIGHT = calls(1), calls(4), calls(6), calls(8)


@pytest.fixture
def db(opened: Callable[..., DB]) -> DB:
    return opened(Calls)


def fill(db: DB, call: type[Any], numbers: range) -> None:
    db.write_many(call(call_id=n, at=1000 - n).put() for n in numbers)


def partitions(db: DB) -> set[str]:
    return {item["GSI1PK"]["S"] for item in stored_items(db, Calls)}


def at(call: Any) -> Any:
    return call.at


def in_order(db: DB, call: type[Any]) -> list[int]:
    return [found.call_id for found in db(call.query(call.by_room, room="lobby"))]


@pytest.mark.parametrize(("before", "after"), [(ONE, FOUR), (FOUR, EIGHT), (FOUR, SIX), (ONE, SIX)])
def test_a_count_is_raised_while_entries_of_the_earlier_one_stay_where_they_are(
    db: DB, before: type[Any], after: type[Any]
) -> None:
    fill(db, before, range(30))
    assert in_order(db, after) == list(range(29, -1, -1))
    fill(db, after, range(30, 60))

    assert in_order(db, after) == list(range(59, -1, -1))
    query = after.query(after.by_room, room="lobby")
    assert db(query.count()) == 60
    assert [c.call_id for c in db.each(query.reverse())] == list(range(60))
    assert len(partitions(db)) == after.__kind__.keys["by_room"].shard_count


def test_a_change_to_the_key_moves_the_entry_and_leaves_none_behind(db: DB) -> None:
    fill(db, FOUR, range(30))

    for found in db(EIGHT.query(EIGHT.by_room, room="lobby")):
        db(found.update().set(at).to(found.call_id))

    assert in_order(db, EIGHT) == list(range(30))
    assert len(stored_items(db, Calls, "gsi1")) == 30
    assert len(partitions(db)) == 8


def test_a_record_is_in_the_shard_that_its_key_picks(db: DB) -> None:
    fill(db, FOUR, range(30))
    first = {item["PK"]["S"]: item["GSI1PK"]["S"] for item in stored_items(db, Calls)}
    fill(db, FOUR, range(30))

    assert first == {i["PK"]["S"]: i["GSI1PK"]["S"] for i in stored_items(db, Calls)}
    assert partitions(db) == {"ROOM#lobby", "ROOM#lobby#1", "ROOM#lobby#2", "ROOM#lobby#3"}


def test_pages_of_a_raised_count_join(db: DB) -> None:
    fill(db, ONE, range(20))
    fill(db, SIX, range(20, 40))
    query = SIX.query(SIX.by_room, room="lobby")

    seen: list[int] = []
    page = db(query.page(7))
    seen += [c.call_id for c in page]
    while page.cursor is not None:
        page = db(query.page(7, after=page.cursor))
        seen += [c.call_id for c in page]

    assert seen == list(range(39, -1, -1))


class Mixed(Table, name="{environment}-Mixed"):
    gsi1 = gsi("GSI1PK", "GSI1SK")


class Note(Entity, table=Mixed):
    note_id: int
    room: str
    primary = Mixed.primary.key("NOTE#{note_id:06d}", "NOTE")
    by_room = Mixed.gsi1.key("ROOM#{room}", "NOTE#{note_id:06d}")


class Guest(Entity, table=Mixed):
    guest_id: int
    room: str
    primary = Mixed.primary.key("GUEST#{guest_id:06d}", "GUEST")
    by_room = Mixed.gsi1.key("ROOM#{room}", "GUEST#{guest_id:06d}", shards=4)


class Room(Collection, index=Mixed.gsi1):
    notes: list[Note]
    guests: list[Guest]


def test_a_collection_reads_the_shards_of_all_its_entities(opened: Callable[..., DB]) -> None:
    db = opened(Mixed)
    db.write_many([Note(note_id=n, room="r").put() for n in range(9)])
    db.write_many([Guest(guest_id=n, room="r").put() for n in range(9)])

    room = db(Room.load(room="r"))

    assert [note.note_id for note in room.notes] == list(range(9))
    assert [guest.guest_id for guest in room.guests] == list(range(9))


def test_a_partition_without_a_text_of_its_own_is_not_sharded() -> None:
    with pytest.raises(DesignError, match="SK116 bad-shards"):

        class Bare(Entity, table=Mixed):  # pyright: ignore[reportUnusedClass]
            bare_id: str
            primary = Mixed.primary.key("BARE#{bare_id}", "BARE")
            by_id = Mixed.gsi1.key("{bare_id}", "BARE", shards=4)
