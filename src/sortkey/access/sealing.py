"""Cursors that nobody can read or change who does not have the secret."""

import os
from hashlib import blake2b

from sortkey.access.endpoint import SettingsError
from sortkey.errors import BadCursor
from sortkey.operations.cursor import PLAIN, Sealing

_NONCE_BYTES = 12
_PURPOSE = b"sortkey cursor 1"


class _Encrypted:
    """AES-GCM under a key made from the secret."""

    def __init__(self, secret: str) -> None:
        try:
            from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415
        except ImportError:
            raise SettingsError(
                "cursors under a secret need cryptography: pip install 'sortkey[secrets]'"
            ) from None
        key = blake2b(secret.encode(), digest_size=32, person=b"sortkey cursor").digest()
        self._cipher = AESGCM(key)

    def seal(self, content: bytes) -> bytes:
        """The content, encrypted."""
        nonce = os.urandom(_NONCE_BYTES)
        return nonce + self._cipher.encrypt(nonce, content, _PURPOSE)

    def open(self, sealed: bytes) -> bytes:
        """The content again; `BadCursor` if it was not sealed under this secret."""
        from cryptography.exceptions import InvalidTag  # noqa: PLC0415 - found by __init__

        try:
            return self._cipher.decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], _PURPOSE)
        except (InvalidTag, ValueError) as error:
            raise BadCursor("the cursor was not made here, or it was changed") from error


def sealing_with(secret: str | None) -> Sealing:
    """The sealing under a secret; without one, cursors stay readable."""
    return PLAIN if secret is None else _Encrypted(secret)
