"""One-on-One's HTTP API: the queue, the calls and the history of the caller."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import Depends, Path, Query
from fastapi import Request as HttpRequest

from sortkey import DB, Contended, Page, utc_now
from sortkey_systems.api.app import Api, Database
from sortkey_systems.api.callers import Caller
from sortkey_systems.api.identity import SignedIn
from sortkey_systems.api.rates import RequestRate
from sortkey_systems.api.serving import Records, Trial, TrialRequest, trials
from sortkey_systems.oneonone import calling, queueing, receiving
from sortkey_systems.oneonone.closing import end_call
from sortkey_systems.oneonone.design import Session, User, points_on
from sortkey_systems.oneonone.errors import (
    BadInput,
    BadSignature,
    NoPointsLeft,
    NotInSession,
    SessionEnded,
    SessionNotFound,
    TooLarge,
    TryAgain,
    WrongMediaType,
)
from sortkey_systems.oneonone.gateway import STATUSES
from sortkey_systems.oneonone.history import list_sessions
from sortkey_systems.oneonone.livekit import DEVELOPMENT, LiveKit, RoomPass, livekit
from sortkey_systems.oneonone.queueing import Status, join_and_match
from sortkey_systems.oneonone.registering import register_and_retry
from sortkey_systems.oneonone.shapes import ID_PATTERN, Call, HistoryQuery
from sortkey_systems.oneonone.webhooks import Request, event_of

SessionId = Annotated[str, Path(pattern=ID_PATTERN, examples=["0000012-0003"])]
# LiveKit sends a few events for each call, from few addresses.
_WEBHOOKS = RequestRate(per_second=50, burst=500)


# Async although they await little: FastAPI would run plain functions in a thread.
async def _livekit(request: HttpRequest) -> LiveKit:
    """Return the LiveKit project of the application, else that of the environment."""
    return getattr(request.app.state, "livekit", None) or livekit()


async def _as_sent(request: HttpRequest) -> Request:
    headers = request.headers
    body = await request.body()
    return Request(headers.get("content-type"), headers.get("authorization"), body)


Video = Annotated[LiveKit, Depends(_livekit)]
Sent = Annotated[Request, Depends(_as_sent)]

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


_trial = trials(api, demo_caller, demo_requests)


def trial(db: DB, records: Records) -> Trial:
    """Return an API to try, with tokens for the rooms of a LiveKit server in development mode."""
    made = _trial(db, records)
    made.app.state.livekit = LiveKit(DEVELOPMENT)
    return made


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
def token(db: Database, caller: SignedIn, session_id: SessionId, video: Video) -> RoomPass:
    """Get a token for the call's video room, and the address of the video server."""
    return video.pass_for(calling.admit(db, caller.user_id, session_id))


@api.post(
    "/sessions/{session_id}/end",
    BadInput,
    NotInSession,
    SessionNotFound,
    Contended,
    response=Call,
)
def end(db: Database, caller: SignedIn, session_id: SessionId, video: Video) -> Session:
    """End the call; both users pay for it once."""
    return end_call(db, video, caller.user_id, session_id)


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


@api.post(
    "/livekit/webhook",
    BadInput,
    BadSignature,
    TooLarge,
    WrongMediaType,
    TryAgain,
    rate=_WEBHOOKS,
)
def webhook(db: Database, sent: Sent, video: Video) -> receiving.Receipt:
    """Receive an event of LiveKit, which has signed it; a repeated one changes nothing."""
    return receiving.receive(db, video, event_of(sent, video.settings))
