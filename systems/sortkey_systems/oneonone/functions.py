"""The AWS Lambda functions behind API Gateway; a process shares one `DB`."""

import os
from collections.abc import Callable
from datetime import date
from functools import wraps

from sortkey import DB, lambda_handler
from sortkey_systems.oneonone import calling, queueing
from sortkey_systems.oneonone.design import HISTORY_PAGE, Sessions, User, Users
from sortkey_systems.oneonone.errors import OneOnOneError
from sortkey_systems.oneonone.gateway import (
    Caller,
    Event,
    Response,
    caller_of,
    cursor_of,
    day_of,
    error_response,
    response,
    session_id_of,
    size_of,
)
from sortkey_systems.oneonone.history import list_sessions
from sortkey_systems.oneonone.matching import join_and_match
from sortkey_systems.oneonone.registering import register_and_retry

_on_lambda = lambda_handler(Users, Sessions, environment=os.environ.get("ENVIRONMENT", "prod"))


def _function(work: Callable[[DB, Caller, Event], object]) -> Callable[[Event, object], Response]:
    """Return a Lambda handler that runs ``work`` and returns a response for API Gateway."""

    @wraps(work)
    def handler(event: Event, _context: object, db: DB) -> Response:
        try:
            return response(work(db, caller_of(event), event))
        except OneOnOneError as error:
            return error_response(error)

    return _on_lambda(handler)


@_function
def join(db: DB, caller: Caller, _event: Event) -> queueing.Status:
    """POST /queue."""
    return register_and_retry(db, caller.user_id, caller.email, join_and_match)


@_function
def leave(db: DB, caller: Caller, _event: Event) -> queueing.Status:
    """DELETE /queue."""
    left: User = register_and_retry(db, caller.user_id, caller.email, queueing.leave)
    return queueing.status_now(left)


@_function
def status(db: DB, caller: Caller, _event: Event) -> queueing.Status:
    """GET /me."""
    return register_and_retry(db, caller.user_id, caller.email, queueing.status)


@_function
def token(db: DB, caller: Caller, event: Event) -> calling.Admission:
    """POST /sessions/{sessionId}/token."""
    return calling.admit(db, caller.user_id, session_id_of(event))


@_function
def end(db: DB, caller: Caller, event: Event) -> dict[str, object]:
    """POST /sessions/{sessionId}/end."""
    return calling.end(db, caller.user_id, session_id_of(event)).model_dump()


@_function
def history(db: DB, caller: Caller, event: Event) -> dict[str, object]:
    """GET /sessions?first=2030-05-01&last=2030-05-31&size=20&after=..."""
    page = list_sessions(
        db,
        caller.user_id,
        first=day_of(event, "first", date.min),
        last=day_of(event, "last", date.max),
        after=cursor_of(event),
        size=size_of(event, HISTORY_PAGE),
    )
    return {"sessions": [session.model_dump() for session in page], "after": page.cursor}
