"""Requests as events of API Gateway's payload format 2.0, and answers as responses.

See "Create AWS Lambda proxy integrations for HTTP APIs" in its developer guide.
"""

from base64 import b64decode, b64encode
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, cast
from urllib.parse import parse_qsl

import orjson

from sortkey.local.context import ACCOUNT
from sortkey.local.http.messages import Header, HttpRequest, HttpResponse, json_response

# Bodies of other types are binary for API Gateway.
_TEXT_TYPES = frozenset({"application/json", "application/javascript", "application/xml"})
SOURCE_IP = "127.0.0.1"
_PLAIN = "text/plain; charset=utf-8"
_MOST_STATUS = 599


class BadAnswer(Exception):  # noqa: N818 - says what it is
    """The answer of a function is no response: API Gateway returns an error instead."""


def http_event(
    request: HttpRequest,
    *,
    route: str,
    parameters: Mapping[str, str],
    claims: Mapping[str, Any] | None,
    request_id: str,
    api_id: str,
    now: float,
) -> dict[str, Any]:
    """Return the event of a request; ``claims`` are those of a token that was verified."""
    host = request.header("host") or "localhost"
    at = datetime.fromtimestamp(now, UTC)
    context: dict[str, Any] = {
        "accountId": ACCOUNT,
        "apiId": api_id,
        "domainName": host,
        "domainPrefix": host.partition(".")[0],
        "http": {
            "method": request.method,
            "path": request.path,
            "protocol": "HTTP/1.1",
            "sourceIp": SOURCE_IP,
            "userAgent": request.header("user-agent") or "",
        },
        "requestId": request_id,
        "routeKey": route,
        "stage": "$default",
        "time": f"{at:%d/%b/%Y:%H:%M:%S} +0000",
        "timeEpoch": int(now * 1000),
    }
    if claims is not None:
        shown = {name: claim_text(value) for name, value in claims.items()}
        context["authorizer"] = {"jwt": {"claims": shown, "scopes": None}}
    event: dict[str, Any] = {
        "version": "2.0",
        "routeKey": route,
        "rawPath": request.path,
        "rawQueryString": request.query,
        "headers": _headers(request),
        "requestContext": context,
        "isBase64Encoded": False,
    }
    cookies = [
        cookie.strip()
        for name, value in request.headers
        if name == "cookie"
        for cookie in value.split(";")
        if cookie.strip()
    ]
    query = _joined(parse_qsl(request.query, keep_blank_values=True))
    optional = {
        "cookies": cookies,
        "queryStringParameters": query,
        "pathParameters": dict(parameters),
    }
    event |= {name: value for name, value in optional.items() if value}
    if request.body:
        event |= _body(request)
    return event


def claim_text(value: Any) -> str:
    """Return a claim as API Gateway passes it to a function: always as text."""
    match value:
        case bool():
            return "true" if value else "false"
        case float() if value.is_integer():
            return str(int(value))
        case list():
            return f"[{' '.join(map(claim_text, cast('list[Any]', value)))}]"
        case dict():
            members = cast("dict[str, Any]", value)
            shown = (f"{name}:{claim_text(members[name])}" for name in sorted(members))
            return f"map[{' '.join(shown)}]"
        case None:
            return "<nil>"
        case _:
            return str(value)


def http_response(answer: str) -> HttpResponse:
    """Return the response that API Gateway makes of a function's answer, which is JSON.

    Raises:
        BadAnswer: It has a status code, but is no response.
    """
    content: Any = orjson.loads(answer)
    if not isinstance(content, dict) or "statusCode" not in content:
        if content is None:
            return HttpResponse(200, b"", [("content-type", "application/json")])
        return json_response(200, cast("object", content))
    fields = cast("dict[str, Any]", content)
    return HttpResponse(_status(fields), _content(fields), _response_headers(fields))


def _headers(request: HttpRequest) -> dict[str, str]:
    """Return the headers, with those that API Gateway adds."""
    given = [(name, value) for name, value in request.headers if name != "cookie"]
    host = request.header("host") or ""
    added = [
        ("x-forwarded-for", SOURCE_IP),
        ("x-forwarded-port", host.rpartition(":")[2] if ":" in host else "80"),
        ("x-forwarded-proto", "http"),
    ]
    return _joined([*given, *added])


def _joined(pairs: Any) -> dict[str, str]:
    """Return values by their names; several of one name are joined with commas."""
    found: dict[str, str] = {}
    for name, value in pairs:
        found[name] = f"{found[name]},{value}" if name in found else value
    return found


def _body(request: HttpRequest) -> dict[str, Any]:
    kind = (request.header("content-type") or "").partition(";")[0].strip().lower()
    if kind in _TEXT_TYPES or kind.startswith("text/"):
        try:
            return {"body": request.body.decode()}
        except UnicodeDecodeError:
            pass
    return {"body": b64encode(request.body).decode(), "isBase64Encoded": True}


def _status(fields: Mapping[str, Any]) -> int:
    status = fields["statusCode"]
    if isinstance(status, str) and status.isdecimal():
        status = int(status)
    if not isinstance(status, int) or not 100 <= status <= _MOST_STATUS:  # noqa: PLR2004 - HTTP's
        raise BadAnswer(f"its statusCode is {status!r}")
    return status


def _content(fields: Mapping[str, Any]) -> bytes:
    body = fields.get("body")
    if body is None:
        return b""
    if not isinstance(body, str):
        raise BadAnswer("its body is not a text: write json.dumps(...)")
    if not fields.get("isBase64Encoded"):
        return body.encode()
    try:
        return b64decode(body, validate=True)
    except ValueError as error:
        raise BadAnswer("its body is not base64, although isBase64Encoded is true") from error


def _response_headers(fields: Mapping[str, Any]) -> list[Header]:
    headers: object = fields.get("headers") or {}
    cookies: object = fields.get("cookies") or []
    if not isinstance(headers, dict) or not isinstance(cookies, list):
        raise BadAnswer("its headers are not an object, or its cookies not a list")
    named = cast("dict[str, Any]", headers)
    made = [(name.lower(), claim_text(value)) for name, value in named.items()]
    if fields.get("body") is not None and not any(name == "content-type" for name, _ in made):
        made.append(("content-type", _PLAIN))
    return made + [("set-cookie", str(cookie)) for cookie in cast("list[Any]", cookies)]
