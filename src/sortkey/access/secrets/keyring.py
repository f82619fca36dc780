"""A keyring: the key that secrets are sealed with, and those that older ones can be read with."""

import os
from base64 import b64decode, b64encode
from importlib.util import find_spec
from typing import Any, Self

import orjson

from sortkey.access.endpoint import SettingsError
from sortkey.access.secrets.keys import Key, LocalKey
from sortkey.access.secrets.kms import KmsKey, NotWrappedHere
from sortkey.access.secrets.sealed import Forged, Sealed, place_of
from sortkey.errors import SecretUnreadable
from sortkey.operations.conversation import Conversation
from sortkey.operations.secrets import Hidden, Secret
from sortkey.wire.values import AttributeValue, Item


class Keyring:
    """The keys of a database: ``DB.open(..., secrets=Keyring(new, old))``.

    The first seals, all of them read. With ``reads_clear`` a value that was stored before its
    field was secret is read too; until then it is refused, as anybody could have put it there.
    """

    def __init__(self, writing: Key, *others: Key, reads_clear: bool = False) -> None:
        if find_spec("cryptography") is None:
            raise SettingsError("secret fields need cryptography: pip install 'sortkey[secrets]'")
        self._writing = writing
        self._keys = {key.name: key for key in (*others, writing)}
        if len(self._keys) <= len(others):
            raise SettingsError("two keys of a keyring have one name: give each its own")
        self._reads_clear = reads_clear

    @classmethod
    def from_env(cls, variable: str = "SORTKEY_KEYS") -> Self:
        """The keys in an environment variable, between spaces, the one that seals first.

        ``2027-01=kms:alias/app 2026-11=<the text of a local key>``
        """
        told = [key.partition("=")[::2] for key in os.environ.get(variable, "").split()]
        # A text without a name is not shown: it may be a key.
        if not told or not all(name and where for name, where in told):
            raise SettingsError(
                f"{variable} holds no keys: give them as NAME=TEXT or NAME=kms:KEY, between spaces"
            )
        return cls(*(_key(name, where) for name, where in told))

    def expect(self, secret: Secret) -> None:
        """There are keys."""

    def seal(self, hidden: Hidden, key: Item) -> Conversation[AttributeValue]:
        """The value as it is stored at this key, in binary."""
        secret = hidden.secret
        data_key = yield from self._writing.for_writing()
        plain = orjson.dumps(hidden.plain, option=orjson.OPT_SORT_KEYS)
        place = place_of(secret.table, secret.stored, key)
        return {"B": b64encode(data_key.seal(plain, place)).decode()}

    def open(
        self, secret: Secret, key: Item, stored: AttributeValue
    ) -> Conversation[AttributeValue]:
        """The value again; `SecretUnreadable` if it was not sealed here, or was changed."""
        sealed = _parsed(stored)
        if sealed is None:
            if self._reads_clear:
                return stored
            raise _unreadable(secret, key, "is not sealed, or its beginning was changed")
        source = self._keys.get(sealed.key)
        if source is None:
            raise _unreadable(
                secret, key, f'is sealed with the key "{sealed.key}", which this keyring lacks'
            )
        try:
            data_key = yield from source.for_reading(sealed.wrapped)
            plain = data_key.open(sealed, place_of(secret.table, secret.stored, key))
        except (Forged, NotWrappedHere):
            raise _unreadable(
                secret,
                key,
                f'was not sealed here by the key "{sealed.key}": it was changed, or moved from '
                "another record, attribute or table",
            ) from None
        return orjson.loads(plain)

    def is_current(self, stored: AttributeValue) -> bool:
        """Whether the value is sealed with the first key."""
        sealed = _parsed(stored)
        return sealed is not None and sealed.key == self._writing.name

    def __repr__(self) -> str:
        others = [key for key in self._keys.values() if key is not self._writing]
        return f"Keyring({', '.join(map(repr, (self._writing, *others)))})"


def _key(name: str, where: str) -> Key:
    scheme, is_elsewhere, key_id = where.partition(":")
    if is_elsewhere and scheme == "kms":
        return KmsKey(name, key_id)
    return LocalKey.from_text(name, where)


def _parsed(stored: AttributeValue) -> Sealed | None:
    content: Any = stored.get("B")
    return None if content is None else Sealed.parse(b64decode(content))


def _unreadable(secret: Secret, key: Item, fault: str) -> SecretUnreadable:
    shown = {name: next(iter(value.values())) for name, value in key.items()}
    return SecretUnreadable(secret.entity, shown, {secret.field: fault})
