"""Cursors with a secret can be decrypted only with that secret."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sortkey.access.cursor_encryption import cursor_cipher
from sortkey.access.endpoint import SettingsError
from sortkey.errors import BadCursor
from sortkey.operations.cursor import PLAIN


@given(st.binary(), st.text(min_size=1))
def test_only_the_same_secret_decrypts(content: bytes, secret: str) -> None:
    encrypted = cursor_cipher(secret).encrypt(content)

    assert cursor_cipher(secret).decrypt(encrypted) == content
    assert cursor_cipher(secret).encrypt(content) != encrypted
    with pytest.raises(BadCursor):
        cursor_cipher(f"{secret}!").decrypt(encrypted)


@given(st.binary(max_size=40))
def test_a_cursor_of_another_secret_is_refused(encrypted: bytes) -> None:
    with pytest.raises(BadCursor, match="made with another secret, or it was modified"):
        cursor_cipher("secret").decrypt(encrypted)


def test_without_a_secret_cursors_stay_readable() -> None:
    assert cursor_cipher(None) is PLAIN


def test_a_secret_needs_cryptography_and_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "cryptography"]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, "cryptography", None)

    with pytest.raises(SettingsError, match=r"pip install 'sortkey\[secrets\]'"):
        cursor_cipher("secret")
