"""HTTP/1.1 as a client of DynamoDB needs it, without I/O: a POST out, a JSON answer in.

Only what DynamoDB's protocol uses is here: no redirects, no cookies, no compression, no proxies.
"""

from typing import Any
from zlib import crc32

import httptools
import orjson

from sortkey.access.credentials import Credentials
from sortkey.access.endpoint import Endpoint
from sortkey.access.transports.signing import CONTENT_TYPE, Signer
from sortkey.access.transports.transport import garbled
from sortkey.wire.errors import read_error
from sortkey.wire.messages import Request

_OK = 200


class RequestWriter:
    """Writes signed requests to one endpoint; safe across threads."""

    def __init__(self, endpoint: Endpoint, region: str) -> None:
        self._host = endpoint.authority.encode()
        self._signer = Signer(endpoint.authority, region)
        self._heads: dict[str, tuple[bytes, bytes]] = {}

    def write(self, request: Request, credentials: Credentials, now: float) -> bytes:
        """The bytes to send for a request, signed for this time in seconds since 1970."""
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
        target = f"DynamoDB_20120810.{operation}".encode()
        head = (
            b"POST / HTTP/1.1\r\nHost: %b\r\nUser-Agent: sortkey\r\n"
            b"Content-Type: %b\r\nX-Amz-Target: %b\r\n" % (self._host, CONTENT_TYPE, target)
        )
        self._heads[operation] = target, head
        return target, head


class AnswerReader:
    """Reads the answers on one connection, each from bytes in pieces of any size."""

    __slots__ = ("_body", "_complete", "_endpoint", "_headers", "_keeps_alive", "_parser", "status")

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._parser = httptools.HttpResponseParser(self)
        self._begin()

    def _begin(self) -> None:
        self.status = 0
        self._headers: dict[bytes, bytes] = {}
        self._body: bytes | bytearray = b""
        self._complete = False
        self._keeps_alive = False

    def feed(self, data: bytes) -> bool:
        """Whether these bytes complete the answer; what is not HTTP is an `OutcomeUnknown`."""
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade) as error:
            if not self._complete:
                raise garbled(self._endpoint, str(error)) from None
            # Only what follows the answer makes no sense.
            self._keeps_alive = False
        return self._complete

    @property
    def is_reusable(self) -> bool:
        """Whether another request may follow on the same connection."""
        return self._keeps_alive

    def take(self) -> dict[str, Any]:
        """What the complete answer says: its JSON, or its error raised."""
        status, body, headers = self.status, self._body, self._headers
        self._begin()
        checksum = headers.get(b"x-amz-crc32")
        if checksum is not None and checksum != b"%d" % crc32(body):
            raise garbled(self._endpoint, "its checksum does not match")
        if status != _OK:
            request_id = headers.get(b"x-amzn-requestid", b"").decode("latin-1")
            raise read_error(status, bytes(body), request_id or None)
        if not body:
            # Some operations have no result, and DynamoDB then sends nothing.
            return {}
        try:
            answer: Any = orjson.loads(body)
        except orjson.JSONDecodeError as error:
            raise garbled(self._endpoint, f"it is not JSON: {error}") from None
        if type(answer) is not dict:
            raise garbled(self._endpoint, "it is not a JSON object")
        return answer  # pyright: ignore[reportUnknownVariableType] - JSON objects have text keys

    # -- what the parser calls ------------------------------------------------------------------

    def on_message_begin(self) -> None:
        """See to an answer that nobody asked for."""
        if self._complete:
            raise ValueError("an answer follows that was not asked for")

    def on_header(self, name: bytes, value: bytes) -> None:
        """Note a header."""
        self._headers[name.lower()] = value

    def on_body(self, body: bytes) -> None:
        """Note the body, or a part of it."""
        if not self._body:
            self._body = body
        elif isinstance(self._body, bytearray):
            self._body += body
        else:
            self._body = bytearray(self._body + body)

    def on_message_complete(self) -> None:
        """Note that the answer is complete."""
        self.status = self._parser.get_status_code()
        if self.status < _OK:
            # An interim answer; the final one follows.
            self._begin()
            return
        self._keeps_alive = self._parser.should_keep_alive()
        self._complete = True
