"""The route to an endpoint, directly or through a proxy: what to connect to and send. No I/O.

Through a proxy, an https endpoint is reached by a tunnel: CONNECT names the endpoint, and after a
reply of 2xx the connection is the endpoint's own, with TLS inside. A request to an http endpoint is
sent to the proxy itself, which forwards it.

Until a tunnel is open, no part of a request has been sent, so every failure is a `NotSent`. A
request that a proxy forwards has been sent: it is `NotSent` only if the proxy refused it.
"""

import re
import socket
import ssl
from dataclasses import dataclass

from sortkey.access.endpoint import Endpoint
from sortkey.access.transports.proxies import Proxy
from sortkey.access.transports.transport import NotSent, OutcomeUnknown, Timeouts, unreachable

_BEGINNING = b"HTTP/1."
_STATUS_LINE = re.compile(rb"HTTP/1\.[01] (\d{3})(?: ([^\r\n]*))?\r?\n")
_HEAD_END = re.compile(rb"\r?\n\r?\n")
_LONGEST_REPLY = 65536
_SUCCESS = range(200, 300)
_REFUSED = range(300, 500)
_CREDENTIALS_WANTED = 407
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class EndpointRoute:
    """The route to an endpoint, directly or through a proxy."""

    endpoint: Endpoint
    proxy: Proxy | None = None

    @property
    def address(self) -> tuple[str, int]:
        """The host and the port to connect to."""
        near = self.proxy.address if self.proxy else self.endpoint
        return near.host, near.port

    def unreachable(
        self, error: OSError, timeouts: Timeouts, *, was_reached: bool = False
    ) -> NotSent:
        """Return the error for a connection that failed, after others or none have succeeded."""
        if self.proxy is None:
            return unreachable(self.endpoint, error, timeouts, was_reached=was_reached)
        return _proxy_unreachable(
            self.endpoint, self.proxy, error, timeouts, was_reached=was_reached
        )

    def not_encrypted(self, error: OSError, timeouts: Timeouts) -> NotSent:
        """Return the error for a failed TLS handshake with the endpoint."""
        if tunnel := self.tunnel:
            return tunnel.not_encrypted(error, timeouts)
        return unreachable(self.endpoint, error, timeouts)

    @property
    def tunnel(self) -> "Tunnel | None":
        """The tunnel to open before anything else, if there is one."""
        if self.proxy is None or not self.endpoint.is_encrypted:
            return None
        return Tunnel(self.endpoint, self.proxy)

    @property
    def forwarding(self) -> Proxy | None:
        """The proxy that forwards requests, if there is one."""
        return None if self.endpoint.is_encrypted else self.proxy


@dataclass(frozen=True, slots=True)
class Tunnel:
    """A tunnel through a proxy to an https endpoint."""

    endpoint: Endpoint
    proxy: Proxy

    def request(self) -> bytes:
        """Return the bytes that request the tunnel from the proxy."""
        target = self.endpoint.host_and_port.encode()
        return b"CONNECT %b HTTP/1.1\r\nHost: %b\r\nUser-Agent: sortkey\r\n%b\r\n" % (
            target,
            target,
            self.proxy.authorization,
        )

    def is_open(self, reply: bytes) -> bool:
        """Return whether the proxy's reply so far is complete and opens the tunnel.

        Raises:
            NotSent: The proxy refused, or its reply is not HTTP.
        """
        if not _BEGINNING.startswith(reply[: len(_BEGINNING)]):
            raise self._garbled()
        line = _STATUS_LINE.match(reply)
        if line and int(line[1]) not in _SUCCESS:
            # At once, because the end of the rest may be marked only by closing the connection.
            raise self._refused(int(line[1]), line[2] or b"")
        end = _HEAD_END.search(reply) if line else None
        if end is None:
            if len(reply) > _LONGEST_REPLY or (line is None and b"\n" in reply):
                raise self._garbled()
            return False
        if end.end() < len(reply):
            # With TLS, the client sends first.
            raise self._garbled()
        return True

    def silent(self, timeouts: Timeouts) -> NotSent:
        """Return the error for a proxy that does not reply in time."""
        return self._failure(
            f"did not open a tunnel to {self.endpoint} within {timeouts.connect:g} s: "
            f"check the proxy in {self.proxy.variable} and whether it allows this host"
        )

    def cut_off(self, error: Exception | None = None) -> NotSent:
        """Return the error for a connection that ends before the tunnel is open."""
        cause = f" ({error})" if error else ""
        return self._failure(
            f"closed the connection before the tunnel to {self.endpoint} was open{cause}: "
            f"check the proxy in {self.proxy.variable}"
        )

    def not_encrypted(self, error: OSError, timeouts: Timeouts) -> NotSent:
        """Return the error for a failed TLS handshake with the endpoint, inside the tunnel."""
        if isinstance(error, ConnectionError | ssl.SSLEOFError):
            return self._failure(
                f"closed the tunnel to {self.endpoint} during the TLS handshake: "
                "ask its operator whether it allows this host"
            )
        failed = unreachable(self.endpoint, error, timeouts)
        return NotSent(
            f"{failed} (through the proxy {self.proxy})",
            endpoint=failed.endpoint,
            lasting=failed.lasting,
        )

    def _refused(self, status: int, reason: bytes) -> NotSent:
        text = reason[:_SHOWN].decode("latin-1").strip()
        what = f"refused a tunnel to {self.endpoint} ({f'{status} {text}'.strip()})"
        if status in _REFUSED:
            return self._failure(f"{what}: {_remedy(self.proxy, status)}", lasting=True)
        return self._failure(
            f"{what}: it cannot reach the endpoint; check the region or the endpoint"
        )

    def _garbled(self) -> NotSent:
        return self._failure(
            f"did not reply with HTTP to the request for a tunnel to {self.endpoint}: "
            f"is there an HTTP proxy at the address in {self.proxy.variable}?",
            lasting=True,
        )

    def _failure(self, what: str, *, lasting: bool = False) -> NotSent:
        return NotSent(
            f"the proxy {self.proxy} {what}", endpoint=str(self.endpoint), lasting=lasting
        )


def not_forwarded(endpoint: Endpoint, proxy: Proxy, status: int) -> NotSent | OutcomeUnknown:
    """Return the error for a response that comes from a proxy instead of DynamoDB."""
    what = f"the proxy {proxy} itself answered a request to {endpoint}, with HTTP {status}"
    if status in _REFUSED:
        return NotSent(f"{what}: {_remedy(proxy, status)}", endpoint=str(endpoint), lasting=True)
    return OutcomeUnknown(
        f"{what}: check whether it reaches the endpoint. The request may have been carried out",
        endpoint=str(endpoint),
    )


def _remedy(proxy: Proxy, status: int) -> str:
    """Return what to do about a refusal."""
    if status != _CREDENTIALS_WANTED:
        return "ask its operator to allow this host, or add the host to NO_PROXY"
    if proxy.authorization:
        return f"correct the user and the password in {proxy.variable}"
    return f"write a user and a password into {proxy.variable}: http://user:password@host:port"


def _proxy_unreachable(
    endpoint: Endpoint, proxy: Proxy, error: OSError, timeouts: Timeouts, *, was_reached: bool
) -> NotSent:
    match error:
        case socket.gaierror():
            message = f"the host of the proxy {proxy} is not known ({error.strerror})"
        case TimeoutError():
            message = f"the proxy {proxy} accepted no connection within {timeouts.connect:g} s"
        case _:
            message = f"cannot connect to the proxy {proxy} ({error.strerror or error})"
    return NotSent(
        f"{message}: correct {proxy.variable}, or add {endpoint.host} to NO_PROXY to connect "
        "directly",
        endpoint=str(endpoint),
        lasting=proxy.address.is_loopback and not was_reached,
    )
