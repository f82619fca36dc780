"""Fetch a small JSON document of an issuer: within a time and a size, and from nowhere else."""

import ssl
from base64 import b64encode
from collections.abc import Generator
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from socket import SHUT_RDWR
from threading import Timer
from typing import Any
from urllib.parse import SplitResult, unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

import orjson

from sortkey_systems.api.addresses import checked_address, is_loopback

LARGEST_DOCUMENT = 256 * 1024
_SECONDS_OF_SILENCE = 3.0
_SECONDS = 5.0
_OK = 200
_REDIRECTS = range(300, 400)
_HTTP_PORT, _HTTPS_PORT = 80, 443


class FetchFailed(Exception):  # noqa: N818 - it says what happened
    """A document cannot be fetched, or is not what it should be."""


class _TlsConnection(HTTPSConnection):
    """A connection whose socket can be ended from outside during the handshake too."""

    def __init__(self, host: str, port: int | None, name: str) -> None:
        self._name, self._tls = name, ssl.create_default_context()
        super().__init__(host, port, timeout=_SECONDS_OF_SILENCE, context=self._tls)

    def connect(self) -> None:
        """Connect, perhaps through a proxy, and verify the certificate of the host."""
        HTTPConnection.connect(self)
        secured = self._tls.wrap_socket(
            self.sock, server_hostname=self._name, do_handshake_on_connect=False
        )
        self.sock = secured
        secured.do_handshake()


def fetch_json(address: str, *, seconds: float = _SECONDS) -> Any:
    """Return the JSON at an address.

    It takes a little more than these seconds at most. Redirects are not followed.

    Raises:
        FetchFailed: There is no such document; the message has no part of the response.
    """
    try:
        parts = urlsplit(checked_address(address))
        body = _body(parts, seconds)
        return orjson.loads(body)
    except (OSError, HTTPException) as error:
        reason = str(error) if isinstance(error, OSError) else type(error).__name__
        raise FetchFailed(f"{address} cannot be fetched: {reason}") from error
    except orjson.JSONDecodeError as error:
        raise FetchFailed(f"{address} is not JSON") from error
    except ValueError as error:
        raise FetchFailed(f"the address {error}") from error


def _body(parts: SplitResult, seconds: float) -> bytes:
    connection = _connection(parts)
    with _ended_after(connection, seconds):
        path = f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}"
        headers = {"accept": "application/json", "accept-encoding": "identity"}
        connection.request("GET", path, headers=headers)
        response = connection.getresponse()
        if response.status != _OK:
            redirect = ", and redirects are not followed" if response.status in _REDIRECTS else ""
            raise FetchFailed(
                f"{parts.geturl()} answers with the status {response.status}{redirect}"
            )
        body = response.read(LARGEST_DOCUMENT + 1)
    if len(body) > LARGEST_DOCUMENT:
        raise FetchFailed(f"{parts.geturl()} has over {LARGEST_DOCUMENT:,} bytes")
    return body


def _connection(parts: SplitResult) -> HTTPConnection:
    """Return a connection to the host, through the proxy that the environment names for it."""
    host = parts.hostname or ""
    if parts.scheme == "http":  # on this machine
        return HTTPConnection(host, parts.port, timeout=_SECONDS_OF_SILENCE)
    proxy = None if is_loopback(host) or proxy_bypass(host) else getproxies().get("https")
    if proxy is None:
        return _TlsConnection(host, parts.port, host)
    place = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
    connection = _TlsConnection(place.hostname or "", place.port or _HTTP_PORT, host)
    connection.set_tunnel(host, parts.port or _HTTPS_PORT, _proxy_headers(place))
    return connection


def _proxy_headers(place: SplitResult) -> dict[str, str]:
    if not place.username:
        return {}
    pair = f"{unquote(place.username)}:{unquote(place.password or '')}"
    return {"Proxy-Authorization": f"Basic {b64encode(pair.encode()).decode()}"}


@contextmanager
def _ended_after(connection: HTTPConnection, seconds: float) -> Generator[None]:
    """End a connection after some seconds: a socket's own limit begins again with each byte."""

    def end() -> None:
        with suppress(OSError, AttributeError):
            connection.sock.shutdown(SHUT_RDWR)

    timer = Timer(seconds, end)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        connection.close()
