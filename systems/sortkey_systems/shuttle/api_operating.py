"""Operations for operators: shops with their plans, usage and erasure."""

from enum import StrEnum
from itertools import islice
from typing import Annotated

from fastapi import Depends, Path

from sortkey import BadCursor, Contended, Page, utc_now
from sortkey_systems.api.app import Cursor, Database, Operations
from sortkey_systems.api.callers import Caller
from sortkey_systems.api.days import Day
from sortkey_systems.api.identity import NotAllowed, RequireRole
from sortkey_systems.shuttle import erasing, installing, signing_in
from sortkey_systems.shuttle.api_former import Former
from sortkey_systems.shuttle.api_models import (
    ErasureResponse,
    FinishedResponse,
    PlanRequest,
    PurgeResponse,
    SessionResponse,
    ShopResponse,
)
from sortkey_systems.shuttle.design import usage
from sortkey_systems.shuttle.design.shops import (
    active_shops,
    shops_by_install_date,
    shops_due_for_purge,
)
from sortkey_systems.shuttle.design.table import Domain, Month
from sortkey_systems.shuttle.design.usage import UsageDaily, UsageMonthly
from sortkey_systems.shuttle.errors import (
    NotDueForPurge,
    ShopBeingErased,
    ShopNotActive,
    ShopNotFound,
)
from sortkey_systems.shuttle.finding import find_shop

Operator = Annotated[Caller, Depends(RequireRole("operator"))]
ShopDomain = Annotated[Domain, Path(examples=["shop1.myshopify.com"])]

# The number of shops that one request purges.
PURGE_LIMIT = 10

operations = Operations()


class ShopFilter(StrEnum):
    """A selection of shops."""

    ACTIVE = "active"
    DUE_FOR_PURGE = "due-for-purge"


@operations.get("/shops", NotAllowed, BadCursor)
def list_shops(
    db: Database, _operator: Operator, only: ShopFilter | None = None, cursor: Cursor = None
) -> Page[ShopResponse]:
    """List all shops by install date, or only the active ones, or those due for purge.

    Shops due for purge are those at the start of the day, in the order in which they left.
    """
    match only:
        case None:
            query = shops_by_install_date(cursor)
        case ShopFilter.ACTIVE:
            query = active_shops(cursor)
        case ShopFilter.DUE_FOR_PURGE:
            # One time for the whole day, so that a cursor continues the same query.
            today = utc_now().replace(hour=0, minute=0, second=0, microsecond=0)
            query = shops_due_for_purge(today - erasing.PURGED_AFTER, cursor)
    return ShopResponse.page(db(query))


@operations.get("/shops/{domain}", NotAllowed, ShopNotFound, ShopBeingErased)
def shop_of_domain(db: Database, _operator: Operator, domain: ShopDomain) -> ShopResponse:
    """Get a shop."""
    return ShopResponse.of(find_shop(db, domain))


@operations.put("/shops/{domain}/plan", NotAllowed, ShopNotFound, ShopBeingErased, ShopNotActive)
def change_plan(
    db: Database, _operator: Operator, domain: ShopDomain, request: PlanRequest
) -> ShopResponse:
    """Change a shop's plan."""
    return ShopResponse.of(installing.change_plan(db, domain, request.plan))


@operations.post(
    "/shops/{domain}/suspend", NotAllowed, ShopNotFound, ShopBeingErased, ShopNotActive
)
def suspend_shop(db: Database, _operator: Operator, domain: ShopDomain) -> ShopResponse:
    """Suspend a shop: it cannot submit jobs until it is resumed."""
    return ShopResponse.of(installing.suspend(db, domain))


@operations.post("/shops/{domain}/resume", NotAllowed, ShopNotFound, ShopBeingErased, ShopNotActive)
def resume_shop(db: Database, _operator: Operator, domain: ShopDomain) -> ShopResponse:
    """Resume a suspended shop."""
    return ShopResponse.of(installing.resume(db, domain))


@operations.get("/shops/{domain}/sessions", NotAllowed)
def sessions_of_shop(
    db: Database, _operator: Operator, domain: ShopDomain
) -> list[SessionResponse]:
    """List the sessions of a shop."""
    return [SessionResponse.of(session) for session in signing_in.list_sessions(db, domain)]


@operations.delete("/shops/{domain}", NotAllowed, Contended, status=200)
def erase_shop(
    db: Database, _operator: Operator, former: Former, domain: ShopDomain
) -> ErasureResponse:
    """Erase a shop with all its records now."""
    return ErasureResponse.model_validate(erasing.erase(db, domain, former=former))


@operations.post("/shops/{domain}/purge", NotAllowed, ShopNotFound, NotDueForPurge, Contended)
def purge_shop(
    db: Database, _operator: Operator, former: Former, domain: ShopDomain
) -> ErasureResponse:
    """Erase a shop that was uninstalled at least 30 days ago."""
    return ErasureResponse.model_validate(erasing.purge(db, domain, former=former))


@operations.post("/erasures/finish", NotAllowed)
def finish_erasures(db: Database, _operator: Operator, former: Former) -> FinishedResponse:
    """Continue all erasures under way, and end those whose time has come."""
    found = erasing.finish_erasures(db, former=former)
    return FinishedResponse(finished=list(found.finished), failed=list(found.failed))


@operations.post("/purges", NotAllowed)
def purge_due(db: Database, _operator: Operator, former: Former) -> PurgeResponse:
    """Purge some of the shops that are due; repeat until none is returned."""
    return PurgeResponse(domains=list(islice(erasing.purge_due(db, former=former), PURGE_LIMIT)))


@operations.get("/usage/days/{day}/shops", NotAllowed, BadCursor)
def usage_on_day(
    db: Database, _operator: Operator, day: Day, cursor: Cursor = None
) -> Page[UsageDaily]:
    """List the usage of all shops on a day."""
    return db(usage.usage_on_day(day, cursor))


@operations.get("/usage/months/{month}/shops", NotAllowed, BadCursor)
def usage_in_month(
    db: Database, _operator: Operator, month: Month, cursor: Cursor = None
) -> Page[UsageMonthly]:
    """List the usage of all shops in a month."""
    return db(usage.usage_in_month(month, cursor))
