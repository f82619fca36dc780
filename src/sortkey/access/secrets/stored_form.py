"""The stored form of a secret: AES-256-GCM, bound to the place that it was encrypted for.

    1 byte    the format, 1
    1 byte    length of the key's name, and the name in UTF-8
    2 bytes   length of the wrapped data key, and the data key; empty for a local key
    12 bytes  nonce
    the rest  ciphertext, and its tag of 16 bytes

Everything before the nonce is authenticated, with the table, the record's key and the attribute.
See docs/decisions/0020-secrets.md for the reasons.
"""

import hmac
from base64 import b64decode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from sortkey.wire.numbers import canonical_number
from sortkey.wire.values import AttributeValue

if TYPE_CHECKING:  # an extra; it need not be installed
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

FORMAT = 1
KEY_BYTES = 32
_NONCE_BYTES = 12
_TAG_BYTES = 16
_PURPOSE = b"sortkey secret 1 "


class Forged(Exception):  # noqa: N818 - what happened
    """This key did not encrypt these bytes for this place."""


class StoredSecret(NamedTuple):
    """The parts of a stored secret."""

    header: bytes
    key: str
    wrapped: bytes
    nonce: bytes
    ciphertext: bytes

    @classmethod
    def parse(cls, stored: bytes) -> "StoredSecret | None":
        """Return the parts, or None if this is not an encrypted secret."""
        if len(stored) < 2 or stored[0] != FORMAT:  # noqa: PLR2004 - format and length
            return None
        name_end = 2 + stored[1]
        wrapped_start = name_end + 2
        header_end = wrapped_start + int.from_bytes(stored[name_end:wrapped_start], "big")
        nonce_end = header_end + _NONCE_BYTES
        if len(stored) < nonce_end + _TAG_BYTES:
            return None
        try:
            name = stored[2:name_end].decode()
        except UnicodeDecodeError:
            return None
        return cls(
            stored[:header_end],
            name,
            stored[wrapped_start:header_end],
            stored[header_end:nonce_end],
            stored[nonce_end:],
        )


@dataclass(frozen=True)
class DataKey:
    """A key that encrypts: a local key, or one that a key service has created and wrapped."""

    name: str
    material: bytes
    wrapped: bytes = b""

    def __repr__(self) -> str:
        return f"DataKey({self.name!r})"

    def encrypt(self, plain: bytes, place: bytes) -> bytes:
        """Return the stored form of these bytes at this place; it is deterministic."""
        authenticated = self._header + place
        # The nonce is derived, so that an operation that runs again sends the same request.
        content = len(authenticated).to_bytes(8, "big") + authenticated + plain
        nonce = hmac.digest(self._nonce_key, content, sha256)[:_NONCE_BYTES]
        return self._header + nonce + self._cipher.encrypt(nonce, plain, authenticated)

    def decrypt(self, encrypted: StoredSecret, place: bytes) -> bytes:
        """Return the bytes; raise `Forged` if this key did not encrypt them for this place."""
        from cryptography.exceptions import InvalidTag  # noqa: PLC0415 - an extra

        try:
            return self._cipher.decrypt(
                encrypted.nonce, encrypted.ciphertext, encrypted.header + place
            )
        except InvalidTag:
            raise Forged from None

    @cached_property
    def _header(self) -> bytes:
        name = self.name.encode()
        return b"".join(
            (bytes((FORMAT, len(name))), name, len(self.wrapped).to_bytes(2, "big"), self.wrapped)
        )

    @cached_property
    def _cipher(self) -> "AESGCM":
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415 - an extra

        return AESGCM(self._derived(b"encryption"))

    @cached_property
    def _nonce_key(self) -> bytes:
        return self._derived(b"nonce")

    def _derived(self, use: bytes) -> bytes:
        return hmac.digest(self.material, _PURPOSE + use, sha256)


def place_of(table: str, attribute: str, key: Mapping[str, AttributeValue]) -> bytes:
    """Return bytes that identify the place of a secret uniquely."""
    parts = [table.encode(), attribute.encode()]
    for name, value in key.items():
        [(kind, content)] = value.items()
        parts += [name.encode(), kind.encode(), _key_bytes(kind, content)]
    return b"".join(_with_lengths(parts))


def _key_bytes(kind: str, content: str) -> bytes:
    match kind:
        case "B":
            return b64decode(content)
        case "N":
            # DynamoDB returns 1 for a 1.0 that was written.
            return canonical_number(content).encode()
        case _:
            return content.encode()


def _with_lengths(parts: Iterable[bytes]) -> Iterable[bytes]:
    for part in parts:
        yield len(part).to_bytes(4, "big")
        yield part
