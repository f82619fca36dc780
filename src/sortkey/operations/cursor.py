"""Cursors: where a page ended, as a text that only the same query continues.

A cursor carries a format version, a digest of the pattern and of everything that was bound, the
position, and a checksum of it all. It points between records, not at one, so it survives deletions.
Without a secret it is readable, and only changes by accident are noticed; with one it is encrypted
(`sortkey.access.sealing`), and so is every other change.
"""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as Base64Error
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any, Protocol

from sortkey.errors import BadCursor
from sortkey.wire.values import Item

_VERSION = 1
_DIGEST_BYTES = 9
# What may differ between the pages of one query.
_PER_PAGE = frozenset({"ExclusiveStartKey", "Limit", "ReturnConsumedCapacity"})


class Sealing(Protocol):
    """How a cursor's content becomes the text that is handed out."""

    def seal(self, content: bytes) -> bytes:
        """The content as it is handed out."""
        ...

    def open(self, sealed: bytes) -> bytes:
        """The content again; `BadCursor` if it is not from here."""
        ...


class _Plain:
    """Leaves the content readable."""

    def seal(self, content: bytes) -> bytes:
        return content

    def open(self, sealed: bytes) -> bytes:
        return sealed


PLAIN: Sealing = _Plain()


def digest(pattern: str, bodies: Sequence[Mapping[str, Any]]) -> str:
    """What identifies a query: its pattern and its requests, whatever the page."""
    shown = [{n: value for n, value in body.items() if n not in _PER_PAGE} for body in bodies]
    return _short_hash([pattern, shown])


def write_cursor(query: str, position: Item, sealing: Sealing) -> str:
    """The cursor that continues this query after the position."""
    fields = [_VERSION, query, position]
    content = json.dumps([*fields, _short_hash(fields)], separators=(",", ":"), ensure_ascii=False)
    return _as_text(sealing.seal(content.encode()))


def read_cursor(text: str, query: str, sealing: Sealing) -> Item:
    """The position that a cursor of this very query holds."""
    try:
        sealed = urlsafe_b64decode(text + "=" * (-len(text) % 4))
        version, *fields = json.loads(sealing.open(sealed))
    # A text of nothing but brackets is too deep to be read.
    except (Base64Error, ValueError, TypeError, RecursionError) as error:
        raise _bad("this is not a cursor of sortkey, or it was cut short") from error
    if version != _VERSION:
        raise _bad(f"a cursor of format {version}; this sortkey knows format {_VERSION}")
    content, checksum = fields[:2], fields[2:]
    if checksum != [_short_hash([version, *content])] or text != _as_text(sealed):
        raise _bad("the cursor was changed on its way")
    made_for, position = content
    if made_for != query:
        raise _bad("the cursor belongs to another pattern, or to other arguments")
    return position


def _bad(told: str) -> BadCursor:
    return BadCursor(f"{told}: begin again without a cursor")


def _as_text(sealed: bytes) -> str:
    return urlsafe_b64encode(sealed).decode().rstrip("=")


def _short_hash(value: object) -> str:
    text = json.dumps(value, sort_keys=True)
    return _as_text(blake2b(text.encode(), digest_size=_DIGEST_BYTES).digest())
