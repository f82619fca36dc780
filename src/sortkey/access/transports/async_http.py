"""Requests to an HTTP endpoint from an event loop, over kept connections. No proxies."""

import asyncio
import ssl
from time import time
from typing import Any, cast

from sortkey.access.credentials import CredentialSource
from sortkey.access.endpoint import Endpoint
from sortkey.access.transports.http import AnswerReader, RequestWriter
from sortkey.access.transports.transport import (
    OutcomeUnknown,
    Timeouts,
    TransportError,
    closed,
    cut_off,
    silent,
    unreachable,
)
from sortkey.wire.errors import ExpiredTokenException
from sortkey.wire.messages import Request


class AsyncHttpTransport:
    """Carries requests to an endpoint; belongs to the event loop that first sends.

    At most ``connections`` requests are under way at a time, the others wait their turn.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        region: str,
        credentials: CredentialSource,
        timeouts: Timeouts | None = None,
        tls: ssl.SSLContext | None = None,
        connections: int = 50,
    ) -> None:
        self._endpoint = endpoint
        self._credentials = credentials
        self._timeouts = timeouts or Timeouts()
        self._tls = tls
        self._writer = RequestWriter(endpoint, region)
        self._turns = asyncio.Semaphore(connections)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._open: set[_Connection] = set()
        self._idle: list[_Connection] = []
        self._closed = False

    async def send(self, request: Request) -> dict[str, Any]:
        """The answer to a request; or its error, a `ServiceError` or a `TransportError`."""
        loop = self._own_loop()
        async with self._turns:
            try:
                return await self._send(loop, request)
            except ExpiredTokenException:
                # Refused, so not carried out: new credentials are worth one more try.
                if not self._credentials.renew():
                    raise
                return await self._send(loop, request)

    async def close(self) -> None:
        """Close all connections; requests under way fail."""
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
        try:
            await connection.exchange(payload)
        except BaseException:
            # Also when cancelled: its answer may still come, and must not become another's.
            connection.abort()
            raise
        if connection.reader.is_reusable and not self._closed:
            self._idle.append(connection)
        else:
            connection.abort()
        return connection.reader.take()

    def _idle_connection(self) -> "_Connection | None":
        while self._idle:
            connection = self._idle.pop()
            if not connection.is_closing():
                return connection
        return None

    async def _connect(self, loop: asyncio.AbstractEventLoop) -> "_Connection":
        endpoint, timeouts = self._endpoint, self._timeouts
        if endpoint.is_encrypted and self._tls is None:
            self._tls = ssl.create_default_context()
        try:
            async with asyncio.timeout(timeouts.connect):
                _, connection = await loop.create_connection(
                    lambda: _Connection(loop, endpoint, timeouts, self._open),
                    endpoint.host,
                    endpoint.port,
                    ssl=self._tls if endpoint.is_encrypted else None,
                )
        except OSError as error:
            raise unreachable(endpoint, error, timeouts) from error
        return connection


class _Connection(asyncio.Protocol):
    """One connection, on which requests are answered in turn."""

    _transport: asyncio.Transport

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        endpoint: Endpoint,
        timeouts: Timeouts,
        connections: "set[_Connection]",
    ) -> None:
        """The connection is a member of ``connections`` for as long as it is open."""
        self.reader = AnswerReader(endpoint)
        self.lost: asyncio.Future[None] = loop.create_future()
        self._loop = loop
        self._endpoint = endpoint
        self._timeouts = timeouts
        self._connections = connections
        self._waiting: asyncio.Future[None] | None = None
        self._deadline = 0.0
        self._timer: asyncio.TimerHandle | None = None

    async def exchange(self, payload: bytes) -> None:
        """Send a request, and return when the reader has the whole answer."""
        self._waiting = waiting = self._loop.create_future()
        self._transport.write(payload)
        self._deadline = self._loop.time() + self._timeouts.read
        if self._timer is None:
            self._timer = self._loop.call_at(self._deadline, self._check_silence)
        await waiting

    def is_closing(self) -> bool:
        """Whether it cannot carry another request."""
        return self._transport.is_closing()

    def abort(self) -> None:
        """Close at once, whatever is under way."""
        self._transport.abort()

    # -- what the event loop calls --------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Be ready for a request."""
        self._transport = cast("asyncio.Transport", transport)
        self._connections.add(self)

    def data_received(self, data: bytes) -> None:
        """Hand the answer over when it is complete."""
        waiting = self._waiting
        if waiting is None:
            # Nobody asked.
            self._transport.abort()
            return
        self._deadline = self._loop.time() + self._timeouts.read
        try:
            complete = self.reader.feed(data)
        except OutcomeUnknown as error:
            self._fail(error)
            return
        if complete:
            self._waiting = None
            if not waiting.done():
                waiting.set_result(None)

    def connection_lost(self, exc: Exception | None) -> None:
        """Fail what was under way."""
        self._fail(cut_off(self._endpoint, exc))
        self._connections.discard(self)
        if self._timer is not None:
            self._timer.cancel()
        if not self.lost.done():
            self.lost.set_result(None)

    def _check_silence(self) -> None:
        # One timer serves many requests: it looks up the present deadline when it rings.
        self._timer = None
        if self._waiting is None:
            return
        if self._loop.time() < self._deadline:
            self._timer = self._loop.call_at(self._deadline, self._check_silence)
        else:
            self._fail(silent(self._endpoint, self._timeouts))

    def _fail(self, error: OutcomeUnknown) -> None:
        waiting, self._waiting = self._waiting, None
        if waiting is not None and not waiting.done():
            waiting.set_exception(error)
