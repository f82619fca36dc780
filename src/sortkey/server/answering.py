"""The interfaces between a connection and what answers its requests."""

from asyncio import WriteTransport
from collections.abc import Callable
from typing import Protocol

from sortkey.engine.promptness import NotPrompt
from sortkey.engine.weather import ConnectionReset
from sortkey.server.door import Header, RawRequest
from sortkey.server.outlet import Outlet


class Answering(Protocol):
    """Answers requests, as bytes ready for the wire: DynamoDB's endpoint, or an API."""

    def respond(
        self,
        method: bytes,
        url: bytes,
        headers: list[Header],
        body: bytes | bytearray,
        keep_alive: bool = True,
        /,
    ) -> bytes:
        """Return the response to a request; raise `NotPrompt` if it must be given later."""
        ...

    def refuse(self, status: int, headers: list[Header] | None = None) -> bytes:
        """Return the last response on a connection whose request cannot be read further."""
        ...

    def failure(self) -> bytes:
        """Return the response to a request that could not be carried out."""
        ...


class Sending(Protocol):
    """Sends replies, each when it may be sent."""

    def send(
        self,
        transport: WriteTransport | Outlet,
        reply: bytes,
        door: Answering,
        request: RawRequest | None = None,
    ) -> None:
        """Send a reply."""
        ...


class AnsweringLater(Protocol):
    """Answers requests that cannot be answered at once."""

    def answer(
        self,
        reason: NotPrompt,
        request: RawRequest,
        *,
        again: Callable[[], None],
        done: Callable[[bytes | ConnectionReset | None], None],
    ) -> None:
        """Answer a request later: call ``again`` when it can be tried, or ``done``."""
        ...
