"""Messages between `sortkey run` and the process of a function: a length, then JSON."""

import struct
from typing import Any, Protocol

import orjson

_LENGTH = struct.Struct("!I")


class FrameStream(Protocol):
    """A binary stream that blocks."""

    def read(self, size: int, /) -> bytes:
        """Return so many bytes, fewer only at the end."""
        ...

    def write(self, data: bytes, /) -> object:
        """Write bytes."""
        ...

    def flush(self) -> None:
        """Send what was written."""
        ...


def read_frame(stream: FrameStream) -> Any:
    """Return the next message; raise EOFError if the other side is gone."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    [size] = _LENGTH.unpack(head)
    body = stream.read(size)
    if len(body) < size:
        raise EOFError
    return orjson.loads(body)


def write_frame(stream: FrameStream, message: Any) -> None:
    """Send a message; raise BrokenPipeError if the other side is gone."""
    body = orjson.dumps(message)
    stream.write(_LENGTH.pack(len(body)) + body)
    stream.flush()
