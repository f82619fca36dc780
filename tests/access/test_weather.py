"""A database whose requests fail, as on a bad day: retries reach the end, or say so."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.access.executors import OnALoop, Raw

from sortkey import (
    DB,
    AsyncDB,
    Entity,
    OutcomeUnknown,
    ResourceNotFoundException,
    Retries,
    Table,
)


class Shop(Table):
    """Orders."""


class Order(Entity, table=Shop):
    shop: str
    number: int
    paid: bool = False

    primary = Shop.primary.key("SHOP#{shop}", "ORDER#{number:04d}")


Open = Callable[..., DB]
FAST = Retries(attempts=100, base=0.0)
ONCE = Retries(attempts=1)


@pytest.fixture(params=["blocking", "asynchronous"])
def open_db(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Open]:
    """Open a database with the faults of a scenario."""
    opened: list[DB] = []

    def open_with(faults: str, retries: Retries) -> DB:
        file = tmp_path / f"weather{len(opened)}.toml"
        file.write_text(f"throttling = false\n{faults}")
        kind = DB if request.param == "blocking" else AsyncDB
        db = kind.memory(Shop, weather=str(file), retries=retries)
        opened.append(OnALoop(db) if isinstance(db, AsyncDB) else db)
        return opened[-1]

    yield open_with
    for db in opened:
        db.close()


def fault(kind: str, operation: str, share: float = 1, more: str = "") -> str:
    return f'[[faults]]\nkind = "{kind}"\nshare = {share}\noperations = ["{operation}"]\n{more}\n'


def order(number: int) -> Order:
    return Order(shop="a", number=number)


@pytest.mark.parametrize("kind", ["lost-request", "lost-response"])
def test_a_lost_response_leaves_the_outcome_unknown(open_db: Open, kind: str) -> None:
    db = open_db(fault(kind, "PutItem"), ONCE)

    with pytest.raises(OutcomeUnknown, match="may have been carried out"):
        db(order(1).put())

    stored = order(1) if kind == "lost-response" else None
    assert db(Order.get(shop="a", number=1)) == stored


def test_retries_reach_the_end(open_db: Open) -> None:
    kinds = ("error-before", "error-after", "lost-request", "lost-response")
    faults = [fault(kind, "PutItem", 0.2) for kind in kinds]
    faults += [fault("short-page", "Query", 0.5), fault("short-page", "BatchWriteItem", 0.5)]
    db = open_db("".join(faults), FAST)

    for number in range(50):
        db(order(number).put())
    db.write_many([order(number).put() for number in range(50, 75)])

    assert db(Order.query(shop="a")) == [order(number) for number in range(75)]


def test_a_late_response_is_awaited(open_db: Open) -> None:
    db = open_db(fault("latency", "PutItem", more="seconds = 0.01"), ONCE)

    db(order(1).put())

    assert db(Order.get(shop="a", number=1)) == order(1)


def test_an_event_loop_goes_on_while_a_response_is_late(tmp_path: Path) -> None:
    file = tmp_path / "late.toml"
    file.write_text(fault("latency", "PutItem", more="seconds = 30"))

    async def run() -> None:
        db = AsyncDB.memory(Shop, weather=str(file))
        putting = asyncio.create_task(db(order(1).put()))
        await asyncio.sleep(0)
        assert await db(Order.get(shop="a", number=1)) == order(1)
        assert not putting.done()
        putting.cancel()
        await db.close()

    asyncio.run(run())


def test_transactions_that_conflict_are_repeated_until_all_are_made() -> None:
    async def run() -> set[str]:
        db = AsyncDB.memory(
            Shop, weather="slow-transactions", retries=Retries(attempts=1000, base=0.01, cap=0.1)
        )
        await asyncio.gather(
            *(db.transact(order(number).put(), order(99).put()) for number in range(5)),
            db(order(99).put()),
        )
        assert len(await db(Order.query(shop="a"))) == 6
        events = (await db(Raw("DescribeWeather", Shop)))["Events"]
        await db.close()
        return {event["operation"] for event in events if event["what"] == "TransactionConflict"}

    assert asyncio.run(run()) == {"TransactWriteItems", "PutItem"}


def test_a_database_opens_on_a_bad_network() -> None:
    for _ in range(20):
        with DB.memory(Shop, weather="bad-network", retries=FAST) as db:
            db(order(1).put())


def test_tables_are_deleted_once_nothing_else_changes_them(tmp_path: Path) -> None:
    file = tmp_path / "slow.toml"
    file.write_text('like = "slow-changes"\nchange_seconds = 0.3\n')
    with DB.memory(Shop, weather=str(file)) as db:
        db(order(1).put())
        db(Raw("UpdateTable", Shop, {"DeletionProtectionEnabled": False}))

        db.delete_tables()

        with pytest.raises(ResourceNotFoundException):
            db(Raw("DescribeTable", Shop))
