"""Transactions succeed or fail as a whole, and happen once; failures are reported per operation."""

import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic import BaseModel
from tests.access.design import Account, App, Event, Member, Milestone, Order, Ticket, Users, Visit
from tests.access.executors import Counted, stored_items

from sortkey import (
    DB,
    AlreadyExists,
    ConditionFailed,
    NotFound,
    NotUnique,
    Refused,
    TokenReused,
    TransactionFailed,
    VersionConflict,
)
from sortkey.clock import clock
from sortkey.operations.transact import Transaction
from sortkey.operations.write import Write, new_token

NOON = datetime(2024, 5, 6, 12, tzinfo=UTC)


def ticket(ticket_id: str = "t", **fields: object) -> Ticket:
    return Ticket.model_validate({"org_id": "o", "ticket_id": ticket_id} | fields)


def votes(db: DB, ticket_id: str = "t") -> int:
    return db(Ticket.get(org_id="o", ticket_id=ticket_id).consistently().required()).votes


def vote(ticket_id: str = "t", by: int = 1) -> Write[Ticket]:
    return Ticket.update(org_id="o", ticket_id=ticket_id).add(lambda t: t.votes).by(by)


# All or nothing.


def test_all_of_it_happens(db: DB) -> None:
    db(ticket("old").create())
    leaving = db(ticket("leaving").create())
    db.transact(
        ticket("new", queue="red").create(),
        vote("old", by=3),
        leaving.delete(),
        Ticket.check(org_id="o", ticket_id="never").is_absent(),
    )

    assert [t.ticket_id for t in db(Ticket.query(org_id="o"))] == ["new", "old"]
    assert [t.ticket_id for t in db(Ticket.query(Ticket.by_queue, queue="red"))] == ["new"]
    assert votes(db, "old") == 3


def test_it_reaches_over_tables(opened: Callable[..., DB]) -> None:
    db = opened(App, Users)
    db.transact(ticket().create(), Account(user_id="u").create())
    with pytest.raises(TransactionFailed):
        db.transact(vote(), Account(user_id="u").create())

    assert (votes(db), db(Account.get(user_id="u").required()).rev) == (0, 1)


def test_each_reason_is_reported_for_its_operation(db: DB) -> None:
    stale = db(ticket("stale").create())
    db(stale.update().set(lambda t: t.votes).to(1))
    db(ticket("there").create())
    db(Member(org_id="o", member_id="m", email="taken").create())
    before = stored_items(db, App)

    fine = Milestone(goal_id="g", name="n").put()
    operations: list[Write[Any]] = [
        fine,
        ticket("there").create(),
        vote("nobody"),
        stale.update().set(lambda t: t.votes).to(9),
        Member(org_id="o", member_id="other", email="taken").create(),
        Order.check(org_id="o", order_id=7),
        Ticket.update(org_id="o", ticket_id="gone").add(lambda t: t.votes).by(1),
    ]
    with pytest.raises(TransactionFailed) as failed:
        db.transact(*operations)

    expected = [None, AlreadyExists, NotFound, VersionConflict, NotUnique, NotFound, NotFound]
    failures = [failed.value.of(operation) for operation in operations]
    assert [None if one is None else type(one) for one in failures] == expected
    assert failed.value.failures == tuple(failures)
    taken: Any = failures[4]
    assert (taken.entity, taken.field) == ("Member", "email")
    missing: Any = failures[5]
    assert (missing.entity, missing.key) == ("Order", {"PK": "ORG#o", "SK": "ORDER#000007"})
    assert stored_items(db, App) == before


def test_a_failed_condition_of_the_caller_has_the_stored_record(db: DB) -> None:
    db(ticket(votes=2).create())
    conditional = Ticket.update(org_id="o", ticket_id="t").set(lambda t: t.votes).to(5)
    conditional = conditional.where(lambda t: t.votes == 1)
    with pytest.raises(
        TransactionFailed, match="2: Ticket ORG#o / TICKET#t does not meet"
    ) as failed:
        db.transact(ticket("new").create(), conditional)

    failure = failed.value.of(conditional)
    assert isinstance(failure, ConditionFailed)
    assert failure.stored
    assert failure.stored["votes"] == {"N": "2"}
    assert db(Ticket.get(org_id="o", ticket_id="new")) is None


def test_an_operation_of_another_transaction_has_no_failure(db: DB) -> None:
    with pytest.raises(TransactionFailed) as failed:
        db.transact(vote())

    assert failed.value.of(vote("other")) is None


def test_a_check_alone_is_a_transaction(db: DB) -> None:
    with pytest.raises(NotFound):
        db(Ticket.check(org_id="o", ticket_id="t"))
    loaded = db(ticket().create())
    db(loaded.check())
    db(vote())
    with pytest.raises(VersionConflict):
        db(loaded.check())
    with pytest.raises(AlreadyExists):
        db(Ticket.check(org_id="o", ticket_id="t").is_absent())


def test_nothing_to_write_sends_no_request(db: DB) -> None:
    assert db(Counted(Transaction(()))) == (None, 0)


def test_a_transaction_can_hold_a_hundred_actions(db: DB) -> None:
    db.transact(*(ticket(f"{n:03d}").create() for n in range(100)))
    assert db(Ticket.query(org_id="o").count()) == 100


def test_more_than_a_hundred_are_refused_and_none_is_sent(db: DB) -> None:
    with pytest.raises(Refused, match="at most 100 actions, and this one has 101"):
        db.transact(*(ticket(f"{n}").create() for n in range(101)))
    members = [Member(org_id="o", member_id=f"{n}", email=f"{n}").create() for n in range(51)]
    with pytest.raises(Refused, match=r"this one has 102 .each unique field of a record adds one"):
        db.transact(*members)
    assert stored_items(db, App) == []


@pytest.mark.parametrize(
    "second",
    [
        ticket().create(),
        vote(),
        Ticket.erase(org_id="o", ticket_id="t"),
        Ticket.check(org_id="o", ticket_id="t"),
    ],
    ids=["create", "update", "erase", "check"],
)
def test_two_operations_about_one_record_are_refused_by_its_name(
    db: DB, second: Write[Any]
) -> None:
    message = r"two operations of one transaction use Ticket ORG#o / TICKET#t.*combine them"
    with pytest.raises(Refused, match=message):
        db.transact(vote(), second)


def test_what_needs_its_old_value_is_refused_within_a_transaction_too(db: DB) -> None:
    db(Member(org_id="o", member_id="m", email="x").create())
    by_key = Member.update(org_id="o", member_id="m").where(lambda m: m.name == "")
    with pytest.raises(Refused, match=r"email belongs to a unique lock.*load the Member"):
        db.transact(by_key.set(lambda m: m.email).to("z"))
    with pytest.raises(Refused, match=r"Event is immutable"):
        db.transact(Event.delete(stream_id="s", number=1))


# Once.


@pytest.fixture
def token() -> str:
    """Return a token that no other test uses: an endpoint remembers them for ten minutes."""
    return new_token()


def test_the_same_token_does_it_once(db: DB, token: str) -> None:
    db(ticket().create())
    writes = [vote(), Milestone(goal_id="g", name="n").create()]
    db.transact(*writes, token=token)
    db.transact(*writes, token=token)
    assert votes(db) == 1

    db.transact(vote(), token=new_token())
    assert votes(db) == 2


def test_without_a_token_the_same_writes_happen_again(db: DB) -> None:
    db(ticket().create())
    db.transact(vote())
    db.transact(vote())
    assert votes(db) == 2


def test_an_operation_that_is_a_transaction_keeps_its_token(db: DB) -> None:
    db(ticket().create())
    operation = Transaction((vote(),))
    db(operation)
    db(operation)
    assert votes(db) == 1


def test_a_token_that_was_used_for_another_request_has_its_own_error(db: DB, token: str) -> None:
    db(ticket().create())
    db.transact(vote(), token=token)
    with pytest.raises(TokenReused, match=f'the token "{token}" was used'):
        db.transact(vote(by=2), token=token)
    assert votes(db) == 1


def test_the_time_is_that_of_building_so_a_later_retry_is_the_same_request(
    db: DB, token: str
) -> None:
    start = time.time()
    with clock(lambda: start):
        create = Member(org_id="o", member_id="m", email="x").create()
        visit = Visit(user_id="u", visit_id="v").create()
    for later in (0, 5, 300):
        with clock(lambda later=later: start + later):
            db.transact(create, visit, token=token)

    found = db(Member.get(org_id="o", member_id="m").required())
    assert found.created == found.updated == datetime.fromtimestamp(start, UTC)
    assert found.rev == 1


def test_built_again_later_it_is_another_request(db: DB, token: str) -> None:
    start = time.time()
    with clock(lambda: start):
        db.transact(Member(org_id="o", member_id="m").create(), token=token)
    with clock(lambda: start + 1), pytest.raises(TokenReused):
        db.transact(Member(org_id="o", member_id="m").create(), token=token)


def test_a_transaction_that_failed_may_be_tried_again_with_its_token(db: DB, token: str) -> None:
    voting = vote()
    with pytest.raises(TransactionFailed):
        db.transact(voting, token=token)
    db(ticket().create())
    db.transact(voting, token=token)
    assert votes(db) == 1


@pytest.mark.parametrize("token", ["", "x" * 37])
def test_a_token_of_another_length_is_refused(db: DB, token: str) -> None:
    with pytest.raises(Refused, match="1 to 36 characters"):
        db.transact(vote(), token=token)


# Snapshots.


class Votes(BaseModel):
    votes: int


def test_a_snapshot_reads_several_tables_kinds_and_shapes(opened: Callable[..., DB]) -> None:
    db = opened(App, Users)
    one = db(ticket(votes=3).create())
    account = db(Account(user_id="u").create())
    order = db(Order(org_id="o", order_id=1, placed=NOON).create())

    found = db.snapshot(
        Ticket.get(org_id="o", ticket_id="t"),
        Account.get(user_id="u"),
        Order.get(org_id="o", order_id=1),
        Order.get(org_id="o", order_id=2),
    )

    assert found == (one, account, order, None)
    assert db.snapshot(Ticket.get(org_id="o", ticket_id="t").select(Votes)) == (Votes(votes=3),)


def test_a_consistent_get_may_be_part_of_a_snapshot(db: DB) -> None:
    one = db(ticket().create())
    assert db.snapshot(Ticket.get(org_id="o", ticket_id="t").consistently()) == (one,)


def test_a_snapshot_sees_all_of_a_transaction_or_nothing(db: DB) -> None:
    pair = [Ticket.get(org_id="o", ticket_id=name) for name in ("a", "b")]
    assert db.snapshot(*pair) == (None, None)
    db.transact(ticket("a").create(), ticket("b").create())
    for _ in range(3):
        db.transact(vote("a"), vote("b"))
        one, other = db.snapshot(*pair)
        assert one
        assert other
        assert one.votes == other.votes


def test_a_snapshot_and_a_batch_take_gets_only(db: DB) -> None:
    required: Any = Account.get(user_id="u").required()

    for read in (lambda: db.snapshot(required), lambda: db.get_many([required])):
        with pytest.raises(Refused, match=r"takes gets.*this is a Required: leave out required"):
            read()


def test_a_snapshot_of_nothing_asks_nothing(db: DB) -> None:
    assert db.snapshot() == ()


def test_a_snapshot_reads_at_most_a_hundred_records(db: DB) -> None:
    gets = [Ticket.get(org_id="o", ticket_id=f"{n}") for n in range(101)]
    with pytest.raises(Refused, match="at most 100 records, not 101"):
        db.snapshot(*gets)
    assert db.snapshot(*gets[:100], gets[0]) == (None,) * 101


def test_a_record_that_is_read_twice_is_there_twice(db: DB) -> None:
    one = db(ticket().create())
    get = Ticket.get(org_id="o", ticket_id="t")
    assert db.snapshot(get, get.select(Votes), get) == (one, Votes(votes=0), one)
