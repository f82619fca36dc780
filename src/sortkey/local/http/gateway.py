"""An HTTP API on this machine, as API Gateway answers for it: routes, tokens, CORS, limits."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import monotonic
from typing import Any
from uuid import uuid4

import orjson

from sortkey.clock import Clock
from sortkey.design.declaring.functions import Route
from sortkey.design.declaring.services import HttpApi
from sortkey.local.functions import FunctionFailed, LocalFunction, Stopped, Throttled
from sortkey.local.http.events import BadAnswer, http_event, http_response
from sortkey.local.http.messages import Header, HttpRequest, HttpResponse, message_response
from sortkey.local.http.routes import Match, RoutingTable
from sortkey.local.http.verifier import Unauthorized, Verifier
from sortkey.local.meters import API, LocalMeters

_log = logging.getLogger(__name__)

MOST_BODY_BYTES = 10 * 1024 * 1024
# Lambda's own limit, for the whole event.
_MOST_EVENT_BYTES = 6 * 1024 * 1024
_MILLISECONDS = 1000
_CLIENT_ERROR = 400
_SERVER_ERROR = 500
_PREFLIGHT_SECONDS = 3600


@dataclass(frozen=True, slots=True)
class Routed:
    """A route with its function."""

    route: Route
    function: LocalFunction


class Gateway:
    """Answers the requests of one API."""

    def __init__(
        self,
        api: HttpApi,
        api_id: str,
        routes: list[Routed],
        *,
        clock: Clock,
        meters: LocalMeters,
        authorizer: Verifier | None = None,
        refused: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Use an ``authorizer`` for routes that are not open; ``refused`` gets its reasons."""
        self._api = api
        self._api_id = api_id
        self._routes = RoutingTable((one.route.method, one.route.path, one) for one in routes)
        self._methods = sorted({one.route.method for one in routes})
        self._clock = clock
        self._meters = meters
        self._authorizer = authorizer
        self._refused = refused

    def answer(self, request: HttpRequest) -> HttpResponse:
        """Return the response to a request."""
        began = monotonic()
        if self._api.origins and request.method == "OPTIONS" and _is_preflight(request):
            return HttpResponse(204, b"", self._cross_origin(request, is_preflight=True))
        request_id = str(uuid4())
        response = self._routed(request, request_id)
        self._count(response.status, monotonic() - began)
        headers = [
            *(header for header in response.headers if not self._is_own(header)),
            ("apigw-requestid", request_id),
            *self._cross_origin(request),
        ]
        return HttpResponse(response.status, response.body, headers)

    def _routed(self, request: HttpRequest, request_id: str) -> HttpResponse:
        match = self._routes.match(request.method, request.path)
        if match is None:
            self._refused(f"404 {request.method} {request.path}: there is no such route")
            return message_response(404, "Not Found")
        if len(request.body) > MOST_BODY_BYTES:
            return self._too_large(request)
        claims: Mapping[str, Any] | None = None
        if self._authorizer is not None and not match.target.route.open:
            try:
                claims = self._authorizer.verified(request.header("authorization")).claims
            except Unauthorized as error:
                self._refused(
                    f"401 {request.method} {request.path}: {error or 'there is no token'}"
                )
                return message_response(401, "Unauthorized", [_challenge(str(error))])
        return self._called(request, request_id, match, claims)

    def _called(
        self,
        request: HttpRequest,
        request_id: str,
        match: Match[Routed],
        claims: Mapping[str, Any] | None,
    ) -> HttpResponse:
        event = http_event(
            request,
            route=match.key,
            parameters=match.parameters,
            claims=claims,
            request_id=request_id,
            api_id=self._api_id,
            now=self._clock(),
        )
        if len(orjson.dumps(event)) > _MOST_EVENT_BYTES:
            return self._too_large(request)
        function = match.target.function
        try:
            answer = function.invoke(
                event, f"{request.method} {request.path}", waits=False, summary=_summary
            )
            return http_response(answer)
        except FunctionFailed:
            return message_response(500, "Internal Server Error")
        except (Throttled, Stopped):
            return message_response(503, "Service Unavailable")
        except BadAnswer as error:
            self._refused(f"500 {request.method} {request.path}: the answer is wrong: {error}")
            return message_response(500, "Internal Server Error")

    def _too_large(self, request: HttpRequest) -> HttpResponse:
        self._refused(f"413 {request.method} {request.path}: the body is too large")
        return message_response(413, "Request Entity Too Large")

    # -- CORS ---------------------------------------------------------------------------------

    def _is_own(self, header: Header) -> bool:
        """Return whether API Gateway sets a header itself, and drops the function's."""
        return bool(self._api.origins) and header[0].startswith("access-control-")

    def _cross_origin(self, request: HttpRequest, *, is_preflight: bool = False) -> list[Header]:
        """Return the headers that let a page of an allowed origin read the response."""
        origin = request.header("origin")
        origins = self._api.origins
        if origin is None or not origins or not ("*" in origins or origin in origins):
            return []
        headers = [("access-control-allow-origin", "*" if "*" in origins else origin)]
        if "*" not in origins:
            headers.append(("vary", "origin"))
        if is_preflight:
            headers += [
                ("access-control-allow-methods", ",".join(self._methods)),
                ("access-control-allow-headers", "authorization,content-type"),
                ("access-control-max-age", str(_PREFLIGHT_SECONDS)),
            ]
        return headers

    # -- meters -------------------------------------------------------------------------------

    def _count(self, status: int, seconds: float) -> None:
        dimensions = {"ApiId": self._api_id}
        self._meters.add(API, "Count", dimensions)
        self._meters.add(API, "Latency", dimensions, seconds * _MILLISECONDS)
        is_refused = _CLIENT_ERROR <= status < _SERVER_ERROR
        self._meters.add(API, "4xx", dimensions, 1 if is_refused else 0)
        self._meters.add(API, "5xx", dimensions, 1 if status >= _SERVER_ERROR else 0)


def _summary(answer: str) -> str:
    """Return what the log says of an answer."""
    try:
        return str(http_response(answer).status)
    except BadAnswer:
        return "no response"


def _is_preflight(request: HttpRequest) -> bool:
    wanted = request.header("access-control-request-method")
    return request.header("origin") is not None and wanted is not None


def _challenge(reason: str) -> Header:
    if not reason:
        return ("www-authenticate", "Bearer")
    described = reason.replace('"', "'")
    return (
        "www-authenticate",
        f'Bearer scope="" error="invalid_token" error_description="{described}"',
    )
