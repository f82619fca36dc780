"""What happened, written down for ninety days; nobody fails because it could not be."""

import logging
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

from sortkey import DB, AlreadyExists, utc_now
from sortkey_systems.commitcollect.design import AuditEvent, EventType, Result
from sortkey_systems.commitcollect.design.writes import add_audit_event
from sortkey_systems.commitcollect.ulid import new_ulid

KEPT = timedelta(days=90)

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Trace:
    """The request in which something happens, and what it belongs to: itself, unless said."""

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
    """Write an audit event, or a line in the log where that fails."""
    at = utc_now()
    try:
        event = AuditEvent(
            user_id=user_id,
            event_id=new_ulid(),
            event_type=event_type,
            occurred_at_utc=at,
            request_id=trace.request_id,
            correlation_id=trace.correlation_id or trace.request_id,
            result=result,
            data=data or None,
            expires_at=at + KEPT,
        )
        with suppress(AlreadyExists):  # its id is new: it was written, and the answer lost
            db(add_audit_event(event))
    except Exception:
        log.exception("no audit event was written of %s", event_type)
