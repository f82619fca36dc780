"""Calls are observed with their units, requests and retries, and never with a value."""

import asyncio
import logging
from collections.abc import Iterator
from typing import Any

import pytest

from sortkey import (
    DB,
    AlreadyExists,
    AsyncDB,
    Call,
    Entity,
    NotFound,
    Op,
    OverBudget,
    Retries,
    Table,
    gsi,
    pattern,
)
from sortkey.wire.errors import ThrottlingException
from sortkey.wire.messages import Request


class Diary(Table):
    gsi1 = gsi("GSI1PK", "GSI1SK")


class Entry(Entity, table=Diary):
    owner: str
    number: int
    text: str = ""

    primary = Diary.primary.key("OWNER#{owner}", "ENTRY#{number:04d}")
    by_number = Diary.gsi1.key("NUMBER#{number:04d}", "{owner}")


@pattern("What one owner wrote")
def entries_of(owner: str) -> Op[list[Entry]]:
    return Entry.query(owner=owner).where(lambda e: e.text != "hidden")


@pytest.fixture
def calls() -> list[Call]:
    return []


@pytest.fixture
def db(calls: list[Call]) -> Iterator[DB]:
    settings = Retries(base=0.0)
    with DB.memory(Diary, observers=[calls.append], retries=settings) as opened:
        yield opened


def written(db: DB, calls: list[Call], *texts: str) -> None:
    for number, text in enumerate(texts):
        db(Entry(owner="ann", number=number, text=text).put())
    calls.clear()


def test_a_call_has_its_pattern_its_units_and_its_items(db: DB, calls: list[Call]) -> None:
    written(db, calls, "one", "hidden", "three")

    db(entries_of("ann"))

    [call] = calls
    assert (call.pattern, call.operation) == ("entries_of", "Query")
    assert (call.read_units, call.write_units) == (0.5, 0)
    assert (call.items_read, call.items_returned) == (3, 2)
    assert call.retries == 0
    assert call.error is None
    [exchange] = call.exchanges
    assert (exchange.operation, exchange.tables, exchange.index) == ("Query", ("Diary",), None)


def test_writes_count_as_writes_with_their_indexes(db: DB, calls: list[Call]) -> None:
    db(Entry(owner="ann", number=1).create())

    assert (calls[0].read_units, calls[0].write_units) == (0, 2)


def test_every_way_of_reading_counts_its_items(db: DB, calls: list[Call]) -> None:
    written(db, calls, "a", "b", "c")
    gets = [Entry.get(owner="ann", number=number) for number in (0, 1, 9)]

    db(gets[0])
    db(gets[2])
    db.get_many(gets)
    db.snapshot(*gets)
    list(db.each(Entry.query(owner="ann")))
    db(Entry.query(Entry.by_number, number=1))

    assert [(c.operation, c.items_returned) for c in calls] == [
        ("Get", 1),
        ("Get", 0),
        ("BatchGet", 2),
        ("Snapshot", 2),
        ("ReadChunk", 3),
        ("Query", 1),
    ]
    assert [call.read_units for call in calls] == [0.5, 0.5, 1.5, 6.0, 0.5, 0.5]
    assert calls[-1].exchanges[0].index == "gsi1"


def test_a_failed_call_has_the_name_of_its_error(db: DB, calls: list[Call]) -> None:
    with pytest.raises(NotFound):
        db(Entry.get(owner="ann", number=1).required())
    with pytest.raises(NotFound):
        db(Entry.update(owner="ann", number=1).set(lambda e: e.text).to("x"))

    assert [(call.error, call.exchanges[0].error) for call in calls] == [
        ("NotFound", None),
        ("NotFound", "ConditionalCheckFailedException"),
    ]


def test_a_call_that_is_interrupted_is_reported_before_the_error_is_caught(
    db: DB, calls: list[Call], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_: Request) -> dict[str, Any]:
        raise KeyboardInterrupt

    monkeypatch.setattr(db._transport, "send", interrupted)
    errors: list[str | None] = []

    try:
        db(Entry.get(owner="ann", number=1))
    except KeyboardInterrupt:
        errors = [call.error for call in calls]

    assert errors == ["KeyboardInterrupt"]


def test_a_call_that_is_cancelled_is_reported_at_once(
    calls: list[Call], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def cancelled() -> list[str | None]:
        async with AsyncDB.memory(Diary, observers=[calls.append]) as db:
            await db.ready()

            async def silent(_: Request) -> dict[str, Any]:
                await asyncio.sleep(60)
                return {}

            monkeypatch.setattr(db._transport, "send", silent)
            waiting = asyncio.create_task(db(Entry.get(owner="ann", number=1)))
            await asyncio.sleep(0)
            waiting.cancel()
            try:
                await waiting
            except asyncio.CancelledError:
                return [call.error for call in calls]
            return []

    assert asyncio.run(cancelled()) == ["CancelledError"]


def test_a_retry_is_an_exchange_of_its_own(
    db: DB, calls: list[Call], monkeypatch: pytest.MonkeyPatch
) -> None:
    carried, refusals = db._transport.send, 2

    def throttled(request: Request) -> dict[str, Any]:
        nonlocal refusals
        if refusals:
            refusals -= 1
            raise ThrottlingException("slow down")
        return carried(request)

    monkeypatch.setattr(db._transport, "send", throttled)

    db(Entry(owner="ann", number=1).put())

    [call] = calls
    assert call.retries == 2
    assert [e.error for e in call.exchanges] == ["ThrottlingException", "ThrottlingException", None]
    assert call.write_units == 2


def test_a_transaction_names_its_tables_once(db: DB, calls: list[Call]) -> None:
    db.transact(Entry(owner="ann", number=1).create(), Entry(owner="ann", number=2).create())

    assert calls[0].exchanges[0].tables == ("Diary",)
    assert calls[0].write_units == 6  # two for each record in the table, one in the index


def test_units_are_not_requested_without_observers(monkeypatch: pytest.MonkeyPatch) -> None:
    with DB.memory(Diary) as db:
        sent: list[Request] = []
        carried = db._transport.send

        def noted(request: Request) -> dict[str, Any]:
            sent.append(request)
            return carried(request)

        monkeypatch.setattr(db._transport, "send", noted)

        db(Entry.get(owner="ann", number=1))

    assert "ReturnConsumedCapacity" not in sent[0].body


async def observed_asynchronously(calls: list[Call]) -> None:
    async with AsyncDB.memory(Diary, observers=[calls.append]) as db:
        await db(Entry(owner="ann", number=1).put())
        with db.budget(reads=0.5):
            await db(Entry.get(owner="ann", number=1))


def test_code_that_awaits_is_observed_alike(calls: list[Call]) -> None:
    asyncio.run(observed_asynchronously(calls))

    assert [(c.operation, c.read_units, c.write_units) for c in calls] == [
        ("Put", 0, 2),
        ("Get", 0.5, 0),
    ]


def test_a_budget_that_is_kept_says_nothing(db: DB) -> None:
    with db.budget(reads=0.5, writes=2, requests=2) as calls:
        db(Entry(owner="ann", number=1).put())
        db(Entry.get(owner="ann", number=1))

    assert len(calls) == 2


def test_a_budget_that_is_exceeded_lists_every_call(db: DB) -> None:
    def reads_too_much() -> None:
        with db.budget(reads=0.5, requests=1):
            db(entries_of("ann"))
            db(Entry.get(owner="ann", number=1).consistently())

    with pytest.raises(OverBudget) as over:
        reads_too_much()

    first, *lines = str(over.value).splitlines()
    assert first == "over budget: 1.5 read units (budget: 0.5) and 2 requests (budget: 1)"
    assert [line.split(":")[0].strip() for line in lines] == ["entries_of (Query)", "Get"]


def test_a_budget_is_held_by_async_with_too() -> None:
    async def within(requests: int) -> int:
        async with AsyncDB.memory(Diary) as db:
            async with db.budget(requests=requests) as calls:
                await db(Entry(owner="ann", number=1).put())
            await db(Entry.get(owner="ann", number=1))  # not in the block
            return len(calls)

    assert asyncio.run(within(1)) == 1
    with pytest.raises(OverBudget, match=r"over budget: 1 request \(budget: 0\)"):
        asyncio.run(within(0))


def test_an_error_in_an_async_block_comes_before_its_budget() -> None:
    async def missed() -> None:
        async with AsyncDB.memory(Diary) as db, db.budget(requests=0):
            await db(Entry.get(owner="ann", number=1).required())

    with pytest.raises(NotFound):
        asyncio.run(missed())


def test_an_error_in_the_block_comes_before_its_budget(db: DB) -> None:
    with pytest.raises(NotFound), db.budget(requests=0):
        db(Entry.get(owner="ann", number=1).required())


def test_the_calls_of_operations_that_run_together_count_too(db: DB) -> None:
    gets = [Entry.get(owner="ann", number=number) for number in range(3)]

    with db.budget() as calls:
        db.all(*gets)

    assert len(calls) == 3


def test_the_log_shows_calls_without_their_values(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, logger="sortkey"), DB.memory(Diary) as db:
        db(Entry(owner="ann-secret", number=1, text="private").put())
        with pytest.raises(NotFound):
            db(Entry.get(owner="bob-secret", number=1).required())

    assert [message.split(",")[0] for message in caplog.messages] == [
        "Put: 1 request",
        "Required: 1 request",
    ]
    assert "private" not in caplog.text
    assert "secret" not in caplog.text


def test_an_observer_that_fails_costs_only_the_news(caplog: pytest.LogCaptureFixture) -> None:
    def fails(_: Call) -> None:
        raise KeyError("oops")

    seen: list[Call] = []
    with DB.memory(Diary, observers=[fails, seen.append]) as db:
        db(Entry(owner="ann", number=1).create())
        with pytest.raises(AlreadyExists):
            db(Entry(owner="ann", number=1).create())

    assert len(seen) == 2
    assert "an observer failed" in caplog.text
