"""Writes answer with the record as it is stored, or as it was."""

from typing import assert_type

from design import Order, User
from sortkey import DB, Op


def whole_records(db: DB, user: User, order: Order) -> None:
    assert_type(db(user.create()), User)
    assert_type(db(order.put()), Order)
    assert_type(db(user.replace()), User)
    assert_type(db(user.replace(before=user)), User)
    assert_type(db(order.put().where(lambda o: o.status == "open")), Order)
    value: Op[User] = user.create()

    created: Order = db(user.create())  # error
    user.replace(before=order)  # error
    order.put().where(lambda o: o.stauts == "open")  # error
    User.create()  # error


def removals(db: DB, user: User) -> None:
    assert_type(db(user.delete()), User | None)
    assert_type(db(User.delete(org_id="acme", user_id="u1")), User | None)
    assert_type(db(User.delete(org_id="acme", user_id="u1").required()), User | None)
    assert_type(db(user.delete().where(lambda u: u.rev == 3)), User | None)
    assert_type(db(user.erase()), User | None)
    assert_type(db(User.erase(org_id="acme", user_id="u1")), User | None)

    user.delete(org_id="acme")  # error
    user.delete().where(lambda u: u.revision == 3)  # error
    User.delete(org_id="acme", user_id="u1").where(lambda u: u.revision == 3)  # error
    gone: Order | None = db(user.delete())  # error
    surely: User = db(user.delete())  # error


def together(db: DB, user: User, order: Order) -> None:
    update = User.update(org_id="acme", user_id="u1").add(lambda u: u.logins).by(1)
    check = User.check(org_id="acme", user_id="u2").where(lambda u: u.logins > 3)
    db.transact(order.create(), update, check, user.check(), user.delete(), token="order-17")
    db.write_many([order.put(), User.erase(org_id="acme", user_id="u1")])
    nothing: None = db(check)

    db.transact(User.get(org_id="acme", user_id="u1"))  # error
    db.transact(order)  # error
    db.transact(order.create(), token=17)  # error
    db.write_many([update])  # error
    db.write_many([User.get(org_id="acme", user_id="u1")])  # error
    user.check(org_id="acme")  # error
    User.check(org_id="acme", user_id="u2").where(lambda u: u.emial == "x")  # error
