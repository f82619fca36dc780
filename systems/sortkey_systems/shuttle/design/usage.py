"""Usage of each shop, by day and by month."""

from datetime import date, datetime

from pydantic.alias_generators import to_camel

from sortkey import Entity, Expected, Op, Page, Upsert, invariant, pattern, transact
from sortkey_systems.shuttle.design.shops import Shop, accepts_writes
from sortkey_systems.shuttle.design.table import Count, Domain, Month, Shuttle


class UsageDaily(
    Entity,
    table=Shuttle,
    stored=to_camel,
    expected=Expected(per_partition=365),
):
    """Usage of a shop on a day in UTC."""

    domain: Domain
    day: date
    imports_count: Count = 0
    products_imported: Count = 0
    api_calls: Count = 0
    storage_used_bytes: Count = 0

    primary = Shuttle.primary.key("SHOP#{domain}", "USAGE#DAILY#{day}")
    by_day = Shuttle.gsi2.key("USAGE_DAILY#{day}", "{domain}")


class UsageMonthly(Entity, table=Shuttle, stored=to_camel, expected=Expected(per_partition=24)):
    """Usage of a shop in a month in UTC."""

    domain: Domain
    month: Month
    imports_count: Count = 0
    products_imported: Count = 0
    api_calls: Count = 0
    storage_used_bytes: Count = 0

    primary = Shuttle.primary.key("SHOP#{domain}", "USAGE#MONTHLY#{month}")
    by_month = Shuttle.gsi2.key("USAGE_MONTHLY#{month}", "{domain}")


@pattern("Usage of a shop on a day", rate="10/s")
def usage_of_day(domain: str, day: date) -> Op[UsageDaily | None]:
    """Return the usage, or None if there was none."""
    return UsageDaily.get(domain=domain, day=day)


@pattern("Usage of a shop in a month", rate="10/s")
def usage_of_month(domain: str, month: str) -> Op[UsageMonthly | None]:
    """Return the usage, or None if there was none."""
    return UsageMonthly.get(domain=domain, month=month)


@pattern(
    "Usage of a shop by day in a range of days",
    rate="1/s",
    where=lambda usage, domain, first, last: usage.domain == domain and first <= usage.day <= last,
    order=lambda usage: usage.day,
)
def usage_of_days(domain: str, first: date, last: date) -> Op[list[UsageDaily]]:
    """Include the first and the last day."""
    return UsageDaily.query(domain=domain).between(day=(first, last))


@pattern(
    "Usage of a shop by month in a range of months",
    rate="1/min",
    where=lambda usage, domain, first, last: (
        usage.domain == domain and first <= usage.month <= last
    ),
    order=lambda usage: usage.month,
)
def usage_of_months(domain: str, first: str, last: str) -> Op[list[UsageMonthly]]:
    """Include the first and the last month."""
    return UsageMonthly.query(domain=domain).between(month=(first, last))


@pattern(
    "All shops' usage on a day",
    rate="1/h",
    page=100,
    where=lambda usage, day: usage.day == day,
    order=lambda usage: usage.domain,
)
def usage_on_day(day: date, after: str | None = None) -> Op[Page[UsageDaily]]:
    """Sort by domain."""
    return UsageDaily.query(UsageDaily.by_day, day=day).page(100, after)


@pattern(
    "All shops' usage in a month",
    rate="1/day",
    page=100,
    where=lambda usage, month: usage.month == month,
    order=lambda usage: usage.domain,
)
def usage_in_month(month: str, after: str | None = None) -> Op[Page[UsageMonthly]]:
    """Sort by domain."""
    return UsageMonthly.query(UsageMonthly.by_month, month=month).page(100, after)


def usage_at(domain: str, at: datetime) -> tuple[Upsert[UsageDaily], Upsert[UsageMonthly]]:
    """Return the updates of the day and the month that contain a time."""
    return (
        UsageDaily.upsert(domain=domain, day=at.date()),
        UsageMonthly.upsert(domain=domain, month=f"{at:%Y-%m}"),
    )


@pattern("Count API calls", rate="10/s")
def add_api_calls(domain: str, calls: int, at: datetime) -> Op[None]:
    """Add the calls to the day and the month if the shop accepts writes."""
    day, month = usage_at(domain, at)
    return transact(
        accepts_writes(domain),
        day.add(api_calls=calls),
        month.add(api_calls=calls),
    )


@pattern("Set the storage used", rate="1/s")
def set_storage(domain: str, used_bytes: int, at: datetime) -> Op[None]:
    """Replace the value of the day and the month if the shop accepts writes."""
    day, month = usage_at(domain, at)
    return transact(
        accepts_writes(domain),
        day.set(storage_used_bytes=used_bytes),
        month.set(storage_used_bytes=used_bytes),
    )


@invariant("The imports and products of a month are the sums of its days")
def is_the_sum_of_its_days(month: UsageMonthly, days: list[UsageDaily], shops: list[Shop]) -> bool:
    """Ignore shops that are being erased: their records are deleted one by one."""
    if not any(s.domain == month.domain and s.erasing_since is None for s in shops):
        return True
    own = [d for d in days if d.domain == month.domain and f"{d.day:%Y-%m}" == month.month]
    return month.imports_count == sum(
        day.imports_count for day in own
    ) and month.products_imported == sum(day.products_imported for day in own)
