"""Claimed work is done once: by the first caller, or by the next one if the first is gone."""

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Annotated

import pytest
from pydantic import BaseModel
from tests.access.executors import stored_items

from sortkey import (
    DB,
    AsyncDB,
    Claim,
    ClaimLost,
    DesignError,
    Entity,
    InProgress,
    Keyring,
    LocalKey,
    Op,
    Refused,
    Stored,
    Table,
    TransactionFailed,
    Version,
    pattern,
    secret,
)
from sortkey.clock import clock
from sortkey.design.declaring.design import design_of
from sortkey.design.plans.value import pattern_plan
from sortkey.testing import ExplorationFailed, Outcome, explore

# Far enough in the future that no engine deletes anything by its own clock.
START = int(time.time()) + 10_000
LEASE = timedelta(seconds=60)
AFTER = 60.0


class Bank(Table, name="{environment}-Bank", ttl="expires"):
    pass


class Account(Entity, table=Bank):
    name: str
    balance: int = 0
    primary = Bank.primary.key("ACCOUNT#{name}", "ACCOUNT")


class Receipt(BaseModel):
    paid: int
    by: str


class Payment(Claim[Receipt], table=Bank):
    payment_id: str
    primary = Bank.primary.key("PAYMENT#{payment_id}", "CLAIM")


class Cleaning(Claim[None], table=Bank):
    day: str
    primary = Bank.primary.key("CLEANING#{day}", "CLAIM")


@contextmanager
def at(seconds: float) -> Generator[None]:
    with clock(lambda: START + seconds):
        yield


@pytest.fixture
def db(opened: Callable[..., DB]) -> DB:
    db = opened(Bank)
    db(Account(name="ada").create())
    return db


def taken(db: DB, after: float = 0) -> Payment:
    with at(after):
        return db(Payment(payment_id="p1").take(lease=LEASE))


def pay(db: DB, by: str = "me") -> Receipt:
    """Work as an application writes it: take the claim, work, finish it with the writes."""
    claim = db(Payment(payment_id="p1").take(lease=LEASE))
    if claim.is_finished:
        return claim.result
    deposit = Account.update(name="ada").add(lambda a: a.balance).by(10)
    return db(claim.finish(Receipt(paid=10, by=by), deposit))


def balance(db: DB) -> int:
    return db(Account.get(name="ada").required()).balance


# One caller after another.


def test_the_first_caller_works_and_the_second_gets_its_result(db: DB) -> None:
    assert pay(db, "first") == Receipt(paid=10, by="first")
    assert pay(db, "second") == Receipt(paid=10, by="first")
    assert balance(db) == 10


def test_its_state_is_stored_and_visible(db: DB) -> None:
    claim = taken(db)

    assert stored_state(db) == "IN_PROGRESS"
    with at(1):
        db(claim.finish(Receipt(paid=0, by="me")))
    assert stored_state(db) == "DONE"


def stored_state(db: DB) -> str:
    [claim] = [item for item in stored_items(db, Bank) if item["SK"]["S"] == "CLAIM"]
    return claim["state"]["S"]


def test_a_claim_that_is_held_is_in_progress_until_its_lease_ends(db: DB) -> None:
    taken(db)

    with pytest.raises(InProgress, match="PAYMENT#p1") as busy:
        taken(db, after=59.9)

    assert busy.value.until == datetime.fromtimestamp(START, UTC) + LEASE
    assert not taken(db, after=60).is_finished


def test_a_caller_that_was_replaced_finishes_nothing(db: DB) -> None:
    slow, quick = taken(db), taken(db, after=AFTER)
    deposit = Account.update(name="ada").add(lambda a: a.balance).by(10)

    with at(AFTER), pytest.raises(ClaimLost, match="nothing was written"):
        db(slow.finish(Receipt(paid=10, by="slow"), deposit))

    assert balance(db) == 0
    with at(AFTER):
        assert db(quick.finish(Receipt(paid=10, by="quick"), deposit)).by == "quick"
    with pytest.raises(ClaimLost), at(AFTER):
        db(slow.finish(Receipt(paid=10, by="slow"), deposit))
    assert balance(db) == 10


def test_a_late_caller_that_was_not_replaced_finishes(db: DB) -> None:
    slow = taken(db)

    with at(AFTER + 1):
        db(slow.finish(Receipt(paid=1, by="slow")))

    assert taken(db, after=AFTER + 2).result.by == "slow"


def test_the_same_end_of_work_is_carried_out_once(db: DB) -> None:
    deposit = Account.update(name="ada").add(lambda a: a.balance).by(10)
    finish = taken(db).finish(Receipt(paid=10, by="me"), deposit)

    for later in (0, 7):
        with at(later):
            db(finish)

    assert balance(db) == 10


def test_a_write_that_fails_leaves_the_claim_unfinished(db: DB) -> None:
    claim = taken(db)

    with (
        at(1),
        pytest.raises(TransactionFailed, match="Account ACCOUNT#ada / ACCOUNT already exists"),
    ):
        db(claim.finish(Receipt(paid=1, by="me"), Account(name="ada").create()))

    assert not taken(db, after=AFTER).is_finished


def test_a_released_claim_is_free_at_once(db: DB) -> None:
    db_claim = taken(db)

    with at(1):
        db(db_claim.release())

    assert not taken(db, after=2).is_finished


def test_giving_up_what_another_caller_holds_by_now_leaves_it_to_them(db: DB) -> None:
    slow = taken(db)
    taken(db, after=AFTER)

    with at(AFTER):
        db(slow.release())

    with pytest.raises(InProgress):
        taken(db, after=AFTER + 1)


def test_giving_up_does_not_undo_what_was_finished(db: DB) -> None:
    claim = taken(db)
    with at(1):
        db(claim.finish(Receipt(paid=1, by="me")))
        db(claim.release())

    assert taken(db, after=2).is_finished


def test_a_result_is_forgotten_when_its_time_is_over(db: DB) -> None:
    with at(0):
        claim = db(Payment(payment_id="p1").take(lease=LEASE, keep=timedelta(minutes=5)))
        db(claim.finish(Receipt(paid=1, by="me")))

    assert taken(db, after=299).is_finished
    assert not taken(db, after=300).is_finished


def test_work_may_come_to_nothing_in_particular(db: DB) -> None:
    claim = db(Cleaning(day="monday").take())
    assert not claim.is_finished

    db(claim.finish(None))

    again = db(Cleaning(day="monday").take())
    assert again.is_finished
    assert again.result is None  # pyright: ignore[reportUnknownMemberType]


class Withdrawal(Claim[Receipt], table=Bank):
    withdrawal_id: str
    pin: Annotated[str, secret]
    stored_result: Annotated[Receipt | None, Stored("result"), secret] = None
    primary = Bank.primary.key("WITHDRAWAL#{withdrawal_id}", "CLAIM")


def test_a_claim_and_its_result_may_be_secret(opened: Callable[..., DB]) -> None:
    db = opened(Bank, secrets=Keyring(LocalKey.new("2026")))
    work = Withdrawal(withdrawal_id="w", pin="1234")

    claim = db(work.take())
    db(claim.finish(Receipt(paid=5, by="me")))

    again = db(work.take())
    assert (again.pin, again.result) == ("1234", Receipt(paid=5, by="me"))
    [stored] = [item for item in stored_items(db, Bank) if "pin" in item]
    assert {*stored["pin"], *stored["result"]} == {"B"}


# Refusals.


def test_a_claim_that_was_not_taken_is_not_finished() -> None:
    with pytest.raises(Refused, match="was not taken"):
        Payment(payment_id="p1").finish(Receipt(paid=1, by="me"))


def test_a_finished_claim_is_not_finished_again() -> None:
    finished = Payment(payment_id="p1", held_by="me", finished_at=datetime.now(UTC))

    with pytest.raises(Refused, match="already finished"):
        finished.finish(Receipt(paid=1, by="me"))


def test_the_end_of_claimed_work_can_be_a_pattern() -> None:
    @pattern("The end of a payment")
    def paid(claim: Payment) -> Op[Receipt]:
        return claim.finish(Receipt(paid=1, by="me"))

    plan = pattern_plan(paid, design_of("bank", []))

    assert "error" not in plan


def test_an_unfinished_claim_has_no_result() -> None:
    with pytest.raises(Refused, match="no result yet"):
        _ = Payment(payment_id="p1").result


def test_a_lease_longer_than_the_claim_is_kept_is_refused() -> None:
    with pytest.raises(Refused, match="lease"):
        Payment(payment_id="p1").take(lease=timedelta(days=2), keep=timedelta(days=1))


def test_a_claim_with_a_version_is_refused_because_it_could_not_be_taken_over() -> None:
    class Versioned(Claim[int], table=Bank):
        claim_id: str
        rev: Version = 0
        primary = Bank.primary.key("VERSIONED#{claim_id}", "CLAIM")

    with pytest.raises(Refused, match="remove the version"):
        Versioned(claim_id="c").take().params()


def test_a_table_without_expiry_takes_no_claims() -> None:
    class Forever(Table):
        pass

    with pytest.raises(DesignError, match='ttl="expires"'):

        class Unforgotten(Claim[int], table=Forever):  # pyright: ignore[reportUnusedClass]
            claim_id: str
            primary = Forever.primary.key("CLAIM#{claim_id}", "CLAIM")


# Every order of requests, every crash and every lost response.


@pytest.fixture
def memory() -> DB:
    db = DB.memory(Bank)
    db(Account(name="ada").create())
    return db


def later(work: Callable[[], Receipt]) -> Receipt:
    """Repeat the work when every lease has ended."""
    with clock(lambda: time.time() + 3600):
        return work()


def paid_once(db: DB) -> Callable[[list[Outcome]], None]:
    def check(outcomes: list[Outcome]) -> None:
        assert balance(db) == 10, f"the balance is {balance(db)}"
        agreed = db(Payment.get(payment_id="p1").required()).result
        assert {o.result.by for o in outcomes if o.succeeded} <= {agreed.by}

    return check


def test_two_callers_pay_once_in_every_order_and_after_every_crash(memory: DB) -> None:
    explored = explore(
        lambda: pay(memory, "A"),
        lambda: pay(memory, "B"),
        db=memory,
        then=lambda: later(lambda: pay(memory, "then")),
        invariant=paid_once(memory),
        faults=2,
    )

    endings = {text.partition("(")[0].partition(":")[0] for e in explored.endings for text in e}
    assert endings == {"returned Receipt", "raised InProgress", "crashed"}


def test_three_callers_pay_once(memory: DB) -> None:
    explore(
        *[lambda by=by: pay(memory, by) for by in "ABC"],
        db=memory,
        then=lambda: later(lambda: pay(memory, "then")),
        invariant=paid_once(memory),
    )


def test_a_caller_after_the_lease_and_a_late_one_pay_once(memory: DB) -> None:
    explored = explore(
        lambda: pay(memory, "slow"),
        lambda: later(lambda: pay(memory, "next")),
        db=memory,
        then=lambda: later(lambda: later(lambda: pay(memory, "then"))),
        invariant=paid_once(memory),
        crashes=False,
    )

    assert any("ClaimLost" in text for ending in explored.endings for text in ending)


def test_callers_that_await_pay_once() -> None:
    db = AsyncDB.memory(Bank)

    async def pay_async(by: str) -> Receipt:
        claim = await db(Payment(payment_id="p1").take(lease=LEASE))
        if claim.is_finished:
            return claim.result
        deposit = Account.upsert(name="ada").add(lambda a: a.balance).by(10)
        return await db(claim.finish(Receipt(paid=10, by=by), deposit))

    async def once(outcomes: list[Outcome]) -> None:
        account = await db(Account.get(name="ada").required())
        assert account.balance == 10
        assert len({o.result.by for o in outcomes if o.succeeded}) == 1

    explore(lambda: pay_async("A"), lambda: pay_async("B"), db=db, invariant=once, crashes=False)


def test_a_result_stored_apart_from_the_work_is_found_to_pay_twice(memory: DB) -> None:
    def pay_apart(by: str) -> Receipt:
        claim = memory(Payment(payment_id="p1").take(lease=LEASE))
        if claim.is_finished:
            return claim.result
        memory(Account.update(name="ada").add(lambda a: a.balance).by(10))
        return memory(claim.finish(Receipt(paid=10, by=by)))

    with pytest.raises(ExplorationFailed, match="the balance is 20"):
        explore(
            lambda: pay_apart("A"),
            lambda: pay_apart("B"),
            db=memory,
            then=lambda: later(lambda: pay_apart("then")),
            invariant=paid_once(memory),
        )
