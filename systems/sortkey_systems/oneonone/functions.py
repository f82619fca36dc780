"""The AWS Lambda functions: six behind API Gateway, and one for a schedule.

A process shares one `DB`. The responses are those of the HTTP API.
"""

import os
from collections.abc import Callable
from dataclasses import asdict
from functools import wraps
from typing import Any

from sortkey import DB, Page, lambda_handler
from sortkey_systems.oneonone import calling, queueing, sweeping
from sortkey_systems.oneonone.design import Session, Sessions, Users
from sortkey_systems.oneonone.gateway import (
    Caller,
    Event,
    Response,
    caller_of,
    error_response,
    path_of,
    query_of,
    response,
)
from sortkey_systems.oneonone.history import list_sessions
from sortkey_systems.oneonone.registering import register_and_retry
from sortkey_systems.oneonone.shapes import Call, CallPath, HistoryQuery

_on_lambda = lambda_handler(Users, Sessions, environment=os.environ.get("ENVIRONMENT", "prod"))
_Work = Callable[[DB, Caller, Event], object]


def _function(shape: Any) -> Callable[[_Work], Callable[[Event, object], Response]]:
    """Return a decorator that makes a Lambda handler for API Gateway; ``shape`` is its body."""

    def function(work: _Work) -> Callable[[Event, object], Response]:
        @wraps(work)
        def handler(event: Event, _context: object, db: DB) -> Response:
            try:
                return response(work(db, caller_of(event), event), shape)
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


@_function(calling.Admission)
def token(db: DB, caller: Caller, event: Event) -> calling.Admission:
    """POST /sessions/{session_id}/token."""
    return calling.admit(db, caller.user_id, path_of(event, CallPath).session_id)


@_function(Call)
def end(db: DB, caller: Caller, event: Event) -> Session:
    """POST /sessions/{session_id}/end."""
    return calling.end(db, caller.user_id, path_of(event, CallPath).session_id)


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


@_on_lambda
def sweep(_event: Event, _context: object, db: DB) -> dict[str, int]:
    """Settle the calls that nobody ended, and match who waits; a schedule calls it each minute."""
    return asdict(sweeping.sweep(db))
