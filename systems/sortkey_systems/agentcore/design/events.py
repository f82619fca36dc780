"""The table ``quota-events``: warnings, blocks and granted overrides."""

from datetime import datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Annotated

from pydantic import Field
from pydantic.alias_generators import to_camel

from sortkey import TTL, Entity, Expected, Export, Op, Page, Table, gsi, missing, pattern, transact
from sortkey_systems.agentcore.design.standard import ALARMS, STANDARD, Id

EVENT_RETENTION = timedelta(days=365)
EVENTS_PAGE = 50


class EventType(StrEnum):
    """The kind of a quota event."""

    WARNING = "warning"
    BLOCK = "block"
    # From the document. Nothing here writes it: each period has its own summary.
    RESET = "reset"
    OVERRIDE_APPLIED = "override_applied"


class QuotaEvents(
    Table,
    name=STANDARD.named("quota-events"),
    ttl="ttl",
    settings=STANDARD.settings(
        alarms=ALARMS, exported=Export("quota", "quota-events", "Quota events DynamoDB table name")
    ),
):
    """Warnings, blocks and overrides, by user and by tier."""

    tier_event_index = gsi("GSI1PK", "GSI1SK", name="TierEventIndex")


class QuotaEvent(
    Entity,
    table=QuotaEvents,
    stored=to_camel,
    immutable=True,
    expected=Expected(count=500_000, per_partition=50, size_bytes=350),
):
    """A warning, a block, or an override that was granted."""

    user_id: Id
    event_id: Id
    timestamp: datetime
    event_type: EventType
    # None if an override decided: it belongs to no tier.
    tier_id: Id | None = None
    current_usage: Decimal
    # None if the override has no limit.
    quota_limit: Decimal | None
    percentage_used: Decimal
    # Added, as for costs; None in events of older versions, which are kept.
    ttl: TTL | None = None

    primary = QuotaEvents.primary.key("USER#{user_id}", "EVENT#{timestamp}#{event_id}")
    by_tier = QuotaEvents.tier_event_index.key("TIER#{tier_id}", "TIMESTAMP#{timestamp}#{event_id}")


class WarningMark(
    Entity,
    table=QuotaEvents,
    stored=to_camel,
    expected=Expected(count=20_000, per_partition=3, size_bytes=120),
):
    """Added: the time at which a user was last warned of a threshold.

    A condition on this record limits warnings to one an hour. Events cannot do that: each has its
    own key, and a condition sees only the record it is written to.
    """

    user_id: Id
    threshold: Annotated[int, Field(ge=1, le=100)]
    warned_at: datetime

    primary = QuotaEvents.primary.key("USER#{user_id}", "WARNED#{threshold:03d}")


# Reads.


@pattern(
    "Events of a user in a time range, newest first",
    rate="1/s",
    page=EVENTS_PAGE,
    where=lambda event, user_id, since, until: (
        event.user_id == user_id and since <= event.timestamp <= until
    ),
    order=lambda event: (event.timestamp, event.event_id),
    descending=True,
)
def events_of_user(
    user_id: str, since: datetime, until: datetime, after: str | None = None
) -> Op[Page[QuotaEvent]]:
    """Include both ends of the range."""
    query = QuotaEvent.query(user_id=user_id).between(timestamp=(since, until))
    return query.reverse().page(EVENTS_PAGE, after)


@pattern(
    "Events of a tier in a time range, newest first",
    rate="1/min",
    page=EVENTS_PAGE,
    where=lambda event, tier_id, since, until: (
        event.tier_id == tier_id and since <= event.timestamp <= until
    ),
    order=lambda event: (event.timestamp, event.event_id),
    descending=True,
)
def events_of_tier(
    tier_id: str, since: datetime, until: datetime, after: str | None = None
) -> Op[Page[QuotaEvent]]:
    """Include both ends of the range."""
    query = QuotaEvent.query(QuotaEvent.by_tier, tier_id=tier_id)
    return query.between(timestamp=(since, until)).reverse().page(EVENTS_PAGE, after)


# Writes.


def is_due(mark: WarningMark, latest: datetime) -> bool:
    """Return whether the last warning is missing, or not later than ``latest``."""
    return missing(mark.warned_at) | (mark.warned_at <= latest)


@pattern("Record a block", rate="30/min")
def add_event(event: QuotaEvent) -> Op[QuotaEvent]:
    """Create the event, which never changes."""
    return event.create()


@pattern("Record a warning, unless there is a recent one", rate="30/min")
def warn_once(event: QuotaEvent, mark: WarningMark, latest: datetime) -> Op[None]:
    """Write the mark and the event together, unless the last warning is later than ``latest``."""
    return transact(mark.put().where(lambda m: is_due(m, latest)), event.create())
