"""HTTP/1.1 as a client of DynamoDB needs it, without I/O: write a POST, read a JSON response.

It has only what DynamoDB's protocol uses: no redirects, no cookies, no compression.
"""

from typing import Any
from zlib import crc32

import httptools
import orjson

from sortkey.access.credentials import Credentials
from sortkey.access.endpoint import Endpoint
from sortkey.access.transports.proxies import Proxy
from sortkey.access.transports.routes import not_forwarded
from sortkey.access.transports.signing import CONTENT_TYPE, Signer
from sortkey.access.transports.transport import garbled
from sortkey.wire.errors import read_error
from sortkey.wire.messages import Request
from sortkey.wire.services import target_of

_OK = 200


class RequestWriter:
    """Writes signed requests to one endpoint; safe across threads.

    Requests that a proxy forwards have the whole URL, and the proxy's credentials.
    """

    def __init__(self, endpoint: Endpoint, region: str, forwarding: Proxy | None = None) -> None:
        self._host = endpoint.authority.encode()
        self._target = f"{endpoint}/".encode() if forwarding else b"/"
        self._authorization = forwarding.authorization if forwarding else b""
        self._signer = Signer(endpoint.authority, region)
        self._heads: dict[str, tuple[bytes, bytes]] = {}

    def write(self, request: Request, credentials: Credentials, now: float) -> bytes:
        """Return the bytes of a request, signed for this time in seconds since 1970."""
        operation, content = request
        body = orjson.dumps(content)
        target, head = self._heads.get(operation) or self._new_head(operation)
        return b"%bContent-Length: %d\r\n%b\r\n%b" % (
            head,
            len(body),
            self._signer.sign(target, body, credentials, now),
            body,
        )

    def _new_head(self, operation: str) -> tuple[bytes, bytes]:
        target = target_of(operation).encode()
        head = (
            b"POST %b HTTP/1.1\r\nHost: %b\r\nUser-Agent: sortkey\r\n%b"
            b"Content-Type: %b\r\nX-Amz-Target: %b\r\n"
            % (self._target, self._host, self._authorization, CONTENT_TYPE, target)
        )
        self._heads[operation] = target, head
        return target, head


class AnswerReader:
    """Reads the responses on one connection, from pieces of any size."""

    __slots__ = (
        "_body",
        "_complete",
        "_endpoint",
        "_forwarding",
        "_headers",
        "_keeps_alive",
        "_parser",
        "status",
    )

    def __init__(self, endpoint: Endpoint, forwarding: Proxy | None = None) -> None:
        self._endpoint = endpoint
        self._forwarding = forwarding
        self._parser = httptools.HttpResponseParser(self)
        self._begin()

    def _begin(self) -> None:
        self.status = 0
        self._headers: dict[bytes, bytes] = {}
        self._body: bytes | bytearray = b""
        self._complete = False
        self._keeps_alive = False

    def feed(self, data: bytes) -> bool:
        """Return whether these bytes complete the response; raise `OutcomeUnknown` if not HTTP."""
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade) as error:
            if not self._complete:
                raise garbled(self._endpoint, str(error)) from None
            # Only the bytes after the response are invalid.
            self._keeps_alive = False
        return self._complete

    def end(self) -> bool:
        """Return whether the response is complete now that the connection was closed."""
        # An empty body with status 200 would be a success, but it may as well be incomplete.
        until_closed = not self._is_delimited and (self._body or self.status > _OK)
        if self.status and (until_closed or self._is_refusal):
            self._complete = True
        return self._complete

    @property
    def _is_delimited(self) -> bool:
        """Whether the headers say where the body ends; otherwise it ends with the connection."""
        return b"content-length" in self._headers or b"transfer-encoding" in self._headers

    @property
    def _is_refusal(self) -> bool:
        """Whether the headers are those of a proxy that did not forward the request."""
        from_dynamodb = b"x-amzn-requestid" in self._headers
        return self._forwarding is not None and self.status > _OK and not from_dynamodb

    @property
    def is_reusable(self) -> bool:
        """Whether another request may follow on the same connection."""
        return self._keeps_alive

    def take(self) -> dict[str, Any]:
        """Return the JSON of the complete response, or raise its error."""
        status, body, headers = self.status, self._body, self._headers
        self._begin()
        checksum = headers.get(b"x-amz-crc32")
        if checksum is not None and checksum != b"%d" % crc32(body):
            raise garbled(self._endpoint, "its checksum does not match")
        if status != _OK:
            request_id = headers.get(b"x-amzn-requestid", b"").decode("latin-1")
            error = read_error(status, bytes(body), request_id or None)
            if self._forwarding and error.code == f"HTTP {status}":
                # Not in the format of DynamoDB's errors, so it comes from the proxy.
                raise not_forwarded(self._endpoint, self._forwarding, status)
            raise error
        if not body:
            # DynamoDB sends an empty body for operations without a result.
            return {}
        try:
            answer: Any = orjson.loads(body)
        except orjson.JSONDecodeError as error:
            raise garbled(self._endpoint, f"it is not JSON: {error}") from None
        if type(answer) is not dict:
            raise garbled(self._endpoint, "it is not a JSON object")
        return answer  # pyright: ignore[reportUnknownVariableType] - JSON objects have text keys

    # -- called by the parser -------------------------------------------------------------------

    def on_message_begin(self) -> None:
        """Reject a response without a request."""
        if self._complete:
            raise ValueError("a second response to one request")

    def on_header(self, name: bytes, value: bytes) -> None:
        """Store a header."""
        self._headers[name.lower()] = value

    def on_headers_complete(self) -> None:
        """Complete a refusal if the end of its body is not marked: a proxy may never close."""
        self.status = self._parser.get_status_code()
        if self._is_refusal and not self._is_delimited:
            self._complete = True

    def on_body(self, body: bytes) -> None:
        """Store the body, or a part of it."""
        if not self._body:
            self._body = body
        elif isinstance(self._body, bytearray):
            self._body += body
        else:
            self._body = bytearray(self._body + body)

    def on_message_complete(self) -> None:
        """Mark the response as complete."""
        if self.status < _OK:
            # An interim response; the final one follows.
            self._begin()
            return
        self._keeps_alive = self._parser.should_keep_alive()
        self._complete = True
