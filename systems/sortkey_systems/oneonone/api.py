"""One-on-One's HTTP API: the queue, the calls and the history of the caller."""

from datetime import date
from typing import Annotated

from fastapi import Path, Query

from sortkey import BadCursor, Page
from sortkey_systems.api.app import Api, Cursor, Database, Day
from sortkey_systems.api.identity import Caller, SignedIn
from sortkey_systems.api.serving import trials
from sortkey_systems.oneonone import calling, queueing
from sortkey_systems.oneonone.design import HISTORY_PAGE, Session, User
from sortkey_systems.oneonone.errors import (
    AlreadyInCall,
    AlreadyWaiting,
    BadInput,
    NoPointsLeft,
    NotInSession,
    SessionEnded,
    SessionNotFound,
)
from sortkey_systems.oneonone.gateway import STATUSES
from sortkey_systems.oneonone.history import list_sessions
from sortkey_systems.oneonone.inputs import LARGEST_PAGE
from sortkey_systems.oneonone.matching import join_and_match
from sortkey_systems.oneonone.queueing import Status
from sortkey_systems.oneonone.registering import register_and_retry

SessionId = Annotated[str, Path(pattern=r"^[\w.:@+-]{1,128}$", examples=["0000012-0003"])]

api = Api("One-on-One", "Language learners, matched in pairs for a call.", STATUSES)


def demo_caller(record: object) -> Caller | None:
    """Return the caller that a generated record belongs to, or None."""
    return Caller(record.user_id, record.email) if isinstance(record, User) else None


trial = trials(api, demo_caller)


@api.get("/me", BadInput)
def status(db: Database, caller: SignedIn) -> Status:
    """Get your points, your place in the queue and your call."""
    return register_and_retry(db, caller.user_id, caller.email, queueing.status)


@api.post("/queue", BadInput, AlreadyWaiting, AlreadyInCall, NoPointsLeft)
def join(db: Database, caller: SignedIn) -> Status:
    """Join the queue; you are matched at once if a partner is waiting."""
    return register_and_retry(db, caller.user_id, caller.email, join_and_match)


@api.delete("/queue", BadInput, status=200)
def leave(db: Database, caller: SignedIn) -> Status:
    """Leave the queue."""
    return queueing.status_now(register_and_retry(db, caller.user_id, caller.email, queueing.leave))


@api.post(
    "/sessions/{session_id}/token",
    BadInput,
    NoPointsLeft,
    NotInSession,
    SessionNotFound,
    SessionEnded,
)
def token(db: Database, caller: SignedIn, session_id: SessionId) -> calling.Admission:
    """Get the data for a token of the call's video room."""
    return calling.admit(db, caller.user_id, session_id)


@api.post("/sessions/{session_id}/end", BadInput, NotInSession, SessionNotFound)
def end(db: Database, caller: SignedIn, session_id: SessionId) -> Session:
    """End the call; both users pay for it once."""
    return calling.end(db, caller.user_id, session_id)


@api.get("/sessions", BadInput, BadCursor)
def history(
    *,
    db: Database,
    caller: SignedIn,
    first: Day = date.min,
    last: Day = date.max,
    size: Annotated[int, Query(ge=1, le=LARGEST_PAGE)] = HISTORY_PAGE,
    cursor: Cursor = None,
) -> Page[Session]:
    """List your calls in a range of days, newest first."""
    return list_sessions(db, caller.user_id, first=first, last=last, after=cursor, size=size)
