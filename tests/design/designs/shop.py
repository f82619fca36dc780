"""A shop: organisations, their users and orders, in one table."""

from datetime import datetime
from decimal import Decimal
from enum import Enum
from typing import Annotated

from sortkey import (
    TTL,
    About,
    Collection,
    CreatedAt,
    Entity,
    Op,
    Page,
    Role,
    Settings,
    Table,
    Version,
    auto,
    gsi,
    pattern,
    unique,
)


class Status(Enum):
    OPEN = "open"
    SHIPPED = "shipped"


class App(Table, name="shop-{environment}", ttl="expires", settings=Settings(stream="NEW_IMAGE")):
    """Everything the shop stores."""

    gsi1 = gsi("GSI1PK", "GSI1SK")


class Sessions(Table, partition="session_id", ttl="expires"):
    """Who is logged in."""


class Org(Entity, table=App):
    org_id: str
    plan: str = "free"
    primary = App.primary.key("ORG#{org_id}", "ORG")


class User(Entity, table=App):
    org_id: str
    user_id: str
    email: Annotated[str | None, unique] = None
    logins: int = 0
    created: CreatedAt = auto()
    rev: Version = 0
    primary = App.primary.key("ORG#{org_id}", "USER#{user_id}")
    by_email = App.gsi1.key("EMAIL#{email}", "USER")


class Order(Entity, table=App):
    org_id: str
    order_id: int
    status: Status
    placed: datetime
    total: Decimal
    primary = App.primary.key("ORG#{org_id}", "ORDER#{order_id:012d}")
    by_status = App.gsi1.key("STATUS#{status}", "{placed}#{order_id:012d}")


class Session(Entity, table=Sessions):
    session_id: str
    user_id: str
    expires: TTL


class OrgPage(Collection):
    """An organisation with all that belongs to it."""

    org: Org | None
    users: list[User]
    orders: list[Order]


@pattern("AP1: a user by e-mail", rate="50/s", where=lambda u, email: u.email == email)
def user_by_email(email: str) -> Op[User | None]:
    """The user who logs in with this address."""
    return User.query(User.by_email, email=email).one()


@pattern("AP2: orders of a status since a time, newest first", rate="3/min", page=50)
def orders_since(
    status: Status, since: datetime, least: Decimal, after: str | None = None
) -> Op[Page[Order]]:
    return (
        Order.query(Order.by_status, status=status)
        .ge(placed=since)
        .where(lambda o: o.total >= least)
        .reverse()
        .page(50, after)
    )


@pattern("AP3: an organisation's page", rate="200/s", fresh=True)
def org_page(org_id: str) -> Op[OrgPage]:
    return OrgPage.load(org_id=org_id).consistently()


@pattern("AP4: a new user")
def add_user(user: User) -> Op[User]:
    return user.create()


@pattern("AP5: a login is counted", rate="50/s")
def count_login(org_id: str, user_id: str) -> Op[User]:
    return User.update(org_id=org_id, user_id=user_id).add(lambda u: u.logins).by(1)


@pattern("AP6: who is logged in", rate="1000/s")
def session(session_id: str) -> Op[Session | None]:
    return Session.get(session_id=session_id)


about = About(name="shop", tenant="org_id", environments=("dev", "prod"))
api = Role("api", [user_by_email, org_page, count_login, session], acts_for="user_id")
