"""Transactions: writes that succeed or fail together, and reads of one moment."""

import asyncio
from collections.abc import Iterator

import pytest

from sortkey import DB, AsyncDB, Entity, Table


class Bank(Table):
    """A separate table."""


class Account(Entity, table=Bank):
    account_id: str
    balance: int = 0

    primary = Bank.primary.key("ACCOUNT#{account_id}", "ACCOUNT")


@pytest.fixture
def db() -> Iterator[DB]:
    with DB.memory(Bank) as opened:
        yield opened


def test_a_snapshot_has_each_record_in_order_and_none_for_a_missing_one(db: DB) -> None:
    ada = db(Account(account_id="ada").create())

    found = db.snapshot(Account.get(account_id="bob"), Account.get(account_id="ada"))

    assert found == (None, ada)


def test_a_snapshot_on_a_loop_is_the_same() -> None:
    async def scene() -> None:
        async with AsyncDB.memory(Bank) as db:
            ada = await db(Account(account_id="ada").create())
            assert await db.snapshot(Account.get(account_id="ada")) == (ada,)

    asyncio.run(scene())
