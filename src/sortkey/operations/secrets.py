"""Secrets: fields that are encrypted before they are stored, each bound to its place.

An operation has a secret as a `Hidden` value, whose text shows nothing. The keys belong to the
database that runs the operation and encrypts the value when its request is written.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Protocol

from sortkey.errors import Refused
from sortkey.operations.conversation import Conversation
from sortkey.wire.values import AttributeValue, Item

SECRET = "(secret)"  # noqa: S105 - what is shown instead of one
# The encryption context of data keys, unless the application chooses another.
PURPOSE = MappingProxyType({"purpose": "sortkey secrets"})


@dataclass(frozen=True, slots=True)
class Secret:
    """A secret field and where its values are stored; with a record's key, one exact place."""

    table: str
    entity: str
    field: str
    stored: str
    key_names: tuple[str, ...]
    # Whether a value that is not encrypted is read as it is.
    accepts_plaintext: bool = False

    def key_in(self, item: Mapping[str, AttributeValue]) -> Item:
        """Return the key of an item."""
        return {name: item[name] for name in self.key_names}

    def __str__(self) -> str:
        return f"{self.entity}.{self.field}"


@dataclass(frozen=True, slots=True)
class Secrets:
    """The secret fields of one kind of records."""

    fields: tuple[Secret, ...]
    is_mine: Callable[[Item], bool]


class Hidden(dict[str, Any]):
    """A secret's stored value before it is encrypted; as a dict it shows only a placeholder."""

    __slots__ = ("plain", "secret")
    __hash__ = None  # pyright: ignore[reportAssignmentType]  # as with any dict

    plain: AttributeValue
    secret: Secret

    def __init__(self, plain: AttributeValue, secret: Secret) -> None:
        # Not base64: if it were ever sent unencrypted, DynamoDB would reject it.
        super().__init__(B=SECRET)
        self.plain = plain
        self.secret = secret

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Hidden) and (self.plain, self.secret) == (
            other.plain,
            other.secret,
        )

    def __ne__(self, other: object) -> bool:
        return not self == other


def plain(value: AttributeValue) -> AttributeValue:
    """Return a value as it was before it was marked for encryption."""
    return value.plain if isinstance(value, Hidden) else value


class Vault(Protocol):
    """Encrypts and decrypts secrets."""

    def _expect(self, secret: Secret) -> None:
        """Refuse an operation that needs a key if there is none."""
        ...

    def _encrypt(self, hidden: Hidden, key: Item) -> Conversation[AttributeValue]:
        """Return the encrypted value for this key."""
        ...

    def _decrypt(
        self, secret: Secret, key: Item, stored: AttributeValue
    ) -> Conversation[AttributeValue]:
        """Return the value; raise `SecretUnreadable` if another key encrypted it, or it changed."""
        ...

    def _is_current(self, stored: AttributeValue) -> bool:
        """Return whether the value is encrypted with the key that encrypts new values."""
        ...


class _Redacted:
    """Replaces secrets with a placeholder in requests that are only shown."""

    def _expect(self, secret: Secret) -> None:
        """Accept everything: nothing is sent, so no key is needed."""

    def _encrypt(self, hidden: Hidden, key: Item) -> Conversation[AttributeValue]:  # noqa: ARG002
        """Return the placeholder."""
        return dict(hidden)
        yield  # a conversation without requests

    def _decrypt(
        self,
        secret: Secret,
        key: Item,  # noqa: ARG002
        stored: AttributeValue,  # noqa: ARG002
    ) -> Conversation[AttributeValue]:
        """Refuse: there is no key."""
        raise _no_keys(secret)
        yield

    def _is_current(self, stored: AttributeValue) -> bool:  # noqa: ARG002
        """Return False: without keys it is not known."""
        return False


class _Keyless(_Redacted):
    """A database that was opened without keys."""

    def _expect(self, secret: Secret) -> None:
        """Refuse: there is no key."""
        raise _no_keys(secret)

    def _encrypt(self, hidden: Hidden, key: Item) -> Conversation[AttributeValue]:  # noqa: ARG002
        """Refuse: there is no key."""
        raise _no_keys(hidden.secret)
        yield


def _no_keys(secret: Secret) -> Refused:
    return Refused(
        f"{secret} is secret, and this database was opened without its keys: open it with "
        "secrets=Keyring(...), or read the other fields with select()"
    )


REDACTED: Vault = _Redacted()
KEYLESS: Vault = _Keyless()
