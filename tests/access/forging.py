"""Cursors that a client writes itself, without a secret."""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from hashlib import blake2b
from typing import Any

COMPACT: dict[str, Any] = {"separators": (",", ":"), "ensure_ascii": False}


def content_of(cursor: str) -> list[Any]:
    """Return the version, the query, the position and the checksum of a readable cursor."""
    return json.loads(urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))


def forged(query: str, position: object, **spelling: Any) -> str:
    """Return a cursor that differs from one of sortkey's own only in its position."""
    fields = [1, query, position]
    text = json.dumps(fields, sort_keys=True).encode()
    checksum = _text(blake2b(text, digest_size=9).digest())
    content = json.dumps([*fields, checksum], **COMPACT | spelling)
    return _text(content.encode("utf-8", "surrogatepass"))


def _text(content: bytes) -> str:
    return urlsafe_b64encode(content).decode().rstrip("=")
