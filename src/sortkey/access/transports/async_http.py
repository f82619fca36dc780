"""Requests to an HTTP endpoint from an event loop, over persistent connections."""

import asyncio
import ssl
from time import time
from typing import Any, cast

from sortkey.access.credentials import CredentialSource
from sortkey.access.endpoint import Endpoint
from sortkey.access.transports.http import AnswerReader, RequestWriter
from sortkey.access.transports.proxies import Proxy
from sortkey.access.transports.routes import EndpointRoute, Tunnel
from sortkey.access.transports.transport import (
    NotSent,
    OutcomeUnknown,
    Timeouts,
    TransportError,
    closed,
    cut_off,
    silent,
)
from sortkey.wire.errors import ExpiredTokenException
from sortkey.wire.messages import Request


class AsyncHttpTransport:
    """Sends requests to an endpoint; belongs to the event loop that sends the first one.

    At most ``connections`` requests are in flight at a time; others wait.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        region: str,
        credentials: CredentialSource,
        timeouts: Timeouts | None = None,
        tls: ssl.SSLContext | None = None,
        proxy: Proxy | None = None,
        connections: int = 50,
    ) -> None:
        self._endpoint = endpoint
        self._route = EndpointRoute(endpoint, proxy)
        self._credentials = credentials
        self._timeouts = timeouts or Timeouts()
        self._tls = tls
        self._writer = RequestWriter(endpoint, region, self._route.forwarding)
        self._turns = asyncio.Semaphore(connections)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._open: set[_AsyncConnection] = set()
        self._idle: list[_AsyncConnection] = []
        self._closed = False
        self._was_reached = False

    async def send(self, request: Request) -> dict[str, Any]:
        """Return the response to a request; raise a `ServiceError` or a `TransportError`."""
        loop = self._own_loop()
        async with self._turns:
            try:
                return await self._send(loop, request)
            except ExpiredTokenException:
                # The request was rejected, so it can be repeated once with new credentials.
                if not self._credentials.renew():
                    raise
                return await self._send(loop, request)

    async def close(self) -> None:
        """Close all connections; requests in flight fail."""
        self._own_loop()
        self._closed = True
        self._idle.clear()
        connections = list(self._open)
        for connection in connections:
            connection.abort()
        for connection in connections:
            await connection.lost

    def _own_loop(self) -> asyncio.AbstractEventLoop:
        running = asyncio.get_running_loop()
        if self._loop is None:
            self._loop = running
        elif self._loop is not running:
            raise TransportError(
                f"the connection to {self._endpoint} belongs to another event loop: "
                "open one in each loop that uses it",
                endpoint=str(self._endpoint),
            )
        return running

    async def _send(self, loop: asyncio.AbstractEventLoop, request: Request) -> dict[str, Any]:
        source = self._credentials
        if source.is_ready():
            credentials = source.get()
        else:
            credentials = await asyncio.to_thread(source.get)
        if self._closed:
            raise closed(self._endpoint)
        payload = self._writer.write(request, credentials, time())
        connection = self._idle_connection() or await self._connect(loop)
        if self._closed:  # while it was connecting
            connection.abort()
            raise closed(self._endpoint)
        try:
            await connection.exchange(payload)
        except BaseException:
            # Even if cancelled: a late response must not be taken for that of another request.
            connection.abort()
            raise
        if connection.reader.is_reusable and not self._closed:
            self._idle.append(connection)
        else:
            connection.abort()
        return connection.reader.take()

    def _idle_connection(self) -> "_AsyncConnection | None":
        while self._idle:
            connection = self._idle.pop()
            if not connection.is_closing():
                return connection
        return None

    async def _connect(self, loop: asyncio.AbstractEventLoop) -> "_AsyncConnection":
        route, timeouts = self._route, self._timeouts
        if route.endpoint.is_encrypted and self._tls is None:
            self._tls = ssl.create_default_context()
        if (tunnel := route.tunnel) is not None:
            return await self._connect_through(tunnel, loop)
        try:
            async with asyncio.timeout(timeouts.connect):
                _, connection = await loop.create_connection(
                    lambda: _AsyncConnection(loop, route, timeouts, self._open),
                    *route.address,
                    ssl=self._tls if route.endpoint.is_encrypted else None,
                )
        except OSError as error:
            raise route.unreachable(error, timeouts, was_reached=self._was_reached) from error
        self._was_reached = True
        return connection

    async def _connect_through(
        self, tunnel: Tunnel, loop: asyncio.AbstractEventLoop
    ) -> "_AsyncConnection":
        route, timeouts = self._route, self._timeouts
        try:
            async with asyncio.timeout(timeouts.connect):
                _, opening = await loop.create_connection(
                    lambda: _Opening(loop, tunnel), *route.address
                )
        except OSError as error:
            raise route.unreachable(error, timeouts, was_reached=self._was_reached) from error
        try:
            await opening.finished(timeouts)
        except BaseException:
            opening.transport.abort()
            raise
        connection = _AsyncConnection(loop, route, timeouts, self._open)
        try:
            async with asyncio.timeout(timeouts.connect):
                # If this fails, it closes the connection itself.
                encrypted = await loop.start_tls(
                    opening.transport,
                    connection,
                    cast("ssl.SSLContext", self._tls),
                    server_hostname=route.endpoint.host,
                )
        except OSError as error:
            raise tunnel.not_encrypted(error, timeouts) from error
        connection.connection_made(cast("asyncio.Transport", encrypted))
        self._was_reached = True
        return connection


class _Opening(asyncio.Protocol):
    """A connection to a proxy, until the tunnel to the endpoint is open."""

    transport: asyncio.Transport

    def __init__(self, loop: asyncio.AbstractEventLoop, tunnel: Tunnel) -> None:
        self._tunnel = tunnel
        self._reply = b""
        self._opened: asyncio.Future[None] = loop.create_future()

    async def finished(self, timeouts: Timeouts) -> None:
        """Return when the proxy has opened the tunnel."""
        try:
            async with asyncio.timeout(timeouts.connect):
                await self._opened
        except TimeoutError:
            raise self._tunnel.silent(timeouts) from None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Request the tunnel."""
        self.transport = cast("asyncio.Transport", transport)
        self.transport.write(self._tunnel.request())

    def data_received(self, data: bytes) -> None:
        """Read the reply."""
        self._reply += data
        try:
            if self._tunnel.is_open(self._reply) and not self._opened.done():
                self._opened.set_result(None)
        except NotSent as error:
            self._fail(error)

    def connection_lost(self, exc: Exception | None) -> None:
        """Fail, unless the reply was complete."""
        self._fail(self._tunnel.cut_off(exc))

    def _fail(self, error: NotSent) -> None:
        if not self._opened.done():
            self._opened.set_exception(error)


class _AsyncConnection(asyncio.Protocol):
    """One connection, which handles one request at a time."""

    _transport: asyncio.Transport

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        route: EndpointRoute,
        timeouts: Timeouts,
        connections: "set[_AsyncConnection]",
    ) -> None:
        """Create a connection, which is a member of ``connections`` while it is open."""
        self.reader = AnswerReader(route.endpoint, route.forwarding)
        self.lost: asyncio.Future[None] = loop.create_future()
        self._loop = loop
        self._endpoint = route.endpoint
        self._timeouts = timeouts
        self._connections = connections
        self._waiting: asyncio.Future[None] | None = None
        self._deadline = 0.0
        self._timer: asyncio.TimerHandle | None = None

    async def exchange(self, payload: bytes) -> None:
        """Send a request, and return when the reader has the whole response."""
        self._waiting = waiting = self._loop.create_future()
        self._transport.write(payload)
        self._deadline = self._loop.time() + self._timeouts.read
        if self._timer is None:
            self._timer = self._loop.call_at(self._deadline, self._check_silence)
        await waiting

    def is_closing(self) -> bool:
        """Return whether it cannot send another request."""
        return self._transport.is_closing()

    def abort(self) -> None:
        """Close at once, even with a request in flight."""
        self._transport.abort()

    # -- called by the event loop ---------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Accept requests from now on."""
        self._transport = cast("asyncio.Transport", transport)
        self._connections.add(self)

    def data_received(self, data: bytes) -> None:
        """Pass on the response when it is complete."""
        waiting = self._waiting
        if waiting is None:
            # No request is waiting.
            self._transport.abort()
            return
        self._deadline = self._loop.time() + self._timeouts.read
        try:
            complete = self.reader.feed(data)
        except OutcomeUnknown as error:
            self._fail(error)
            return
        if complete:
            self._pass_on(waiting)

    def eof_received(self) -> None:
        """Pass on a response whose end is marked by closing the connection."""
        if self._waiting is not None and self.reader.end():
            self._pass_on(self._waiting)

    def connection_lost(self, exc: Exception | None) -> None:
        """Fail the request in flight."""
        self._fail(cut_off(self._endpoint, exc))
        self._connections.discard(self)
        if self._timer is not None:
            self._timer.cancel()
        if not self.lost.done():
            self.lost.set_result(None)

    def _check_silence(self) -> None:
        # One timer serves many requests: it checks the current deadline when it fires.
        self._timer = None
        if self._waiting is None:
            return
        if self._loop.time() < self._deadline:
            self._timer = self._loop.call_at(self._deadline, self._check_silence)
        else:
            self._fail(silent(self._endpoint, self._timeouts))

    def _pass_on(self, waiting: "asyncio.Future[None]") -> None:
        self._waiting = None
        if not waiting.done():
            waiting.set_result(None)

    def _fail(self, error: OutcomeUnknown) -> None:
        waiting, self._waiting = self._waiting, None
        if waiting is not None and not waiting.done():
            waiting.set_exception(error)
