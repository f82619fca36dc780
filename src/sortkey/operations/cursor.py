"""Cursors: the position where a page ended, as text that only the same query accepts.

A cursor has a format version, a digest of the pattern and its arguments, the position, and a
checksum of all three. It points between records, not at one, so it survives deletions. Without a
secret it is readable, and the checksum detects only accidental changes; with a secret it is
encrypted (`sortkey.access.cursor_encryption`), and every change is detected.

A client can forge a cursor without a secret, so its position is not trusted: `checked_position`
accepts only a position that the query itself could have returned.
"""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as Base64Error
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any, Protocol, TypeVar, cast

from sortkey.errors import BadCursor
from sortkey.expressions.evaluate import holds
from sortkey.operations.conversation import Conversation
from sortkey.operations.plan import Step
from sortkey.wire.errors import ServiceError, ValidationException
from sortkey.wire.values import Item, read_value

R = TypeVar("R")

_VERSION = 1
_DIGEST_BYTES = 9
# These may differ between the pages of one query.
_PER_PAGE = frozenset({"ExclusiveStartKey", "Limit", "ReturnConsumedCapacity"})
# The words with which DynamoDB rejects the position where a request starts.
_REJECTED_START = ("start key", "starting key", "cannot be restarted")


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
    return _as_text(cipher.encrypt(_content(query, position)))


def read_cursor(text: str, query: str, cipher: CursorCipher) -> Any:
    """Return the position in a cursor of this query; raise `BadCursor` for any other.

    The position may be any JSON: a client can write a cursor that is not encrypted.
    """
    try:
        encrypted = urlsafe_b64decode(text + "=" * (-len(text) % 4))
        content = cipher.decrypt(encrypted)
        version, *fields = json.loads(content)
        if version != _VERSION:
            raise bad_cursor(
                f"the cursor has format {version!s:.20}, and this sortkey reads format {_VERSION}"
            )
        made_for, position = (*fields, None, None)[:2]
        is_ours = text == _as_text(encrypted) and content == _content(made_for, position)
    # JSON of only brackets is nested too deeply.
    except (Base64Error, ValueError, TypeError, RecursionError) as error:
        raise bad_cursor("this is not a cursor of sortkey, or it is truncated") from error
    if not is_ours:
        raise bad_cursor("the cursor was modified")
    if made_for != query:
        raise bad_cursor("the cursor belongs to another pattern or other arguments")
    return position


def checked_position(position: Any, step: Step) -> Item:
    """Return the position if a page of this request can end there; raise `BadCursor` otherwise.

    It has exactly the key attributes of the table and the index, with valid values, and meets the
    key condition: it lies in the queried partition and range.
    """
    keys = tuple(step.table.position_keys(step.index))
    fault = bad_cursor("the cursor was modified")
    if not isinstance(position, dict) or position.keys() != {key.name for key in keys}:  # pyright: ignore[reportUnknownMemberType]
        raise fault
    item = cast("Item", position)
    for key in keys:
        value = item[key.name]
        try:
            _, size = read_value(value)
        except ServiceError as error:
            raise fault from error
        if value.keys() != {key.type} or not value[key.type] or size > key.most_bytes:
            raise fault
    if step.key_condition is not None and not holds(step.key_condition, item):
        raise fault
    return item


def continued(steps: Conversation[R]) -> Conversation[R]:
    """Run steps that start at the position of a cursor; raise `BadCursor` if it is rejected."""
    try:
        return (yield from steps)
    except ValidationException as error:
        if not any(words in error.message.lower() for words in _REJECTED_START):
            raise
        raise bad_cursor("DynamoDB rejects the position in the cursor") from error


def bad_cursor(fault: str) -> BadCursor:
    """Return the error of a cursor with a fault."""
    return BadCursor(f"{fault}: start again without a cursor")


def _content(query: object, position: object) -> bytes:
    fields = [_VERSION, query, position]
    content = json.dumps([*fields, _short_hash(fields)], separators=(",", ":"), ensure_ascii=False)
    return content.encode()


def _as_text(encrypted: bytes) -> str:
    return urlsafe_b64encode(encrypted).decode().rstrip("=")


def _short_hash(value: object) -> str:
    text = json.dumps(value, sort_keys=True)
    return _as_text(blake2b(text.encode(), digest_size=_DIGEST_BYTES).digest())
