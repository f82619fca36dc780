"""SK123 secret-inside: something within a field is marked secret."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, rule
from sortkey.design.findings import Finding


@rule("SK123", "secret-inside", ERROR)
def secret_inside(model: Model) -> Iterator[Finding]:
    """Something within a field is marked secret.

    Whole fields are encrypted. A mark inside one would have no effect, and the secret would be
    stored in clear.

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
