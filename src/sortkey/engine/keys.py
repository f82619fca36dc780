"""Keys as bytes that sort as DynamoDB sorts them.

A row has a *partition* and a *position*. In a table these are the two key values. In an index
they are the index's key values, each escaped and ended so that several can follow one another,
and the position goes on with the item's primary key, since an index key need not be unique.

Partitions carry a checksum in front: it spreads them, as DynamoDB's hash does, so that a Scan meets
them in no useful order and can be split into segments of about the same size.
"""

from base64 import b64encode
from collections.abc import Sequence
from typing import Any, NamedTuple
from zlib import crc32

from sortkey.wire.numbers import number_key, number_of_key
from sortkey.wire.values import AttributeValue, Item, binary

HASH_BYTES = 4
FIRST = b""
# No position and no partition reaches this: positions are shorter, partitions are hashed.
LAST = b"\xff" * 4096

_END = b"\x00\x01"
_AFTER_END = b"\x00\x02"


class KeyAttribute(NamedTuple):
    """A key attribute's name and its type: ``S``, ``N`` or ``B``."""

    name: str
    kind: str


class RowKey(NamedTuple):
    """The partition and position of a row."""

    partition: bytes
    position: bytes


class Span(NamedTuple):
    """The positions of one partition from ``first`` up to, but without, ``last``."""

    partition: bytes
    first: bytes
    last: bytes


def scalar_bytes(kind: str, raw: Any) -> bytes:
    """Return a key value's bytes, which sort as its values do."""
    if kind == "S":
        return raw.encode()
    if kind == "N":
        return number_key(raw)
    return binary(raw)


def hashed(content: bytes) -> bytes:
    """Return a partition: its content after a checksum."""
    return crc32(content).to_bytes(HASH_BYTES, "big") + content


def joined(values: Sequence[bytes]) -> bytes:
    """Return several key values as one, which sorts by the first, then the second, and so on."""
    return b"".join([_escaped(value) + _END for value in values])


def shown_partition(attributes: Sequence[KeyAttribute], partition: bytes) -> str:
    """Return the values of a partition key as text, for people; empty for no certain key."""
    content = partition[HASH_BYTES:]
    if not content:
        return ""
    if len(attributes) == 1:
        values = [content]
    else:
        parts = content.split(_END)[:-1]
        values = [part.replace(b"\x00\xff", b"\x00") for part in parts]
    return ", ".join(
        _shown(kind, value) for (_, kind), value in zip(attributes, values, strict=True)
    )


def _shown(kind: str, content: bytes) -> str:
    if kind == "S":
        return content.decode()
    return number_of_key(content) if kind == "N" else b64encode(content).decode()


def _escaped(value: bytes) -> bytes:
    return value.replace(b"\x00", b"\x00\xff")


def values_of(attributes: Sequence[KeyAttribute], item: Item, most: int) -> list[bytes] | None:
    """Return the bytes of these attributes, or None if one is missing or cannot be a key.

    An item may have an attribute that could not be a key if it is older than the index.
    """
    found: list[bytes] = []
    for name, kind in attributes:
        value = item.get(name)
        if value is None:
            return None
        raw = value.get(kind)
        if raw is None:
            return None
        content = scalar_bytes(kind, raw)
        if not 0 < len(content) <= most:
            return None
        found.append(content)
    return found


def successor(prefix: bytes) -> bytes:
    """Return the first byte string after all those that start with ``prefix``."""
    stripped = prefix.rstrip(b"\xff")
    if not stripped:
        return LAST
    return stripped[:-1] + bytes((stripped[-1] + 1,))


def plain_range(operator: str, values: Sequence[bytes]) -> tuple[bytes, bytes]:
    """Return the positions in a table for which the sort key fulfils a condition."""
    value = values[0]
    match operator:
        case "=":
            return value, value + b"\x00"
        case "<":
            return FIRST, value
        case "<=":
            return FIRST, value + b"\x00"
        case ">":
            return value + b"\x00", LAST
        case ">=":
            return value, LAST
        case "BETWEEN":
            return value, values[1] + b"\x00"
        case _:
            return value, successor(value)


def joined_range(operator: str, values: Sequence[bytes]) -> tuple[bytes, bytes]:
    """Return the positions in an index for which its next sort attribute fulfils a condition."""
    value = _escaped(values[0])
    match operator:
        case "=":
            return value + _END, value + _AFTER_END
        case "<":
            return FIRST, value + _END
        case "<=":
            return FIRST, value + _AFTER_END
        case ">":
            return value + _AFTER_END, LAST
        case ">=":
            return value + _END, LAST
        case "BETWEEN":
            return value + _END, _escaped(values[1]) + _AFTER_END
        case _:
            return value, successor(value)


def segment_bounds(segment: int, total: int) -> tuple[bytes, bytes]:
    """Return the partitions of one segment of a parallel Scan."""
    space = 1 << (8 * HASH_BYTES)
    first = -(-segment * space // total)
    last = -(-(segment + 1) * space // total)
    return (
        first.to_bytes(HASH_BYTES, "big"),
        LAST if last == space else last.to_bytes(HASH_BYTES, "big"),
    )


def key_values(names: Sequence[KeyAttribute], values: Sequence[AttributeValue]) -> list[bytes]:
    """Return the bytes of the values of these key attributes."""
    return [scalar_bytes(kind, value[kind]) for (_, kind), value in zip(names, values, strict=True)]
