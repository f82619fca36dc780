"""SK122 secret-and-seen: a secret field is marked as one that DynamoDB compares."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, rule
from sortkey.design.findings import Finding


@rule("SK122", "secret-and-seen", ERROR)
def secret_and_seen(model: Model) -> Iterator[Finding]:
    """A secret field is marked as one that DynamoDB compares.

    A version, an expiry, a time that is kept and a unique value are compared by DynamoDB, and a
    secret is encrypted before it gets there.

    Flagged:
        class Login(Entity, table=App):
            user_id: str
            token: Annotated[str, secret, unique]
            primary = App.primary.key("USER#{user_id}", "LOGIN")

    Instead:
        class Login(Entity, table=App):
            user_id: str
            token: Annotated[str, secret]
            primary = App.primary.key("USER#{user_id}", "LOGIN")
    """
    return model.collected("SK122")
