"""An update's fields are those of the entity, and its values those of the field."""

from datetime import datetime
from decimal import Decimal
from typing import assert_type

from design import Address, Order, Plan, User
from sortkey import DB, Op, Update, Upsert, value_of

by_key = User.update(org_id="acme", user_id="u1")
may_be_new = User.upsert(org_id="acme", user_id="u1")


def results(db: DB, user: User) -> None:
    assert_type(by_key, Update[User])
    assert_type(user.update(), Update[User])
    assert_type(may_be_new, Upsert[User])
    assert_type(by_key.set(lambda u: u.logins).to(3), Update[User])
    assert_type(may_be_new.add(lambda u: u.logins).by(1), Upsert[User])
    assert_type(by_key.where(lambda u: u.logins > 3).remove(lambda u: u.email), Update[User])
    assert_type(db(by_key.add(lambda u: u.logins).by(1)), User)
    assert_type(db(user.update().set(lambda u: u.email).to("b@x")), User)
    assert_type(db(may_be_new.add(lambda u: u.logins).by(1)), User)
    value: Op[User] = by_key.append(lambda u: u.log).items("in")

    user.update(org_id="acme")  # error
    order: Order = db(by_key.set(lambda u: u.logins).to(3))  # error
    other: Op[Order] = by_key.set(lambda u: u.logins).to(3)  # error
    db(by_key.set(lambda u: u.logins))  # error


def setting(moment: datetime) -> None:
    by_key.set(lambda u: u.logins).to(3)
    by_key.set(lambda u: u.email).to("b@x").set(lambda u: u.credit).to(Decimal("1.5"))
    by_key.set(lambda u: u.email).to(None)
    by_key.set(lambda u: u.expires).to(moment)
    by_key.set(lambda u: u.home).to(Address(city="Oslo"))
    by_key.set(lambda u: u.home.city).to("Oslo")
    by_key.set(lambda u: u.home.street).to(None)
    by_key.set(lambda u: value_of(u.address).city).to("Oslo")
    by_key.set(lambda u: u.log[0]).to("first")
    by_key.set(lambda u: u.tags).to({"a", "b"})

    by_key.set(lambda u: u.emial).to("b@x")  # error
    by_key.set(lambda u: u.logins).to("three")  # error
    by_key.set(lambda u: u.logins).to(None)  # error
    by_key.set(lambda u: u.email).to(3)  # error
    by_key.set(lambda u: u.expires).to("tomorrow")  # error
    by_key.set(lambda u: u.home).to("Oslo")  # error
    by_key.set(lambda u: u.home.town).to("Oslo")  # error
    by_key.set(lambda u: u.address.city).to("Oslo")  # error
    by_key.set(lambda u: value_of(u.address).city).to(None)  # error
    by_key.set(lambda u: u.log[0]).to(1)  # error
    by_key.set(lambda u: u.tags).to({1, 2})  # error
    by_key.set("logins")  # error
    may_be_new.set(lambda u: u.logins).to("three")  # error


def adding() -> None:
    assert_type(by_key.set(plan=Plan.PRO, active=False), Update[User])
    assert_type(may_be_new.set(plan=Plan.PRO).add(logins=1, credit=Decimal("0.5")), Upsert[User])
    by_key.set(lambda u: u.plan, active=False)  # error
    by_key.add(lambda u: u.logins, credit=1)  # error
    by_key.add(logins="one")  # error
    by_key.add(lambda u: u.logins).by(1)
    by_key.add(lambda u: u.logins).by(-1)
    by_key.add(lambda u: u.strikes).by(1)
    by_key.add(lambda u: u.credit).by(Decimal("0.5"))
    by_key.add(lambda u: u.credit).by(1)

    by_key.add(lambda u: u.logings).by(1)  # error
    by_key.add(lambda u: u.logins).by("x")  # error
    by_key.add(lambda u: u.logins).by(Decimal("0.5"))  # error
    by_key.add(lambda u: u.logins).by(0.5)  # error
    by_key.add(lambda u: u.credit).by(0.5)  # error
    by_key.add(lambda u: u.strikes).by(None)  # error
    by_key.add(lambda u: u.email).by("x")  # error
    by_key.add(lambda u: u.tags)  # error


def members() -> None:
    by_key.append(lambda u: u.log).items("in", "out")
    by_key.append(lambda u: u.notes).items("in")
    by_key.include(lambda u: u.tags).items("new", "late")
    by_key.include(lambda u: u.badges).items("gold")
    by_key.exclude(lambda u: u.tags).items("old")

    by_key.append(lambda u: u.log).items(1)  # error
    by_key.append(lambda u: u.notes).items(1)  # error
    by_key.append(lambda u: u.notes).items(None)  # error
    by_key.append(lambda u: u.tags).items("new")  # error
    by_key.append(lambda u: u.logg).items("in")  # error
    by_key.include(lambda u: u.tags).items(1)  # error
    by_key.include(lambda u: u.badges).items(1)  # error
    by_key.include(lambda u: u.log).items("new")  # error
    by_key.exclude(lambda u: u.tag).items("old")  # error


def removing() -> None:
    by_key.remove(lambda u: u.email).remove(lambda u: u.expires)

    by_key.remove(lambda u: u.emial)  # error
