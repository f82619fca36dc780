"""A secret field has the type that its annotation says, and its own operations."""

from typing import Annotated, assert_type

from design import App
from sortkey import (
    DB,
    AsyncDB,
    Entity,
    Keyring,
    KmsKey,
    LocalKey,
    Reencrypted,
    accepts_plaintext,
    exists,
    reencrypt,
    secret,
)


class Login(Entity, table=App):
    login_id: str
    token: Annotated[str, secret]
    codes: Annotated[list[str] | None, secret] = None
    pin: Annotated[int, secret, accepts_plaintext] = 0

    primary = App.primary.key("LOGIN#{login_id}", "LOGIN")


def a_secret_is_its_type(db: DB) -> None:
    login = db(Login.get(login_id="l").required())
    assert_type(login.token, str)
    assert_type(login.codes, list[str] | None)
    assert_type(login.pin, int)
    db(login.update().set(lambda x: x.token).to("new"))
    db(Login.scan().where(lambda x: exists(x.token)))

    number: int = login.token  # error
    Login(login_id="l", token=3)  # error
    login.update().set(lambda x: x.token).to(3)  # error


def keys(local: LocalKey) -> None:
    DB.memory(App, secrets=Keyring(local, KmsKey("kms", "alias/app")))
    AsyncDB.memory(App, secrets=Keyring(KmsKey("kms", "alias/app"), local))
    DB.memory(App, secrets=None)

    DB.memory(App, secrets="key")  # error
    DB.memory(App, secrets=local)  # error
    Keyring()  # error
    LocalKey("name", "text")  # error


def rotation(db: DB) -> None:
    assert_type(db(reencrypt(Login)), Reencrypted)
    assert_type(db(reencrypt(Login, size=10, after=None)).cursor, str | None)

    reencrypt(DB)  # error
