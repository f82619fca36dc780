"""The interface of transports, and their errors.

After an error, a request was either certainly not carried out, or its outcome is unknown.
DynamoDB's own errors are not errors of a transport: it raises them as `ServiceError`.
"""

import socket
import ssl
from dataclasses import dataclass
from typing import Any, Protocol

from sortkey.access.endpoint import Endpoint
from sortkey.errors import SortkeyError
from sortkey.wire.messages import Request


class Transport(Protocol):
    """Sends requests to one DynamoDB; safe across threads."""

    def send(self, request: Request) -> dict[str, Any]:
        """Return the response to a request; raise a `ServiceError` or a `TransportError`."""
        ...

    def close(self) -> None:
        """Close all connections; nothing can be sent afterwards."""
        ...


class AsyncTransport(Protocol):
    """Sends requests to one DynamoDB from one event loop."""

    async def send(self, request: Request) -> dict[str, Any]:
        """Return the response to a request; raise a `ServiceError` or a `TransportError`."""
        ...

    async def close(self) -> None:
        """Close all connections; nothing can be sent afterwards."""
        ...


@dataclass(frozen=True, slots=True)
class Timeouts:
    """The seconds to wait for a connection to open, and for more data of a response."""

    connect: float = 3.0
    read: float = 30.0


class TransportError(SortkeyError):
    """A request got no response from ``endpoint``."""

    def __init__(self, message: str, *, endpoint: str = "") -> None:
        super().__init__(message)
        self.endpoint = endpoint


class NotSent(TransportError):  # noqa: N818 - the name says what the caller may rely on
    """The request was certainly not carried out.

    ``lasting`` means that waiting is unlikely to help: nothing has ever listened on this machine,
    the certificate is not trusted, or a proxy refuses.
    """

    def __init__(self, message: str, *, endpoint: str = "", lasting: bool = False) -> None:
        super().__init__(message, endpoint=endpoint)
        self.lasting = lasting


class OutcomeUnknown(TransportError):  # noqa: N818 - ditto
    """The request may have been sent, and it is not known whether it was carried out."""


# -- errors -------------------------------------------------------------------------------------


def unreachable(
    endpoint: Endpoint, error: OSError, timeouts: Timeouts, *, was_reached: bool = False
) -> NotSent:
    """Return the error for a connection that could not be opened.

    A server on this machine that was reached before is being restarted; one that never was is
    probably not running.
    """
    lasting = endpoint.is_loopback and not was_reached
    match error:
        case socket.gaierror():
            message = (
                f"the host of {endpoint} is not known ({error.strerror}): "
                "check the region or the endpoint, and the network"
            )
        case ssl.SSLCertVerificationError():
            lasting = True
            message = (
                f"the certificate of {endpoint} is not trusted ({error.verify_message}): set "
                "AWS_CA_BUNDLE to the file of its authority's certificate, or pass an SSLContext "
                "as tls="
            )
        case ssl.SSLError():
            message = (
                f"the TLS handshake with {endpoint} failed ({error.strerror}): "
                "is it http instead of https?"
            )
        case TimeoutError():
            message = (
                f"{endpoint} accepted no connection within {timeouts.connect:g} s: "
                "check the address, the network and its firewall"
            )
        case _ if endpoint.is_loopback:
            message = f"cannot connect to {endpoint}: is `sortkey serve` running?"
        case _:
            message = (
                f"cannot connect to {endpoint} ({error.strerror or error}): "
                "check the address and the network"
            )
    return NotSent(message, endpoint=str(endpoint), lasting=lasting)


def not_accepted(endpoint: Endpoint, error: OSError) -> NotSent:
    """Return the error for a request that could not be sent whole."""
    return NotSent(
        f"{endpoint} closed the connection before it received the whole request "
        f"({error.strerror or error}): send it again",
        endpoint=str(endpoint),
    )


def silent(endpoint: Endpoint, timeouts: Timeouts) -> OutcomeUnknown:
    """Return the error for an endpoint that does not respond in time."""
    return OutcomeUnknown(
        f"{endpoint} did not respond for {timeouts.read:g} s: "
        "the request may have been carried out",
        endpoint=str(endpoint),
    )


def cut_off(endpoint: Endpoint, error: Exception | None = None) -> OutcomeUnknown:
    """Return the error for a connection that ends before the response is complete."""
    cause = f" ({error})" if error else ""
    return OutcomeUnknown(
        f"{endpoint} closed the connection before its response was complete{cause}: "
        "the request may have been carried out",
        endpoint=str(endpoint),
    )


def garbled(endpoint: Endpoint, fault: str) -> OutcomeUnknown:
    """Return the error for a response that cannot be read."""
    return OutcomeUnknown(
        f"{endpoint} sent a response that cannot be read ({fault}): is it DynamoDB? "
        "The request may have been carried out",
        endpoint=str(endpoint),
    )


def closed(endpoint: Endpoint) -> TransportError:
    """Return the error for a request after the transport was closed."""
    return TransportError(
        f"the connection to {endpoint} has been closed: open a new one", endpoint=str(endpoint)
    )
