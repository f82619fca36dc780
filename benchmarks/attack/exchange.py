"""DynamoDB's protocol as bytes, for clients that keep to it and for clients that do not."""

import asyncio
import socket
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self
from zlib import crc32

import orjson

from sortkey.wire.services import target_of

_MOST_REPLY_BYTES = 1 << 26
# With this, close() sends a reset instead of an orderly end.
_LINGER_NOT = struct.pack("ii", 1, 0)


class BadReplyError(Exception):
    """The bytes of a response contradict each other."""


@dataclass(frozen=True, slots=True)
class Reply:
    """One response."""

    status: int
    headers: Mapping[bytes, bytes]
    body: bytes

    def value(self) -> Any:
        """Return the body's JSON; an empty body is an empty object."""
        return orjson.loads(self.body) if self.body else {}

    @property
    def error(self) -> str:
        """The name of DynamoDB's error, or nothing for a success."""
        if self.status == 200:
            return ""
        try:
            return str(self.value()["__type"]).rpartition("#")[2]
        except (ValueError, KeyError, TypeError):
            return str(self.status)


def request(operation: str, body: object, extra: bytes = b"", host: bytes = b"127.0.0.1") -> bytes:
    """Return a request as bytes; a body of bytes is sent as it is."""
    text = body if isinstance(body, bytes) else orjson.dumps(body)
    return (
        b"POST / HTTP/1.1\r\nHost: %b\r\nContent-Type: application/x-amz-json-1.0\r\n"
        b"X-Amz-Target: %b\r\n%bContent-Length: %d\r\n\r\n%b"
    ) % (host, target_of(operation).encode(), extra, len(text), text)


class Link:
    """A connection to the server."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def open(cls, port: int) -> Self:
        """Connect to a server on this machine."""
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=_MOST_REPLY_BYTES)
        return cls(reader, writer)

    async def send(self, data: bytes) -> None:
        """Send bytes, however little sense they make."""
        self._writer.write(data)
        await self._writer.drain()

    async def read(self) -> Reply:
        """Return the next response, and check its length and checksum."""
        head = await self._reader.readuntil(b"\r\n\r\n")
        first, *lines = head[:-4].split(b"\r\n")
        pairs = (line.partition(b":") for line in lines)
        headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
        try:
            status = int(first.split()[1])
            size = int(headers.get(b"content-length", b"0"))
        except (IndexError, ValueError) as error:
            raise BadReplyError(f"not a response: {head[:100]!r}") from error
        body = await self._reader.readexactly(size)
        checksum = headers.get(b"x-amz-crc32")
        if checksum is not None and int(checksum) != crc32(body):
            raise BadReplyError(f"the checksum of a response is wrong: {body[:100]!r}")
        return Reply(status, headers, body)

    async def ask(self, operation: str, body: object, extra: bytes = b"") -> Reply:
        """Send a request and return its response."""
        await self.send(request(operation, body, extra))
        return await self.read()

    async def at_end(self) -> bool:
        """Wait for the server to close the connection, and return whether it sent nothing."""
        return await self._reader.read() == b""

    def close(self) -> None:
        """Close the connection."""
        self._writer.close()

    def reset(self) -> None:
        """Break the connection off without a goodbye."""
        sock: socket.socket = self._writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_NOT)
        self._writer.transport.abort()
