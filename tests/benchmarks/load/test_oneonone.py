"""The crowd of One-on-One reports violated guarantees."""

from datetime import UTC, datetime

import pytest
from benchmarks.load.oneonone import OneOnOne

from sortkey import DB
from sortkey_systems.oneonone.calling import end
from sortkey_systems.oneonone.design import Sessions, User, Users
from sortkey_systems.oneonone.queueing import join_and_match
from sortkey_systems.oneonone.registering import register


@pytest.fixture
def db() -> DB:
    """Yield a database in which Ann and Bob are in a call."""
    db = DB.memory(Users, Sessions)
    for name in ("ann", "bob"):
        register(db, name)
        join_and_match(db, name)
    return db


def faults(db: DB) -> list[str]:
    return list(OneOnOne().faults(db))


def test_a_call_and_its_end_are_as_they_should_be(db: DB) -> None:
    assert faults(db) == []
    user = next(iter(db.each(User.scan())))
    end(db, "ann", user.current_session or "")
    assert faults(db) == []


def test_a_call_that_its_people_do_not_know_is_found(db: DB) -> None:
    db(User.update(user_id="ann").remove(lambda user: user.current_session))

    assert "ann is in [], but the open calls are" in faults(db)[0]


def test_a_payment_that_is_lost_is_found(db: DB) -> None:
    db(User.update(user_id="ann").set(lambda user: user.points_left).to(3))

    assert faults(db) == ["ann has 3 points after 0 minutes"]


def test_a_user_who_waits_during_a_call_is_found(db: DB) -> None:
    waits = User.update(user_id="bob").set(lambda user: user.queue).to("WAITING")
    db(waits.set(lambda user: user.last_queue_entry).to(datetime(2030, 1, 1, tzinfo=UTC)))

    assert faults(db) == ["bob waits during a call"]
