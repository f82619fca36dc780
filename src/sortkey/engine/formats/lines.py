"""Lines of an object that is read from a bucket: one at a time, and none too long."""

from collections.abc import Iterator
from typing import BinaryIO

# The JSON of an item of 400 KB has at most about 3 MB, so no valid line is longer.
MOST_LINE_BYTES = 4 * 1024 * 1024


class UnreadableObjectError(Exception):
    """The rest of an object cannot be read; the message says why."""


def lines(stream: BinaryIO) -> Iterator[bytes]:
    """Yield each line with its end.

    Raises:
        UnreadableObjectError: A line is too long to be kept in memory.
    """
    while line := stream.readline(MOST_LINE_BYTES + 1):
        refuse_long_record(len(line))
        yield line


def refuse_long_record(size: int) -> None:
    """Raise an error if a record has too many bytes."""
    if size > MOST_LINE_BYTES:
        raise UnreadableObjectError(
            f"A record is longer than {MOST_LINE_BYTES} bytes; the rest of the object was not read"
        )
