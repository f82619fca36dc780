"""A keyring: the key that encrypts new secrets, and older keys that only decrypt."""

import os
from base64 import b64decode, b64encode
from importlib.util import find_spec
from typing import Any, Self

import orjson

from sortkey.access.endpoint import SettingsError
from sortkey.access.secrets.keys import EncryptionKey, LocalKey
from sortkey.access.secrets.kms import KmsKey, NotWrappedHere
from sortkey.access.secrets.stored_form import Forged, StoredSecret, place_of
from sortkey.errors import SecretUnreadable
from sortkey.operations.conversation import Conversation
from sortkey.operations.secrets import Hidden, Secret
from sortkey.wire.values import AttributeValue, Item


class Keyring:
    """The keys of a database: ``DB.open(..., secrets=Keyring(new, old))``.

    The first key encrypts; all of them decrypt. With ``reads_clear``, a value that was stored
    before its field was secret is read too, as if every secret field were marked
    ``accepts_plaintext``; otherwise it is refused, because anyone with access to the table could
    have written it.
    """

    def __init__(
        self, writing: EncryptionKey, *others: EncryptionKey, reads_clear: bool = False
    ) -> None:
        if find_spec("cryptography") is None:
            raise SettingsError("secret fields need cryptography: pip install 'sortkey[secrets]'")
        self._writing = writing
        self._keys = {key.name: key for key in (*others, writing)}
        if len(self._keys) <= len(others):
            raise SettingsError("two keys of a keyring have the same name: use different names")
        self._reads_clear = reads_clear

    @classmethod
    def from_env(cls, variable: str = "SORTKEY_KEYS") -> Self:
        """Read the keys from an environment variable, separated by spaces; the first one encrypts.

        ``2027-01=kms:alias/app 2026-11=<the text of a local key>``
        """
        entries = [key.partition("=")[::2] for key in os.environ.get(variable, "").split()]
        # An entry without a name is not shown: it may be a key.
        if not entries or not all(name and where for name, where in entries):
            raise SettingsError(
                f"{variable} must have keys as NAME=TEXT or NAME=kms:KEY, separated by spaces"
            )
        return cls(*(_key(name, where) for name, where in entries))

    def _expect(self, secret: Secret) -> None:
        """Accept any secret: there are keys."""

    def _encrypt(self, hidden: Hidden, key: Item) -> Conversation[AttributeValue]:
        """Return the encrypted value for a record with this key, as binary."""
        secret = hidden.secret
        data_key = yield from self._writing._for_writing()
        plain = orjson.dumps(hidden.plain, option=orjson.OPT_SORT_KEYS)
        place = place_of(secret.table, secret.stored, key)
        return {"B": b64encode(data_key.encrypt(plain, place)).decode()}

    def _decrypt(
        self, secret: Secret, key: Item, stored: AttributeValue
    ) -> Conversation[AttributeValue]:
        """Return the value; raise `SecretUnreadable` if another key encrypted it, or it changed."""
        encrypted = _parsed(stored)
        if encrypted is None:
            if self._reads_clear or secret.accepts_plaintext:
                return stored
            raise _unreadable(secret, key, "is not encrypted, or its header was changed")
        source = self._keys.get(encrypted.key)
        if source is None:
            raise _unreadable(
                secret,
                key,
                f'is encrypted with the key "{encrypted.key}", which this keyring does not have',
            )
        try:
            data_key = yield from source._for_reading(encrypted.wrapped)
            plain = data_key.decrypt(encrypted, place_of(secret.table, secret.stored, key))
        except (Forged, NotWrappedHere):
            raise _unreadable(
                secret,
                key,
                f'was not encrypted with the key "{encrypted.key}" for this record: it was '
                "changed, or copied from another record, attribute or table",
            ) from None
        return orjson.loads(plain)

    def _is_current(self, stored: AttributeValue) -> bool:
        """Return whether the value is encrypted with the first key."""
        encrypted = _parsed(stored)
        return encrypted is not None and encrypted.key == self._writing.name

    def __repr__(self) -> str:
        others = [key for key in self._keys.values() if key is not self._writing]
        return f"Keyring({', '.join(map(repr, (self._writing, *others)))})"


def _key(name: str, where: str) -> EncryptionKey:
    scheme, is_elsewhere, key_id = where.partition(":")
    if is_elsewhere and scheme == "kms":
        return KmsKey(name, key_id)
    return LocalKey.from_text(name, where)


def _parsed(stored: AttributeValue) -> StoredSecret | None:
    content: Any = stored.get("B")
    return None if content is None else StoredSecret.parse(b64decode(content))


def _unreadable(secret: Secret, key: Item, fault: str) -> SecretUnreadable:
    shown = {name: next(iter(value.values())) for name, value in key.items()}
    return SecretUnreadable(secret.entity, shown, {secret.field: fault})
