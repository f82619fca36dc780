"""A write that is created and never run is found; one that is run, or part of one, is not."""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from sortkey import DB, TTL, AsyncDB, Claim, Done, Entity, Op, Table, pattern, transact, write_many
from sortkey.testing.unrun import watched


class App(Table, ttl="expires"):
    """One table."""


class Counter(Entity, table=App):
    name: str
    count: int = 0
    other: int = 0
    expires: TTL | None = None
    primary = App.primary.key("COUNTER#{name}", "COUNTER")


class Payment(Claim[int], table=App):
    payment_id: str
    primary = App.primary.key("PAYMENT#{payment_id}", "PAYMENT")


@pattern("Count one more")
def count(name: str) -> Op[Counter]:
    return Counter.upsert(name=name).add(count=1)


ANN = Counter(name="ann")


def paid(db: DB) -> None:
    claim = db(Payment(payment_id="p").take(lease=timedelta(seconds=9)))
    db(claim.finish(3, ANN.put()))


RUN: dict[str, Callable[[DB], object]] = {
    "alone": lambda db: db(ANN.create()),
    "changed step by step": lambda db: db(
        Counter.upsert(name="a").set(lambda c: c.count).to(3).add(lambda c: c.other).by(1)
    ),
    "by a pattern": lambda db: db(count("a")),
    "in a transaction": lambda db: db.transact(ANN.create(), count("b")),  # pyright: ignore[reportArgumentType]
    "as a transaction": lambda db: db(transact(ANN.create())),
    "in a batch": lambda db: db.write_many([ANN.put(), Counter.delete(name="b")]),
    "at the same time": lambda db: db.all(ANN.put(), count("b")),
    "in a decision": lambda db: db.decide(lambda: ANN.put().returning(3)),
    "in a claim": paid,
    "only shown": lambda _: ANN.put().params(),
    "no write": lambda db: db(Counter.get(name="a")),
    "nothing to write": lambda db: db(Done(3)),
}


@pytest.mark.parametrize("run", RUN.values(), ids=RUN)
def test_what_is_run_is_not_reported(run: Callable[[DB], object]) -> None:
    db = DB.memory(App)
    with watched() as writes:
        run(db)

    assert writes.unrun() == []


def test_what_is_awaited_is_not_reported() -> None:
    async def run() -> None:
        async with AsyncDB.memory(App) as db:
            await db(ANN.create())
            await db.decide(lambda: count("ann"))

    with watched() as writes:
        asyncio.run(run())

    assert writes.unrun() == []


UNRUN: dict[str, tuple[Callable[[], Any], str]] = {
    "a put": (lambda: ANN.create(), '<Put Counter "COUNTER#ann / COUNTER">'),  # noqa: PLW0108
    "an update": (lambda: ANN.update().add(count=1), '<Update Counter "COUNTER#ann / COUNTER">'),
    "a delete": (lambda: ANN.delete().required(), '<Delete Counter "COUNTER#ann / COUNTER">'),
    "a pattern": (lambda: count("a"), '<Upsert Counter "COUNTER#a / COUNTER">'),
    "a transaction": (lambda: transact(ANN.create()), "<Transaction Counter"),
    "a batch": (lambda: write_many([ANN.put()]), "<BatchWrite Counter"),
    "a change without its value": (
        lambda: ANN.update().set(lambda c: c.count),
        "a SetTo without its value",
    ),
}


@pytest.mark.parametrize(("build", "shown"), UNRUN.values(), ids=UNRUN)
def test_what_is_never_run_is_reported_once_with_its_line(
    build: Callable[[], Any], shown: str
) -> None:
    with watched() as writes:
        build()

    [unrun] = writes.unrun()
    assert unrun.shown.startswith(shown)
    assert (unrun.file, unrun.line) == (__file__, build.__code__.co_firstlineno)


def test_a_write_at_the_place_of_a_freed_read_is_reported() -> None:
    db = DB.memory(App)

    for _ in range(20):
        with watched() as writes:
            db(Counter.scan())
            Counter.delete(name="u")
        assert len(writes.unrun()) == 1


def test_nothing_is_watched_outside_of_the_block() -> None:
    with watched() as writes:
        pass
    ANN.create()

    assert writes.unrun() == []
