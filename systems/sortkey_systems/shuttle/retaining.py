"""Retain the usage and the suspension of an erased shop under a keyed hash of its domain."""

import hmac
from datetime import UTC, datetime

from sortkey import DB, Op
from sortkey_systems.api.settings import WrongSettings
from sortkey_systems.shuttle import settings
from sortkey_systems.shuttle.design.retaining import (
    DayCounters,
    RetainedUsage,
    add_shop,
    restore_shop,
    retained_suspension,
    retained_usage,
)
from sortkey_systems.shuttle.design.shops import BillingStatus, Shop
from sortkey_systems.shuttle.design.usage import UsageDaily, UsageMonthly
from sortkey_systems.shuttle.errors import SettingMissing

# The environment variable with the key of the hash: a long random text that stays secret. With
# another key, erased shops that are installed again are not recognized.
HASH_KEY = settings.HASH_KEY.variable


def hash_of(domain: str) -> str:
    """Return the keyed hash that stands for the domain of an erased shop."""
    try:
        key = settings.RetentionSettings.current().hash_key.get_secret_value()
    except WrongSettings:
        raise SettingMissing(HASH_KEY) from None
    return hmac.new(key.encode(), domain.encode(), "sha256").hexdigest()


def usage_to_retain(
    domain: str, days: list[UsageDaily], months: list[UsageMonthly], now: datetime
) -> RetainedUsage | None:
    """Return the usage of this month without the domain, or None if there was none."""
    this_month = f"{now:%Y-%m}"
    own = [
        DayCounters.model_validate(day, from_attributes=True)
        for day in days
        if f"{day.day:%Y-%m}" == this_month
    ]
    if not own:
        return None
    return RetainedUsage(
        digest=hash_of(domain),
        month=this_month,
        storage_used_bytes=sum(m.storage_used_bytes for m in months if m.month == this_month),
        days=own,
        expires_at=_next_month(now),
    )


def _next_month(now: datetime) -> datetime:
    return datetime(now.year + now.month // 12, now.month % 12 + 1, 1, tzinfo=UTC)


def added(db: DB, new: Shop) -> Op[Shop]:
    """Return the write that creates a shop, with what was retained of it in an erasure."""
    digest, month = hash_of(new.domain), f"{new.installed_at:%Y-%m}"
    usage = db(retained_usage(digest, month))
    if db(retained_suspension(digest)) is not None:
        new = new.model_copy(update={"billing_status": BillingStatus.SUSPENDED})
    if usage is None:
        return add_shop(new, digest, month).returning(new)
    return restore_shop(new, usage).returning(new)
