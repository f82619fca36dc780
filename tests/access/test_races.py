"""Versions and unique values are correct in every order of requests, only due to their guards."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from types import ModuleType
from typing import Any, TypeAlias

import pytest
from tests.access.design import App, Coupon, Member, Ticket
from tests.access.executors import stored_items

from sortkey import DB, NotFound, NotUnique, TransactionFailed, VersionConflict
from sortkey.clock import clock
from sortkey.operations import delete, lock, put, update
from sortkey.testing import ExplorationFailed, Outcome, explore

START = int(time.time()) + 10_000

Step: TypeAlias = Callable[[DB], Any]
Invariant: TypeAlias = Callable[[DB, list[Outcome]], None]


@dataclass(frozen=True)
class Race:
    """The initial records, the concurrent callers, and what must hold afterwards.

    ``guarded`` lists the guards without which it would not hold.
    """

    before: Step
    calls: tuple[Step, ...]
    invariant: Invariant
    guarded: ModuleType


def moment(seconds: int) -> datetime:
    return datetime.fromtimestamp(START + seconds, UTC)


def at(seconds: int, step: Step) -> Step:
    """Return the operation at another time."""

    def timed(db: DB) -> Any:
        with clock(lambda: START + seconds):
            return step(db)

    return timed


# Unique values.


def member(member_id: str, email: str | None) -> Member:
    return Member(org_id="o", member_id=member_id, email=email)


def coupon(coupon_id: str, ends: int) -> Coupon:
    return Coupon(shop_id="s", coupon_id=coupon_id, code="X", expires=moment(ends))


def found(db: DB, member_id: str) -> Member:
    return db(Member.get(org_id="o", member_id=member_id).consistently().required())


def rename(member_id: str, email: str | None) -> Step:
    return lambda db: db(found(db, member_id).update().set(lambda m: m.email).to(email))


def held(now: int) -> Invariant:
    """Every live lock belongs to a live record with its value, and every such value has one."""

    def lives(item: dict[str, Any]) -> bool:
        return "expires" not in item or int(item["expires"]["N"]) > START + now

    def check(db: DB, _outcomes: list[Outcome]) -> None:
        living = [item for item in stored_items(db, App) if lives(item)]
        values = [
            (next(item[name]["S"] for name in ("email", "code") if name in item), item["SK"]["S"])
            for item in living
            if "email" in item or "code" in item
        ]
        locks = [
            (item["PK"]["S"].rpartition("#")[2], item["_owner"]["M"]["SK"]["S"])
            for item in living
            if item["PK"]["S"].startswith("UNIQUE#")
        ]
        assert sorted(values) == sorted(locks)

    return check


def load_coupon(db: DB) -> Coupon:
    return db(Coupon.get(shop_id="s", coupon_id="a").consistently().required())


def successor(coupon_id: str) -> Step:
    return lambda db: db(coupon(coupon_id, 50).create())


def extend(db: DB) -> None:
    db(load_coupon(db).update().set(lambda c: c.expires).to(moment(100)))


# Versions.


def ticket(db: DB) -> Ticket:
    return db(Ticket.get(org_id="o", ticket_id="t").consistently().required())


def vote(db: DB) -> None:
    loaded = ticket(db)
    db(loaded.update().set(lambda t: t.votes).to(loaded.votes + 1))


def vote_by_put(db: DB) -> None:
    loaded = ticket(db)
    db(loaded.model_copy(update={"votes": loaded.votes + 1}).put())


def vote_in_a_transaction(db: DB) -> None:
    loaded = ticket(db)
    db.transact(loaded.update().set(lambda t: t.votes).to(loaded.votes + 1))


def close_without_votes(db: DB) -> None:
    loaded = ticket(db)
    if loaded.votes == 0:
        db(loaded.delete())


def create_ticket(db: DB) -> None:
    db(Ticket(org_id="o", ticket_id="t").create())


def every_vote_counts(db: DB, outcomes: list[Outcome]) -> None:
    votes = sum(outcome.succeeded for outcome in outcomes)
    assert (ticket(db).votes, ticket(db).rev) == (votes, votes + 1)


def no_vote_is_deleted(db: DB, outcomes: list[Outcome]) -> None:
    voted = outcomes[0].succeeded
    assert voted == (db(Ticket.get(org_id="o", ticket_id="t")) is not None)


RACES = {
    "two creators of one value": Race(
        lambda _: None,
        (lambda db: db(member("a", "x").create()), lambda db: db(member("b", "x").create())),
        held(0),
        lock,
    ),
    "two changes to one value": Race(
        lambda db: db.transact(member("a", "x").create(), member("b", "y").create()),
        (rename("a", "z"), rename("b", "z")),
        held(0),
        lock,
    ),
    "a change away and a creator of what it leaves": Race(
        lambda db: db(member("a", "x").create()),
        (rename("a", None), lambda db: db(member("b", "x").create())),
        held(0),
        lock,
    ),
    "a change and a delete": Race(
        lambda db: db(member("a", "x").create()),
        (rename("a", "z"), lambda db: db(found(db, "a").delete())),
        held(0),
        delete,
    ),
    "two changes of one record": Race(
        lambda db: db(member("a", "x").create()),
        (rename("a", "y"), rename("a", "z")),
        held(0),
        update,
    ),
    "a change and a replacement": Race(
        lambda db: db(member("a", "x").create()),
        (
            rename("a", "y"),
            lambda db: db(member("a", "z").replace(before=found(db, "a"))),
        ),
        held(0),
        put,
    ),
    "a late extension and a successor": Race(
        at(0, lambda db: db(coupon("a", 10).create())),
        (at(5, extend), at(20, successor("b"))),
        held(20),
        lock,
    ),
    "a late delete and a successor": Race(
        at(0, lambda db: db(coupon("a", 10).create())),
        (
            at(5, lambda db: db(load_coupon(db).delete())),
            at(20, successor("b")),
        ),
        held(20),
        lock,
    ),
    "two successors of what has expired": Race(
        at(0, lambda db: db(coupon("a", 10).create())),
        tuple(at(20, lambda db, name=name: db(coupon(name, 50).create())) for name in ("b", "c")),
        held(20),
        lock,
    ),
    "two updates": Race(create_ticket, (vote, vote), every_vote_counts, update),
    "three updates": Race(create_ticket, (vote, vote, vote), every_vote_counts, update),
    "an update and a put": Race(create_ticket, (vote, vote_by_put), every_vote_counts, put),
    "an update and a transaction": Race(
        create_ticket, (vote, vote_in_a_transaction), every_vote_counts, update
    ),
    "an update and a delete": Race(
        create_ticket, (vote, close_without_votes), no_vote_is_deleted, delete
    ),
}
LOSING = (NotFound, NotUnique, TransactionFailed, VersionConflict)


def run(race: Race, *, mishaps: bool = False) -> None:
    with DB.memory(App) as db:
        race.before(db)

        def holds(outcomes: list[Outcome]) -> None:
            race.invariant(db, outcomes)
            # Of callers that only conflict with each other, one succeeds.
            assert mishaps or any(outcome.succeeded for outcome in outcomes)

        explored = explore(
            *(partial(call, db) for call in race.calls),
            db=db,
            invariant=holds,
            errors=LOSING,
            crashes=mishaps,
            lost_responses=mishaps,
        )
        assert explored.schedules > 1


@pytest.mark.parametrize("name", RACES)
def test_it_holds_in_every_order(name: str) -> None:
    run(RACES[name])


@pytest.mark.parametrize("name", RACES)
def test_it_fails_without_its_guards(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    race = RACES[name]
    guarded: Any = race.guarded
    action = guarded.action

    def unguarded(verb: str, kind: Any, key: Any, _guards: Any, **written: Any) -> Any:
        return action(verb, kind, key, (), **written)

    monkeypatch.setattr(guarded, "action", unguarded)

    with pytest.raises(ExplorationFailed):
        run(race)


@pytest.mark.parametrize("name", [name for name, race in RACES.items() if race.guarded is lock])
def test_no_crash_and_no_lost_response_leaves_a_lock_behind(name: str) -> None:
    run(RACES[name], mishaps=True)
