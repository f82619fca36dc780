"""HTTP requests and responses as values, and responses as bytes."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from email.utils import formatdate
from http import HTTPStatus

import orjson

Header = tuple[str, str]
# These are ours to set.
_OWN = frozenset({"connection", "content-length", "date", "keep-alive", "transfer-encoding"})
_BODILESS = frozenset({204, 304})


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """A request; the names of its headers are in lower case, and its target is as it was sent."""

    method: str
    target: str
    headers: tuple[Header, ...] = ()
    body: bytes = b""

    @property
    def path(self) -> str:
        """The path as it was sent, percent-encoded."""
        target = self.target
        scheme, found, rest = target.partition("://")
        if found and scheme in {"http", "https"}:
            target = "/" + rest.partition("/")[2]
        return target.partition("?")[0]

    @property
    def query(self) -> str:
        """The query string as it was sent."""
        return self.target.partition("?")[2]

    def header(self, name: str) -> str | None:
        """Return the values of a header, joined with commas, or None."""
        values = [value for each, value in self.headers if each == name]
        return ",".join(values) if values else None


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """A response; the server adds its length and date."""

    status: int
    body: bytes = b""
    headers: list[Header] = field(default_factory=list[Header])


def json_response(status: int, content: object, headers: Iterable[Header] = ()) -> HttpResponse:
    """Return a response of JSON."""
    return HttpResponse(
        status, orjson.dumps(content), [("content-type", "application/json"), *headers]
    )


def message_response(status: int, message: str, headers: Iterable[Header] = ()) -> HttpResponse:
    """Return a response with a message, as API Gateway's own are."""
    return json_response(status, {"message": message}, headers)


def as_bytes(response: HttpResponse, *, keep_alive: bool, is_head: bool = False) -> bytes:
    """Return a response as bytes for the wire."""
    phrases = {each.value: each.phrase for each in HTTPStatus}
    lines = [f"HTTP/1.1 {response.status} {phrases.get(response.status, 'Unknown')}"]
    lines += [f"{name}: {value}" for name, value in response.headers if _may_send(name, value)]
    lines.append(f"Date: {formatdate(usegmt=True)}")
    if response.status not in _BODILESS:
        lines.append(f"Content-Length: {len(response.body)}")
    lines.append(f"Connection: {'keep-alive' if keep_alive else 'close'}")
    head = "\r\n".join(lines).encode("latin-1", errors="replace") + b"\r\n\r\n"
    has_no_body = is_head or response.status in _BODILESS
    return head if has_no_body else head + response.body


def _may_send(name: str, value: str) -> bool:
    """Return whether a header is the application's to set, and cannot begin another one."""
    is_plain = not any(character in name + value for character in "\r\n\0")
    return is_plain and name.lower() not in _OWN
