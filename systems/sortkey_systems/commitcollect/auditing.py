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


def audit(
    db: DB,
    trace: Trace,
    user_id: str,
    event_type: EventType,
    result: Result,
    **data: str,
) -> None:
    """Write an audit event, or log the error if that fails."""
    at = utc_now()
    try:
        event = AuditEvent(
            user_id=user_id,
            event_id=ulid(),
            event_type=event_type,
            occurred_at_utc=at,
            request_id=trace.request_id,
            correlation_id=trace.correlation_id or trace.request_id,
            result=result,
            data=data or None,
            expires_at=at + KEPT_FOR,
        )
        with suppress(AlreadyExists):  # its id is new: it was written, but the response was lost
            db(add_audit_event(event))
    except Exception:
        log.exception("the audit event %s was not written", event_type)
