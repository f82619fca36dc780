"""One HTTP request in, one HTTP response out: everything that DynamoDB's endpoint does but I/O.

The order of the checks is DynamoDB's: is it a POST of JSON, does the JSON parse, does the target
name an operation, is it signed, and only then the checks of the operation itself.
"""

import logging
import os
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import formatdate
from itertools import count
from typing import Any, TypeAlias
from zlib import crc32

import orjson

from sortkey.engine.promptness import MOST_STEPS, STEP_BYTES, NotPrompt, are_prompt, refuse_long
from sortkey.engine.storage import StorageError
from sortkey.engine.weather import ConnectionReset, LateReply
from sortkey.server.backend import Backend
from sortkey.server.callers import ANY, Callers
from sortkey.server.compression import (
    SMALLEST_COMPRESSED,
    OversizedError,
    UndecodableError,
    accepted_coding,
    compress,
    decompress,
)
from sortkey.server.metrics import CONTENT_TYPE, metrics_text
from sortkey.server.signing import KeyPair, verify
from sortkey.wire.errors import InternalServerError, ServiceError, UnknownOperationException
from sortkey.wire.limits import KB, REQUEST_BYTES
from sortkey.wire.services import NOT_OF_DYNAMODB, target_of

_log = logging.getLogger(__name__)

_TARGET = b"DynamoDB_20120810."
_AMAZON_JSON = b"application/x-amz-json-1.0"
_PLAIN_JSON = b"application/json"
_SERIALIZATION = b'{"__type":"com.amazon.coral.service#SerializationException"}'
_UNKNOWN_OPERATION = b'{"__type":"com.amazon.coral.service#UnknownOperationException"}'
_NOT_FOUND = b"<UnknownOperationException/>\n"
_FAILURE = "The request processing has failed because of an unknown error, exception or failure."
_OK = 200
_SERVER_ERROR = 500
_REASONS = {
    200: b"OK",
    400: b"Bad Request",
    403: b"Forbidden",
    404: b"Not Found",
    408: b"Request Timeout",
    413: b"REQUEST_ENTITY_TOO_LARGE",
    500: b"Internal Server Error",
}
_EXPOSED = (
    b"x-amzn-RequestId,x-amzn-ErrorType,x-amzn-ErrorMessage,x-amz-crc32,Content-Encoding,Date"
)
_PREFLIGHT_SECONDS = b"172800"
_MOST_HOSTS = 64
# Larger bodies may take long to read, and larger answers to compress.
_LONG_BODY_BYTES = 128 * KB
_MOST_COMPRESSED_BYTES = 1024 * KB
# An item has 32 levels, each of which is two in JSON.
_MOST_LEVELS = 128
# Values with more levels cannot be written as JSON again.
_ORJSON_LEVELS = 254
# These have no result, and DynamoDB then sends no body at all, not even an empty object.
_SILENT = frozenset({"TagResource", "UntagResource"})
_DRESSED = _SILENT | {"DescribeEndpoints"}

Header = tuple[bytes, bytes]
# Method, target, headers, body, and whether the connection stays open.
RawRequest: TypeAlias = tuple[bytes, bytes, list[Header], bytes | bytearray, bool]


class Refusal(Exception):  # noqa: N818 - it is DynamoDB's answer, not an error of ours
    """A response that is decided without the engine."""

    def __init__(self, status: int, body: bytes = b"") -> None:
        super().__init__(status)
        self.status = status
        self.body = body


class LateResponse(Exception):  # noqa: N818 - it is a response
    """A response that must be sent so many seconds later; call ``end`` just before."""

    def __init__(self, seconds: float, response: bytes, end: Callable[[], None]) -> None:
        super().__init__(seconds)
        self.seconds = seconds
        self.response = response
        self.end = end


class Door:
    """Answers requests with an engine, as bytes ready for the wire."""

    def __init__(
        self,
        engine: Backend,
        *,
        clock: Callable[[], float],
        keys: KeyPair | None = None,
        callers: Callers = Callers(),  # noqa: B008 - it cannot change
        unsettled: Callable[[], None] = lambda: None,
    ) -> None:
        """Call ``unsettled`` when a failure may have spoilt writes that await their flush."""
        self._reply = engine.reply
        self._keys = keys
        self._callers = callers
        # The Host headers that were allowed; few, since a client uses one.
        self._known_hosts: set[bytes | None] = {None}
        self._clock = clock
        self._unsettled = unsettled
        # Unique without new randomness for each request: a random prefix and a counter.
        self._origin = os.urandom(20).hex().upper().encode()
        self._count = count(1)
        self.refresh_date()

    def refresh_date(self) -> None:
        """Update the Date header; call this about once a second."""
        self._common = (
            b"Server: Server\r\nDate: %b\r\nConnection: keep-alive\r\n"
            % formatdate(self._clock(), usegmt=True).encode()
        )
        self._head = b"HTTP/1.1 200 OK\r\n%bContent-Type: %b\r\nx-amzn-RequestId: %b" % (
            self._common,
            _AMAZON_JSON,
            self._origin,
        )

    # -- the hot path ---------------------------------------------------------------------------

    def respond(
        self,
        method: bytes,
        url: bytes,
        headers: list[Header],
        body: bytes | bytearray,
        keep_alive: bool = True,
    ) -> bytes:
        """Return the response to a request with these lower-case headers.

        Raises:
            NotPrompt: This thread's calls must be prompt, and the response takes longer.
            LateResponse: The weather delays the response.
            ConnectionReset: The weather leaves the request without a response.
        """
        # DynamoDB heeds only the first of several headers with the same name.
        fields = dict(reversed(headers))
        if b"origin" in fields or fields.get(b"host") not in self._known_hosts:
            refusal = self._refuse_caller(fields)
            if refusal is not None:
                return self._response(403, refusal, {}, keep_alive=keep_alive, method=method)
        if url != b"/" or method != b"POST":
            return self._respond_elsewhere(
                method, url, headers, fields, body, keep_alive=keep_alive
            )
        status = _OK
        try:
            answer = self._answer(headers, fields, body, b"")
        except (NotPrompt, ConnectionReset):
            raise
        except LateReply as late:
            raise self._late(late, fields, keep_alive=keep_alive) from None
        except Exception as error:  # noqa: BLE001 - nothing may escape as a broken connection
            status, answer = self._explain(error)
        if (
            status != _OK
            or len(answer) >= SMALLEST_COMPRESSED
            or not keep_alive
            or b"origin" in fields
            or fields.get(b"content-type") != _AMAZON_JSON
        ):
            return self._response(status, answer, fields, keep_alive=keep_alive)
        number = next(self._count)
        return b"%b%012d\r\nx-amz-crc32: %d\r\nContent-Length: %d\r\n\r\n%b" % (
            self._head,
            number,
            crc32(answer),
            len(answer),
            answer,
        )

    def _answer(
        self,
        headers: list[Header],
        fields: dict[bytes, bytes],
        body: bytes | bytearray,
        query: bytes,
    ) -> bytes:
        content_type = fields.get(b"content-type")
        if content_type != _AMAZON_JSON and body and _media_type(content_type) is None:
            raise Refusal(404, _NOT_FOUND)
        plain = body
        if len(body) > _LONG_BODY_BYTES:
            refuse_long(len(body) // STEP_BYTES + MOST_STEPS)
        if b"content-encoding" in fields:
            # It may become as large as a body can be.
            refuse_long(REQUEST_BYTES // STEP_BYTES)
            plain = decompress(body, fields[b"content-encoding"].decode("latin-1"), REQUEST_BYTES)
        request: Any = None
        if plain:
            try:
                request = orjson.loads(plain)
                if len(plain) > 2 * _MOST_LEVELS:
                    _refuse_nesting(plain, request)
            except (orjson.JSONDecodeError, orjson.JSONEncodeError):
                raise Refusal(400, _SERIALIZATION) from None
        target = fields.get(b"x-amz-target", b"")
        if target[:18] == _TARGET:
            operation = target[18:].decode("latin-1")
            if operation in NOT_OF_DYNAMODB:
                raise Refusal(400, _UNKNOWN_OPERATION)
        else:
            operation = _operation_elsewhere(target)
        if self._keys is not None:
            now = datetime.fromtimestamp(self._clock(), UTC)
            verify(headers, body, self._keys, now, query=query)
        if type(request) is not dict:
            raise Refusal(400, _SERIALIZATION)
        answer = self._reply(operation, request)  # pyright: ignore[reportUnknownArgumentType]
        return _dressed(operation, answer, fields) if operation in _DRESSED else answer

    # -- everything else ------------------------------------------------------------------------

    def _late(
        self, late: LateReply, fields: dict[bytes, bytes], *, keep_alive: bool
    ) -> LateResponse:
        """Return the response that must be sent later."""
        if isinstance(late.outcome, bytes):
            operation = fields.get(b"x-amz-target", b"").rpartition(b".")[2].decode("latin-1")
            status, answer = _OK, _dressed(operation, late.outcome, fields)
        else:
            status, answer = self._explain(late.outcome)
        return LateResponse(
            late.seconds, self._response(status, answer, fields, keep_alive=keep_alive), late.end
        )

    def _refuse_caller(self, fields: dict[bytes, bytes]) -> bytes | None:
        """Return the body that refuses a request from another site, or None if it is allowed."""
        host = fields.get(b"host")
        if host not in self._known_hosts:
            name = (host or b"").decode("latin-1")
            if not self._callers.allow_host(name):
                return _forbidden(
                    f"The host {name} is not allowed. If it is this server, start it with "
                    f"--allow-host {name}"
                )
            if len(self._known_hosts) < _MOST_HOSTS:
                self._known_hosts.add(host)
        origin = fields.get(b"origin", b"").decode("latin-1")
        if b"origin" in fields and not self._callers.allow_origin(origin):
            return _forbidden(
                f"Pages of the origin {origin} are not allowed. If you trust it, start the server "
                f"with --allow-origin {origin}"
            )
        return None

    def _explain(self, error: Exception) -> tuple[int, bytes]:
        """Return the status and body that report an error."""
        match error:
            case Refusal():
                return error.status, error.body
            case OversizedError():
                return 413, b""
            case UndecodableError():
                # DynamoDB calls this its own failure, and so invites a retry.
                return 500, orjson.dumps(InternalServerError(_FAILURE).body())
            case UnknownOperationException():
                return 400, _UNKNOWN_OPERATION
            case ServiceError():
                if error.status >= _SERVER_ERROR:
                    _log.error("A request failed: %s", error)
                    self._unsettled()
                    # The message may name files of this machine, and is in the log.
                    error = InternalServerError(_FAILURE)
                return error.status, orjson.dumps(error.body())
            case StorageError():
                _log.error("A request failed: %s", error)
                self._unsettled()
                return 500, orjson.dumps(InternalServerError(_FAILURE).body())
            case _:
                _log.error("A request failed unexpectedly", exc_info=error)
                self._unsettled()
                return 500, orjson.dumps(InternalServerError(_FAILURE).body())

    def _respond_elsewhere(
        self,
        method: bytes,
        url: bytes,
        headers: list[Header],
        fields: dict[bytes, bytes],
        body: bytes | bytearray,
        *,
        keep_alive: bool,
    ) -> bytes:
        path, _, query = _origin_form(url).partition(b"?")
        status, answer = 404, _NOT_FOUND
        asks_metrics = path == b"/metrics" and method in {b"GET", b"HEAD"}
        if path == b"/" and method in {b"GET", b"HEAD"}:
            # The trailing space is DynamoDB's.
            status, answer = 200, b"healthy: %b " % fields.get(b"host", b"")
        elif asks_metrics or (path == b"/" and method == b"POST"):
            try:
                if asks_metrics:
                    status, answer = self._metrics()
                else:
                    status, answer = _OK, self._answer(headers, fields, body, query)
            except (NotPrompt, ConnectionReset):
                raise
            except LateReply as late:
                raise self._late(late, fields, keep_alive=keep_alive) from None
            except Exception as error:  # noqa: BLE001 - nothing may escape as a broken connection
                status, answer = self._explain(error)
        elif method == b"OPTIONS" and b"origin" in fields:
            status, answer = 200, b""
        return self._response(
            status,
            answer,
            fields,
            keep_alive=keep_alive,
            method=method,
            media_type=CONTENT_TYPE if asks_metrics and status == _OK else None,
        )

    def _metrics(self) -> tuple[int, bytes]:
        """Return the status and the text of the meters, for Prometheus."""
        if self._keys is not None:
            return 403, _forbidden("A server that requires signatures shows no metrics here.")
        meters = orjson.loads(self._reply("DescribeMeters", {}))
        if not meters:
            return 404, b"There are no metrics; start the server with --weather fair.\n"
        return _OK, metrics_text(meters).encode()

    def refuse(self, status: int, headers: list[Header] | None = None) -> bytes:
        """Return the last response on a connection whose request cannot be read further."""
        return self._response(status, b"", dict(reversed(headers or ())), keep_alive=False)

    def failure(self) -> bytes:
        """Return the response to a request whose writes could not be committed."""
        return self._response(500, orjson.dumps(InternalServerError(_FAILURE).body()), {})

    def _response(
        self,
        status: int,
        answer: bytes,
        fields: dict[bytes, bytes],
        *,
        keep_alive: bool = True,
        method: bytes = b"POST",
        media_type: bytes | None = None,
    ) -> bytes:
        """Return a response with every header that it may need; most are JSON."""
        common = self._common
        if not keep_alive:
            common = common.replace(b"Connection: keep-alive", b"Connection: close")
        lines = [b"HTTP/1.1 %d %b" % (status, _REASONS[status])]
        extra: list[Header] = []
        if media_type is None and answer[:1] in {b"{", b""}:
            media_type = _media_type(fields.get(b"content-type")) or _PLAIN_JSON
        if media_type is not None:
            extra.append((b"Content-Type", media_type))
        extra.append((b"x-amzn-RequestId", b"%b%012d" % (self._origin, next(self._count))))
        if b"origin" in fields:
            extra += self._cross_origin(fields, preflight=method == b"OPTIONS")
        body = answer
        if len(answer) >= SMALLEST_COMPRESSED and not (
            len(answer) > _MOST_COMPRESSED_BYTES and are_prompt()
        ):
            coding = accepted_coding(fields.get(b"accept-encoding", b""))
            if coding is not None:
                body = compress(answer, coding)
                extra.append((b"Content-Encoding", coding.encode()))
        # DynamoDB's checksum covers the bytes on the wire, which clients check.
        extra.append((b"x-amz-crc32", b"%d" % crc32(body)))
        extra.append((b"Content-Length", b"%d" % len(body)))
        lines += [b"%b: %b" % header for header in extra]
        head = lines[0] + b"\r\n" + common + b"\r\n".join(lines[1:]) + b"\r\n\r\n"
        return head if method == b"HEAD" else head + body

    def _cross_origin(self, fields: dict[bytes, bytes], *, preflight: bool) -> list[Header]:
        """Return the headers that let a page of an allowed origin read the response."""
        if not self._callers.allow_origin(fields[b"origin"].decode("latin-1")):
            return []
        is_any = ANY in self._callers.origins
        lines: list[Header] = [
            (b"Access-Control-Allow-Origin", b"*" if is_any else fields[b"origin"]),
            (b"Access-Control-Expose-Headers", _EXPOSED),
        ]
        if not is_any:
            lines.append((b"Vary", b"Origin"))
        if preflight:
            lines.append((b"Access-Control-Max-Age", _PREFLIGHT_SECONDS))
            for requested, granted in (
                (b"access-control-request-headers", b"Access-Control-Allow-Headers"),
                (b"access-control-request-method", b"Access-Control-Allow-Methods"),
            ):
                if requested in fields:
                    lines.append((granted, fields[requested]))
        return lines


def _dressed(operation: str, answer: bytes, fields: dict[bytes, bytes]) -> bytes:
    """Return the engine's response as the server sends it."""
    if operation == "DescribeEndpoints" and b"host" in fields:
        return _readdressed(answer, fields[b"host"].decode("latin-1"))
    return b"" if operation in _SILENT else answer


def _operation_elsewhere(target: bytes) -> str:
    """Return the operation of the streams' service or of the engine's own administration."""
    _, _, name = target.decode("latin-1").partition(".")
    if name not in NOT_OF_DYNAMODB or target != target_of(name).encode():
        raise Refusal(400, _UNKNOWN_OPERATION)
    return name


def _forbidden(message: str) -> bytes:
    return orjson.dumps(
        {"__type": "com.amazon.coral.service#AccessDeniedException", "Message": message}
    )


def _refuse_nesting(plain: bytes | bytearray, request: Any) -> None:
    """Raise an error if a request is nested so deeply that an answer could not contain it."""
    if plain.count(b"{") + plain.count(b"[") <= _MOST_LEVELS:
        return
    for _ in range(_ORJSON_LEVELS - _MOST_LEVELS):
        request = [request]
    orjson.dumps(request)


def _origin_form(url: bytes) -> bytes:
    """Return the target without ``http://host``, which clients send through a proxy."""
    scheme, found, rest = url.partition(b"://")
    return b"/" + rest.partition(b"/")[2] if found and scheme in {b"http", b"https"} else url


def _media_type(content_type: bytes | None) -> bytes | None:
    media_type = (content_type or b"").partition(b";")[0].strip()
    return media_type if media_type in {_AMAZON_JSON, _PLAIN_JSON} else None


def _readdressed(answer: bytes, host: str) -> bytes:
    """Return the engine's endpoint with the address that the caller used."""
    [endpoint] = orjson.loads(answer)["Endpoints"]
    return orjson.dumps({"Endpoints": [endpoint | {"Address": host}]})
