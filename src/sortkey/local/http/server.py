"""HTTP servers on loopback: one thread with an event loop, whose requests threads answer.

The connections are those of the engine's server, with its limits on slow clients and large heads.
"""

import asyncio
import contextlib
import logging
import threading
import time
from asyncio import AbstractEventLoop, WriteTransport
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from socket import socket

from sortkey.engine.promptness import NotPrompt
from sortkey.engine.weather import ConnectionReset
from sortkey.local.http.messages import HttpRequest, HttpResponse, as_bytes, message_response
from sortkey.server.answering import Answering
from sortkey.server.callers import Callers
from sortkey.server.connections import OpenConnections
from sortkey.server.door import RawRequest
from sortkey.server.outlet import Outlet
from sortkey.server.protocol import Connection
from sortkey.server.worker import new_event_loop

_log = logging.getLogger(__name__)

_THREADS = 64
_TICK_SECONDS = 0.5
_END_SECONDS = 2.0

Answer = Callable[[HttpRequest], HttpResponse]


class LoopbackServers:
    """All HTTP servers of a run beside the engine."""

    def __init__(self) -> None:
        self._loop = new_event_loop()
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="http")
        self._connections = OpenConnections()
        self._servers: list[asyncio.Server] = []
        self._thread = threading.Thread(target=self._run, name="http", daemon=True)

    def start(self) -> None:
        """Start the event loop."""
        self._thread.start()

    def serve(self, listener: socket, answer: Answer) -> None:
        """Answer the requests that arrive at a listening socket, each in a thread."""
        door = _Door()
        later = _InThreads(self._loop, self._threads, answer)

        def connection() -> Connection:
            return Connection(self._loop, door, _AtOnce(), later, self._connections)

        async def begin() -> None:
            self._servers.append(await self._loop.create_server(connection, sock=listener))

        asyncio.run_coroutine_threadsafe(begin(), self._loop).result()

    def refuse_new(self) -> None:
        """Accept no more connections."""
        if self._thread.is_alive():
            asyncio.run_coroutine_threadsafe(self._refuse_new(), self._loop).result()

    def stop(self) -> None:
        """Send the responses that are ready, and close every connection."""
        if not self._thread.is_alive():
            return
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._tick(time.monotonic())
        try:
            self._loop.run_forever()
        finally:
            self._loop.close()

    def _tick(self, last: float) -> None:
        now = time.monotonic()
        self._connections.tick(now - last)
        self._loop.call_later(_TICK_SECONDS, self._tick, now)

    async def _refuse_new(self) -> None:
        for server in self._servers:
            server.close()

    async def _close(self) -> None:
        await self._refuse_new()
        until = time.monotonic() + _END_SECONDS
        while any(not held.is_evictable for held in self._connections):
            if time.monotonic() > until:
                break
            await asyncio.sleep(0.01)
        for connection in list(self._connections):
            connection.close()
        await asyncio.sleep(0)
        for connection in list(self._connections):
            connection.abort()


class _Door:
    """Lets every request be answered in a thread."""

    def respond(
        self,
        method: bytes,  # noqa: ARG002 - the signature of `Answering`
        url: bytes,  # noqa: ARG002
        headers: list[tuple[bytes, bytes]],  # noqa: ARG002
        body: bytes | bytearray,  # noqa: ARG002
        keep_alive: bool = True,  # noqa: ARG002
        /,
    ) -> bytes:
        raise NotPrompt

    def refuse(self, status: int, headers: list[tuple[bytes, bytes]] | None = None) -> bytes:
        del headers
        messages = {408: "Request Timeout", 413: "Request Entity Too Large"}
        message = messages.get(status, "Bad Request")
        return as_bytes(message_response(status, message), keep_alive=False)

    def failure(self) -> bytes:
        return as_bytes(message_response(500, "Internal Server Error"), keep_alive=True)


class _AtOnce:
    """Sends replies at once, since no commit affects them."""

    def send(
        self,
        transport: WriteTransport | Outlet,
        reply: bytes,
        door: Answering,
        request: RawRequest | None = None,
    ) -> None:
        del door, request
        transport.write(reply)


class _InThreads:
    """Answers requests in threads."""

    def __init__(
        self, loop: AbstractEventLoop, threads: ThreadPoolExecutor, answer: Answer
    ) -> None:
        self._loop = loop
        self._threads = threads
        self._answer = answer
        self._callers = Callers()

    def answer(
        self,
        reason: NotPrompt,
        request: RawRequest,
        *,
        again: Callable[[], None],
        done: Callable[[bytes | ConnectionReset | None], None],
    ) -> None:
        del reason, again

        def work() -> None:
            reply = self._reply(request)
            with contextlib.suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(done, reply)

        self._threads.submit(work)

    def _reply(self, raw: RawRequest) -> bytes:
        method, url, headers, body, keep_alive = raw
        request = HttpRequest(
            method.decode("latin-1"),
            url.decode("latin-1"),
            tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in headers),
            bytes(body),
        )
        try:
            if self._callers.allow_host(request.header("host") or "localhost"):
                response = self._answer(request)
            else:
                # A page whose host's name suddenly leads to this machine.
                response = message_response(403, "Forbidden")
        except Exception:  # noqa: BLE001 - every request gets a response
            _log.exception("%s %s failed", request.method, request.path)
            response = message_response(500, "Internal Server Error")
        return as_bytes(response, keep_alive=keep_alive, is_head=request.method == "HEAD")
