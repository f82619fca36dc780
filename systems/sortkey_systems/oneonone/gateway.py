"""Events and responses of API Gateway: REST APIs (payload 1.0) and HTTP APIs (2.0)."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, TypeAlias, TypedDict, cast

from pydantic import TypeAdapter
from pydantic.alias_generators import to_camel

from sortkey_systems.oneonone.errors import (
    AlreadyInCall,
    AlreadyWaiting,
    BadInput,
    NoPointsLeft,
    NotInSession,
    NotSignedIn,
    OneOnOneError,
    SessionEnded,
    SessionNotFound,
    UserNotFound,
)

Event: TypeAlias = Mapping[str, Any]

_ANY: TypeAdapter[Any] = TypeAdapter(Any)


STATUSES: dict[type[Exception], int] = {
    BadInput: 400,
    NotSignedIn: 401,
    NoPointsLeft: 403,
    NotInSession: 403,
    SessionNotFound: 404,
    UserNotFound: 404,
    AlreadyInCall: 409,
    AlreadyWaiting: 409,
    SessionEnded: 410,
}


class Response(TypedDict):
    """A response for API Gateway."""

    statusCode: int
    headers: dict[str, str]
    body: str


@dataclass(frozen=True, slots=True)
class Caller:
    """The caller that the authorizer identified."""

    user_id: str
    email: str | None


def caller_of(event: Event) -> Caller:
    """Return the caller from the claims of the authorizer, or raise `NotSignedIn`."""
    authorizer = _mapping(_mapping(event.get("requestContext")).get("authorizer"))
    # An HTTP API has the claims under "jwt", a REST API directly.
    claims = _mapping(_mapping(authorizer.get("jwt", authorizer)).get("claims"))
    user_id, email = claims.get("sub"), claims.get("email")
    if not isinstance(user_id, str) or not user_id:
        raise NotSignedIn("the request has no caller: sign in")
    return Caller(user_id, email if isinstance(email, str) and email else None)


def session_id_of(event: Event) -> str:
    """Return the session id in the path."""
    return _text(event.get("pathParameters"), "sessionId") or ""


def cursor_of(event: Event) -> str | None:
    """Return the cursor in the query."""
    return _text(event.get("queryStringParameters"), "after")


def day_of(event: Event, name: str, default: date) -> date:
    """Return a day in the query, such as 2030-05-14."""
    text = _text(event.get("queryStringParameters"), name)
    if text is None:
        return default
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise BadInput(name, "must be a day such as 2030-05-14") from None


def size_of(event: Event, default: int) -> int:
    """Return the page size in the query."""
    text = _text(event.get("queryStringParameters"), "size")
    if text is None:
        return default
    try:
        return int(text)
    except ValueError:
        raise BadInput("size", "must be a number") from None


def response(content: object, status: int = 200) -> Response:
    """Return a response with a JSON body, in camel case."""
    body = json.dumps(_camel(_ANY.dump_python(content, mode="json")), ensure_ascii=False)
    return {"statusCode": status, "headers": {"content-type": "application/json"}, "body": body}


def error_response(error: OneOnOneError) -> Response:
    """Return the response for an error."""
    content = {"error": type(error).__name__, "message": str(error)}
    if isinstance(error, BadInput):
        content["field"] = to_camel(error.field)
    return response(content, STATUSES[type(error)])


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}  # pyright: ignore[reportUnknownVariableType]


def _text(parameters: Any, name: str) -> str | None:
    value = _mapping(parameters).get(name)
    return value if isinstance(value, str) and value else None


def _camel(value: Any) -> Any:
    if isinstance(value, dict):
        named = cast("dict[str, Any]", value)
        return {to_camel(name): _camel(part) for name, part in named.items()}
    if isinstance(value, list):
        return [_camel(part) for part in cast("list[Any]", value)]
    return value
