"""Metering: what a shop uses beside its jobs."""

from typing import Any

from sortkey import DB, ConditionFailed, NotFound, TransactionFailed, missing, utc_now
from sortkey.operations.delete import Check
from sortkey.operations.upsert import Upsert
from sortkey.operations.write import Write
from systems.shuttle.design import Shop, UsageDaily, UsageMonthly
from systems.shuttle.errors import BadInput, ShopBeingErased, ShopNotFound, checked


def count_api_calls(db: DB, domain: str, calls: int) -> None:
    """So many calls more, on this day and in this month; counted once, whatever is lost."""
    if calls < 1:
        raise BadInput("calls", "there is at least one to count")
    with checked():
        day, month = _day(domain), _month(domain)
    write_for_shop(
        db,
        domain,
        day.add(lambda u: u.api_calls).by(calls),
        month.add(lambda u: u.api_calls).by(calls),
    )


def note_storage(db: DB, domain: str, used_bytes: int) -> None:
    """How much is stored for the shop now; the day and the month keep what was said last."""
    if used_bytes < 0:
        raise BadInput("used_bytes", "it cannot be less than 0")
    with checked():
        day, month = _day(domain), _month(domain)
    write_for_shop(
        db,
        domain,
        day.set(lambda u: u.storage_used_bytes).to(used_bytes),
        month.set(lambda u: u.storage_used_bytes).to(used_bytes),
    )


def write_for_shop(db: DB, domain: str, *writes: Write[Any]) -> None:
    """All of the writes, while the shop is there and nobody is erasing it."""
    shop = _is_here(domain)
    try:
        with checked():
            db.transact(shop, *writes)
    except TransactionFailed as failed:
        match failed.of(shop):
            case NotFound():
                raise ShopNotFound(domain) from None
            case ConditionFailed():
                raise ShopBeingErased(domain) from None
            case _:
                raise


def _is_here(domain: str) -> Check[Shop]:
    return Shop.check(domain=domain).where(lambda s: missing(s.erasing_since))


def _day(domain: str) -> Upsert[UsageDaily]:
    return UsageDaily.upsert(domain=domain, day=utc_now().date())


def _month(domain: str) -> Upsert[UsageMonthly]:
    return UsageMonthly.upsert(domain=domain, month=f"{utc_now():%Y-%m}")
