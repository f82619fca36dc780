"""Audit events. A failure to write one is logged, and the audited action continues."""

import logging
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

from sortkey import DB, AlreadyExists, ulid, utc_now
from sortkey_systems.commitcollect.design.audit import (
    AuditEvent,
    EventType,
    Result,
    add_audit_event,
)

KEPT_FOR = timedelta(days=90)

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Trace:
    """The ids of the current request; the correlation id is the request id if empty."""

    request_id: str
    correlation_id: str = ""

    @property
    def correlation(self) -> str:
        """The id that all events of the flow share."""
        return self.correlation_id or self.request_id


def audit(
    db: DB,
    trace: Trace,
    user_id: str,
    event_type: EventType,
    result: Result,
    **data: str,
) -> None:
    """Write an audit event, or log the error if that fails."""
    try:
        event = audit_event(trace, user_id, event_type, result, event_id=ulid(), **data)
        with suppress(AlreadyExists):  # its id is new: it was written, but the response was lost
            db(add_audit_event(event))
    except Exception:
        log.exception("the audit event %s was not written", event_type)


def audit_event(
    trace: Trace, user_id: str, event_type: EventType, result: Result, *, event_id: str, **data: str
) -> AuditEvent:
    """Return an audit event of now."""
    at = utc_now()
    return AuditEvent(
        user_id=user_id,
        event_id=event_id,
        event_type=event_type,
        occurred_at_utc=at,
        request_id=trace.request_id,
        correlation_id=trace.correlation,
        result=result,
        data=data or None,
        expires_at=at + KEPT_FOR,
    )
