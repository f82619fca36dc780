"""What the shuttle's operators do over HTTP: shops, what they pay for, and their end."""

from enum import StrEnum
from itertools import islice
from typing import Annotated

from fastapi import Depends, Path

from sortkey import BadCursor, Page, utc_now
from sortkey_systems.api.app import Cursor, Database, Day, Operations
from sortkey_systems.api.identity import Caller, Having, NotAllowed
from sortkey_systems.shuttle import design, erasing, installing
from sortkey_systems.shuttle.api_models import GivenPlan, Purged, ToldSession, ToldShop
from sortkey_systems.shuttle.design import Domain, Month, UsageDaily, UsageMonthly
from sortkey_systems.shuttle.errors import (
    NotDueForPurge,
    ShopBeingErased,
    ShopNotActive,
    ShopNotFound,
)

Operator = Annotated[Caller, Depends(Having("operator"))]
OfShop = Annotated[Domain, Path(examples=["shop1.myshopify.com"])]

# As many as are purged while somebody waits for the answer.
PURGED_AT_ONCE = 10

operations = Operations()


class Listed(StrEnum):
    """Some shops of all."""

    ACTIVE = "active"
    DUE_FOR_PURGE = "due-for-purge"


@operations.get("/shops", NotAllowed, BadCursor)
def list_shops(
    db: Database, _operator: Operator, only: Listed | None = None, cursor: Cursor = None
) -> Page[ToldShop]:
    """All shops, the first to install first.

    Or only those that may work, in this order; or those that were due for purge when the day
    began, the first to leave first.
    """
    match only:
        case None:
            asked = design.shops_by_install_date(cursor)
        case Listed.ACTIVE:
            asked = design.active_shops(cursor)
        case Listed.DUE_FOR_PURGE:
            # One moment for a whole day, so that a cursor goes on with the same question.
            today = utc_now().replace(hour=0, minute=0, second=0, microsecond=0)
            asked = design.shops_due_for_purge(today - erasing.PURGED_AFTER, cursor)
    return ToldShop.page(db(asked))


@operations.get("/shops/{domain}", NotAllowed, ShopNotFound, ShopBeingErased)
def shop_of_domain(db: Database, _operator: Operator, domain: OfShop) -> ToldShop:
    """One shop."""
    return ToldShop.of(installing.find_shop(db, domain))


@operations.put("/shops/{domain}/plan", NotAllowed, ShopNotFound, ShopBeingErased, ShopNotActive)
def change_plan(db: Database, _operator: Operator, domain: OfShop, given: GivenPlan) -> ToldShop:
    """Give a shop the plan that it pays for."""
    return ToldShop.of(installing.change_plan(db, domain, given.plan))


@operations.post(
    "/shops/{domain}/suspend", NotAllowed, ShopNotFound, ShopBeingErased, ShopNotActive
)
def suspend_shop(db: Database, _operator: Operator, domain: OfShop) -> ToldShop:
    """Let a shop submit nothing until it is resumed."""
    return ToldShop.of(installing.suspend(db, domain))


@operations.post("/shops/{domain}/resume", NotAllowed, ShopNotFound, ShopBeingErased, ShopNotActive)
def resume_shop(db: Database, _operator: Operator, domain: OfShop) -> ToldShop:
    """Let a shop work again."""
    return ToldShop.of(installing.resume(db, domain))


@operations.get("/shops/{domain}/sessions", NotAllowed)
def sessions_of_shop(db: Database, _operator: Operator, domain: OfShop) -> list[ToldSession]:
    """Who is signed in at a shop."""
    return [ToldSession.of(session) for session in db(design.sessions_of_shop(domain))]


@operations.delete("/shops/{domain}", NotAllowed)
def erase_shop(db: Database, _operator: Operator, domain: OfShop) -> None:
    """Leave nothing of a shop, now."""
    erasing.erase(db, domain)


@operations.post("/shops/{domain}/purge", NotAllowed, ShopNotFound, NotDueForPurge, status=204)
def purge_shop(db: Database, _operator: Operator, domain: OfShop) -> None:
    """Leave nothing of a shop that left thirty days ago or before."""
    erasing.purge(db, domain)


@operations.post("/purges", NotAllowed)
def purge_due(db: Database, _operator: Operator) -> Purged:
    """Purge some of the shops that are due; again, until there are none."""
    return Purged(domains=list(islice(erasing.purge_due(db), PURGED_AT_ONCE)))


@operations.get("/usage/days/{day}/shops", NotAllowed, BadCursor)
def usage_on_day(
    db: Database, _operator: Operator, day: Day, cursor: Cursor = None
) -> Page[UsageDaily]:
    """What each shop used on a day."""
    return db(design.usage_on_day(day, cursor))


@operations.get("/usage/months/{month}/shops", NotAllowed, BadCursor)
def usage_in_month(
    db: Database, _operator: Operator, month: Month, cursor: Cursor = None
) -> Page[UsageMonthly]:
    """What each shop used in a month."""
    return db(design.usage_in_month(month, cursor))
