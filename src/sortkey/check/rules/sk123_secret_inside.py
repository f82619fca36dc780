"""SK123 secret-inside: a part of a field is marked secret."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule


@rule("SK123", "secret-inside", ERROR)
def secret_inside(model: Model) -> Iterator[Finding]:
    """A part of a field is marked secret.

    Only whole fields are encrypted. A mark inside a field would have no effect, and the secret
    would be stored unencrypted.

    Flagged:
        class Login(Entity, table=App):
            user_id: str
            tokens: list[Annotated[str, secret]]
            primary = App.primary.key("USER#{user_id}", "LOGIN")

    Instead:
        class Login(Entity, table=App):
            user_id: str
            tokens: Annotated[list[str], secret]
            primary = App.primary.key("USER#{user_id}", "LOGIN")
    """
    return model.collected("SK123")
