"""A claim knows what its work comes to, and only what was taken is finished."""

from datetime import timedelta
from typing import assert_type

from pydantic import BaseModel

from design import App, Order, User
from sortkey import DB, AsyncDB, Claim, ClaimLost, InProgress


class Receipt(BaseModel):
    paid: int


class Payment(Claim[Receipt], table=App):
    payment_id: str
    primary = App.primary.key("PAYMENT#{payment_id}", "CLAIM")


def pay(db: DB, order: Order) -> Receipt:
    claim = db(Payment(payment_id="p1").take(lease=timedelta(minutes=1)))
    assert_type(claim, Payment)
    if claim.is_finished:
        assert_type(claim.result, Receipt)
        return claim.result
    assert_type(db(claim.finish(Receipt(paid=1), order.create())), Receipt)
    nothing: None = db(claim.release())

    claim.finish(7)  # error
    claim.finish(Receipt(paid=1), User.get(org_id="acme", user_id="u1"))  # error
    db.transact(claim.finish(Receipt(paid=1)))  # error
    Payment(payment_id="p1").take(lease=60)  # error
    amount: int = claim.result  # error
    return claim.result


async def pay_async(db: AsyncDB, order: Order) -> Receipt:
    try:
        claim = await db(Payment(payment_id="p1").take())
        return await db(claim.finish(Receipt(paid=1), order.create()))
    except (InProgress, ClaimLost) as error:
        assert_type(error.entity, str)
        raise
