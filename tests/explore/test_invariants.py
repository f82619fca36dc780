"""A design's invariants are checked at the end of every schedule."""

import pytest

from sortkey import DB, AsyncDB, Entity, Refused, Table, invariant, transact
from sortkey.testing import ExplorationFailed, explore


class Bank(Table):
    pass


class Books(Table):
    pass


class Account(Entity, table=Bank):
    name: str
    balance: int = 0
    primary = Bank.primary.key("ACCOUNT#{name}", "ACCOUNT")


class Entry(Entity, table=Bank):
    name: str
    number: int
    amount: int
    primary = Bank.primary.key("ACCOUNT#{name}", "ENTRY#{number:06d}")


class Page(Entity, table=Books):
    name: str
    primary = Books.primary.key("PAGE#{name}", "PAGE")


@invariant("An account's balance is the sum of its entries")
def balanced(account: Account, entries: list[Entry]) -> bool:
    return account.balance == sum(e.amount for e in entries if e.name == account.name)


@invariant("Every page is of an account")
def owned(page: Page, accounts: list[Account]) -> bool:
    return any(account.name == page.name for account in accounts)


@pytest.fixture
def db() -> DB:
    opened = DB.memory(Bank)
    opened(Account(name="ada").create())
    return opened


def entry(number: int) -> Entry:
    return Entry(name="ada", number=number, amount=10)


def pay_at_once(db: DB, number: int) -> None:
    added = Account.update(name="ada").add(lambda a: a.balance).by(10)
    db.transact(entry(number).create(), added)


def pay_in_two_steps(db: DB, number: int) -> None:
    db(entry(number).create())
    db(Account.update(name="ada").add(lambda a: a.balance).by(10))


def test_one_that_is_kept_needs_no_other(db: DB) -> None:
    explored = explore(lambda: pay_at_once(db, 1), lambda: pay_at_once(db, 2), db=db)

    assert explored.schedules > 2


def test_one_that_a_crash_breaks_is_reported_with_its_record_and_its_story(db: DB) -> None:
    with pytest.raises(ExplorationFailed) as failed:
        explore(lambda: pay_in_two_steps(db, 1), db=db, lost_responses=False)

    assert failed.value.fault == (
        "the invariant does not hold: An account's balance is the sum of its entries: "
        "broken by Account(name='ada', balance=0)"
    )
    assert failed.value.schedule == "A+"
    assert "PutItem     Bank  ACCOUNT#ada / ENTRY#000001" in failed.value.story


def test_it_is_held_beside_the_exploration_s_own(db: DB) -> None:
    calls = [lambda: pay_in_two_steps(db, 1)]

    with pytest.raises(ExplorationFailed, match="is the sum of its entries"):
        explore(*calls, db=db, invariant=lambda: True)
    with pytest.raises(ExplorationFailed, match=r"^the invariant does not hold\n"):
        explore(*calls, db=db, invariant=lambda: False, declared=False, replay="A2")
    explore(*calls, db=db, invariant=lambda: True, declared=False)


def test_it_is_checked_after_then(db: DB) -> None:
    def mend() -> None:
        total = sum(each.amount for each in db(Entry.query(name="ada")))
        db(Account.update(name="ada").set(lambda a: a.balance).to(total))

    explore(lambda: pay_in_two_steps(db, 1), db=db, then=mend, lost_responses=False)


def test_data_that_breaks_it_at_the_start_is_refused(db: DB) -> None:
    db(entry(1).create())

    with pytest.raises(Refused, match="before the first call: An account's balance") as refused:
        explore(lambda: pay_at_once(db, 2), db=db)

    assert (
        "Use the design's own writes to store the initial records, or skip its invariants"
        in str(refused.value)
    )


def test_one_of_tables_that_are_not_there_is_left_out() -> None:
    books = DB.memory(Books)

    with pytest.raises(Refused, match="explore\\(\\) has nothing to check"):
        explore(lambda: books(Page(name="a").create()), db=books)

    both = DB.memory(Bank, Books)
    with pytest.raises(ExplorationFailed, match="Every page is of an account"):
        explore(lambda: both(Page(name="a").create()), db=both)


def test_code_that_awaits_is_held_to_it_too() -> None:
    db = AsyncDB.memory(Bank)

    async def pay(number: int, *, at_once: bool) -> None:
        added = Account.update(name="ada").add(lambda a: a.balance).by(10)
        if at_once:
            await db(transact(entry(number).create(), added))
        else:
            await db(entry(number).create())
            await db(added)

    async def open_and_pay(*, at_once: bool) -> None:
        await db(Account(name="ada").create())
        await pay(1, at_once=at_once)

    explore(lambda: open_and_pay(at_once=True), db=db)
    with pytest.raises(ExplorationFailed, match="broken by Account"):
        explore(lambda: open_and_pay(at_once=False), db=db)
