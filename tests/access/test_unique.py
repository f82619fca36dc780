"""No two live records share a value of a unique field, whatever happens and in any order."""

import random
import time
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Annotated, Any

import pytest
from tests.access.design import App, Coupon, Member
from tests.access.executors import THREADED, Raw, put_item, stored_items

from sortkey import (
    DB,
    TTL,
    Entity,
    NotFound,
    NotUnique,
    RecordError,
    Refused,
    SortkeyError,
    Table,
    TransactionFailed,
    Version,
    VersionConflict,
    gsi,
    unique,
)
from sortkey.clock import clock

START = int(time.time()) + 10_000


@contextmanager
def at(seconds: float) -> Generator[None]:
    with clock(lambda: START + seconds):
        yield


def moment(seconds: int) -> datetime:
    return datetime.fromtimestamp(START + seconds, UTC)


def member(member_id: str = "a", email: str | None = "x@y", **fields: object) -> Member:
    return Member.model_validate({"org_id": "o", "member_id": member_id, "email": email} | fields)


def coupon(coupon_id: str = "a", code: str | None = "X", ends: int | None = None) -> Coupon:
    expires = None if ends is None else moment(ends)
    return Coupon(shop_id="s", coupon_id=coupon_id, code=code, expires=expires)


def holders(db: DB, now: float, entity: str, field: str) -> dict[str, str]:
    """Return the values of live locks, with the sort key of the owner."""
    start = f"UNIQUE#{entity}#{field}#"
    return {
        item["PK"]["S"].removeprefix(start): item["_owner"]["M"]["SK"]["S"]
        for item in stored_items(db, App)
        if item["PK"]["S"].startswith(start) and _lives(item, now)
    }


def values(db: DB, now: float, entity: str, field: str) -> dict[str, str]:
    """Return the values of live records, with their sort keys."""
    return {
        str(next(iter(item[field].values()))): item["SK"]["S"]
        for item in stored_items(db, App)
        if item["_type"]["S"] == entity and field in item and _lives(item, now)
    }


def _lives(item: dict[str, Any], now: float) -> bool:
    return "expires" not in item or int(item["expires"]["N"]) > START + now


def assert_sound(db: DB, now: float = 0) -> None:
    """Every live lock's owner is live and has that value, and every such value is locked."""
    for entity, field in (("Member", "email"), ("Member", "badge"), ("Coupon", "code")):
        assert holders(db, now, entity, field) == values(db, now, entity, field)


def test_a_value_is_taken_once(db: DB) -> None:
    db(member().create())
    with pytest.raises(NotUnique, match="another Member already has this email") as taken:
        db(member("b").create())
    assert taken.value.field == "email"
    assert db(Member.get(org_id="o", member_id="b")) is None
    assert_sound(db)


def test_each_unique_field_is_held_for_itself(db: DB) -> None:
    db(member(badge=1).create())
    with pytest.raises(NotUnique) as taken:
        db(member("b", "z@y", badge=1).create())
    assert taken.value.field == "badge"
    db(member("b", "1", badge=2).create())
    assert_sound(db)


def test_none_has_no_lock(db: DB) -> None:
    db(member("a", None).create())
    db(member("b", None).create())
    assert holders(db, 0, "Member", "email") == {}


def test_an_update_moves_the_value_and_frees_the_old_one(db: DB) -> None:
    loaded = db(member().create())
    changed = db(loaded.update().set(lambda m: m.email).to("z@y"))

    assert (changed.email, changed.rev) == ("z@y", 2)
    assert holders(db, 0, "Member", "email") == {"z@y": "MEMBER#a"}
    db(member("b").create())
    with pytest.raises(NotUnique):
        db(changed.update().set(lambda m: m.email).to("x@y"))
    assert_sound(db)


def test_setting_none_frees_the_value_and_so_does_remove(db: DB) -> None:
    loaded = db(member(badge=1).create())
    loaded = db(loaded.update().set(lambda m: m.email).to(None))
    loaded = db(loaded.update().remove(lambda m: m.badge))
    assert (loaded.email, loaded.badge) == (None, None)
    db(member("b", badge=1).create())
    assert_sound(db)


def test_setting_the_same_value_again_keeps_the_lock(db: DB) -> None:
    loaded = db(member().create())
    db(loaded.update().set(lambda m: m.email).to("x@y").set(lambda m: m.name).to("n"))
    assert_sound(db)


def test_two_records_swap_their_values_by_way_of_none(db: DB) -> None:
    one, other = db(member("a", "1").create()), db(member("b", "2").create())
    with pytest.raises(Refused, match="two operations of one transaction"):
        db.transact(
            one.update().set(lambda m: m.email).to("2"),
            other.update().set(lambda m: m.email).to("1"),
        )
    one = db(one.update().set(lambda m: m.email).to(None))
    other = db(other.update().set(lambda m: m.email).to("1"))
    db(one.update().set(lambda m: m.email).to("2"))
    assert_sound(db)


def test_a_change_beside_it_may_come_with_the_value(db: DB) -> None:
    loaded = db(member(tags={"t"}).create())
    changed = db(
        loaded.update()
        .set(lambda m: m.email)
        .to("z@y")
        .remove(lambda m: m.tags)
        .add(lambda m: m.logins)
        .by(1)
    )
    assert (changed.tags, changed.logins) == (set(), 1)
    assert_sound(db)


def test_a_replace_moves_the_value(db: DB) -> None:
    loaded = db(member().create())
    replaced = db(member(email="z@y", name="new").replace(before=loaded))
    assert (replaced.rev, replaced.name) == (2, "new")
    assert_sound(db)
    with pytest.raises(Refused, match=r"replace\(before=loaded\)"):
        db(member().replace())
    with pytest.raises(Refused, match="has a unique field"):
        db(member().put())


def test_a_delete_frees_the_value(db: DB) -> None:
    db(db(member().create()).delete())
    assert stored_items(db, App) == []
    db(db(member("b").create()).erase())
    assert stored_items(db, App) == []


def test_by_key_alone_neither_the_value_nor_the_record_is_touched(db: DB) -> None:
    db(coupon().create())
    key = {"shop_id": "s", "coupon_id": "a"}
    for write in (
        Coupon.update(**key).set(lambda c: c.code).to("Y"),
        Coupon.update(**key).set(lambda c: c.expires).to(moment(0)),
        Coupon.delete(**key),
        Coupon.erase(**key),
    ):
        with pytest.raises(Refused, match="load the Coupon and use loaded"):
            db(write)
    with pytest.raises(Refused, match="has a unique field"):
        db(Coupon.upsert(**key).add(lambda c: c.uses).by(1))
    assert db(Coupon.update(**key).add(lambda c: c.uses).by(1)).uses == 1
    assert_sound(db)


def test_a_number_is_not_added_to_while_it_is_unique(db: DB) -> None:
    loaded = db(member(badge=1).create())
    with pytest.raises(Refused, match=r"Member\.badge belongs to a unique lock"):
        db(loaded.update().add(lambda m: m.badge).by(1))
    assert_sound(db)


@pytest.mark.parametrize("way", ["update", "replace", "delete", "erase"])
def test_a_stale_copy_neither_frees_nor_takes_a_value(db: DB, way: str) -> None:
    stale = db(member("a", "1").create())
    db(stale.update().set(lambda m: m.email).to("2"))
    with pytest.raises(VersionConflict):
        db(
            {
                "update": stale.update().set(lambda m: m.email).to("3"),
                "replace": member("a", "3").replace(before=stale),
                "delete": stale.delete(),
                "erase": stale.erase(),
            }[way]
        )
    assert_sound(db)


@pytest.mark.parametrize("way", ["update", "replace", "delete", "erase"])
def test_a_stale_copy_without_a_version_does_not_either(db: DB, way: str) -> None:
    stale = db(coupon("a", "1").create())
    db(stale.update().set(lambda c: c.code).to("2"))
    with pytest.raises(VersionConflict):
        db(
            {
                "update": stale.update().set(lambda c: c.code).to("3"),
                "replace": coupon("a", "3").replace(before=stale),
                "delete": stale.delete(),
                "erase": stale.erase(),
            }[way]
        )
    assert_sound(db)


@pytest.mark.parametrize("way", ["update", "replace", "delete", "erase"])
def test_a_value_changed_in_memory_only_neither_frees_nor_takes_a_value(db: DB, way: str) -> None:
    loaded = db(member("a", "1").create())
    loaded.email = "2"  # never stored
    with pytest.raises(VersionConflict, match="a different email"):
        db(
            {
                "update": loaded.update().set(lambda m: m.email).to("3"),
                "replace": loaded.replace(before=loaded),
                "delete": loaded.delete(),
                "erase": loaded.erase(),
            }[way]
        )
    assert_sound(db)


def test_in_a_transaction_a_taken_value_is_the_failure_of_its_operation(db: DB) -> None:
    db(member().create())
    with pytest.raises(TransactionFailed) as failed:
        db.transact(coupon().create(), member("b").create())
    first, second = failed.value.failures
    assert first is None
    assert isinstance(second, NotUnique)
    assert second.field == "email"
    assert db(Coupon.get(shop_id="s", coupon_id="a")) is None
    assert_sound(db)


def test_two_records_of_one_transaction_do_not_take_one_value(db: DB) -> None:
    with pytest.raises(Refused, match="two operations of one transaction"):
        db.transact(member("a").create(), member("b").create())
    assert stored_items(db, App) == []


def test_a_lock_expires_with_its_record(db: DB) -> None:
    with at(0):
        db(coupon(ends=10).create())
        with pytest.raises(NotUnique):
            db(coupon("b").create())
    with at(10):
        db(coupon("b").create())
        assert_sound(db, 10)
        with pytest.raises(NotUnique):
            db(coupon("a").create())
        db(coupon("a", "Y").create())
        assert_sound(db, 10)


def test_changing_the_expiry_moves_that_of_the_lock(db: DB) -> None:
    with at(0):
        loaded = db(coupon(ends=10).create())
        loaded = db(loaded.update().set(lambda c: c.expires).to(moment(100)))
        assert_sound(db, 50)
    with at(50), pytest.raises(NotUnique):
        db(coupon("b").create())
    with at(60):
        loaded = db(loaded.update().remove(lambda c: c.expires))
        assert_sound(db, 10**6)
    with at(10**6), pytest.raises(NotUnique):
        db(coupon("b").create())
    with at(70):
        loaded = db(loaded.update().set(lambda c: c.expires).to(moment(80)))
        assert_sound(db, 79)
        assert_sound(db, 80)
        db(coupon("a", ends=90).replace(before=loaded))
        assert_sound(db, 85)
        assert_sound(db, 90)


def test_value_and_expiry_change_together(db: DB) -> None:
    with at(0):
        loaded = db(coupon(ends=10).create())
        loaded = db(
            loaded.update().set(lambda c: c.code).to("Y").set(lambda c: c.expires).to(moment(30))
        )
    with at(20):
        assert_sound(db, 20)
        assert holders(db, 20, "Coupon", "code") == {"Y": "COUPON#a"}


def test_an_expired_record_cannot_be_revived(db: DB) -> None:
    with at(0):
        loaded = db(coupon(ends=10).create())
    with at(10):
        db(coupon("b").create())
        for write in (
            loaded.update().set(lambda c: c.expires).to(None),
            coupon().replace(before=loaded),
            loaded.delete(),
            loaded.erase(),
        ):
            with pytest.raises(NotFound):
                db(write)
        assert_sound(db, 10)
        assert holders(db, 10, "Coupon", "code") == {"X": "COUPON#b"}


def test_a_lock_that_dynamodb_removed_first_is_not_missed(db: DB) -> None:
    loaded = db(coupon().create())
    gone = db(coupon("b", "Y").create())
    # As if both had expired, the lock was deleted, and the clock lags behind.
    db(
        Raw(
            "DeleteItem", App, {"Key": {"PK": {"S": "UNIQUE#Coupon#code#Y"}, "SK": {"S": "UNIQUE"}}}
        )
    )
    db(gone.delete())
    db(loaded.delete())
    assert stored_items(db, App) == []


def race(db: DB, writes: list[Any]) -> list[Any]:
    """Run them concurrently; return the result or error of each."""

    def outcome(write: Any) -> Any:
        try:
            return db(write)
        except SortkeyError as error:
            return error

    with ThreadPoolExecutor(len(writes)) as pool:
        return list(pool.map(outcome, writes))


@pytest.mark.parametrize("place", THREADED, indirect=True)
def test_of_concurrent_creates_one_wins(db: DB) -> None:
    for value in "123":
        outcomes = race(db, [member(f"{value}{n}", value).create() for n in range(8)])
        assert sum(isinstance(outcome, Member) for outcome in outcomes) == 1
        assert sum(isinstance(outcome, NotUnique) for outcome in outcomes) == 7
    assert_sound(db)


@pytest.mark.parametrize("place", THREADED, indirect=True)
def test_of_concurrent_updates_deletes_and_creates_every_outcome_is_sound(db: DB) -> None:
    for round_ in range(6):
        one = db(member(f"a{round_}", f"a{round_}").create())
        outcomes = race(
            db,
            [
                one.update().set(lambda m: m.email).to("wanted"),
                one.delete(),
                one.update().set(lambda m: m.name).to("n"),
                member(f"b{round_}", "wanted").create(),
                member(f"c{round_}", f"a{round_}").create(),
            ],
        )
        assert all(isinstance(o, Member | RecordError) for o in outcomes), outcomes
        assert_sound(db)
        for found in db(Member.query(org_id="o")):
            db(found.erase())
    assert stored_items(db, App) == []


@pytest.mark.parametrize("seed", range(3))
def test_no_history_leaves_a_lock_without_its_record_or_a_value_without_its_lock(
    db: DB, place: str, seed: int
) -> None:
    chance = random.Random(seed)
    copies: list[Coupon | Member] = []  # some of them stale
    now = 0.0
    done: dict[str, int] = {}
    for _ in range(60 if place in {"memory", "asynchronous"} else 25):
        now += chance.choice([0, 0, 1, 7])
        ends = None if chance.random() < 0.4 else moment(int(now) + chance.randint(1, 20))
        code = chance.choice(["1", "2", "3", None])
        name = chance.choice("abc")
        with at(now):
            try:
                found = db(_some_write(chance, copies, name, code, ends))
            except RecordError as error:
                found = error
            if isinstance(found, Coupon | Member):
                copies.append(found)
            done[type(found).__name__] = done.get(type(found).__name__, 0) + 1
            assert_sound(db, now)
    assert len(done) > 3, done


def _some_write(
    chance: random.Random,
    copies: list[Coupon | Member],
    name: str,
    code: str | None,
    ends: datetime | None,
) -> Any:
    whole: Coupon | Member = (
        Coupon(shop_id="s", coupon_id=name, code=code, expires=ends)
        if chance.random() < 0.5
        else member(name, code, badge=None if code is None else int(code), expires=ends)
    )
    if not copies or chance.random() < 0.4:
        return whole.create()
    one, what = chance.choice(copies[-4:]), chance.randint(0, 5)
    if what == 0:
        return one.delete()
    if what == 1:
        return one.erase()
    if isinstance(one, Coupon):
        match what:
            case 2:
                return one.model_copy(update={"code": code, "expires": ends}).replace(before=one)
            case 3:
                return one.update().set(lambda c: c.expires).to(ends)
            case _:
                return one.update().set(lambda c: c.code).to(code)
    match what:
        case 2:
            return one.model_copy(update={"email": code, "expires": ends}).replace(before=one)
        case 3:
            return one.update().set(lambda m: m.expires).to(ends)
        case _:
            return one.update().set(lambda m: m.email).to(code)


class Owned(Table, name="{environment}-Owned", type_attribute=None, partition="id", ttl="ends"):
    by_owner = gsi("owner")


class Thing(Entity, table=Owned):
    """A table without type attribute, with natural keys, and an index on "owner"."""

    id: str
    owner: str = "me"
    label: Annotated[str | None, unique] = "none yet"
    ends: TTL | None = None
    rev: Version = 0

    owned = Owned.by_owner.key()


def test_locks_do_not_show_in_a_table_without_types(opened: Callable[..., DB]) -> None:
    db = opened(Owned)
    things = [db(Thing(id=name, label=name).create()) for name in "ab"]
    assert sorted(db(Thing.scan()), key=lambda t: t.id) == things
    assert db(Thing.query(Thing.owned, owner="me").count()) == 2
    assert db(Thing.get(id="a")) == things[0]
    with pytest.raises(Refused, match="UNIQUE#"):
        Thing.get(id="UNIQUE#Thing#label#a")


def test_none_holds_no_lock_where_it_is_stored_as_null(opened: Callable[..., DB]) -> None:
    db = opened(Owned)
    for name in "ab":
        assert db(Thing(id=name, label=None).create()).label is None
    changed = db(db(Thing.get(id="a").required()).update().set(lambda t: t.label).to("x"))
    db(changed.update().set(lambda t: t.label).to(None))
    db(Thing(id="c", label="x").create())


def test_an_item_of_another_program_at_the_locks_key_is_respected(db: DB) -> None:
    put_item(db, App, {"PK": {"S": "UNIQUE#Coupon#code#X"}, "SK": {"S": "UNIQUE"}})
    with pytest.raises(NotUnique):
        db(coupon().create())
