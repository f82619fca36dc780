"""What a transport is, and how it fails: surely before the request was carried out, or perhaps not.

DynamoDB's own errors are no failures of a transport: it delivers them as `ServiceError`.
"""

import socket
import ssl
from dataclasses import dataclass
from typing import Any, Protocol

from sortkey.access.endpoint import Endpoint
from sortkey.errors import SortkeyError
from sortkey.wire.messages import Request


class Transport(Protocol):
    """Carries requests to one DynamoDB; safe across threads."""

    def send(self, request: Request) -> dict[str, Any]:
        """The answer to a request; or its error, a `ServiceError` or a `TransportError`."""
        ...

    def close(self) -> None:
        """Let go of all connections; nothing can be sent any more."""
        ...


class AsyncTransport(Protocol):
    """Carries requests to one DynamoDB from one event loop."""

    async def send(self, request: Request) -> dict[str, Any]:
        """The answer to a request; or its error, a `ServiceError` or a `TransportError`."""
        ...

    async def close(self) -> None:
        """Let go of all connections; nothing can be sent any more."""
        ...


@dataclass(frozen=True, slots=True)
class Timeouts:
    """How many seconds a connection may take to open, and an answer may keep silent."""

    connect: float = 3.0
    read: float = 30.0


class TransportError(SortkeyError):
    """A request got no answer; ``endpoint`` says from where."""

    def __init__(self, message: str, *, endpoint: str = "") -> None:
        super().__init__(message)
        self.endpoint = endpoint


class NotSent(TransportError):  # noqa: N818 - the name says what the caller may rely on
    """The request was surely not carried out.

    ``lasting`` says that waiting is unlikely to help: nothing listens on this machine, or the
    certificate is not trusted.
    """

    def __init__(self, message: str, *, endpoint: str = "", lasting: bool = False) -> None:
        super().__init__(message, endpoint=endpoint)
        self.lasting = lasting


class OutcomeUnknown(TransportError):  # noqa: N818 - ditto
    """The request was sent, or may have been, and it is not known whether it was carried out."""


# -- the failures, told to whoever has to mend them ---------------------------------------------


def unreachable(endpoint: Endpoint, error: OSError, timeouts: Timeouts) -> NotSent:
    """The failure to open a connection."""
    lasting = endpoint.is_loopback
    match error:
        case socket.gaierror():
            message = (
                f"the host of {endpoint} is not known ({error.strerror}): "
                "check the region or the endpoint, and the network"
            )
        case ssl.SSLCertVerificationError():
            lasting = True
            message = (
                f"the certificate of {endpoint} is not trusted ({error.verify_message}): pass an "
                "SSLContext that trusts it, or name its authority in SSL_CERT_FILE"
            )
        case ssl.SSLError():
            message = (
                f"{endpoint} does not agree on TLS ({error.strerror}): "
                "is it http, rather than https?"
            )
        case TimeoutError():
            message = (
                f"{endpoint} let no connection open within {timeouts.connect:g} s: "
                "check the address, the network and its firewall"
            )
        case _ if endpoint.is_loopback:
            message = f"nothing answers at {endpoint}: is `sortkey serve` running?"
        case _:
            message = (
                f"nothing answers at {endpoint} ({error.strerror or error}): "
                "check the address and the network"
            )
    return NotSent(message, endpoint=str(endpoint), lasting=lasting)


def not_accepted(endpoint: Endpoint, error: OSError) -> NotSent:
    """The failure to send a whole request on an open connection."""
    return NotSent(
        f"{endpoint} closed the connection before it had the whole request "
        f"({error.strerror or error}): send it again",
        endpoint=str(endpoint),
    )


def silent(endpoint: Endpoint, timeouts: Timeouts) -> OutcomeUnknown:
    """The failure of an endpoint that does not answer in time."""
    return OutcomeUnknown(
        f"{endpoint} took the request and said nothing for {timeouts.read:g} s: "
        "it may have been carried out",
        endpoint=str(endpoint),
    )


def cut_off(endpoint: Endpoint, error: Exception | None = None) -> OutcomeUnknown:
    """The failure of a connection that ends before its answer does."""
    cause = f" ({error})" if error else ""
    return OutcomeUnknown(
        f"{endpoint} closed the connection before its answer was complete{cause}: "
        "the request may have been carried out",
        endpoint=str(endpoint),
    )


def garbled(endpoint: Endpoint, fault: str) -> OutcomeUnknown:
    """The failure of an answer that cannot be read."""
    return OutcomeUnknown(
        f"{endpoint} gave an answer that cannot be read ({fault}): is it a DynamoDB? "
        "The request may have been carried out",
        endpoint=str(endpoint),
    )


def closed(endpoint: Endpoint) -> TransportError:
    """The refusal to send anything after closing."""
    return TransportError(
        f"the connection to {endpoint} has been closed: open a new one", endpoint=str(endpoint)
    )
