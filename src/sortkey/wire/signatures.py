"""Signature Version 4 of ``POST /`` to DynamoDB, as client and server compute it."""

import hashlib
import hmac
from collections.abc import Sequence
from functools import lru_cache

ALGORITHM = "AWS4-HMAC-SHA256"
SERVICE = "dynamodb"
TERMINATOR = "aws4_request"
STAMP = "%Y%m%dT%H%M%SZ"


def credential_scope(date: str, region: str) -> str:
    """Return the scope of a signature: one day, one region, DynamoDB."""
    return f"{date}/{region}/{SERVICE}/{TERMINATOR}"


def canonical_request(
    fields: Sequence[tuple[bytes, bytes]], body: bytes | bytearray, query: bytes = b""
) -> bytes:
    """The one spelling of a request with these signed headers, in their order, and this query."""
    lines = [b"%b:%b" % field for field in fields]
    names = [name for name, _ in fields]
    return b"POST\n/\n%b\n%b\n\n%b\n%b" % (
        query,
        b"\n".join(lines),
        b";".join(names),
        hashlib.sha256(body).hexdigest().encode(),
    )


def signature(canonical: bytes, secret_key: str, stamp: str, region: str) -> str:
    """The signature of a canonical request, at the time of the stamp."""
    to_sign = text_to_sign(hashlib.sha256(canonical).hexdigest(), stamp, region)
    key = signing_key(secret_key, stamp[:8], region)
    return hmac.digest(key, to_sign.encode(), "sha256").hex()


def text_to_sign(digest: str, stamp: str, region: str) -> str:
    """Return the text that is signed, for the digest of a canonical request."""
    return f"{ALGORITHM}\n{stamp}\n{credential_scope(stamp[:8], region)}\n{digest}"


@lru_cache(maxsize=32)
def signing_key(secret_key: str, date: str, region: str) -> bytes:
    """The key that signs all requests of one day in one region."""
    key = f"AWS4{secret_key}".encode()
    for part in (date, region, SERVICE, TERMINATOR):
        key = hmac.digest(key, part.encode(), "sha256")
    return key
