"""Encryption keys of a keyring: their interface, and keys that the application stores itself."""

import os
from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from typing import Protocol, Self

from sortkey.access.endpoint import SettingsError
from sortkey.access.secrets.stored_form import KEY_BYTES, DataKey
from sortkey.operations.conversation import Conversation
from sortkey.wording.prose import counted

_LONGEST_NAME = 255


class EncryptionKey(Protocol):
    """A named source of data keys. The name is stored with every secret that it encrypted."""

    @property
    def name(self) -> str:
        """The name of the key, which is stored with each secret."""
        ...

    def _for_writing(self) -> Conversation[DataKey]:
        """Return the data key that encrypts the next secret."""
        ...

    def _for_reading(self, wrapped: bytes) -> Conversation[DataKey]:
        """Return the data key whose wrapped form is stored with a secret."""
        ...


class LocalKey:
    """A key of 32 random bytes, which the application keeps in its own secret store."""

    def __init__(self, name: str, material: bytes) -> None:
        self.name = checked_name(name)
        if len(material) != KEY_BYTES:
            raise SettingsError(
                f'the key "{name}" has {counted(len(material), "byte")}, and AES-256 needs '
                f"{KEY_BYTES}: create one with LocalKey.new()"
            )
        self._key = DataKey(name, bytes(material))

    @classmethod
    def new(cls, name: str) -> Self:
        """Create a random key; store its `text`, because nothing can be decrypted without it."""
        return cls(name, os.urandom(KEY_BYTES))

    @classmethod
    def from_text(cls, name: str, text: str) -> Self:
        """Return the key with this `text`."""
        try:
            return cls(name, b64decode(text, validate=True))
        except Base64Error:
            raise SettingsError(
                f'the key "{name}" is not base64: use the text that LocalKey.text returned'
            ) from None

    @classmethod
    def from_env(cls, variable: str, *, name: str | None = None) -> Self:
        """Read the key from an environment variable; its name is the variable's by default."""
        text = os.environ.get(variable)
        if not text:
            raise SettingsError(
                f"the environment variable {variable} is not set: set it to the text of a key"
            )
        return cls.from_text(name or variable, text)

    @property
    def text(self) -> str:
        """The key in base64; store it where other secrets are stored."""
        return b64encode(self._key.material).decode()

    def _for_writing(self) -> Conversation[DataKey]:
        """Return the key itself."""
        return self._key
        yield  # a conversation without requests

    def _for_reading(self, wrapped: bytes) -> Conversation[DataKey]:  # noqa: ARG002
        """Return the key itself."""
        return self._key
        yield

    def __repr__(self) -> str:
        return f"LocalKey({self.name!r})"


def checked_name(name: str) -> str:
    """Return the name, if it can be stored with a secret."""
    size = len(name.encode())
    if not 1 <= size <= _LONGEST_NAME:
        raise SettingsError(f"the name of a key must have 1 to {_LONGEST_NAME} bytes, not {size}")
    return name
