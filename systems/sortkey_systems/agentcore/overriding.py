"""Overriding: replace the tier of one user for a time."""

from datetime import datetime
from decimal import Decimal
from uuid import uuid4

from sortkey import DB, NotFound, utc_now
from sortkey_systems.agentcore.design.events import EVENT_RETENTION, EventType, QuotaEvent
from sortkey_systems.agentcore.design.quotas import (
    Override,
    OverrideType,
    PeriodType,
    add_override,
    change_override,
)
from sortkey_systems.agentcore.errors import BadInput, OverrideNotFound, checked
from sortkey_systems.agentcore.measuring import usage_of


def grant_override(
    db: DB,
    user_id: str,
    override_type: OverrideType,
    *,
    valid_from: datetime,
    valid_until: datetime,
    reason: str,
    monthly_cost_limit: Decimal | None = None,
    daily_cost_limit: Decimal | None = None,
) -> Override:
    """Grant an override, record its event and return it; both ends of its range are included."""
    for name, moment in (("valid_from", valid_from), ("valid_until", valid_until)):
        if moment.tzinfo is None:
            raise BadInput(name, "needs a time zone")
    with checked():
        override = Override(
            override_id=uuid4().hex,
            user_id=user_id,
            override_type=override_type,
            monthly_cost_limit=monthly_cost_limit,
            daily_cost_limit=daily_cost_limit,
            valid_from=valid_from,
            valid_until=valid_until,
            reason=reason,
        )
        if valid_until < utc_now():
            raise BadInput("valid_until", "is over")
        db(add_override(override, _event_of(db, override)))
    return override


def switch_override(db: DB, override_id: str, *, enabled: bool) -> Override:
    """Enable or disable the override and return it."""
    with checked():
        change = change_override(override_id, enabled=enabled)
    try:
        return db(change)
    except NotFound as failed:
        raise OverrideNotFound(override_id) from failed


def _event_of(db: DB, override: Override) -> QuotaEvent:
    is_monthly = override.monthly_cost_limit is not None or override.daily_cost_limit is None
    period_type = PeriodType.MONTHLY if is_monthly else PeriodType.DAILY
    limit = override.monthly_cost_limit if is_monthly else override.daily_cost_limit
    usage = usage_of(db, override.user_id, period_type, limit)
    now = utc_now()
    return QuotaEvent(
        user_id=override.user_id,
        event_id=override.override_id,
        timestamp=now,
        event_type=EventType.OVERRIDE_APPLIED,
        current_usage=usage.spent,
        quota_limit=limit,
        percentage_used=usage.percentage,
        ttl=now + EVENT_RETENTION,
    )
