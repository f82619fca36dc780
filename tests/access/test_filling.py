"""Many new records are written at once, each with its guarantees."""

from collections.abc import Callable

import pytest
from tests.access.design import App, Member, Order

from sortkey import DB, AlreadyExists
from sortkey.access.filling import fill
from sortkey.clock import utc_now


def test_plain_records_go_in_batches_and_others_are_created(opened: Callable[..., DB]) -> None:
    db = opened(App)
    orders = [Order(org_id="o", order_id=n, placed=utc_now()) for n in range(30)]

    with db.budget() as calls:
        written = fill(db, [*orders, Member(org_id="o", member_id="m", email="a@x")])

    assert written == {"Order": 30, "Member": 1}
    assert len(db(Order.query(org_id="o"))) == 30
    member = db(Member.get(org_id="o", member_id="m"))
    assert member is not None
    assert member.rev == 1
    assert len(calls) == 3


def test_a_record_that_is_there_already_is_not_overwritten(opened: Callable[..., DB]) -> None:
    db = opened(App)
    fill(db, [Member(org_id="o", member_id="m", name="first")])

    with pytest.raises(AlreadyExists):
        fill(db, [Member(org_id="o", member_id="m", name="second")])


def test_nothing_is_written_of_nothing(opened: Callable[..., DB]) -> None:
    db = opened(App)

    with db.budget(requests=0):
        assert fill(db, []) == {}
