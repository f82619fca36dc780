"""Requests to an HTTP endpoint from threads, over persistent connections."""

import select
import socket
import ssl
import sys
from collections import deque
from collections.abc import Callable
from os import getpid
from time import monotonic, time
from typing import Any

from sortkey.access.credentials import CredentialSource
from sortkey.access.endpoint import Endpoint
from sortkey.access.transports.http import AnswerReader, RequestWriter
from sortkey.access.transports.proxies import Proxy
from sortkey.access.transports.routes import EndpointRoute, Tunnel
from sortkey.access.transports.transport import (
    NotSent,
    Timeouts,
    closed,
    cut_off,
    not_accepted,
    silent,
)
from sortkey.wire.errors import ExpiredTokenException
from sortkey.wire.messages import Request

_READ_BYTES = 65536
_IDLE = 50
_SHORTEST_WAIT = 0.001  # a timeout of 0 would make the socket non-blocking


class HttpTransport:
    """Sends requests to an endpoint; safe across threads and forks.

    A thread takes an idle connection or opens one, so there is one for each concurrent request.
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
    ) -> None:
        self._endpoint = endpoint
        self._route = EndpointRoute(endpoint, proxy)
        self._credentials = credentials
        self._timeouts = timeouts or Timeouts()
        self._tls = tls
        self._writer = RequestWriter(endpoint, region, self._route.forwarding)
        self._closed = False
        self._was_reached = False
        # By process, because a connection that was inherited by a fork belongs to the parent. Each
        # operation on these containers is atomic, so that no lock can be held while another
        # thread forks.
        self._idle: dict[int, deque[_SyncConnection]] = {}

    def send(self, request: Request) -> dict[str, Any]:
        """Return the response to a request; raise a `ServiceError` or a `TransportError`."""
        try:
            return self._send(request)
        except ExpiredTokenException:
            # The request was rejected, so it can be repeated once with new credentials.
            if not self._credentials.renew():
                raise
            return self._send(request)

    def close(self) -> None:
        """Close all idle connections, and the others as soon as their response is complete."""
        self._closed = True
        _drain(self._idle_connections())

    def _send(self, request: Request) -> dict[str, Any]:
        payload = self._writer.write(request, self._credentials.get(), time())
        idle = self._idle_connections()
        connection = self._send_on_idle(idle, payload) or self._send_on_new(payload)
        try:
            connection.receive()
        except BaseException:
            # Even on Ctrl-C: a late response must not be taken for that of another request.
            connection.close()
            raise
        reusable = connection.reader.is_reusable
        try:
            return connection.reader.take()
        finally:
            # Last, because another thread may take it at once.
            if reusable and len(idle) < _IDLE:
                idle.append(connection)
                if self._closed:
                    _drain(idle)
            else:
                connection.close()

    def _send_on_idle(
        self, idle: "deque[_SyncConnection]", payload: bytes
    ) -> "_SyncConnection | None":
        """Send the request on an idle connection, and return it; None if there is none."""
        while True:
            try:
                connection = idle.pop()
            except IndexError:
                return None
            if connection.was_touched():
                connection.close()
                continue
            try:
                connection.send(payload)
            except NotSent:
                # It was closed while idle, and has not seen the whole request.
                continue
            return connection

    def _send_on_new(self, payload: bytes) -> "_SyncConnection":
        if self._closed:
            raise closed(self._endpoint)
        connection = _SyncConnection(self._connect(), self._route, self._timeouts)
        connection.send(payload)
        return connection

    def _connect(self) -> socket.socket:
        route, timeouts = self._route, self._timeouts
        try:
            plain = socket.create_connection(route.address, timeouts.connect)
        except OSError as error:
            raise route.unreachable(error, timeouts, was_reached=self._was_reached) from error
        try:
            plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if tunnel := route.tunnel:
                self._open_tunnel(tunnel, plain)
            opened = self._encrypted(plain) if route.endpoint.is_encrypted else plain
            opened.settimeout(timeouts.read)
        except OSError as error:
            plain.close()
            raise route.not_encrypted(error, timeouts) from error
        except BaseException:
            plain.close()
            raise
        self._was_reached = True
        return opened

    def _open_tunnel(self, tunnel: Tunnel, plain: socket.socket) -> None:
        """Send the tunnel's request, and return when the proxy has opened it."""
        deadline = monotonic() + self._timeouts.connect
        reply = b""
        try:
            plain.sendall(tunnel.request())
            while not tunnel.is_open(reply):
                plain.settimeout(max(deadline - monotonic(), _SHORTEST_WAIT))
                data = plain.recv(_READ_BYTES)
                if not data:
                    raise tunnel.cut_off()
                reply += data
        except TimeoutError:
            raise tunnel.silent(self._timeouts) from None
        except OSError as error:
            raise tunnel.cut_off(error) from error
        plain.settimeout(self._timeouts.connect)

    def _encrypted(self, plain: socket.socket) -> socket.socket:
        if self._tls is None:
            self._tls = ssl.create_default_context()
        return self._tls.wrap_socket(plain, server_hostname=self._endpoint.host)

    def _idle_connections(self) -> "deque[_SyncConnection]":
        process = getpid()
        idle = self._idle.get(process)
        if idle is None:
            for owner in self._idle.copy():
                if owner != process:
                    # This closes only this process's copy; the parent's connection stays open.
                    _drain(self._idle.pop(owner, deque()))
            idle = self._idle.setdefault(process, deque())
        return idle


class _SyncConnection:
    """One connection, which handles one request at a time."""

    __slots__ = ("_endpoint", "_socket", "_timeouts", "reader", "was_touched")

    def __init__(self, opened: socket.socket, route: EndpointRoute, timeouts: Timeouts) -> None:
        self._socket = opened
        self._endpoint = route.endpoint
        self._timeouts = timeouts
        self.reader = AnswerReader(route.endpoint, route.forwarding)
        self.was_touched = _watch(opened)

    def send(self, payload: bytes) -> None:
        """Send a whole request; if this fails, it was incomplete and not carried out."""
        try:
            self._socket.sendall(payload)
        except OSError as error:
            self.close()
            raise not_accepted(self._endpoint, error) from error
        except BaseException:
            self.close()
            raise

    def receive(self) -> None:
        """Return when the reader has the whole response."""
        feed, receive = self.reader.feed, self._socket.recv
        complete = False
        while not complete:
            try:
                data = receive(_READ_BYTES)
            except TimeoutError:
                raise silent(self._endpoint, self._timeouts) from None
            except OSError as error:
                raise cut_off(self._endpoint, error) from error
            complete = feed(data) if data else self.reader.end()
            if not data and not complete:
                raise cut_off(self._endpoint)

    def close(self) -> None:
        """Close this process's side."""
        self._socket.close()


def _drain(idle: deque[_SyncConnection]) -> None:
    while True:
        try:
            idle.pop().close()
        except IndexError:
            return


def _watch(opened: socket.socket) -> Callable[[], bool]:
    """Return a function that returns whether an idle connection received data or was closed."""
    if sys.platform == "win32":
        return lambda: bool(select.select([opened], [], [], 0)[0])
    # Not `select`, which fails if a process has more than a thousand open files.
    poll = select.poll()
    poll.register(opened, select.POLLIN)
    return lambda: bool(poll.poll(0))
