"""Keys and keyrings."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.access.secrets.design import HUSH, NEW, OLD, Safe, User, WithKeys, user

from sortkey import (
    DB,
    Keyring,
    LocalKey,
    Refused,
)
from sortkey.access.endpoint import SettingsError


def test_a_key_shows_only_its_name() -> None:
    key = LocalKey.new("k")

    assert repr(Keyring(key, OLD)) == "Keyring(LocalKey('k'), LocalKey('old'))"
    assert key.text != LocalKey.new("k").text


def test_a_key_is_kept_as_text(monkeypatch: pytest.MonkeyPatch, db: DB) -> None:
    monkeypatch.setenv("APP_KEY", OLD.text)
    db(user().create())

    from_env = Keyring(LocalKey.from_env("APP_KEY", name="old"))

    assert WithKeys(db, from_env)(User.get(user_id="u1").required()).token == HUSH
    assert LocalKey.from_env("APP_KEY").name == "APP_KEY"


def test_the_environment_holds_the_keys_of_a_connection(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    target = str(tmp_path / "app.db")
    with DB.open(target, Safe, secrets=Keyring(OLD)) as db:
        db(user().create())
    monkeypatch.setenv("SORTKEY_KEYS", f"aws=kms:alias/app new={NEW.text} old={OLD.text}")

    with DB.connect(Safe, target=target) as db:
        assert db(User.get(user_id="u1").required()).token == HUSH
    with DB.connect(Safe, target=target, secrets=None) as db, pytest.raises(Refused):
        db(User.get(user_id="u1"))
    assert repr(Keyring.from_env()) == (
        "Keyring(KmsKey('aws', 'alias/app'), LocalKey('new'), LocalKey('old'))"
    )


@pytest.mark.parametrize("text", ["", " ", OLD.text, "name=text"])
def test_an_environment_without_keys_says_so_and_shows_none(
    monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setenv("SORTKEY_KEYS", text)

    with pytest.raises(SettingsError) as raised:
        Keyring.from_env()

    assert OLD.text.rstrip("=") not in str(raised.value)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: LocalKey("k", b"short"), "5 bytes, and AES-256 needs 32"),
        (lambda: LocalKey("", bytes(32)), "1 to 255 bytes"),
        (lambda: LocalKey.from_text("k", "no base64!"), "is not base64"),
        (lambda: LocalKey.from_env("NOT_SET_ANYWHERE"), "NOT_SET_ANYWHERE is not set"),
        (lambda: Keyring(OLD, LocalKey.new("old")), "the same name"),
    ],
)
def test_a_bad_key_is_refused_at_once(make: Callable[[], object], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        make()


def test_without_cryptography_a_keyring_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def not_found(_: str) -> None:
        return None

    monkeypatch.setattr("sortkey.access.secrets.keyring.find_spec", not_found)

    with pytest.raises(SettingsError, match=r"pip install 'sortkey\[secrets\]'"):
        Keyring(OLD)


def test_a_database_without_secrets_imports_nothing_for_them() -> None:
    code = (
        "import sys\n"
        "from sortkey import DB, Table\n"
        "class App(Table): pass\n"
        "DB.memory(App)\n"
        "assert not {'cryptography', 'botocore', 'sortkey.access.secrets'} & set(sys.modules)\n"
    )

    subprocess.run([sys.executable, "-c", code], check=True)
