"""API Gateway: who sends a request and what it asks, and the answers.

Both forms of an event are read: of a REST API (payload 1.0) and of an HTTP API (2.0).
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, TypeAlias, TypedDict, cast

from pydantic import TypeAdapter
from pydantic.alias_generators import to_camel

from sortkey_systems.oneonone.errors import (
    AlreadyTalking,
    AlreadyWaiting,
    BadInput,
    NoPointsLeft,
    NotInSession,
    NotSignedIn,
    OneOnOneError,
    SessionEnded,
    SessionUnknown,
    UserUnknown,
)

Event: TypeAlias = Mapping[str, Any]

_ANY: TypeAdapter[Any] = TypeAdapter(Any)


STATUSES: dict[type[Exception], int] = {
    BadInput: 400,
    NotSignedIn: 401,
    NoPointsLeft: 403,
    NotInSession: 403,
    SessionUnknown: 404,
    UserUnknown: 404,
    AlreadyTalking: 409,
    AlreadyWaiting: 409,
    SessionEnded: 410,
}


class Answer(TypedDict):
    """What API Gateway sends back."""

    statusCode: int
    headers: dict[str, str]
    body: str


@dataclass(frozen=True, slots=True)
class Caller:
    """Who sends the request, as the authorizer says: nothing else is believed."""

    user_id: str
    email: str | None


def caller_of(event: Event) -> Caller:
    """The identity of the request, from the claims that the authorizer has checked."""
    authorizer = _mapping(_mapping(event.get("requestContext")).get("authorizer"))
    # An HTTP API has the claims under "jwt", a REST API has them at once.
    claims = _mapping(_mapping(authorizer.get("jwt", authorizer)).get("claims"))
    user_id, email = claims.get("sub"), claims.get("email")
    if not isinstance(user_id, str) or not user_id:
        raise NotSignedIn("sign in first")
    return Caller(user_id, email if isinstance(email, str) and email else None)


def session_id_of(event: Event) -> str:
    """The session that the path names."""
    return _text(event.get("pathParameters"), "sessionId") or ""


def cursor_of(event: Event) -> str | None:
    """The cursor after which to go on."""
    return _text(event.get("queryStringParameters"), "after")


def day_of(event: Event, name: str, default: date) -> date:
    """A day in the query, as 2030-05-14."""
    text = _text(event.get("queryStringParameters"), name)
    if text is None:
        return default
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise BadInput(name, "wants a day such as 2030-05-14") from None


def size_of(event: Event, default: int) -> int:
    """The size of a page in the query."""
    text = _text(event.get("queryStringParameters"), "size")
    if text is None:
        return default
    try:
        return int(text)
    except ValueError:
        raise BadInput("size", "wants a number") from None


def answer(content: object, status: int = 200) -> Answer:
    """An answer with JSON, under names as the document writes them."""
    body = json.dumps(_camel(_ANY.dump_python(content, mode="json")), ensure_ascii=False)
    return {"statusCode": status, "headers": {"content-type": "application/json"}, "body": body}


def refusal(error: OneOnOneError) -> Answer:
    """The answer that tells what was refused, and why."""
    told = {"error": type(error).__name__, "message": str(error)}
    if isinstance(error, BadInput):
        told["field"] = to_camel(error.field)
    return answer(told, STATUSES[type(error)])


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
