"""Secrets in a trial: kept as they are, since nothing that is generated is secret."""

from base64 import b64decode, b64encode

import orjson

from sortkey.operations.conversation import Conversation
from sortkey.operations.secrets import Hidden, Secret
from sortkey.wire.values import AttributeValue, Item


def seal(hidden: Hidden) -> AttributeValue:
    """A secret as bytes that anybody can read."""
    return {"B": b64encode(orjson.dumps(hidden.plain)).decode()}


class OpenVault:
    """Writes a secret as bytes that anybody can read; the same each time."""

    def expect(self, secret: Secret) -> None:
        """Every secret can be read."""

    def seal(self, hidden: Hidden, key: Item) -> Conversation[AttributeValue]:  # noqa: ARG002 - bound to no place
        """The value as bytes."""
        return seal(hidden)
        yield  # a conversation in which nothing needs to be asked

    def open(
        self,
        secret: Secret,  # noqa: ARG002 - any of them
        key: Item,  # noqa: ARG002 - bound to no place
        stored: AttributeValue,
    ) -> Conversation[AttributeValue]:
        """The value again."""
        return orjson.loads(b64decode(stored["B"]))
        yield

    def is_current(self, stored: AttributeValue) -> bool:  # noqa: ARG002 - there is no other key
        """Always."""
        return True
