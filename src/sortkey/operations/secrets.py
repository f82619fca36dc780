"""Secrets: fields that are encrypted before they are stored, each bound to its place.

An operation holds a secret as a `Hidden` value, which shows nothing. The keys belong to the
database that runs the operation; they seal the value when its request is written.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from sortkey.errors import Refused
from sortkey.operations.conversation import Conversation
from sortkey.wire.values import AttributeValue, Item

SECRET = "(secret)"  # noqa: S105 - what is shown instead of one


@dataclass(frozen=True, slots=True)
class Secret:
    """A secret field, and where its values are stored: with a record's key, one exact place."""

    table: str
    entity: str
    field: str
    stored: str
    key_names: tuple[str, ...]

    def key_in(self, item: Mapping[str, AttributeValue]) -> Item:
        """The key of the record that an item holds."""
        return {name: item[name] for name in self.key_names}

    def __str__(self) -> str:
        return f"{self.entity}.{self.field}"


@dataclass(frozen=True, slots=True)
class Secrets:
    """The secret fields of one kind of records."""

    fields: tuple[Secret, ...]
    is_mine: Callable[[Item], bool]


class Hidden(dict[str, Any]):
    """A secret's stored value before it is encrypted; as a value it tells only that it is one."""

    __slots__ = ("plain", "secret")
    __hash__ = None  # pyright: ignore[reportAssignmentType]  # as of any dict

    plain: AttributeValue
    secret: Secret

    def __init__(self, plain: AttributeValue, secret: Secret) -> None:
        # No base64: should it ever be sent as it is, DynamoDB refuses it.
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


class Vault(Protocol):
    """What encrypts secrets and reads them again."""

    def expect(self, secret: Secret) -> None:
        """Refuse to begin what would need a key, where there is none."""
        ...

    def seal(self, hidden: Hidden, key: Item) -> Conversation[AttributeValue]:
        """The value as it is stored at this key."""
        ...

    def open(
        self, secret: Secret, key: Item, stored: AttributeValue
    ) -> Conversation[AttributeValue]:
        """The value again; `SecretUnreadable` if it was not sealed here, or was changed."""
        ...

    def is_current(self, stored: AttributeValue) -> bool:
        """Whether the value is sealed with the key that new values are sealed with."""
        ...


class _Redacted:
    """Where a request is only shown, secrets are left out of it."""

    def expect(self, secret: Secret) -> None:
        """Nothing is sent, so nothing is needed."""

    def seal(self, hidden: Hidden, key: Item) -> Conversation[AttributeValue]:  # noqa: ARG002
        """The value as it is shown."""
        return dict(hidden)
        yield  # a conversation in which nothing needs to be asked

    def open(
        self,
        secret: Secret,
        key: Item,  # noqa: ARG002
        stored: AttributeValue,  # noqa: ARG002
    ) -> Conversation[AttributeValue]:
        """Refused: there is no key."""
        raise _no_keys(secret)
        yield

    def is_current(self, stored: AttributeValue) -> bool:  # noqa: ARG002
        """False: it cannot be told."""
        return False


class _Keyless(_Redacted):
    """A database that was opened without keys."""

    def expect(self, secret: Secret) -> None:
        """Refused: there is no key."""
        raise _no_keys(secret)

    def seal(self, hidden: Hidden, key: Item) -> Conversation[AttributeValue]:  # noqa: ARG002
        """Refused: there is no key."""
        raise _no_keys(hidden.secret)
        yield


def _no_keys(secret: Secret) -> Refused:
    return Refused(
        f"{secret} is secret, and this database was opened without its keys: open it with "
        "secrets=Keyring(...), or read the other fields with select()"
    )


REDACTED: Vault = _Redacted()
KEYLESS: Vault = _Keyless()
