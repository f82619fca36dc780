"""HTTP/1.1 on one connection: bytes become requests, and replies go back in their order.

A client may send requests faster than it reads their replies. If too much is unsent, the requests
that have arrived wait unanswered, and no more are read until the client has taken its replies.
The same is true while one of its requests is answered elsewhere, as that takes long.
A client that takes too long is given up: `Patience` says when.
"""

from asyncio import AbstractEventLoop, BaseTransport, Protocol, Transport
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import cast

import httptools

from sortkey.engine.promptness import NotPrompt
from sortkey.engine.weather import ConnectionReset
from sortkey.server.answering import Answering, AnsweringLater, Sending
from sortkey.server.connections import OpenConnections
from sortkey.server.door import Header, LateResponse, RawRequest
from sortkey.server.outlet import Outlet, reset
from sortkey.wire.limits import KB, REQUEST_BYTES

# DynamoDB's own limits, for the request line and for all headers together.
HEAD_BYTES = 16 * KB
# More than this is not held for a client that does not read, except one reply.
_MOST_UNSENT_BYTES = 256 * KB
_LINGER_SECONDS = 5.0
_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
_HOP_BY_HOP = frozenset({b"connection", b"upgrade", b"http2-settings"})


class Connection(Protocol):
    """A client's connection, from its first byte to its last."""

    __slots__ = (
        "_began",
        "_body",
        "_connections",
        "_continued",
        "_done",
        "_door",
        "_head_read",
        "_headers",
        "_is_full",
        "_later",
        "_loop",
        "_parser",
        "_pending_size",
        "_transport",
        "_turn",
        "_unsent",
        "_url",
        "_waiting",
        "has_asked",
        "is_busy",
        "since",
    )

    _parser: httptools.HttpRequestParser
    _transport: Transport

    def __init__(
        self,
        loop: AbstractEventLoop,
        door: Answering,
        turn: Sending,
        later: AnsweringLater,
        connections: OpenConnections,
    ) -> None:
        """Add the connection to ``connections`` for as long as it is open."""
        self._loop = loop
        self._door = door
        self._turn = turn
        self._later = later
        self._connections = connections
        self._headers: list[Header] = []
        self._url = b""
        self._body: bytes | bytearray = b""
        # The bytes since the request last made progress: its head, a chunk, a piece of its body.
        self._pending_size = 0
        self._head_read = False
        self._continued = False
        # Whether no further input is accepted.
        self._done = False
        # Whether too much is unsent, and what is to be sent once it is not.
        self._is_full = False
        self._unsent = 0
        self._waiting: deque[Callable[[], None]] = deque()
        # Whether a request is being answered elsewhere than in the event loop.
        self.is_busy = False
        # Whether the client has ever sent a whole request.
        self.has_asked = False
        # When the client last did something, and when the request began of which bytes are
        # missing. The first begins with the connection.
        self.since = connections.now
        self._began: float | None = connections.now

    # -- what the event loop calls --------------------------------------------------------------

    def connection_made(self, transport: BaseTransport) -> None:
        """Begin to read requests."""
        self._transport = cast("Transport", transport)
        self._parser = httptools.HttpRequestParser(self)
        self._connections.add(self)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - asyncio's signature
        """Forget the connection."""
        self._done = True
        self._waiting.clear()
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
        if self._pending_size or self._head_read:
            self._await_the_rest()
        else:
            self.since = self._connections.now

    def eof_received(self) -> bool:
        """Keep sending replies to a client that sends nothing more."""
        self._done = True
        self._in_turn(self._close_soon)
        return True

    def pause_writing(self) -> None:
        """Stop reading requests from a client that does not read its replies."""
        self._is_full = True
        self._renew()
        if not self._transport.is_closing():
            self._transport.pause_reading()

    def resume_writing(self) -> None:
        """Answer the requests that wait, then read requests again."""
        self._renew()
        self._is_full = False
        self._go_on()

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
        request = (parser.get_method(), url, headers, body, keep_alive)
        if self._is_full or self.is_busy:
            self._waiting.append(partial(self._answer, request))
        else:
            self._answer(request)
        if not keep_alive:
            self._done = True
            self._in_turn(self._close_soon)

    # -- its place on the server ----------------------------------------------------------------

    @property
    def has_unsent(self) -> bool:
        """Whether a reply is not sent completely."""
        return self._transport.get_write_buffer_size() > 0

    @property
    def is_evictable(self) -> bool:
        """Whether it can be closed: it is open, and none of its requests is being answered."""
        return not self.is_busy and not self._done

    def deadline(self) -> float:
        """Return when the client's time is over."""
        patience = self._connections.patience
        if self._is_full or self._done:
            return self.since + patience.unread
        if self._began is None:
            return self.since + patience.idle
        if self._head_read:
            return min(self.since + patience.body, self._began + patience.request)
        return self._began + patience.head

    def expire(self) -> None:
        """Give the client up, unless it is reading or is the one who waits."""
        unsent = self._transport.get_write_buffer_size()
        if self.is_busy or (unsent and unsent != self._unsent):
            self._renew()
        elif unsent or self._done or not (self._pending_size or self._head_read):
            self.abort()
        else:
            self._refuse(408)

    def evict(self) -> None:
        """Close the connection to make room for another."""
        self._done = True
        if self.has_unsent:
            self.abort()
        else:
            self._close_soon()

    def _renew(self) -> None:
        """Give the client its whole time again."""
        self._unsent = self._transport.get_write_buffer_size()
        self.since = self._connections.now
        if self._began is not None:
            self._began = self.since

    # -- the rest -------------------------------------------------------------------------------

    def close(self) -> None:
        """Accept no further request, and close when all replies are sent."""
        self._done = True
        self._waiting.clear()
        self._transport.close()

    def abort(self) -> None:
        """Close at once."""
        self._transport.abort()

    def _answer(self, request: RawRequest) -> None:
        try:
            reply = self._door.respond(*request)
        except NotPrompt as reason:
            self._answer_later(request, reason)
        except LateResponse as late:
            self._send_late(late, request)
        except ConnectionReset:
            self._reset()
        else:
            self._send(reply, request)

    def _answer_later(self, request: RawRequest, reason: NotPrompt) -> None:
        """Let this request be answered elsewhere; those behind it wait."""
        self.is_busy = True
        if not self._transport.is_closing():
            self._transport.pause_reading()

        def again() -> None:
            self.is_busy = False
            if not self._transport.is_closing():  # the client may have disconnected meanwhile
                self._answer(request)
                self._go_on()

        def done(reply: bytes | ConnectionReset | None) -> None:
            if isinstance(reply, ConnectionReset):
                self._reset()
            else:
                self._finish(self._door.failure() if reply is None else reply)

        self._later.answer(reason, request, again=again, done=done)

    def _finish(self, reply: bytes) -> None:
        """Send the reply to a request that was answered elsewhere, and go on."""
        self.is_busy = False
        if not self._transport.is_closing():
            self._renew()
            self._send(reply)
            self._go_on()

    def _send_late(self, late: LateResponse, request: RawRequest) -> None:
        """Send a reply later, although its writes are committed now; those behind it wait."""
        self.is_busy = True
        if not self._transport.is_closing():
            self._transport.pause_reading()

        def finish(reply: bytes) -> None:
            late.end()
            self._finish(reply)

        def write(reply: bytes) -> None:
            self._loop.call_later(late.seconds, finish, reply)

        self._turn.send(Outlet(self._transport, write), late.response, self._door, request)

    def _reset(self) -> None:
        """Reset the connection instead of a reply, once the writes are committed."""
        self._done = True
        self._waiting.clear()

        def write(_reply: bytes) -> None:
            reset(self._transport)

        self._turn.send(Outlet(self._transport, write), b"", self._door)

    def _go_on(self) -> None:
        """Answer the requests that wait, then read requests again, until one must wait."""
        while self._waiting and not self._is_full and not self.is_busy:
            self._waiting.popleft()()
        if not self._is_full and not self.is_busy and not self._transport.is_closing():
            self._transport.resume_reading()

    def _send(self, reply: bytes, request: RawRequest | None = None) -> None:
        self._unsent += len(reply)
        self._turn.send(self._transport, reply, self._door, request)
        if self._unsent > _MOST_UNSENT_BYTES and not self._is_full:
            self._is_full = True
            # Behind the end of the turn, which sends what it holds.
            self._loop.call_soon(self._look_again)

    def _look_again(self) -> None:
        """Go on if the client has read its replies; if not, `resume_writing` will."""
        if self._transport.get_write_buffer_size() <= _MOST_UNSENT_BYTES:
            self.resume_writing()
        else:
            self.pause_writing()

    def _in_turn(self, send: Callable[[], None]) -> None:
        """Call this after the requests that wait have been answered."""
        if self._is_full or self.is_busy:
            self._waiting.append(send)
        else:
            send()

    def _begin_next(self) -> None:
        self._headers = []
        self._url = self._body = b""
        self._pending_size = 0
        self._head_read = self._continued = False
        self._began = None
        self.has_asked = True

    def _await_the_rest(self) -> None:
        """Handle a request of which bytes are missing."""
        now = self._connections.now
        if self._began is None:
            self._began = self.since = now
        elif self._head_read:
            self.since = now
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
        self._in_turn(self._linger_soon)

    def _send_always(self, reply: bytes) -> None:
        """Send a reply that no commit affects, behind those that wait for one."""
        self._in_turn(lambda: self._turn.send(self._transport, reply, self._door))

    def _linger_soon(self) -> None:
        self._loop.call_soon(self._linger)

    def _linger(self) -> None:
        # Closing with unread bytes would reset the connection, and the client might then
        # never see the reply.
        if not self._transport.is_closing():
            self._transport.write_eof()
            self._loop.call_later(_LINGER_SECONDS, self._transport.close)

    def _close_soon(self) -> None:
        # Queued behind the end of the turn, so that held replies go out first.
        self._loop.call_soon(self._transport.close)
