"""One-on-One over HTTP: the queue, the calls and the history of whoever is signed in."""

from datetime import date
from typing import Annotated

from fastapi import Path, Query

from sortkey import BadCursor, Page
from sortkey_systems.api.app import Api, Cursor, Database, Day
from sortkey_systems.api.identity import Caller, SignedIn
from sortkey_systems.api.serving import trials
from sortkey_systems.oneonone import calling, queueing, remembering
from sortkey_systems.oneonone.design import HISTORY_PAGE, Session, User
from sortkey_systems.oneonone.errors import (
    AlreadyTalking,
    AlreadyWaiting,
    BadInput,
    NoPointsLeft,
    NotInSession,
    SessionEnded,
    SessionUnknown,
)
from sortkey_systems.oneonone.gateway import STATUSES
from sortkey_systems.oneonone.inputs import LARGEST_PAGE
from sortkey_systems.oneonone.matching import join_and_match
from sortkey_systems.oneonone.queueing import Status
from sortkey_systems.oneonone.registering import registered

SessionId = Annotated[str, Path(pattern=r"^[\w.:@+-]{1,128}$", examples=["0000012-0003"])]

api = Api("One-on-One", "Language learners, matched in pairs for a call.", STATUSES)


def someone(record: object) -> Caller | None:
    """Whom a record of the generated data signs in."""
    return Caller(record.user_id, record.email) if isinstance(record, User) else None


trial = trials(api, someone)


@api.get("/me", BadInput)
def status(db: Database, caller: SignedIn) -> Status:
    """Your points, your place in the queue and your call."""
    return registered(db, caller.user_id, caller.email, queueing.status)


@api.post("/queue", BadInput, AlreadyWaiting, AlreadyTalking, NoPointsLeft)
def join(db: Database, caller: SignedIn) -> Status:
    """Wait, unless a partner is there already."""
    return registered(db, caller.user_id, caller.email, join_and_match)


@api.delete("/queue", BadInput, status=200)
def leave(db: Database, caller: SignedIn) -> Status:
    """Wait no longer."""
    return queueing.status_now(registered(db, caller.user_id, caller.email, queueing.leave))


@api.post(
    "/sessions/{session_id}/token",
    BadInput,
    NoPointsLeft,
    NotInSession,
    SessionUnknown,
    SessionEnded,
)
def token(db: Database, caller: SignedIn, session_id: SessionId) -> calling.Admission:
    """What a token for the room is made from."""
    return calling.admit(db, caller.user_id, session_id)


@api.post("/sessions/{session_id}/end", BadInput, NotInSession, SessionUnknown)
def end(db: Database, caller: SignedIn, session_id: SessionId) -> Session:
    """End the call, which both pay once."""
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
    """Your calls from the first to the last day, newest first."""
    return remembering.history(db, caller.user_id, first=first, last=last, after=cursor, size=size)
