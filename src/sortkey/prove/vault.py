"""Secrets in a trial: stored unencrypted, since generated values are not secret."""

from base64 import b64decode, b64encode

import orjson

from sortkey.operations.conversation import Conversation
from sortkey.operations.secrets import Hidden, Secret
from sortkey.wire.values import AttributeValue, Item


def encrypt(hidden: Hidden) -> AttributeValue:
    """Return a secret as bytes, unencrypted."""
    return {"B": b64encode(orjson.dumps(hidden.plain)).decode()}


class OpenVault:
    """Writes secrets as bytes, unencrypted and reproducible."""

    def _expect(self, secret: Secret) -> None:
        """Accept any secret."""

    def _encrypt(self, hidden: Hidden, key: Item) -> Conversation[AttributeValue]:  # noqa: ARG002 - bound to no place
        """Return the value as bytes."""
        return encrypt(hidden)
        yield  # a conversation without requests

    def _decrypt(
        self,
        secret: Secret,  # noqa: ARG002 - any of them
        key: Item,  # noqa: ARG002 - bound to no place
        stored: AttributeValue,
    ) -> Conversation[AttributeValue]:
        """Return the original value."""
        return orjson.loads(b64decode(stored["B"]))
        yield

    def _is_current(self, stored: AttributeValue) -> bool:  # noqa: ARG002 - there is no other key
        """Return True."""
        return True
