"""Cursors: the position where a page ended, as text that only the same query accepts.

A cursor has a format version, a digest of the pattern and its arguments, the position, and a
checksum of all three. It points between records, not at one, so it survives deletions. Without a
secret it is readable, and the checksum detects only accidental changes; with a secret it is
encrypted (`sortkey.access.cursor_encryption`), and every change is detected.
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
# These may differ between the pages of one query.
_PER_PAGE = frozenset({"ExclusiveStartKey", "Limit", "ReturnConsumedCapacity"})


class CursorCipher(Protocol):
    """Encrypts and decrypts the content of cursors."""

    def encrypt(self, content: bytes) -> bytes:
        """Return the content as clients receive it."""
        ...

    def decrypt(self, encrypted: bytes) -> bytes:
        """Return the content; raise `BadCursor` if it was not encrypted here."""
        ...


class _Plain:
    """Leaves the content readable."""

    def encrypt(self, content: bytes) -> bytes:
        return content

    def decrypt(self, encrypted: bytes) -> bytes:
        return encrypted


PLAIN: CursorCipher = _Plain()


def digest(pattern: str, bodies: Sequence[Mapping[str, Any]]) -> str:
    """Return a digest that identifies a query by its pattern and requests, for all pages."""
    shown = [{n: value for n, value in body.items() if n not in _PER_PAGE} for body in bodies]
    return _short_hash([pattern, shown])


def write_cursor(query: str, position: Item, cipher: CursorCipher) -> str:
    """Return the cursor that continues this query after the position."""
    fields = [_VERSION, query, position]
    content = json.dumps([*fields, _short_hash(fields)], separators=(",", ":"), ensure_ascii=False)
    return _as_text(cipher.encrypt(content.encode()))


def read_cursor(text: str, query: str, cipher: CursorCipher) -> Item:
    """Return the position in a cursor of this query; raise `BadCursor` for any other."""
    try:
        encrypted = urlsafe_b64decode(text + "=" * (-len(text) % 4))
        version, *fields = json.loads(cipher.decrypt(encrypted))
    # JSON of only brackets is nested too deeply.
    except (Base64Error, ValueError, TypeError, RecursionError) as error:
        raise _bad("this is not a cursor of sortkey, or it is truncated") from error
    if version != _VERSION:
        raise _bad(f"the cursor has format {version}, and this sortkey reads format {_VERSION}")
    content, checksum = fields[:2], fields[2:]
    if checksum != [_short_hash([version, *content])] or text != _as_text(encrypted):
        raise _bad("the cursor was modified")
    made_for, position = content
    if made_for != query:
        raise _bad("the cursor belongs to another pattern or other arguments")
    return position


def _bad(fault: str) -> BadCursor:
    return BadCursor(f"{fault}: start again without a cursor")


def _as_text(encrypted: bytes) -> str:
    return urlsafe_b64encode(encrypted).decode().rstrip("=")


def _short_hash(value: object) -> str:
    text = json.dumps(value, sort_keys=True)
    return _as_text(blake2b(text.encode(), digest_size=_DIGEST_BYTES).digest())
