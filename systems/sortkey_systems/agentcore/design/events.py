"""The table ``quota-events``: what the quota check told people, and when."""

from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Annotated

from pydantic import Field
from pydantic.alias_generators import to_camel

from sortkey import Entity, Expected, Export, Op, Page, Table, gsi, missing, pattern, transact
from sortkey_systems.agentcore.design.standard import ALARMS, STANDARD, Id

EVENTS_PAGE = 50


class EventType(StrEnum):
    """What happened to somebody's quota."""

    WARNING = "warning"
    BLOCK = "block"
    # Of the document. Nothing here writes it: a new period begins with a summary of its own.
    RESET = "reset"
    OVERRIDE_APPLIED = "override_applied"


class QuotaEvents(
    Table,
    name=STANDARD.named("quota-events"),
    settings=STANDARD.settings(
        alarms=ALARMS, exported=Export("quota", "quota-events", "Quota events DynamoDB table name")
    ),
):
    """Warnings, blocks and overrides, by person and by tier."""

    tier_event_index = gsi("GSI1PK", "GSI1SK", name="TierEventIndex")


class QuotaEvent(
    Entity,
    table=QuotaEvents,
    stored=to_camel,
    immutable=True,
    expected=Expected(count=500_000, per_partition=50, size_bytes=350),
):
    """Something that the quota check did, or that was done to a quota."""

    user_id: Id
    event_id: Id
    timestamp: datetime
    event_type: EventType
    # None where an override decided, which belongs to no tier.
    tier_id: Id | None = None
    current_usage: Decimal
    # None where an override has no limit.
    quota_limit: Decimal | None
    percentage_used: Decimal

    primary = QuotaEvents.primary.key("USER#{user_id}", "EVENT#{timestamp}#{event_id}")
    by_tier = QuotaEvents.tier_event_index.key("TIER#{tier_id}", "TIMESTAMP#{timestamp}#{event_id}")


class WarningMark(
    Entity,
    table=QuotaEvents,
    stored=to_camel,
    expected=Expected(count=20_000, per_partition=3, size_bytes=120),
):
    """Added: when somebody was last warned of a threshold.

    A warning an hour is a condition on this record. Events cannot carry it: each has a key of its
    own, and no condition sees another record.
    """

    user_id: Id
    threshold: Annotated[int, Field(ge=1, le=100)]
    warned_at: datetime

    primary = QuotaEvents.primary.key("USER#{user_id}", "WARNED#{threshold:03d}")


# What is asked.


@pattern(
    "Events of a user within two times, newest first",
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
    """Both times are included."""
    query = QuotaEvent.query(user_id=user_id).between(timestamp=(since, until))
    return query.reverse().page(EVENTS_PAGE, after)


@pattern(
    "Events of a tier within two times, newest first",
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
    """Both times are included."""
    query = QuotaEvent.query(QuotaEvent.by_tier, tier_id=tier_id)
    return query.between(timestamp=(since, until)).reverse().page(EVENTS_PAGE, after)


# What is written.


def is_due(mark: WarningMark, latest: datetime) -> bool:
    """Nobody was warned, or not since this time."""
    return missing(mark.warned_at) | (mark.warned_at <= latest)


@pattern("Record a block", rate="30/min")
def add_event(event: QuotaEvent) -> Op[QuotaEvent]:
    """Never changed."""
    return event.create()


@pattern("Warn, unless it was done lately", rate="30/min")
def warn_once(event: QuotaEvent, mark: WarningMark, latest: datetime) -> Op[None]:
    """The mark and the event together; `latest` is the last time at which a warning is old."""
    return transact(mark.put().where(lambda m: is_due(m, latest)), event.create())
