"""A collection's fields are what it says they are: lists of entities, or one."""

from typing import assert_type

from design import App, Order, User
from sortkey import DB, AsyncDB, Collection, Entity, Op


class Org(Entity, table=App):
    org_id: str
    plan: str = "free"
    primary = App.primary.key("ORG#{org_id}", "ORG")


class OrgPage(Collection):
    org: Org | None
    users: list[User]
    orders: list[Order]


async def results(db: DB, waiting: AsyncDB) -> None:
    page = db(OrgPage.load(org_id="acme"))
    assert_type(page, OrgPage)
    assert_type(page.org, Org | None)
    assert_type(page.users, list[User])
    assert_type(page.orders, list[Order])
    assert_type(page.orders[0].status, str)
    assert_type(await waiting(OrgPage.load(org_id="acme").consistently()), OrgPage)
    assert_type(db(OrgPage.load(org_id="acme").reverse()).users, list[User])
    value: Op[OrgPage] = OrgPage.load(org_id="acme")
    OrgPage(org=None, users=[], orders=[])

    page.user  # error
    page.org.plan  # error
    users: list[User] = page.orders  # error
    other: Op[User] = OrgPage.load(org_id="acme")  # error
    OrgPage(org=None, users=[], orders=page.users)  # error
    OrgPage(org=None, users=[])  # error
    OrgPage.load("acme")  # error


class Misplaced(Collection, index="gsi1"):  # error
    users: list[User]
