"""Checksums: damage to the file is found when a row is read.

A row's checksum covers its position, its content and its number (a size or an id). Of an item's
two key columns, the partition is left out: it begins with a checksum of its own, so one that is
damaged matches no key. Counts, expiry times and the entries of indexes can be derived from the
items; ``sortkey verify`` compares them. Pages of a database in memory are not verified: no disk has
damaged them.

It is an Adler-32, which finds every single changed bit and costs half as much as a CRC-32 for items
of a few hundred bytes.
"""

import struct
from typing import Any
from zlib import adler32


def checksum(position: bytes, content: bytes, number: int) -> int:
    """Return the checksum of a row."""
    return adler32(content, adler32(position, number))


def record_checksum(
    written: int, kind: int, keys: bytes, old: bytes | None, new: bytes | None
) -> int:
    """Return the checksum of a record of the journal."""
    value = adler32(keys, written & 0xFFFFFFFF)
    value = adler32(old, value + 1) if old is not None else value
    return adler32(new, value + kind) if new is not None else value + kind


def token_checksum(token: str, expires: float, digest: bytes) -> int:
    """Return the checksum of a request token."""
    return checksum(token.encode(), digest + struct.pack(">d", expires), 0)


def is_sound(position: Any, content: Any, number: Any, found: Any) -> bool:
    """Return whether the row has this checksum; damage may have changed the types too."""
    try:
        return checksum(position, content, number) == found
    except TypeError:
        return False


def is_sound_token(token: Any, expires: Any, digest: Any, found: Any) -> bool:
    """Return whether the request token has this checksum."""
    try:
        return token_checksum(token, expires, digest) == found
    except (AttributeError, TypeError, struct.error):
        return False
