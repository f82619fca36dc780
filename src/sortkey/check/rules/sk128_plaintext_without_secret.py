"""SK128 plaintext-without-secret: a field accepts plain text but is not secret."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule


@rule("SK128", "plaintext-without-secret", ERROR)
def plaintext_without_secret(model: Model) -> Iterator[Finding]:
    """A field accepts plain text but is not secret.

    `accepts_plaintext` lets a secret field read values that were stored before it was secret. It
    does not encrypt anything by itself, so such a field is stored in plain text.

    Flagged:
        class Login(Entity, table=App):
            user_id: str
            token: Annotated[str, accepts_plaintext]
            primary = App.primary.key("USER#{user_id}", "LOGIN")

    Instead:
        class Login(Entity, table=App):
            user_id: str
            token: Annotated[str, secret, accepts_plaintext]
            primary = App.primary.key("USER#{user_id}", "LOGIN")
    """
    return model.collected("SK128")
