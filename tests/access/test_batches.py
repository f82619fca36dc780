"""Batches take any number of records, and refuse writes that need a condition."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic import BaseModel
from tests.access.design import (
    Account,
    App,
    Coupon,
    Event,
    Member,
    Milestone,
    Order,
    Ticket,
    Users,
    Visit,
)
from tests.access.executors import Counted, stored_items

from sortkey import DB, Refused
from sortkey.operations.batch import BatchGet, BatchWrite
from sortkey.operations.delete import Delete
from sortkey.operations.put import Put

NOON = datetime(2024, 5, 6, 12, tzinfo=UTC)


def order(number: int, **fields: object) -> Order:
    return Order.model_validate({"org_id": "o", "order_id": number, "placed": NOON} | fields)


def get(number: int) -> Any:
    return Order.get(org_id="o", order_id=number)


def test_any_number_of_records_is_written_and_read(db: DB) -> None:
    orders = [order(n) for n in range(120)]
    _, writes = db(Counted(BatchWrite(tuple(one.put() for one in orders))))
    found, reads = db(Counted(BatchGet(tuple(get(n) for n in range(125)))))

    assert found == [*orders, None, None, None, None, None]
    assert (writes, reads) == (5, 2)
    assert db(Order.query(Order.by_status, status="open").count()) == 120


def test_puts_and_deletes_of_several_tables_travel_together(opened: Callable[..., DB]) -> None:
    db = opened(App, Users)
    gone = db(order(1).create())
    account = db(Account(user_id="u").create())
    milestone = Milestone(goal_id="g", name="n")
    db.write_many([gone.delete(), milestone.put(), Visit(user_id="u", visit_id="v").put()])

    found = db.get_many([get(1), Milestone.get(goal_id="g", name="n"), Account.get(user_id="u")])
    assert found == [None, milestone, account]


def test_of_several_writes_of_one_record_the_last_counts(db: DB) -> None:
    db.write_many([order(1, note="a").put(), order(1, note="b").put()])
    assert db(get(1).required()).note == "b"
    db.write_many([order(1, note="c").put(), Order.delete(org_id="o", order_id=1)])
    assert db(get(1)) is None
    db.write_many([Order.delete(org_id="o", order_id=1), order(1, note="d").put()])
    assert db(get(1).required()).note == "d"


def test_a_record_that_is_read_twice_is_there_twice(db: DB) -> None:
    one = db(order(1).create())
    assert db.get_many([get(1), get(2), get(1)]) == [one, None, one]


class Noted(BaseModel):
    note: str | None


def test_a_batch_reads_the_shape_that_each_get_asks_for(db: DB) -> None:
    one = db(order(1, note="x").create())
    assert db.get_many([get(1).select(Noted), get(1)]) == [Noted(note="x"), one]


def test_a_consistent_get_may_be_part_of_it(db: DB) -> None:
    one = db(order(1).create())
    assert db.get_many([get(1).consistently(), get(1)]) == [one, one]


def test_records_beyond_one_response_are_requested_again(db: DB) -> None:
    """A response has at most 16 megabytes; the rest is returned as unprocessed keys."""
    large = "x" * 350_000
    db.write_many([Visit(user_id="u", visit_id=f"{n:02d}", memo=large).put() for n in range(50)])
    gets = tuple(Visit.get(user_id="u", visit_id=f"{n:02d}") for n in range(50))
    found, steps = db(Counted(BatchGet(gets)))

    assert [one.visit_id for one in found if one] == [f"{n:02d}" for n in range(50)]
    assert steps > 1


def refused() -> Iterator[Any]:
    ticket = Ticket(org_id="o", ticket_id="t", rev=1)
    account = Account(user_id="u", rev=1)
    coupon = Coupon(shop_id="s", coupon_id="c", code="x")
    event = Event(stream_id="s", number=1, what="w")
    versioned, only, same = "Ticket has a version", "Event is immutable", "has a unique field"
    yield pytest.param(ticket.put(), versioned, id="put of a version")
    yield pytest.param(ticket.create(), versioned, id="create of a version")
    yield pytest.param(account.replace(), "Account has a version", id="replace of a version")
    yield pytest.param(coupon.create(), f"Coupon {same}", id="unique")
    yield pytest.param(coupon.replace(before=coupon), f"Coupon {same}", id="replace of unique")
    yield pytest.param(Member(org_id="o", member_id="m").create(), "Member has", id="both")
    yield pytest.param(event.create(), only, id="immutable")
    yield pytest.param(order(1).create(), "Order is written by create", id="create")
    yield pytest.param(order(1).replace(), "Order is written by replace", id="replace")
    yield pytest.param(ticket.delete(), versioned, id="delete of a version")
    yield pytest.param(Event.delete(stream_id="s", number=1), only, id="delete of immutable")
    yield pytest.param(coupon.delete(), f"Coupon {same}", id="delete of unique")
    yield pytest.param(coupon.erase(), f"Coupon {same}", id="erase of unique")
    where = Order.delete(org_id="o", order_id=1).where(lambda o: o.status == "open")
    yield pytest.param(where, "Order is deleted with a condition", id="delete under a condition")


@pytest.mark.parametrize(("write", "message"), [*refused()])
def test_a_write_that_needs_a_condition_refuses_the_whole_batch(
    db: DB, write: Put[Any] | Delete[Any], message: str
) -> None:
    with pytest.raises(Refused, match=rf"^{message}.*use transact\(\)"):
        db.write_many([*(order(n).put() for n in range(30)), write])
    assert stored_items(db, App) == []


def test_what_is_versioned_or_immutable_is_erased(db: DB) -> None:
    tickets = [db(Ticket(org_id="o", ticket_id=f"{n}").create()) for n in range(3)]
    db(Event(stream_id="s", number=1, what="w").create())
    db.write_many([*(one.erase() for one in tickets), Event.erase(stream_id="s", number=1)])
    assert stored_items(db, App) == []


def test_nothing_to_do_sends_no_request(db: DB) -> None:
    assert db(Counted(BatchWrite(()))) == (None, 0)
    nothing: BatchGet[Order] = BatchGet(())
    assert db(Counted(nothing)) == ([], 0)
