"""Requests to DynamoDB Streams, which has an endpoint of its own in AWS."""

from collections.abc import Callable
from dataclasses import replace
from threading import Lock
from typing import Any

from sortkey.access.endpoint import Endpoint
from sortkey.access.transports.transport import AsyncTransport, Transport
from sortkey.wire.messages import Request
from sortkey.wire.services import STREAM_OPERATIONS


def streams_endpoint(endpoint: Endpoint) -> Endpoint | None:
    """Return the endpoint of DynamoDB Streams beside one of AWS; None if they are the same."""
    host = endpoint.host
    if not host.startswith("dynamodb") or ".amazonaws.com" not in host:
        return None
    return replace(endpoint, host=f"streams.{host}")


class RoutedTransport:
    """Sends the requests of streams to another endpoint, which is opened for the first of them."""

    def __init__(self, tables: Transport, open_streams: Callable[[], Transport]) -> None:
        self._tables = tables
        self._open_streams = open_streams
        self._streams: Transport | None = None
        self._opening = Lock()

    def send(self, request: Request) -> dict[str, Any]:
        """Return the response to a request; raise a `ServiceError` or a `TransportError`."""
        if request.operation not in STREAM_OPERATIONS:
            return self._tables.send(request)
        with self._opening:
            if self._streams is None:
                self._streams = self._open_streams()
        return self._streams.send(request)

    def close(self) -> None:
        """Close all connections; nothing can be sent afterwards."""
        self._tables.close()
        if self._streams is not None:
            self._streams.close()


class AsyncRoutedTransport:
    """Sends the requests of streams to another endpoint, from one event loop."""

    def __init__(self, tables: AsyncTransport, open_streams: Callable[[], AsyncTransport]) -> None:
        self._tables = tables
        self._open_streams = open_streams
        self._streams: AsyncTransport | None = None

    async def send(self, request: Request) -> dict[str, Any]:
        """Return the response to a request; raise a `ServiceError` or a `TransportError`."""
        if request.operation not in STREAM_OPERATIONS:
            return await self._tables.send(request)
        if self._streams is None:
            self._streams = self._open_streams()
        return await self._streams.send(request)

    async def close(self) -> None:
        """Close all connections; nothing can be sent afterwards."""
        await self._tables.close()
        if self._streams is not None:
            await self._streams.close()
