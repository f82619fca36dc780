"""SK122 secret-and-seen: a secret field has a mark that requires DynamoDB to compare it."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule


@rule("SK122", "secret-and-seen", ERROR)
def secret_and_seen(model: Model) -> Iterator[Finding]:
    """A secret field has a mark that requires DynamoDB to compare it.

    DynamoDB compares versions, expiry times, automatic timestamps and unique values. A secret is
    encrypted before DynamoDB receives it, so it cannot be compared.

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
