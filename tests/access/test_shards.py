"""A sharded key is read as one partition, even while its count grows."""

from collections.abc import Callable, Iterator
from typing import Annotated, Any
from unittest.mock import patch
from zlib import crc32

import pytest
from tests.access.executors import put_item, stored_items

from sortkey import (
    DB,
    TTL,
    AlreadyExists,
    BadCursor,
    Collection,
    DesignError,
    Entity,
    Keyring,
    LocalKey,
    Refused,
    Table,
    Version,
    gsi,
    lsi,
    secret,
    unique,
)
from sortkey.access.backfill import Backfill
from sortkey.design.records.kind import EntityKind
from sortkey.testing import ExplorationFailed, Outcome, explore


class Calls(Table, name="{environment}-Calls"):
    gsi1 = gsi("GSI1PK", "GSI1SK")


def calls(count: int) -> type[Any]:
    """One entity as designs with different counts of shards declare it."""
    # Not an entity of the table, because only one of them can be part of the design.
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


def test_a_cursor_of_the_earlier_count_is_refused(db: DB) -> None:
    fill(db, ONE, range(20))
    page = db(ONE.query(ONE.by_room, room="lobby").page(7))

    with pytest.raises(BadCursor):
        db(SIX.query(SIX.by_room, room="lobby").page(7, after=page.cursor))


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


class Log(Table, name="{environment}-Log", ttl="expires"):
    by_text = lsi("LSI1SK")
    gsi1 = gsi("GSI1PK", "GSI1SK")


def entries(count: int, was: int | None = None) -> type[Any]:
    """One entity as designs with different shards of its primary key declare it."""
    before = list(Log.definition.entities)
    Log.definition.entities.clear()

    class Entry(Entity, table=Log, name="Entry"):
        day: int
        number: int
        text: Annotated[str | None, unique] = None
        views: int = 0
        rev: Version = 0
        expires: TTL | None = None

        primary = Log.primary.key("DAY#{day}", "{number:06d}", shards=count, was=was)
        by_text = Log.by_text.key(sort="TEXT#{text}")
        of_text = Log.gsi1.key("TEXT#{text}", "{number:06d}", shards=2)

    Log.definition.entities[:] = before
    return Entry


PLAIN, TWO, RAISED, FROM_TWO = entries(1), entries(2), entries(4, was=1), entries(6, was=2)
FINAL = entries(4)


@pytest.fixture
def log(opened: Callable[..., DB]) -> DB:
    return opened(Log)


def write(db: DB, entry: type[Any], numbers: range) -> None:
    for n in numbers:
        db(entry(day=7, number=n, text=f"t{n}").create())


def days(db: DB) -> set[str]:
    return {item["PK"]["S"] for item in stored_items(db, Log) if item["SK"] != {"S": "UNIQUE"}}


def moved(n: int) -> bool:
    """Return whether a record has another key with four shards than without shards."""
    return FINAL.get(day=7, number=n).params()["Key"]["PK"] != {"S": "DAY#7"}


MOVED = next(n for n in range(100) if moved(n))


class Names(Table):
    pass


class Named(Entity, table=Names):
    name: str
    number: int
    primary = Names.primary.key("NAME#{name}", "{number:02d}", shards=1000)


def test_a_record_keeps_its_shard_whichever_python_asks() -> None:
    # Not the repr of the key: for this character it differs between Python 3.11 and 3.12.
    name = "\U0001fae8"
    shard = crc32(f"S\0NAME#{name}\0S\x0007".encode()) % 1000

    key = Named.get(name=name, number=7).params()["Key"]

    assert key["PK"] == {"S": f"NAME#{name}#{shard}"}


def test_a_sharded_primary_key_spreads_a_partition_and_reads_as_one(log: DB) -> None:
    write(log, TWO, range(20))

    assert days(log) == {"DAY#7", "DAY#7#1"}
    assert [e.number for e in log(TWO.query(day=7))] == list(range(20))
    assert [e.number for e in log(TWO.query(day=7).reverse().consistently())] == [
        *range(19, -1, -1)
    ]
    assert [e.number for e in log(TWO.query(TWO.by_text, day=7))] == sorted(range(20), key=str)
    assert [e.number for e in log(TWO.query(TWO.of_text, text="t3"))] == [3]
    assert log(TWO.get(day=7, number=3).required()).text == "t3"
    loaded = log(TWO.get(day=7, number=3).required())
    assert log(loaded.update().set(text).to("other")).text == "other"
    log(log(TWO.get(day=7, number=3).required()).delete())
    assert log(TWO.get(day=7, number=3)) is None


def text(entry: Any) -> Any:
    return entry.text


def views(entry: Any) -> Any:
    return entry.views


@pytest.mark.parametrize(("before", "after"), [(PLAIN, RAISED), (TWO, FROM_TWO)])
def test_a_record_at_its_earlier_place_is_read_and_not_moved_by_that(
    log: DB, before: type[Any], after: type[Any]
) -> None:
    write(log, before, range(12))
    stored = stored_items(log, Log)
    gets = [after.get(day=7, number=n) for n in range(12)]

    assert [log(get).number for get in gets] == list(range(12))
    assert [e and e.number for e in log.get_many(gets)] == list(range(12))
    assert [e and e.number for e in log.snapshot(*gets)] == list(range(12))
    assert [e.number for e in log(after.query(day=7))] == list(range(12))
    assert log(after.get(day=7, number=99)) is None
    assert log.snapshot(after.get(day=7, number=99)) == (None,)
    assert stored_items(log, Log) == stored


@pytest.mark.parametrize("n", range(8))
def test_every_write_finds_the_only_record(log: DB, n: int) -> None:
    write(log, PLAIN, range(8))

    with pytest.raises(AlreadyExists):
        log(RAISED(day=7, number=n).create())
    assert log(RAISED.update(day=7, number=n).add(views).by(2)).rev == 2
    loaded = log(RAISED.get(day=7, number=n).required())
    assert log(loaded.update().set(text).to("other")).views == 2
    fresh = log(RAISED.get(day=7, number=n).required())
    log.transact(fresh.check(), RAISED(day=8, number=n).create())
    log(fresh.delete())

    assert log(RAISED.get(day=7, number=n)) is None
    assert [e.number for e in log(RAISED.query(day=7))] == [k for k in range(8) if k != n]
    locks = [i for i in stored_items(log, Log) if i["SK"] == {"S": "UNIQUE"}]
    assert len(locks) == 7


def test_a_record_that_was_loaded_before_is_written_after_it_moved(log: DB) -> None:
    write(log, PLAIN, range(MOVED, MOVED + 1))
    loaded = log(RAISED.get(day=7, number=MOVED).required())
    move_all(log)

    assert log(loaded.update().set(views).to(9)).views == 9
    assert log(RAISED.get(day=7, number=MOVED).required()).views == 9


def test_a_record_from_before_there_was_a_version_moves_and_gets_one(log: DB) -> None:
    write(log, PLAIN, range(MOVED, MOVED + 1))
    [item] = [i for i in stored_items(log, Log) if i["SK"] != {"S": "UNIQUE"}]
    del item["rev"]
    put_item(log, Log, item)

    loaded = log(RAISED.get(day=7, number=MOVED).required())

    assert loaded.rev == 0
    assert log(loaded.update().set(views).to(9)).rev == 1


def test_a_back_fill_moves_every_record_with_its_locks_and_entries(log: DB) -> None:
    write(log, PLAIN, range(20))

    *_, done = Backfill(log, [RAISED]).run()
    *_, again = Backfill(log, [RAISED]).run()

    assert (done.failed, again.rewritten, again.current) == (0, 0, 20)
    assert days(log) == {"DAY#7", "DAY#7#1", "DAY#7#2", "DAY#7#3"}
    found = log(FINAL.query(day=7))
    assert [e.number for e in found] == list(range(20))
    assert {e.rev for e in found} == {1}
    for n in range(20):
        loaded = log(FINAL.get(day=7, number=n).required())
        log(loaded.update().set(text).to(f"u{n}"))
    assert [e.text for e in log(FINAL.query(day=7))] == [f"u{n}" for n in range(20)]
    assert len([i for i in stored_items(log, Log) if i["SK"] == {"S": "UNIQUE"}]) == 20


def test_two_records_at_two_places_are_reported_and_left(log: DB) -> None:
    log(PLAIN(day=7, number=MOVED).create())
    log(FINAL(day=7, number=MOVED, views=3).create())

    *_, done = Backfill(log, [RAISED]).run()

    assert done.failed == 1
    assert "under its earlier key: delete one of them" in done.failures[0].reason
    with pytest.raises(Refused, match="delete one of them"):
        log(RAISED.update(day=7, number=MOVED).add(views).by(1))


def move_all(db: DB) -> None:
    for _ in Backfill(db, [RAISED]).run():
        pass


def raise_views(db: DB) -> None:
    db(RAISED.update(day=7, number=MOVED).add(views).by(1))


def change_text(db: DB) -> None:
    loaded = db(RAISED.get(day=7, number=MOVED).required())
    db(loaded.update().set(text).to("changed"))


def nothing_said(*_: Any) -> Iterator[None]:
    yield from ()


def only_one(db: DB) -> Any:
    [entry] = db(RAISED.scan())
    [lock] = [i for i in stored_items(db, Log) if i["SK"] == {"S": "UNIQUE"}]
    assert lock["PK"] == {"S": f"UNIQUE#Entry#text#{entry.text}"}
    return entry


@pytest.mark.parametrize("settles", [True, False])
def test_a_change_meets_the_move_and_neither_is_lost(settles: bool) -> None:
    with DB.memory(Log) as db:
        write(db, PLAIN, range(MOVED, MOVED + 1))
        calls = (lambda: move_all(db), lambda: raise_views(db))

        def raised() -> bool:
            return only_one(db).views == 1

        if settles:
            explore(*calls, db=db, invariant=raised, crashes=False, lost_responses=False)
            return
        with (
            patch.object(EntityKind, "settle", nothing_said),
            pytest.raises(ExplorationFailed),
        ):
            explore(*calls, db=db, invariant=raised, crashes=False, lost_responses=False)


@pytest.mark.acceptance
def test_a_change_of_a_lock_meets_the_move_and_crashes() -> None:
    with DB.memory(Log) as db:
        write(db, PLAIN, range(MOVED, MOVED + 1))
        explore(
            lambda: move_all(db), lambda: change_text(db), db=db, invariant=lambda: only_one(db)
        )


def test_no_second_record_is_created_while_the_first_moves() -> None:
    with DB.memory(Log) as db:
        write(db, PLAIN, range(MOVED, MOVED + 1))

        def create() -> None:
            db(RAISED(day=7, number=MOVED, text="second").create())

        explore(lambda: move_all(db), create, db=db, invariant=lambda: only_one(db))


def diaries(count: int, was: int | None = None) -> type[Any]:
    before = list(Log.definition.entities)
    Log.definition.entities.clear()

    class Diary(Entity, table=Log, name="Diary"):
        day: int
        number: int
        page: Annotated[str, secret]

        primary = Log.primary.key("DIARY#{day}", "{number:06d}", shards=count, was=was)

    Log.definition.entities[:] = before
    return Diary


def test_a_secret_is_encrypted_again_for_the_place_that_it_moves_to(
    opened: Callable[..., DB],
) -> None:
    db = opened(Log, secrets=Keyring(LocalKey("k", bytes(range(32)))))
    plain, raised, final = diaries(1), diaries(4, was=1), diaries(4)
    for n in range(8):
        db(plain(day=1, number=n, page=f"dear {n}").create())
    sealed = {item["SK"]["S"]: item["page"] for item in stored_items(db, Log)}

    assert db(raised.get(day=1, number=5).required()).page == "dear 5"
    for _ in Backfill(db, [raised]).run():
        pass

    assert [diary.page for diary in db(final.query(day=1))] == [f"dear {n}" for n in range(8)]
    moved = [i for i in stored_items(db, Log) if i["PK"] != {"S": "DIARY#1"}]
    assert moved
    assert all(item["page"] != sealed[item["SK"]["S"]] for item in moved)


def was_read(outcomes: list[Outcome]) -> bool:
    return outcomes[1].result is not None


def test_a_get_never_misses_a_record_that_moves() -> None:
    with DB.memory(Log) as db:
        write(db, PLAIN, range(MOVED, MOVED + 1))

        def get() -> Any:
            return db(RAISED.get(day=7, number=MOVED))

        explore(lambda: move_all(db), get, db=db, invariant=was_read, crashes=False)


def test_in_the_other_order_a_get_would_miss_it() -> None:
    with DB.memory(Log) as db:
        write(db, PLAIN, range(MOVED, MOVED + 1))

        def get() -> Any:
            here = db(FINAL.get(day=7, number=MOVED).consistently())
            return here or db(PLAIN.get(day=7, number=MOVED).consistently())

        with pytest.raises(ExplorationFailed):
            explore(lambda: move_all(db), get, db=db, invariant=was_read, crashes=False)


def bad_shards() -> dict[str, Callable[[], object]]:
    def inverted() -> None:
        class Inverted(Entity, table=Swapped):  # pyright: ignore[reportUnusedClass]
            day: str
            number: int
            primary = Swapped.primary.key("DAY#{day}", "{number:06d}", shards=2)
            swapped = Swapped.gsi1.key()

    def shrunk() -> None:
        entries(2, was=4)

    def index_was() -> None:
        class Was(Entity, table=Mixed):  # pyright: ignore[reportUnusedClass]
            was_id: str
            primary = Mixed.primary.key("WAS#{was_id}", "WAS")
            by_id = Mixed.gsi1.key("WAS#{was_id}", "WAS", shards=4, was=2)

    def colliding() -> None:
        class Scan(Entity, table=Swapped):  # pyright: ignore[reportUnusedClass]
            bay: int
            number: int
            primary = Swapped.primary.key("BAY#{bay}", "{number:06d}", shards=2)

        class Slot(Entity, table=Swapped):  # pyright: ignore[reportUnusedClass]
            bay: int
            slot: int
            number: int
            primary = Swapped.primary.key("BAY#{bay}#{slot}", "{number:06d}")

    return {f.__name__: f for f in (inverted, shrunk, index_was, colliding)}


class Swapped(Table, name="{environment}-Swapped"):
    gsi1 = gsi("SK", "PK")


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("inverted", "SK116.*contains the number of a shard"),
        ("shrunk", "SK116.*was=4 is not possible"),
        ("index_was", "SK116.*was=2 is not possible"),
        ("colliding", "SK101.*can have the same key"),
    ],
)
def test_what_shards_cannot_keep_is_refused(fault: str, message: str) -> None:
    with pytest.raises(DesignError, match=message):
        bad_shards()[fault]()
