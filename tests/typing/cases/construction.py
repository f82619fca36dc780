"""Entities are made as any Pydantic model is: their fields are the arguments."""

from datetime import datetime
from decimal import Decimal
from typing import assert_type

from design import Address, App, User
from sortkey import Entity, Table, gsi, number

user = User(org_id="acme", user_id="u1")
User(org_id="acme", user_id="u1", email="a@x", logins=3, tags={"new"}, home=Address(city="Oslo"))
User(org_id="acme", user_id="u1", rev=1, expires=None)

assert_type(user, User)
assert_type(user.email, str | None)
assert_type(user.logins, int)
assert_type(user.credit, Decimal)
assert_type(user.rev, int)
assert_type(user.expires, datetime | None)
assert_type(user.created, datetime)
assert_type(user.invited_by, str)
assert_type(user.home.city, str)

User(org_id="acme")  # error
User(org_id="acme", user_id=7)  # error
User(org_id="acme", user_id="u1", emial="a@x")  # error
User(org_id="acme", user_id="u1", primary=1)  # error
User("acme", "u1")  # error
user.emial  # error
user.email.upper()  # error
user.logins = "three"  # error


class Plain(Table, name="plain-{environment}", partition="id", sort=number("at")):
    by_kind = gsi(["kind", "region"], "at", project="KEYS_ONLY")


class Tag(Entity, table=Plain, name="tag", immutable=True):
    id: str
    at: int
    primary = Plain.primary.key()


class WrongTable(Table, tll="expires"):  # error
    by_kind = gsi(3)  # error
    by_size = gsi("size", project="SOME")  # error


class WrongKey(Entity, table=App):
    primary = App.primary.key(1, "TAG")  # error
    by_name = App.gsi2.key("TAG#{name}")  # error


def a_misspelt_name() -> None:
    from sortkey import Entiy  # error
