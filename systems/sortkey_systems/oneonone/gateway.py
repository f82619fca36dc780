"""Events and responses of API Gateway: REST APIs (payload 1.0) and HTTP APIs (2.0)."""

import logging
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, TypedDict, TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError

from sortkey import TransactionFailed
from sortkey_systems.api import details
from sortkey_systems.api.callers import IssuerUnavailable
from sortkey_systems.api.callers import NotSignedIn as InvalidToken
from sortkey_systems.api.details import (
    MEDIA_TYPE,
    UNAVAILABLE,
    Problem,
    is_passing,
    issuer_unavailable,
    malformed,
    problem,
    problem_of,
    unavailable,
)
from sortkey_systems.api.function_identity import is_verified_here, verified_caller
from sortkey_systems.oneonone.errors import (
    BadInput,
    BadSignature,
    NoPointsLeft,
    NotInSession,
    NotSignedIn,
    SessionEnded,
    SessionNotFound,
    TooLarge,
    TryAgain,
    UserNotFound,
    WrongMediaType,
)
from sortkey_systems.oneonone.webhooks import Request

_log = logging.getLogger(__name__)

Event: TypeAlias = Mapping[str, Any]
M = TypeVar("M", bound=BaseModel)


STATUSES: dict[type[Exception], int] = {
    BadInput: 400,
    NotSignedIn: 401,
    BadSignature: 401,
    NoPointsLeft: 403,
    NotInSession: 403,
    SessionNotFound: 404,
    UserNotFound: 404,
    SessionEnded: 410,
    TooLarge: 413,
    WrongMediaType: 415,
    TryAgain: UNAVAILABLE,
}
_STATUSES = {**details.STATUSES, **STATUSES}


class Malformed(Exception):  # noqa: N818 - it says what happened
    """A value in the path or in the query does not match the schema."""

    def __init__(self, place: str, error: ValidationError) -> None:
        super().__init__(str(error))
        self.faults = [
            (".".join(map(str, (place, *each["loc"]))), each["msg"]) for each in error.errors()
        ]


class Response(TypedDict):
    """A response for API Gateway."""

    statusCode: int
    headers: dict[str, str]
    body: str


@dataclass(frozen=True, slots=True)
class Caller:
    """The caller that the token of a request identifies."""

    user_id: str
    email: str | None


def caller_of(event: Event) -> Caller:
    """Return the caller of a request, or raise `NotSignedIn`.

    The authorizer has verified the token, and added its claims to the event; or, by a setting, this
    function verifies it.
    """
    if is_verified_here():
        try:
            found = verified_caller(_mapping(event.get("headers")))
        except InvalidToken as error:
            raise NotSignedIn(str(error)) from error
        return Caller(found.user_id, found.email)
    authorizer = _mapping(_mapping(event.get("requestContext")).get("authorizer"))
    # An HTTP API has the claims under "jwt", a REST API directly.
    claims = _mapping(_mapping(authorizer.get("jwt", authorizer)).get("claims"))
    user_id, email = claims.get("sub"), claims.get("email")
    if not isinstance(user_id, str) or not user_id:
        raise NotSignedIn("the request has no caller: sign in")
    return Caller(user_id, email if isinstance(email, str) and email else None)


def path_of(event: Event, model: type[M]) -> M:
    """Return the parameters in the path, or raise `Malformed`."""
    return _read(model, "path", event.get("pathParameters"))


def query_of(event: Event, model: type[M]) -> M:
    """Return the parameters in the query, or raise `Malformed`."""
    return _read(model, "query", event.get("queryStringParameters"))


def request_of(event: Event) -> Request:
    """Return the request of an event as it was sent, for its signature."""
    # An HTTP API has the names of headers in lower case, a REST API as they were sent.
    headers = {str(name).lower(): value for name, value in _mapping(event.get("headers")).items()}
    body = str(event.get("body") or "").encode()
    # The gateway encodes bodies with a media type that it does not know as text.
    content = b64decode(body) if event.get("isBase64Encoded") else body
    return Request(headers.get("content-type"), headers.get("authorization"), content)


def response(content: object, shape: Any) -> Response:
    """Return a response with a JSON body of this type."""
    adapter: TypeAdapter[Any] = TypeAdapter(shape)
    body = adapter.dump_json(adapter.validate_python(content, from_attributes=True))
    return _response(200, "application/json", body.decode())


def error_response(error: Exception) -> Response:
    """Return the response for an error: the problem that the HTTP API responds with."""
    found = _problem(error)
    return _response(found.status, MEDIA_TYPE, found.model_dump_json(), found.headers)


def _problem(error: Exception) -> Problem:
    if isinstance(error, Malformed):
        return malformed(error.faults)
    if isinstance(error, IssuerUnavailable):
        return issuer_unavailable(error)
    if isinstance(error, TransactionFailed) and is_passing(error):
        return unavailable(error)
    if isinstance(error, tuple(_STATUSES)):
        return problem_of(error, _STATUSES)
    _log.error("internal error", exc_info=error)
    return problem("InternalError", 500, "internal error; it has been logged")


def _response(
    status: int, media_type: str, body: str, headers: Mapping[str, str] | None = None
) -> Response:
    return {
        "statusCode": status,
        "headers": {"content-type": media_type, **(headers or {})},
        "body": body,
    }


def _read(model: type[M], place: str, values: Any) -> M:
    try:
        return model.model_validate(_mapping(values))
    except ValidationError as error:
        raise Malformed(place, error) from None


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}  # pyright: ignore[reportUnknownVariableType]
