"""Five common bugs of applications, each found by exploration, and its correction, which passes.

Every bug is a small application: some records, one or two functions, and what must hold
whatever happens.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Annotated, TypeVar

import pytest

from sortkey import (
    DB,
    TTL,
    AlreadyExists,
    Claim,
    Entity,
    NotUnique,
    Table,
    Version,
    VersionConflict,
    gsi,
    unique,
)
from sortkey.clock import clock, now, utc_now
from sortkey.testing import ExplorationFailed, Outcome, explore

R = TypeVar("R")


class App(Table, ttl="expires"):
    gsi1 = gsi("GSI1PK", "GSI1SK")


@pytest.fixture
def db() -> DB:
    return DB.memory(App)


def in_an_hour(work: Callable[[], R]) -> R:
    later = now() + 3600
    with clock(lambda: later):
        return work()


# Check, then act: is this e-mail address free?


class Member(Entity, table=App):
    member_id: str
    email: str
    primary = App.primary.key("MEMBER#{member_id}", "MEMBER")
    by_email = App.gsi1.key("EMAIL#{email}", "MEMBER")


class SingleMember(Entity, table=App):
    member_id: str
    email: Annotated[str, unique]
    primary = App.primary.key("SINGLE#{member_id}", "MEMBER")


class AddressTaken(Exception):  # noqa: N818 - what an application would say
    pass


def sign_up_if_free(db: DB, member_id: str, email: str) -> None:
    if db(Member.query(Member.by_email, email=email).first()):
        raise AddressTaken
    db(Member(member_id=member_id, email=email).create())


def sign_up(db: DB, member_id: str, email: str) -> None:
    try:
        db(SingleMember(member_id=member_id, email=email).create())
    except NotUnique as taken:
        raise AddressTaken from taken


def test_a_check_before_a_sign_up_lets_two_members_have_one_address(db: DB) -> None:
    with pytest.raises(ExplorationFailed, match="2 members") as failed:
        explore(
            lambda: sign_up_if_free(db, "ann", "a@x"),
            lambda: sign_up_if_free(db, "bob", "a@x"),
            db=db,
            invariant=lambda: one_address_each(len(db(Member.scan()))),
            errors=(AddressTaken,),
        )

    assert failed.value.schedule in {"ABAB", "AB2A", "ABA2"}


def test_a_unique_field_gives_an_address_to_one_member(db: DB) -> None:
    explore(
        lambda: sign_up(db, "ann", "a@x"),
        lambda: sign_up(db, "bob", "a@x"),
        db=db,
        invariant=lambda: one_address_each(len(db(SingleMember.scan()))),
        errors=(AddressTaken,),
    )


def one_address_each(members: int) -> None:
    assert members <= 1, f"{members} members have the same address"


# A lost update: two people write on one page.


class Page(Entity, table=App):
    title: str
    text: str = ""
    primary = App.primary.key("PAGE#{title}", "PAGE")


class GuardedPage(Entity, table=App):
    title: str
    text: str = ""
    rev: Version = 0
    primary = App.primary.key("GUARDED#{title}", "PAGE")


def write_on(db: DB, line: str) -> None:
    page = db(Page.get(title="home").consistently().required())
    db(page.model_copy(update={"text": page.text + line}).put())


def write_on_guarded(db: DB, line: str) -> None:
    while True:
        page = db(GuardedPage.get(title="home").consistently().required())
        if line in page.text:
            return  # an earlier attempt succeeded, and its response was lost
        try:
            db(page.update().set(lambda p: p.text).to(page.text + line))
        except VersionConflict:
            continue
        return


def nothing_is_lost(db: DB, page: type[Page | GuardedPage]) -> Callable[[list[Outcome]], None]:
    def check(outcomes: list[Outcome]) -> None:
        text = db(page.get(title="home").required()).text
        for line, outcome in zip("ab", outcomes, strict=True):
            assert line in text or not outcome.succeeded, f"the page is {text!r} without {line!r}"

    return check


def test_without_a_version_one_line_is_lost(db: DB) -> None:
    db(Page(title="home").create())

    with pytest.raises(ExplorationFailed, match=r"the page is '.' without") as failed:
        explore(
            lambda: write_on(db, "a"),
            lambda: write_on(db, "b"),
            db=db,
            invariant=nothing_is_lost(db, Page),
        )

    assert failed.value.schedule.startswith("AB")


def test_with_a_version_both_lines_are_there(db: DB) -> None:
    db(GuardedPage(title="home").create())

    explore(
        lambda: write_on_guarded(db, "a"),
        lambda: write_on_guarded(db, "b"),
        db=db,
        invariant=nothing_is_lost(db, GuardedPage),
    )


# A claim outside the transaction: a payment is reported twice, and must be booked once.


class Account(Entity, table=App):
    name: str
    balance: int = 0
    primary = App.primary.key("ACCOUNT#{name}", "ACCOUNT")


class Seen(Entity, table=App):
    event_id: str
    primary = App.primary.key("SEEN#{event_id}", "EVENT")


class Booking(Claim[int], table=App):
    event_id: str
    primary = App.primary.key("BOOKING#{event_id}", "CLAIM")


deposit = Account.update(name="ada").add(lambda a: a.balance).by(10)


def book_if_unseen(db: DB) -> None:
    try:
        db(Seen(event_id="e1").create())
    except AlreadyExists:
        return
    db.transact(deposit)


def book(db: DB) -> int:
    claim = db(Booking(event_id="e1").take())
    if claim.is_finished:
        return claim.result
    return db(claim.finish(10, deposit))


def is_booked_once(db: DB) -> None:
    balance = db(Account.get(name="ada").required()).balance
    assert balance == 10, f"{balance} was booked instead of 10"


def test_a_claim_outside_of_the_transaction_loses_a_payment_in_a_crash(db: DB) -> None:
    db(Account(name="ada").create())

    with pytest.raises(ExplorationFailed, match="0 was booked") as failed:
        explore(
            lambda: book_if_unseen(db),
            lambda: book_if_unseen(db),
            db=db,
            then=lambda: book_if_unseen(db),
            invariant=lambda: is_booked_once(db),
        )

    assert failed.value.schedule in {"A+B", "AA!B"}


def test_a_claim_that_is_finished_with_its_writes_books_once(db: DB) -> None:
    db(Account(name="ada").create())

    explore(
        lambda: book(db),
        lambda: book(db),
        db=db,
        then=lambda: in_an_hour(lambda: book(db)),
        invariant=lambda: is_booked_once(db),
    )


# A double deduction: an order is sent twice by an impatient customer.


class Wallet(Entity, table=App):
    owner: str
    balance: int
    primary = App.primary.key("WALLET#{owner}", "WALLET")


class Order(Entity, table=App):
    order_id: str
    price: int
    primary = App.primary.key("ORDER#{order_id}", "ORDER")


pay = Wallet.update(owner="ada").add(lambda w: w.balance).by(-30).where(lambda w: w.balance >= 30)


def order_and_pay(db: DB) -> None:
    if db(Order.get(order_id="o1").consistently()) is None:
        db(pay)
        db(Order(order_id="o1", price=30).put())


def order_with_payment(db: DB) -> None:
    db.transact(Order(order_id="o1", price=30).create(), pay)


def is_paid_once(db: DB) -> None:
    ordered = sum(order.price for order in db(Order.scan()))
    paid = 100 - db(Wallet.get(owner="ada").required()).balance
    assert paid == ordered, f"{paid} was paid for orders of {ordered}"


def test_a_payment_beside_its_order_is_deducted_twice(db: DB) -> None:
    db(Wallet(owner="ada", balance=100).create())

    with pytest.raises(ExplorationFailed, match="60 was paid for orders of 30"):
        explore(
            lambda: order_and_pay(db),
            lambda: order_and_pay(db),
            db=db,
            invariant=lambda: is_paid_once(db),
            crashes=False,
        )


def test_a_payment_with_its_order_is_deducted_once(db: DB) -> None:
    db(Wallet(owner="ada", balance=100).create())

    explore(
        lambda: order_with_payment(db),
        lambda: order_with_payment(db),
        db=db,
        invariant=lambda: is_paid_once(db),
    )


# A lock that is released by a caller that no longer holds it.


class Lock(Entity, table=App):
    name: str
    holder: str
    expires: TTL
    primary = App.primary.key("LOCK#{name}", "LOCK")


def take(db: DB, holder: str) -> None:
    ends = utc_now() + timedelta(minutes=1)
    db(Lock(name="report", holder=holder, expires=ends).create())


def release(db: DB, _holder: str) -> None:
    db(Lock.delete(name="report"))


def release_own(db: DB, holder: str) -> None:
    db(Lock.delete(name="report").where(lambda k: k.holder == holder))


def the_last_to_take_it_has_it(db: DB) -> Callable[[list[Outcome]], None]:
    def check(outcomes: list[Outcome]) -> None:
        if outcomes[1].succeeded:
            lock = in_an_hour(lambda: db(Lock.get(name="report")))
            assert lock, "nobody has the lock, and B believes to have it"
            assert lock.holder == "B"

    return check


def test_a_slow_holder_releases_the_lock_of_another(db: DB) -> None:
    def report() -> None:
        take(db, "A")
        release(db, "A")

    with pytest.raises(ExplorationFailed, match="nobody has the lock") as failed:
        explore(
            report,
            lambda: in_an_hour(lambda: take(db, "B")),
            db=db,
            invariant=the_last_to_take_it_has_it(db),
        )

    assert failed.value.schedule == "ABA"


def test_a_lock_is_released_only_by_its_holder(db: DB) -> None:
    def report() -> None:
        take(db, "A")
        release_own(db, "A")

    explore(
        report,
        lambda: in_an_hour(lambda: take(db, "B")),
        db=db,
        invariant=the_last_to_take_it_has_it(db),
    )
