"""Records of an object that is read from a bucket: one at a time, and none too long."""

from collections.abc import Iterator
from typing import Protocol

from sortkey.engine.formats.fault import UnreadableObjectError

# The JSON of an item of 400 KB has at most about 3 MB, so no valid record is longer.
MOST_RECORD_BYTES = 4 * 1024 * 1024


class Readable(Protocol):
    """What a reader needs of a stream."""

    def read(self, size: int = -1, /) -> bytes:
        """Return some bytes."""
        ...

    def readline(self, size: int = -1, /) -> bytes:
        """Return a line, or a part of one that is longer."""
        ...


def lines(stream: Readable) -> Iterator[bytes]:
    """Yield each line with its end.

    Raises:
        UnreadableObjectError: A line is too long to be kept in memory.
    """
    while line := stream.readline(MOST_RECORD_BYTES + 1):
        refuse_long_record(len(line))
        yield line


def refuse_long_record(size: int, most: int = MOST_RECORD_BYTES) -> None:
    """Raise an error if a record has too many bytes."""
    if size > most:
        raise UnreadableObjectError(
            f"A record is longer than {most} bytes; the rest of the object was not read"
        )
