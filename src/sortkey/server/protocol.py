"""HTTP/1.1 on one connection: bytes become requests, and replies go back in their order."""

from asyncio import AbstractEventLoop, BaseTransport, Protocol, Transport
from functools import partial
from typing import cast

import httptools

from sortkey.server.door import Door, Header
from sortkey.server.turn import Turn
from sortkey.wire.limits import KB, REQUEST_BYTES

# DynamoDB's own limits, for the request line and for all headers together.
HEAD_BYTES = 16 * KB
_LINGER_SECONDS = 5.0
_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
_HOP_BY_HOP = frozenset({b"connection", b"upgrade", b"http2-settings"})


class Connection(Protocol):
    """A client's connection, from its first byte to its last."""

    __slots__ = (
        "_body",
        "_connections",
        "_continued",
        "_done",
        "_door",
        "_head_read",
        "_headers",
        "_loop",
        "_parser",
        "_pending_size",
        "_transport",
        "_turn",
        "_url",
    )

    _parser: httptools.HttpRequestParser
    _transport: Transport

    def __init__(
        self, loop: AbstractEventLoop, door: Door, turn: Turn, connections: "set[Connection]"
    ) -> None:
        """Add the connection to ``connections`` for as long as it is open."""
        self._loop = loop
        self._door = door
        self._turn = turn
        self._connections = connections
        self._headers: list[Header] = []
        self._url = b""
        self._body: bytes | bytearray = b""
        # The bytes since the request last made progress: its head, a chunk, a piece of its body.
        self._pending_size = 0
        self._head_read = False
        self._continued = False
        self._done = False

    # -- what the event loop calls --------------------------------------------------------------

    def connection_made(self, transport: BaseTransport) -> None:
        """Begin to read requests."""
        self._transport = cast("Transport", transport)
        self._parser = httptools.HttpRequestParser(self)
        self._connections.add(self)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - asyncio's signature
        """Forget the connection."""
        self._done = True
        self._connections.discard(self)

    def data_received(self, data: bytes) -> None:
        """Answer each request that these bytes complete."""
        unread: bytes | None = data
        while unread is not None and not self._done:
            self._pending_size += len(unread)
            try:
                self._parser.feed_data(unread)
                unread = None
            except httptools.HttpParserUpgrade as upgrade:
                unread = self._decline_upgrade(unread[upgrade.args[0] :])
            except httptools.HttpParserError:
                self._refuse(400)
        if self._url and not self._done:
            self._await_the_rest()

    def eof_received(self) -> bool:
        """Keep sending replies to a client that sends nothing more."""
        self._done = True
        self._close_soon()
        return True

    def pause_writing(self) -> None:
        """Stop reading requests from a client that does not read its replies."""
        if not self._transport.is_closing():
            self._transport.pause_reading()

    def resume_writing(self) -> None:
        """Read requests again."""
        if not self._transport.is_closing():
            self._transport.resume_reading()

    # -- what the parser calls ------------------------------------------------------------------

    def on_url(self, url: bytes) -> None:
        """Take a piece of the request's target."""
        self._url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header; one that follows the body is ignored, as nobody has looked at it."""
        if not self._head_read:
            self._headers.append((name.lower(), value))

    def on_headers_complete(self) -> None:
        """Reject headers that are too large."""
        self._head_read = True
        if self._pending_size > HEAD_BYTES:
            size = sum(len(name) + len(value) for name, value in self._headers)
            if size > HEAD_BYTES or len(self._url) > HEAD_BYTES:
                self._refuse(400)
        self._pending_size = 0

    def on_chunk_header(self) -> None:
        """Note the beginning of a chunk."""
        self._pending_size = 0

    def on_body(self, piece: bytes) -> None:
        """Take a piece of the body, up to the limit."""
        self._pending_size = 0
        body = self._body
        if not body:
            self._body = piece
            return
        if isinstance(body, bytes):
            self._body = body = bytearray(body)
        body += piece
        if len(body) > REQUEST_BYTES:
            self._refuse(413)

    def on_message_complete(self) -> None:
        """Answer the request."""
        parser = self._parser
        if self._done or parser.should_upgrade():
            return
        headers, url, body = self._headers, self._url, self._body
        self._begin_next()
        keep_alive = parser.should_keep_alive()
        again = partial(
            self._door.respond, parser.get_method(), url, headers, body, keep_alive=keep_alive
        )
        self._turn.send(self._transport, again(), again, self._door.failure)
        if not keep_alive:
            self._done = True
            self._close_soon()

    # -- the rest -------------------------------------------------------------------------------

    def close(self) -> None:
        """Accept no further request, and close when all replies are sent."""
        self._done = True
        self._transport.close()

    def abort(self) -> None:
        """Close at once."""
        self._transport.abort()

    def _begin_next(self) -> None:
        self._headers = []
        self._url = self._body = b""
        self._pending_size = 0
        self._head_read = self._continued = False

    def _await_the_rest(self) -> None:
        """Handle a request of which bytes are missing."""
        if self._pending_size > HEAD_BYTES:
            self._refuse(400)  # a head, a trailer or a chunk's extension without end
        if self._done or not self._head_read:
            return
        fields = dict(reversed(self._headers))
        if self._continued or fields.get(b"expect", b"").lower() != b"100-continue":
            return
        self._continued = True
        if int(fields.get(b"content-length", b"0")) > REQUEST_BYTES:
            self._refuse(413)
        elif not self._body:
            self._send_always(_CONTINUE)

    def _decline_upgrade(self, rest: bytes) -> bytes | None:
        """Return the request without its Upgrade header, to be parsed again."""
        method = self._parser.get_method()
        if method == b"CONNECT":
            self._refuse(404)
            return None
        lines = [method + b" " + self._url + b" HTTP/1.1"]
        lines += [name + b": " + value for name, value in self._headers if name not in _HOP_BY_HOP]
        self._begin_next()
        self._parser = httptools.HttpRequestParser(self)
        return b"\r\n".join(lines) + b"\r\n\r\n" + rest

    def _refuse(self, status: int) -> None:
        """Send a last reply, and discard all input until the client has read it."""
        if self._done:
            return
        self._done = True
        refusal = self._door.refuse(status, self._headers)
        self._send_always(refusal)
        self._loop.call_soon(self._linger)

    def _send_always(self, reply: bytes) -> None:
        """Send a reply that no commit affects, behind those that wait for one."""
        self._turn.send(self._transport, reply, lambda: reply, lambda: reply)

    def _linger(self) -> None:
        # Closing with unread bytes would reset the connection, and the client might then
        # never see the reply.
        if not self._transport.is_closing():
            self._transport.write_eof()
            self._loop.call_later(_LINGER_SECONDS, self._transport.close)

    def _close_soon(self) -> None:
        # Queued behind the end of the turn, so that held replies go out first.
        self._loop.call_soon(self._transport.close)
