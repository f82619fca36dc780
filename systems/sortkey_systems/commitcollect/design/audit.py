"""Audit events, kept for 90 days."""

from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated

from pydantic import Field
from pydantic.alias_generators import to_camel

from sortkey import TTL, Entity, EpochSeconds, Op, Page, Stored, pattern
from sortkey_systems.commitcollect.design.tables import CommitCollectAudit, Id, Ulid


class EventType(StrEnum):
    """The kind of an audit event."""

    AUTH_SIGNUP = "AUTH_SIGNUP"
    AUTH_LOGIN = "AUTH_LOGIN"
    AUTH_LOGOUT = "AUTH_LOGOUT"
    STRAVA_AUTHORIZE = "STRAVA_AUTHORIZE"
    STRAVA_DEAUTHORIZE = "STRAVA_DEAUTHORIZE"
    STRAVA_ACTIVITY_CREATE = "STRAVA_ACTIVITY_CREATE"
    STRAVA_ACTIVITY_UPDATE = "STRAVA_ACTIVITY_UPDATE"
    STRAVA_ACTIVITY_DELETE = "STRAVA_ACTIVITY_DELETE"
    MILESTONE_PART_MINTED = "MILESTONE_PART_MINTED"
    ACCOUNT_DELETE = "ACCOUNT_DELETE"
    ACCOUNT_CHANGE = "ACCOUNT_CHANGE"  # added: an operator changed the plan or the role


class Result(StrEnum):
    """The result of the audited action."""

    ATTEMPT = "attempt"
    SUCCESS = "success"
    PARTIAL = "partial"
    FAILED = "failed"


class AuditEvent(
    Entity, table=CommitCollectAudit, stored=to_camel, immutable=True, identity=("event_id",)
):
    """An action of a user or of Strava, with its result."""

    user_id: Id
    event_id: Ulid
    event_type: EventType
    occurred_at_utc: EpochSeconds
    request_id: Id
    correlation_id: Id
    result: Result
    data: Annotated[dict[str, str], Field(max_length=20)] | None = None
    expires_at: Annotated[TTL, Stored("ExpiresAt")]

    # The event id was added: without it, two events of one request in one second have one key.
    primary = CommitCollectAudit.primary.key(
        "USER#{user_id}", "AUDIT#{occurred_at_utc:%s}#{request_id}#{event_id}"
    )
    by_correlation = CommitCollectAudit.by_correlation.key(
        "CORR#{correlation_id}", "AUDIT#{occurred_at_utc:%s}#{request_id}#{event_id}"
    )
    by_type = CommitCollectAudit.by_type.key(
        "EVENT#{event_type}#{occurred_at_utc:%Y%m}",
        "AUDIT#{occurred_at_utc:%s}#{request_id}#{event_id}",
    )


def _by_time(event: AuditEvent) -> tuple[datetime, str]:
    """Return the time and both ids as text: `#` sorts after some characters of an id."""
    return event.occurred_at_utc, f"{event.request_id}#{event.event_id}"


@pattern(
    "Audit events of a user in a time range, oldest first",
    rate="1/s",
    page=50,
    where=lambda event, user_id, since, until: (
        event.user_id == user_id and since <= event.occurred_at_utc <= until
    ),
    order=_by_time,
)
def audit_of_user(
    user_id: str, since: datetime, until: datetime, after: str | None = None
) -> Op[Page[AuditEvent]]:
    """Include both ends of the range."""
    return AuditEvent.query(user_id=user_id).between(occurred_at_utc=(since, until)).page(50, after)


@pattern(
    "Audit events with a correlation id, oldest first",
    rate="1/s",
    page=50,
    where=lambda event, correlation_id: event.correlation_id == correlation_id,
    order=_by_time,
)
def audit_by_correlation(correlation_id: str, after: str | None = None) -> Op[Page[AuditEvent]]:
    """Return all events of one correlation id, of all users."""
    return AuditEvent.query(AuditEvent.by_correlation, correlation_id=correlation_id).page(
        50, after
    )


@pattern(
    "Audit events of a type in a month, oldest first",
    rate="10/day",
    page=50,
    where=lambda event, event_type, month: (
        event.event_type is event_type
        and f"{event.occurred_at_utc:%Y-%m}" == f"{month.astimezone(UTC):%Y-%m}"
    ),
    order=_by_time,
)
def audit_by_type(
    event_type: EventType, month: datetime, after: str | None = None
) -> Op[Page[AuditEvent]]:
    """Return the events of the month that contains the time ``month``."""
    return AuditEvent.query(AuditEvent.by_type, event_type=event_type, occurred_at_utc=month).page(
        50, after
    )


@pattern("Store an audit event", rate="50/s")
def add_audit_event(event: AuditEvent) -> Op[AuditEvent]:
    """Store an event; events never change."""
    return event.create()
