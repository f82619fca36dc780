"""Encrypted cursors, which cannot be read or modified without the secret."""

import os
from collections.abc import Sequence
from contextlib import suppress
from hashlib import blake2b

from sortkey.access.endpoint import SettingsError
from sortkey.operations.cursor import PLAIN, CursorCipher, bad_cursor

_NONCE_BYTES = 12
_PURPOSE = b"sortkey cursor 1"

CURSOR_SECRET = "SORTKEY_CURSOR_SECRET"  # noqa: S105 - the name of a variable


class _EncryptedCursors:
    """AES-GCM with a key that is derived from each secret; the first one encrypts."""

    def __init__(self, secrets: Sequence[str]) -> None:
        try:
            from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415
        except ImportError:
            raise SettingsError(
                "cursor_secret needs cryptography: pip install 'sortkey[secrets]'"
            ) from None
        if not secrets or not all(secrets):
            raise SettingsError(
                "cursor_secret is empty, so everyone could forge cursors: generate a secret, for "
                "example with secrets.token_urlsafe(32)"
            )
        keys = (
            blake2b(secret.encode(), digest_size=32, person=b"sortkey cursor").digest()
            for secret in secrets
        )
        self._ciphers = tuple(map(AESGCM, keys))

    def encrypt(self, content: bytes) -> bytes:
        """Return the encrypted content."""
        nonce = os.urandom(_NONCE_BYTES)
        return nonce + self._ciphers[0].encrypt(nonce, content, _PURPOSE)

    def decrypt(self, encrypted: bytes) -> bytes:
        """Return the content; raise `BadCursor` if none of the secrets encrypted it."""
        from cryptography.exceptions import InvalidTag  # noqa: PLC0415 - found by __init__

        nonce, content = encrypted[:_NONCE_BYTES], encrypted[_NONCE_BYTES:]
        for cipher in self._ciphers:
            with suppress(InvalidTag, ValueError):
                return cipher.decrypt(nonce, content, _PURPOSE)
        raise bad_cursor("the cursor was made with another secret, or it was modified")


def cursor_cipher(secret: str | Sequence[str] | None) -> CursorCipher:
    """Return the cipher for one or more secrets; without a secret, cursors stay readable."""
    if secret is None:
        return PLAIN
    return _EncryptedCursors([secret] if isinstance(secret, str) else secret)


def cursor_secrets_from_env() -> list[str] | None:
    """Return the secrets in SORTKEY_CURSOR_SECRET, separated by spaces; None if it is not set."""
    found = os.environ.get(CURSOR_SECRET)
    if found is not None and not found.split():
        raise SettingsError(f"{CURSOR_SECRET} is empty: set it to a secret, or do not set it")
    return None if found is None else found.split()
