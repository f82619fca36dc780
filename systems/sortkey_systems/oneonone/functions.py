"""The AWS Lambda functions: six for users, one for webhooks, and one for a schedule.

`design.functions` declares when each runs, and as which role. A process shares one `DB`. The
responses are those of the HTTP API.
"""

import os
from collections.abc import Callable
from dataclasses import asdict
from functools import wraps
from typing import Any

from sortkey import DB, Page, lambda_handler
from sortkey_systems.oneonone import calling, queueing, receiving, sweeping
from sortkey_systems.oneonone.closing import end_call
from sortkey_systems.oneonone.design import Session, Sessions, Users
from sortkey_systems.oneonone.gateway import (
    Caller,
    Event,
    Response,
    caller_of,
    error_response,
    path_of,
    query_of,
    request_of,
    response,
)
from sortkey_systems.oneonone.history import list_sessions
from sortkey_systems.oneonone.livekit import RoomPass, livekit
from sortkey_systems.oneonone.registering import register_and_retry
from sortkey_systems.oneonone.shapes import Call, CallPath, HistoryQuery
from sortkey_systems.oneonone.webhooks import event_of

_on_lambda = lambda_handler(Users, Sessions, environment=os.environ.get("ENVIRONMENT", "prod"))
_Work = Callable[[DB, Caller, Event], object]
_OpenWork = Callable[[DB, Event], object]


def _function(shape: Any) -> Callable[[_Work], Callable[[Event, object], Response]]:
    """Return a decorator that makes a Lambda handler for API Gateway; ``shape`` is its body."""

    def function(work: _Work) -> Callable[[Event, object], Response]:
        @_open_function(shape)
        @wraps(work)
        def of_caller(db: DB, event: Event) -> object:
            return work(db, caller_of(event), event)

        return of_caller

    return function


def _open_function(shape: Any) -> Callable[[_OpenWork], Callable[[Event, object], Response]]:
    """Return a decorator like `_function`, for requests without the token of a user."""

    def function(work: _OpenWork) -> Callable[[Event, object], Response]:
        @wraps(work)
        def handler(event: Event, _context: object, db: DB) -> Response:
            try:
                return response(work(db, event), shape)
            except Exception as error:  # noqa: BLE001 - unexpected ones are logged
                return error_response(error)

        return _on_lambda(handler)

    return function


@_function(queueing.Status)
def join(db: DB, caller: Caller, _event: Event) -> queueing.Status:
    """POST /queue."""
    return register_and_retry(db, caller.user_id, caller.email, queueing.join_and_match)


@_function(queueing.Status)
def leave(db: DB, caller: Caller, _event: Event) -> queueing.Status:
    """DELETE /queue."""
    left = register_and_retry(db, caller.user_id, caller.email, queueing.leave)
    return queueing.status_now(left)


@_function(queueing.Status)
def status(db: DB, caller: Caller, _event: Event) -> queueing.Status:
    """GET /me."""
    return register_and_retry(db, caller.user_id, caller.email, queueing.status)


@_function(RoomPass)
def token(db: DB, caller: Caller, event: Event) -> RoomPass:
    """POST /sessions/{session_id}/token."""
    admission = calling.admit(db, caller.user_id, path_of(event, CallPath).session_id)
    return livekit().pass_for(admission)


@_function(Call)
def end(db: DB, caller: Caller, event: Event) -> Session:
    """POST /sessions/{session_id}/end."""
    return end_call(db, livekit(), caller.user_id, path_of(event, CallPath).session_id)


@_function(Page[Call])
def history(db: DB, caller: Caller, event: Event) -> Page[Session]:
    """GET /sessions?first=2030-05-01&last=2030-05-31&size=20&cursor=..."""
    query = query_of(event, HistoryQuery)
    return list_sessions(
        db,
        caller.user_id,
        first=query.first,
        last=query.last,
        after=query.cursor,
        size=query.size,
    )


@_open_function(receiving.Receipt)
def webhook(db: DB, event: Event) -> receiving.Receipt:
    """POST /livekit/webhook."""
    video = livekit()
    return receiving.receive(db, video, event_of(request_of(event), video.settings))


@_on_lambda
def sweep(_event: Event, _context: object, db: DB) -> dict[str, int]:
    """End calls that are over, match who waits, and delete rooms, once a minute."""
    return asdict(sweeping.sweep(db, livekit()))
