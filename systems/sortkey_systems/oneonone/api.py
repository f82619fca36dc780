"""One-on-One's HTTP API: the queue, the calls and the history of the caller."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import Path, Query

from sortkey import DB, Contended, Page, utc_now
from sortkey_systems.api.app import Api, Database
from sortkey_systems.api.identity import Caller, SignedIn
from sortkey_systems.api.serving import TrialRequest, trials
from sortkey_systems.oneonone import calling, queueing
from sortkey_systems.oneonone.design import Session, User, points_on
from sortkey_systems.oneonone.errors import (
    BadInput,
    NoPointsLeft,
    NotInSession,
    SessionEnded,
    SessionNotFound,
)
from sortkey_systems.oneonone.gateway import STATUSES
from sortkey_systems.oneonone.history import list_sessions
from sortkey_systems.oneonone.queueing import Status, join_and_match
from sortkey_systems.oneonone.registering import register_and_retry
from sortkey_systems.oneonone.shapes import ID_PATTERN, Call, HistoryQuery

SessionId = Annotated[str, Path(pattern=ID_PATTERN, examples=["0000012-0003"])]

api = Api("One-on-One", "Language learners, matched in pairs for a call.", STATUSES)


def demo_caller(record: object) -> Caller | None:
    """Return the caller that a generated record belongs to, or None if they cannot join now."""
    if not isinstance(record, User) or record.queue or record.current_session:
        return None
    has_points = points_on(record, utc_now().date()) > 0
    return Caller(record.user_id, record.email) if has_points else None


def demo_requests(_db: DB, callers: Sequence[Caller]) -> list[TrialRequest]:
    """Return requests with which two people meet."""
    first, second = (caller.user_id for caller in callers)
    return [
        TrialRequest(first, "POST", "/queue", "you wait, your waiting_since is the time"),
        TrialRequest(second, "POST", "/queue", f"your session_id is your call with {first}"),
        TrialRequest(first, "GET", "/me", "your session_id is the same call"),
    ]


trial = trials(api, demo_caller, demo_requests)


@api.get("/me", BadInput, Contended)
def status(db: Database, caller: SignedIn) -> Status:
    """Get your points, your place in the queue and your call."""
    return register_and_retry(db, caller.user_id, caller.email, queueing.status)


@api.post("/queue", BadInput, NoPointsLeft, Contended)
def join(db: Database, caller: SignedIn) -> Status:
    """Join the queue; you are matched at once if a partner is waiting.

    If you are waiting or in a call already, you stay there.
    """
    return register_and_retry(db, caller.user_id, caller.email, join_and_match)


@api.delete("/queue", BadInput, Contended, status=200)
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
    Contended,
)
def token(db: Database, caller: SignedIn, session_id: SessionId) -> calling.Admission:
    """Get the data for a token of the call's video room."""
    return calling.admit(db, caller.user_id, session_id)


@api.post(
    "/sessions/{session_id}/end",
    BadInput,
    NotInSession,
    SessionNotFound,
    Contended,
    response=Call,
)
def end(db: Database, caller: SignedIn, session_id: SessionId) -> Session:
    """End the call; both users pay for it once."""
    return calling.end(db, caller.user_id, session_id)


@api.get("/sessions", BadInput, response=Page[Call])
def history(
    db: Database, caller: SignedIn, query: Annotated[HistoryQuery, Query()]
) -> Page[Session]:
    """List your calls in a range of days, newest first."""
    return list_sessions(
        db,
        caller.user_id,
        first=query.first,
        last=query.last,
        after=query.cursor,
        size=query.size,
    )
