"""Requests to an HTTP endpoint from threads, over kept connections. Proxies are not supported."""

import select
import socket
import ssl
import sys
from collections import deque
from collections.abc import Callable
from os import getpid
from time import time
from typing import Any

from sortkey.access.credentials import CredentialSource
from sortkey.access.endpoint import Endpoint
from sortkey.access.transports.http import AnswerReader, RequestWriter
from sortkey.access.transports.transport import (
    NotSent,
    Timeouts,
    closed,
    cut_off,
    not_accepted,
    silent,
    unreachable,
)
from sortkey.wire.errors import ExpiredTokenException
from sortkey.wire.messages import Request

_READ_BYTES = 65536
_IDLE = 50


class HttpTransport:
    """Carries requests to an endpoint; safe across threads and forks.

    A thread takes an idle connection or opens one, so there are as many as requests at one time.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        region: str,
        credentials: CredentialSource,
        timeouts: Timeouts | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._endpoint = endpoint
        self._credentials = credentials
        self._timeouts = timeouts or Timeouts()
        self._tls = tls
        self._writer = RequestWriter(endpoint, region)
        self._closed = False
        # By process, because a connection that came through a fork belongs to the parent. Each
        # step on these containers is atomic, so that no lock can be held while another thread
        # forks.
        self._idle: dict[int, deque[_Connection]] = {}

    def send(self, request: Request) -> dict[str, Any]:
        """The answer to a request; or its error, a `ServiceError` or a `TransportError`."""
        try:
            return self._send(request)
        except ExpiredTokenException:
            # Refused, so not carried out: new credentials are worth one more try.
            if not self._credentials.renew():
                raise
            return self._send(request)

    def close(self) -> None:
        """Close all idle connections, and the others as soon as their answer is there."""
        self._closed = True
        _drain(self._idle_connections())

    def _send(self, request: Request) -> dict[str, Any]:
        payload = self._writer.write(request, self._credentials.get(), time())
        idle = self._idle_connections()
        connection = self._send_on_idle(idle, payload) or self._send_on_new(payload)
        try:
            connection.receive()
        except BaseException:
            # Also on Ctrl-C: its answer may still come, and must not become another's.
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

    def _send_on_idle(self, idle: "deque[_Connection]", payload: bytes) -> "_Connection | None":
        """A kept connection that took the request, if there is one."""
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

    def _send_on_new(self, payload: bytes) -> "_Connection":
        if self._closed:
            raise closed(self._endpoint)
        connection = _Connection(self._connect(), self._endpoint, self._timeouts)
        connection.send(payload)
        return connection

    def _connect(self) -> socket.socket:
        endpoint, timeouts = self._endpoint, self._timeouts
        try:
            plain = socket.create_connection((endpoint.host, endpoint.port), timeouts.connect)
            try:
                plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                opened = self._encrypted(plain) if endpoint.is_encrypted else plain
                opened.settimeout(timeouts.read)
            except BaseException:
                plain.close()
                raise
        except OSError as error:
            raise unreachable(endpoint, error, timeouts) from error
        return opened

    def _encrypted(self, plain: socket.socket) -> socket.socket:
        if self._tls is None:
            self._tls = ssl.create_default_context()
        return self._tls.wrap_socket(plain, server_hostname=self._endpoint.host)

    def _idle_connections(self) -> "deque[_Connection]":
        process = getpid()
        idle = self._idle.get(process)
        if idle is None:
            for parent in self._idle.copy():
                # Closes this process's copy only: nothing is sent, the parent's goes on.
                _drain(self._idle.pop(parent, deque()))
            idle = self._idle.setdefault(process, deque())
        return idle


class _Connection:
    """One connection, on which requests are answered in turn."""

    __slots__ = ("_endpoint", "_socket", "_timeouts", "reader", "was_touched")

    def __init__(self, opened: socket.socket, endpoint: Endpoint, timeouts: Timeouts) -> None:
        self._socket = opened
        self._endpoint = endpoint
        self._timeouts = timeouts
        self.reader = AnswerReader(endpoint)
        self.was_touched = _watch(opened)

    def send(self, payload: bytes) -> None:
        """Send a whole request; one that fails has not been carried out, as its end is missing."""
        try:
            self._socket.sendall(payload)
        except OSError as error:
            self.close()
            raise not_accepted(self._endpoint, error) from error
        except BaseException:
            self.close()
            raise

    def receive(self) -> None:
        """Return when the reader has the whole answer."""
        feed, receive = self.reader.feed, self._socket.recv
        complete = False
        while not complete:
            try:
                data = receive(_READ_BYTES)
            except TimeoutError:
                raise silent(self._endpoint, self._timeouts) from None
            except OSError as error:
                raise cut_off(self._endpoint, error) from error
            if not data:
                raise cut_off(self._endpoint)
            complete = feed(data)

    def close(self) -> None:
        """Close this process's side."""
        self._socket.close()


def _drain(idle: deque[_Connection]) -> None:
    while True:
        try:
            idle.pop().close()
        except IndexError:
            return


def _watch(opened: socket.socket) -> Callable[[], bool]:
    """A function that says whether anything came on an idle connection: its end, or noise."""
    if sys.platform == "win32":
        return lambda: bool(select.select([opened], [], [], 0)[0])
    # Not `select`, which fails for the thousandth file of a process.
    poll = select.poll()
    poll.register(opened, select.POLLIN)
    return lambda: bool(poll.poll(0))
