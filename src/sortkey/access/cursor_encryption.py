"""Encrypted cursors, which cannot be read or modified without the secret."""

import os
from hashlib import blake2b

from sortkey.access.endpoint import SettingsError
from sortkey.errors import BadCursor
from sortkey.operations.cursor import PLAIN, CursorCipher

_NONCE_BYTES = 12
_PURPOSE = b"sortkey cursor 1"


class _EncryptedCursors:
    """AES-GCM with a key that is derived from the secret."""

    def __init__(self, secret: str) -> None:
        try:
            from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415
        except ImportError:
            raise SettingsError(
                "cursor_secret needs cryptography: pip install 'sortkey[secrets]'"
            ) from None
        key = blake2b(secret.encode(), digest_size=32, person=b"sortkey cursor").digest()
        self._cipher = AESGCM(key)

    def encrypt(self, content: bytes) -> bytes:
        """Return the encrypted content."""
        nonce = os.urandom(_NONCE_BYTES)
        return nonce + self._cipher.encrypt(nonce, content, _PURPOSE)

    def decrypt(self, encrypted: bytes) -> bytes:
        """Return the content; raise `BadCursor` if it was not encrypted with this secret."""
        from cryptography.exceptions import InvalidTag  # noqa: PLC0415 - found by __init__

        try:
            return self._cipher.decrypt(
                encrypted[:_NONCE_BYTES], encrypted[_NONCE_BYTES:], _PURPOSE
            )
        except (InvalidTag, ValueError) as error:
            raise BadCursor(
                "the cursor was made with another secret, or it was modified: start again without "
                "a cursor"
            ) from error


def cursor_cipher(secret: str | None) -> CursorCipher:
    """Return the cipher for a secret; without a secret, cursors stay readable."""
    return PLAIN if secret is None else _EncryptedCursors(secret)
