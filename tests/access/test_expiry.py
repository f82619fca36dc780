"""An expired record counts as absent, though DynamoDB may still store it."""

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pydantic import BaseModel
from tests.access.design import App, Coupon, Member, Order, Visit
from tests.access.executors import stored_items

from sortkey import (
    DB,
    AlreadyExists,
    ConditionFailed,
    NotFound,
    TransactionFailed,
    merged,
    missing,
)
from sortkey.clock import clock

# Far enough in the future that no engine deletes anything by its own clock.
START = int(time.time()) + 10_000
KEY: dict[str, Any] = {"user_id": "u", "visit_id": "v"}


@contextmanager
def at(seconds: float) -> Generator[None]:
    with clock(lambda: START + seconds):
        yield


def moment(seconds: int) -> datetime:
    return datetime.fromtimestamp(START + seconds, UTC)


def visit(visit_id: str = "v", ends: int | None = 100, **fields: object) -> Visit:
    expires = None if ends is None else moment(ends)
    return Visit.model_validate({"user_id": "u", "visit_id": visit_id, "expires": expires} | fields)


def visit_id(found: Visit) -> str:
    return found.visit_id


@pytest.fixture
def stored(db: DB) -> DB:
    """One visit that ends at 100, one at 200, and one that never does."""
    with at(0):
        db(visit().create())
        db(visit("w", 200).create())
        db(visit("x", None).create())
    return db


def test_a_record_is_there_until_its_time_and_absent_from_then_on(stored: DB) -> None:
    with at(99.9):
        assert stored(Visit.get(**KEY)) == visit()
    with at(100):
        assert stored(Visit.get(**KEY)) is None
    assert len(stored_items(stored, App)) == 3


def test_it_is_found_with_expired_records_as_long_as_it_is_stored(stored: DB) -> None:
    class Shown(BaseModel):
        visit_id: str

    query, scan = Visit.query(user_id="u").with_expired(), Visit.scan().with_expired()

    with at(100):
        assert [found.visit_id for found in stored(query)] == ["v", "w", "x"]
        assert [found.visit_id for found in stored(query.select(Shown))] == ["v", "w", "x"]
        assert [stored(query.count()), stored(scan.count()), len(stored(scan))] == [3, 3, 3]
        assert len(stored(Visit.query(user_id="u"))) == 2

        both = merged(Visit.query(user_id="u"), Visit.query(user_id="nobody"), by=visit_id)
        assert [found.visit_id for found in stored(both)] == ["w", "x"]
        assert [found.visit_id for found in stored(both.with_expired())] == ["v", "w", "x"]


def test_it_is_absent_to_every_read(stored: DB) -> None:
    class Shown(BaseModel):
        visit_id: str

    query = Visit.query(user_id="u")
    by_device = Visit.query(Visit.by_device, device="phone")
    with at(150):
        assert stored(Visit.get(**KEY)) is None
        with pytest.raises(NotFound):
            stored(Visit.get(**KEY).required())
        assert [v.visit_id for v in stored(query)] == ["w", "x"]
        assert [v.visit_id for v in stored(by_device)] == ["w", "x"]
        assert [v.visit_id for v in stored(query.select(Shown))] == ["w", "x"]
        assert [v.visit_id for v in stored(query.page(2))] == ["w", "x"]
        assert [v.visit_id for v in stored(query.limit(1))] == ["w"]
        assert stored(query.first()) == visit("w", 200)
        assert stored(Visit.query(**KEY).one()) is None
        assert stored(query.count()) == 2
        assert {v.visit_id for v in stored(Visit.scan())} == {"w", "x"}
        assert {v.visit_id for v in stored.each(Visit.scan())} == {"w", "x"}
        parts = stored.all(*Visit.scan().segments(3))
        assert {v.visit_id for part in parts for v in part} == {"w", "x"}
        gets = [Visit.get(user_id="u", visit_id=name) for name in "vwx"]
        assert stored.get_many(gets) == [None, visit("w", 200), visit("x", None)]
        assert stored.snapshot(*gets) == (None, visit("w", 200), visit("x", None))


def test_it_is_absent_to_an_update(stored: DB) -> None:
    update = Visit.update(**KEY).add(lambda v: v.pages).by(1)
    with at(99):
        assert stored(update).pages == 1
        loaded = stored(Visit.get(**KEY).required())
    with at(100):
        with pytest.raises(NotFound):
            stored(Visit.update(**KEY).add(lambda v: v.pages).by(1))
        with pytest.raises(NotFound):
            stored(loaded.update().set(lambda v: v.expires).to(None))
        with pytest.raises(NotFound):
            stored(loaded.replace())


def test_it_is_absent_to_a_delete(stored: DB) -> None:
    with at(100):
        with pytest.raises(NotFound):
            stored(Visit.delete(**KEY).required())
        with pytest.raises(NotFound):
            stored(Visit.delete(**KEY).where(lambda v: v.pages == 0))
        assert stored(Visit.delete(**KEY)) is None
        assert stored(Visit.delete(user_id="u", visit_id="w")) == visit("w", 200)


def test_it_is_absent_to_a_check_and_to_the_other_actions_of_a_transaction(stored: DB) -> None:
    with at(100):
        for write in (
            Visit.check(**KEY),
            Visit.update(**KEY).add(lambda v: v.pages).by(1),
            Visit.delete(**KEY).required(),
            visit().replace(),
        ):
            with pytest.raises(TransactionFailed) as failed:
                stored.transact(write)
            assert isinstance(failed.value.failures[0], NotFound)
        stored.transact(Visit.check(**KEY).is_absent(), visit("y").create())
    with at(99), pytest.raises(TransactionFailed) as there:
        stored.transact(Visit.check(**KEY).is_absent())
    assert isinstance(there.value.failures[0], AlreadyExists)


def test_create_succeeds_over_it_and_nothing_of_it_is_left(stored: DB) -> None:
    with at(50), pytest.raises(AlreadyExists):
        stored(visit(device="tablet").create())
    with at(99):
        stored(Visit.update(**KEY).add(lambda v: v.pages).by(7))
    with at(100):
        stored(visit(device="tablet", ends=None).create())
        assert stored(Visit.get(**KEY)) == visit(device="tablet", ends=None)
        assert [v.visit_id for v in stored(Visit.query(Visit.by_device, device="tablet"))] == ["v"]


def test_create_over_it_succeeds_in_a_transaction(stored: DB) -> None:
    with at(100):
        stored.transact(visit(ends=500).create())
        assert stored(Visit.get(**KEY)) == visit(ends=500)


def test_an_upsert_over_it_makes_a_fresh_record(stored: DB) -> None:
    with at(50):
        upsert = Visit.upsert(**KEY).set(lambda v: v.device).to("watch")
        assert stored(upsert.add(lambda v: v.pages).by(5)).pages == 5
    with at(100):
        made = stored(Visit.upsert(**KEY).add(lambda v: v.pages).by(1))
        assert made == Visit(**KEY, pages=1)
        assert stored(Visit.get(**KEY)) == made
        assert [v.pages for v in stored(Visit.query(Visit.by_device, device="phone"))] == [1, 0, 0]
        assert stored(Visit.query(Visit.by_device, device="watch")) == []


def test_a_condition_of_an_upsert_treats_an_expired_record_as_absent(
    stored: DB,
) -> None:
    with at(100):
        upsert = Visit.upsert(**KEY).add(lambda v: v.pages).by(1)
        with pytest.raises(ConditionFailed):
            stored(upsert.where(lambda v: v.device == "phone"))
        assert stored(upsert.where(lambda v: missing(v.device))).pages == 1


def test_a_versioned_record_begins_again_at_1(db: DB) -> None:
    with at(0):
        member = db(Member(org_id="o", member_id="m", expires=moment(10)).create())
        db(member.update().set(lambda m: m.name).to("x"))
    with at(10):
        assert db(Member(org_id="o", member_id="m").create()).rev == 1


def test_a_put_of_a_new_versioned_record_succeeds_over_it(db: DB) -> None:
    with at(0):
        db(Coupon(shop_id="s", coupon_id="c", expires=moment(10)).create())
    with at(10):
        db(Coupon(shop_id="s", coupon_id="c", uses=3).create())
        found = db(Coupon.get(shop_id="s", coupon_id="c").required())
        assert (found.uses, found.expires) == (3, None)


def test_an_expiry_can_be_moved_and_removed_while_the_record_lives(stored: DB) -> None:
    with at(50):
        loaded = stored(Visit.get(**KEY).required())
        loaded = stored(loaded.update().set(lambda v: v.expires).to(moment(300)))
    with at(299):
        stored(loaded.update().remove(lambda v: v.expires))
    with at(10_000):
        assert stored(Visit.get(**KEY)) == visit(ends=None)


def test_an_expiry_keeps_whole_seconds(db: DB) -> None:
    with at(0):
        given = visit(ends=100)
        db(given.create())
        assert stored_items(db, App)[0]["expires"] == {"N": str(START + 100)}


def test_other_entities_of_the_table_are_not_concerned(db: DB) -> None:
    order = Order(org_id="u", order_id=1, placed=moment(0))
    with at(0):
        db(order.create())
    with at(10**9):
        assert db(Order.get(org_id="u", order_id=1)) == order


def test_pages_hold_full_numbers_of_living_records(opened: Callable[..., DB]) -> None:
    db = opened(App)
    with at(0):
        db.write_many(visit(f"{n:03d}", 10 if n % 3 else 1000, pages=n).put() for n in range(60))
    query = Visit.query(user_id="u")
    with at(20):
        seen: list[int] = []
        cursor: str | None = None
        while True:
            page = db(query.page(7, cursor))
            seen += [v.pages for v in page]
            cursor = page.cursor
            if cursor is None:
                break
            assert len(page) == 7
        assert seen == [n for n in range(60) if n % 3 == 0]


def test_a_time_long_past_is_as_absent(db: DB) -> None:
    gone = Visit(user_id="u", visit_id="v", expires=datetime.now(UTC) - timedelta(days=3000))
    db(gone.put())
    assert db(Visit.get(**KEY)) is None
    assert db(Visit(**KEY).create()) == Visit(**KEY)
