"""SK121 secret-in-key: a secret field is part of a key."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule


@rule("SK121", "secret-in-key", ERROR)
def secret_in_key(model: Model) -> Iterator[Finding]:
    """A secret field is part of a key.

    Keys are stored unencrypted, since DynamoDB compares them. Anyone who can list the table could
    read the secret.

    Flagged:
        class Login(Entity, table=App):
            token: Annotated[str, secret]
            primary = App.primary.key("LOGIN#{token}", "LOGIN")

    Instead:
        class Login(Entity, table=App):
            token_digest: str
            token: Annotated[str, secret]
            primary = App.primary.key("LOGIN#{token_digest}", "LOGIN")
    """
    return model.collected("SK121")
