"""What remains of an erased shop, so that nobody resets a limit or lifts a suspension by erasing.

A keyed hash stands for the domain. Without the key, nobody can tell which shop it was; with it, a
shop that is installed again gets its usage of the month and its suspension back.
"""

from datetime import date
from typing import Annotated

from pydantic import BaseModel, Field, StringConstraints
from pydantic.alias_generators import to_camel

from sortkey import TTL, Check, Delete, Entity, Op, Stored, pattern, transact
from sortkey_systems.shuttle.design.shops import BillingStatus, Shop
from sortkey_systems.shuttle.design.table import Count, Month, Shuttle
from sortkey_systems.shuttle.design.usage import UsageDaily, UsageMonthly

Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
DAYS_OF_MONTH = 31


class DayCounters(BaseModel):
    """The counters of a day."""

    day: date
    imports_count: Count = 0
    products_imported: Count = 0
    api_calls: Count = 0
    storage_used_bytes: Count = 0


class RetainedUsage(Entity, table=Shuttle, stored=to_camel):
    """Added: the usage of an erased shop in the month of the erasure; it expires with the month."""

    digest: Digest
    month: Month
    # The other counters of the month are the sums of its days.
    storage_used_bytes: Count
    days: Annotated[list[DayCounters], Field(max_length=DAYS_OF_MONTH)]
    expires_at: Annotated[TTL, Stored("ExpiresAt")]

    primary = Shuttle.primary.key("ERASED#{digest}", "USAGE#{month}")


class RetainedSuspension(Entity, table=Shuttle, stored=to_camel):
    """Added: an erased shop was suspended."""

    digest: Digest

    primary = Shuttle.primary.key("ERASED#{digest}", "SUSPENSION")


@pattern("Usage of an erased shop in a month", rate="1/min", fresh=True)
def retained_usage(digest: str, month: str) -> Op[RetainedUsage | None]:
    """Return the usage, or None if no erased shop with this hash had any."""
    return RetainedUsage.get(digest=digest, month=month).consistently()


@pattern("Suspension of an erased shop", rate="1/min", fresh=True)
def retained_suspension(digest: str) -> Op[RetainedSuspension | None]:
    """Return the suspension, or None if no erased shop with this hash had one."""
    return RetainedSuspension.get(digest=digest).consistently()


@pattern("Install a new shop", rate="1/min")
def add_shop(shop: Shop, digest: str, month: str) -> Op[None]:
    """Create a shop that has no usage in this month from before an erasure."""
    return transact(
        shop.create(),
        RetainedUsage.check(digest=digest, month=month).is_absent(),
        _suspension(shop, digest),
    )


@pattern("Install an erased shop again", rate="1/h")
def restore_shop(shop: Shop, kept: RetainedUsage) -> Op[None]:
    """Create the shop with its usage from before the erasure."""
    own = [day for day in kept.days if f"{day.day:%Y-%m}" == kept.month]
    month = UsageMonthly(
        domain=shop.domain,
        month=kept.month,
        imports_count=sum(day.imports_count for day in own),
        products_imported=sum(day.products_imported for day in own),
        api_calls=sum(day.api_calls for day in own),
        storage_used_bytes=kept.storage_used_bytes,
    )
    return transact(
        shop.create(),
        kept.delete().required(),
        _suspension(shop, kept.digest),
        month.create(),
        *(UsageDaily(domain=shop.domain, **day.model_dump()).create() for day in own),
    )


def _suspension(shop: Shop, digest: str) -> Check[RetainedSuspension] | Delete[RetainedSuspension]:
    """Take the suspension over if the shop was suspended, and check that it was not otherwise."""
    if shop.billing_status is BillingStatus.SUSPENDED:
        return RetainedSuspension.delete(digest=digest).required()
    return RetainedSuspension.check(digest=digest).is_absent()
