"""Cursors with a secret can be decrypted only with that secret."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sortkey import DB
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


def test_the_first_of_several_secrets_encrypts_and_all_of_them_decrypt() -> None:
    old, both, new = (cursor_cipher(secret) for secret in ("old", ["new", "old"], ["new"]))

    assert both.decrypt(old.encrypt(b"content")) == b"content"
    assert new.decrypt(both.encrypt(b"content")) == b"content"
    with pytest.raises(BadCursor):
        old.decrypt(both.encrypt(b"content"))
    with pytest.raises(BadCursor):
        both.decrypt(cursor_cipher("another").encrypt(b"content"))


@pytest.mark.parametrize("secret", ["", [], ["new", ""]])
def test_an_empty_secret_is_refused(secret: str | list[str]) -> None:
    with pytest.raises(SettingsError, match=r"cursor_secret is empty.*token_urlsafe"):
        cursor_cipher(secret)


def test_one_variable_has_the_secrets_of_an_application(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SORTKEY_CURSOR_SECRET", "new old")
    encrypted = cursor_cipher("old").encrypt(b"content")

    with DB.connect(target="memory") as db:
        assert db._context.cursors.decrypt(encrypted) == b"content"
    with DB.connect(target="memory", cursor_secret=None) as db:
        assert db._context.cursors is PLAIN
    with DB.connect(target="memory", cursor_secret="own") as db, pytest.raises(BadCursor):
        db._context.cursors.decrypt(encrypted)


def test_a_variable_without_a_secret_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SORTKEY_CURSOR_SECRET", " ")

    with pytest.raises(SettingsError, match="SORTKEY_CURSOR_SECRET is empty: set it to a secret"):
        DB.connect(target="memory")


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
