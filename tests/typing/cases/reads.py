"""Reads are typed by their entity, through every step, until the database answers."""

from collections.abc import Iterator
from datetime import datetime
from typing import assert_type

from design import Order, Summary, User
from sortkey import DB, Get, Op, Page


def one_record(db: DB) -> None:
    assert_type(db(User.get(org_id="acme", user_id="u1")), User | None)
    assert_type(db(User.get(org_id="acme", user_id="u1").consistently()), User | None)
    assert_type(db(User.get(org_id="acme", user_id="u1").required()), User)
    assert_type(db(Order.get(org_id="acme", order_id=1).select(Summary)), Summary | None)
    assert_type(db(Order.get(org_id="acme", order_id=1).select(Summary).required()), Summary)

    user: User = db(User.get(org_id="acme", user_id="u1"))  # error
    order: User | None = db(Order.get(org_id="acme", order_id=1))  # error
    db(User.get(org_id="acme", user_id="u1")).email  # error


def many_records(db: DB, since: datetime) -> None:
    by_status = Order.query(Order.by_status, status="open")
    assert_type(db(by_status), list[Order])
    assert_type(db(by_status.ge(placed=since).reverse().limit(3)), list[Order])
    assert_type(db(by_status.where(lambda o: o.total > 0)), list[Order])
    assert_type(db(User.query(org_id="acme").consistently()), list[User])
    assert_type(db(User.query(org_id="acme").begins_with(user_id="u")), list[User])
    assert_type(db(User.query(org_id="acme").between(user_id=("a", "f"))), list[User])
    assert_type(db(by_status.first()), Order | None)
    assert_type(db(User.query(User.by_email, email="a@x").one()), User | None)
    assert_type(db(by_status.count()), int)
    assert_type(db(by_status.select(Summary)), list[Summary])
    assert_type(db(by_status.select(Summary).page(10)), Page[Summary])
    assert_type(db(User.scan().where(lambda u: u.logins > 3)), list[User])

    users: list[User] = db(by_status)  # error
    User.query("by_email", email="a@x")  # error
    by_status.limit("3")  # error
    by_status.between(placed=since)  # error
    by_status.begins_with(status=3)  # error
    by_status.select(lambda o: o.total)  # error


def pages(db: DB, cursor: str | None) -> None:
    page = db(Order.query(Order.by_status, status="open").page(10))
    assert_type(page, Page[Order])
    assert_type(page.items, list[Order])
    assert_type(page.cursor, str | None)
    assert_type(len(page), int)
    for order in page:
        assert_type(order, Order)
    db(Order.query(Order.by_status, status="open").page(10, page.cursor))

    db(Order.query(Order.by_status, status="open").page("10"))  # error
    db(Order.query(Order.by_status, status="open").page(10, 2))  # error
    users: Page[User] = db(Order.query(org_id="acme").page(10))  # error


def several_at_once(db: DB) -> None:
    user = User.get(org_id="acme", user_id="u1")
    order = Order.get(org_id="acme", order_id=1)
    assert_type(db.snapshot(user), tuple[User | None])
    assert_type(db.snapshot(user, order), tuple[User | None, Order | None])
    assert_type(db.snapshot(order, user, order), tuple[Order | None, User | None, Order | None])
    assert_type(db.snapshot(*[user]), tuple[User | None, ...])
    assert_type(db.get_many([user]), list[User | None])
    assert_type(db.get_many(User.get(org_id="acme", user_id=u) for u in "abc"), list[User | None])
    db.get_many([user, order])

    db.snapshot(User.query(org_id="acme"))  # error
    db.get_many([User.query(org_id="acme")])  # error
    db.get_many(user)  # error


def in_parallel(db: DB, gets: list[Get[User]], mixed: list[Op[User | Order]]) -> None:
    user = User.get(org_id="acme", user_id="u1")
    users = User.query(org_id="a")
    order = Order.get(org_id="acme", order_id=1).required()
    assert_type(db.all(user), tuple[User | None])
    assert_type(db.all(users, users), tuple[list[User], list[User]])
    assert_type(db.all(user, order), tuple[User | None, Order])
    assert_type(db.all(user, order, users), tuple[User | None, Order, list[User]])
    assert_type(
        db.all(user, order, users, users.count()), tuple[User | None, Order, list[User], int]
    )
    assert_type(
        db.all(user, order, users, order, users.page(3)),
        tuple[User | None, Order, list[User], Order, Page[User]],
    )
    assert_type(db.all(user, user, user, user, user, user), tuple[User | None, ...])
    assert_type(db.all(*gets), tuple[User | None, ...])
    assert_type(db.all(user, *gets), tuple[User | None, ...])
    assert_type(db.all(*(Order.query(org_id=org) for org in "ab")), tuple[list[Order], ...])
    assert_type(db.all(*users_of("ab")), tuple[list[User], ...])
    assert_type(db.all(*User.scan().segments(4)), tuple[list[User], ...])
    assert_type(db.all(*mixed), tuple[User | Order, ...])
    found, paid = db.all(user.required(), order)
    assert_type(found.email, str | None)
    assert_type(paid.order_id, int)

    db.all(gets)  # error
    db.all(user, "order")  # error
    first: Order = db.all(user, order)[0]  # error
    _one, _two = db.all(user, user, user)  # error


def users_of(orgs: str) -> Iterator[Op[list[User]]]:
    return (User.query(org_id=org) for org in orgs)


def one_by_one(db: DB) -> None:
    assert_type(db.each(User.query(org_id="acme")), Iterator[User])
    assert_type(db.each(Order.query(org_id="acme").select(Summary)), Iterator[Summary])
    for user in db.each(User.scan()):
        assert_type(user, User)

    db.each(User.get(org_id="acme", user_id="u1"))  # error
    db.each(User.scan().page(3))  # error


def as_values() -> None:
    get: Op[User | None] = User.get(org_id="acme", user_id="u1")
    wider: Op[User | Order | None] = get
    required: Op[User] = User.get(org_id="acme", user_id="u1").required()
    listed: Op[list[User]] = User.query(org_id="acme")
    paged: Op[Page[Order]] = Order.query(org_id="acme").page(10)

    always: Op[User] = User.get(org_id="acme", user_id="u1")  # error
    other: Op[Order | None] = User.get(org_id="acme", user_id="u1")  # error
    unpaged: Op[list[Order]] = Order.query(org_id="acme").page(10)  # error
