"""A pattern keeps the signature of the function that it is."""

from collections.abc import Iterator
from datetime import datetime
from typing import assert_type

from design import Order, User
from sortkey import DB, AsyncDB, Op, Page, pattern, snapshot, transact


@pattern("AP1: a user by e-mail", rate="50/s")
def user_by_email(email: str) -> Op[User | None]:
    return User.query(User.by_email, email=email).one()


@pattern("AP2: orders by status since a time, newest first", page=50)
def orders_by_status(status: str, *, since: datetime, after: str | None = None) -> Op[Page[Order]]:
    return (
        Order.query(Order.by_status, status=status)
        .ge(placed=since)
        .where(lambda o: o.total > 0)
        .reverse()
        .page(50, after)
    )


@pattern(
    "AP3: the users of an organisation who signed in",
    fresh=True,
    where=lambda u, org_id: u.org_id == org_id and u.logins > 0,
    order=lambda u: u.user_id,
)
def active_users(org_id: str) -> Op[list[User]]:
    return User.query(org_id=org_id).where(lambda u: u.logins > 0)


@pattern("All users who signed in", where=lambda u: u.logins > 0)
def users_who_signed_in() -> Op[list[User]]:
    return User.scan().where(lambda u: u.logins > 0)


@pattern("AP4: a login is counted")
def count_login(org_id: str, user_id: str, times: int = 1) -> Op[User]:
    return User.update(org_id=org_id, user_id=user_id).add(lambda u: u.logins).by(times)


async def results(db: DB, waiting: AsyncDB, now: datetime) -> None:
    assert_type(user_by_email("a@x"), Op[User | None])
    assert_type(db(user_by_email("a@x")), User | None)
    assert_type(db(user_by_email(email="a@x")), User | None)
    assert_type(await waiting(user_by_email("a@x")), User | None)
    assert_type(db(orders_by_status("open", since=now)), Page[Order])
    assert_type(db(orders_by_status("open", since=now, after="c")).items, list[Order])
    assert_type(db(active_users("acme")), list[User])
    assert_type(db.each(active_users("acme")), Iterator[User])
    assert_type(db(count_login("acme", "u1", 2)), User)


def mistakes(db: DB, now: datetime) -> None:
    user_by_email(3)  # error
    user_by_email(emial="a@x")  # error
    user_by_email()  # error
    user_by_email("a@x", "b@x")  # error
    orders_by_status("open", now)  # error
    orders_by_status("open", since="today")  # error
    count_login("acme", "u1", "2")  # error
    order: Order | None = db(user_by_email("a@x"))  # error
    db(user_by_email)  # error


@pattern("AP5: what it returns is not what it says")
def wrong(email: str) -> Op[Order | None]:
    return User.query(User.by_email, email=email).one()  # error


@pattern("AP6: its rate is no text", rate=50)  # error
def rate_is_text(email: str) -> Op[User | None]:
    return User.query(User.by_email, email=email).one()


@pattern("AP5: an order is counted")
def place(order: Order, user_id: str) -> Op[None]:
    counted = User.update(org_id=order.org_id, user_id=user_id).add(lambda u: u.logins).by(1)
    return transact(order.create(), counted)


@pattern("AP6: a user and an order of one moment")
def together(org_id: str, user_id: str, order_id: int) -> Op[tuple[User | None, Order | None]]:
    user = User.get(org_id=org_id, user_id=user_id)
    return snapshot(user, Order.get(org_id=org_id, order_id=order_id))
