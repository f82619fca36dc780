"""Keys: what a keyring holds. A local key is here; others keep theirs elsewhere."""

import os
from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from typing import Protocol, Self

from sortkey.access.endpoint import SettingsError
from sortkey.access.secrets.sealed import KEY_BYTES, DataKey
from sortkey.operations.conversation import Conversation

_LONGEST_NAME = 255


class Key(Protocol):
    """A named source of data keys. The name is stored with every secret that it sealed."""

    @property
    def name(self) -> str:
        """The name under which secrets ask for it."""
        ...

    def for_writing(self) -> Conversation[DataKey]:
        """The key to seal the next secret with."""
        ...

    def for_reading(self, wrapped: bytes) -> Conversation[DataKey]:
        """The key that was stored like this beside a secret."""
        ...


class LocalKey:
    """A key of 32 random bytes that the application keeps itself, in a secret store."""

    def __init__(self, name: str, material: bytes) -> None:
        self.name = checked_name(name)
        if len(material) != KEY_BYTES:
            raise SettingsError(
                f'the key "{name}" has {len(material)} bytes, and AES-256 wants {KEY_BYTES}: make '
                "one with LocalKey.new()"
            )
        self._key = DataKey(name, bytes(material))

    @classmethod
    def new(cls, name: str) -> Self:
        """A new random key; keep its `text`, for without it nothing can be read."""
        return cls(name, os.urandom(KEY_BYTES))

    @classmethod
    def from_text(cls, name: str, text: str) -> Self:
        """The key that `text` gave."""
        try:
            return cls(name, b64decode(text, validate=True))
        except Base64Error:
            raise SettingsError(
                f'the key "{name}" is not base64, as LocalKey.text gives it'
            ) from None

    @classmethod
    def from_env(cls, variable: str, *, name: str | None = None) -> Self:
        """The key in an environment variable, named after it unless another name is given."""
        text = os.environ.get(variable)
        if not text:
            raise SettingsError(f"the environment has no {variable}, which is to hold a key")
        return cls.from_text(name or variable, text)

    @property
    def text(self) -> str:
        """The key in base64, to be kept where secrets are kept."""
        return b64encode(self._key.material).decode()

    def for_writing(self) -> Conversation[DataKey]:
        """The key itself."""
        return self._key
        yield  # a conversation in which nothing needs to be asked

    def for_reading(self, wrapped: bytes) -> Conversation[DataKey]:  # noqa: ARG002
        """The key itself."""
        return self._key
        yield

    def __repr__(self) -> str:
        return f"LocalKey({self.name!r})"


def checked_name(name: str) -> str:
    """The name, if it can be stored with a secret."""
    if not 1 <= len(name.encode()) <= _LONGEST_NAME:
        raise SettingsError(f"a key's name has 1 to {_LONGEST_NAME} bytes, and this one has not")
    return name
