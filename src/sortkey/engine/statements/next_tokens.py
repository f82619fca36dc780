"""Tokens that continue a SELECT: where its page ended, and which statement it was."""

import base64
import binascii
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any, NamedTuple

import orjson

from sortkey.wire.errors import ValidationException
from sortkey.wire.values import Item

_DIGEST_BYTES = 16


class Position(NamedTuple):
    """The partition to continue with, by its number, and the last row read of it."""

    partition: int
    last: Item | None


def write_token(request: Mapping[str, Any], position: Position) -> str:
    """Return the token with which the same statement continues here."""
    content = orjson.dumps([position.partition, position.last])
    sealed = _digest(request) + _seal(content) + content
    return base64.urlsafe_b64encode(sealed).decode()


def read_token(request: Mapping[str, Any]) -> Position:
    """Return where a request continues: at the start, if it has no token."""
    token = request.get("NextToken")
    if token is None:
        return Position(0, None)
    try:
        sealed = base64.b64decode(token, altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise invalid_token() from None
    digest, seal = sealed[:_DIGEST_BYTES], sealed[_DIGEST_BYTES : 2 * _DIGEST_BYTES]
    content = sealed[2 * _DIGEST_BYTES :]
    if seal != _seal(content):
        raise invalid_token()
    if digest != _digest(request):
        raise ValidationException("NextToken does not match request")
    partition, last = orjson.loads(content)
    return Position(partition, last)


def invalid_token() -> ValidationException:
    """Return the error for a token that did not come from here."""
    return ValidationException("Invalid NextToken")


def _digest(request: Mapping[str, Any]) -> bytes:
    """Return a digest of the statement and its parameters; the rest of a request may change."""
    spelt = orjson.dumps(
        [request["Statement"], request.get("Parameters")], option=orjson.OPT_SORT_KEYS
    )
    return blake2b(spelt, digest_size=_DIGEST_BYTES).digest()


def _seal(content: bytes) -> bytes:
    return blake2b(content, digest_size=_DIGEST_BYTES, person=b"NextToken").digest()
