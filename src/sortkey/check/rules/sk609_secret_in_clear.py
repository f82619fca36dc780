"""SK609 secret-in-clear: a field with the name of a secret is stored in clear."""

import re
from collections.abc import Iterator

from sortkey.check.fields import is_text, words
from sortkey.check.model import Model
from sortkey.check.rule import WARNING, Fault, rule
from sortkey.design.marks import secret_fields

_SECRET = re.compile(
    r"\b(?:password|passwd|passphrase|secret|credential|credentials|private key|api key|"
    r"(?:access|refresh|auth|bearer|device|push|reset|session|id) token|card number|cvv|ssn|pin)$"
    r"|^token$"
)


@rule("SK609", "secret-in-clear", WARNING)
def secret_in_clear(model: Model) -> Iterator[Fault]:
    """A field with the name of a secret is stored in clear.

    Whoever may read the table, its backups, its stream or an export of it reads the secret too. A
    field that is marked `secret` is encrypted before it leaves the program.

    Flagged:
        class Connection(Entity, table=App):
            user_id: str
            access_token: str
            primary = App.primary.key("USER#{user_id}", "CONNECTION")

    Instead:
        class Connection(Entity, table=App):
            user_id: str
            access_token: Annotated[str, secret]
            primary = App.primary.key("USER#{user_id}", "CONNECTION")
    """
    for kind in model.kinds:
        hidden = secret_fields(kind.model)
        keyed = {name for key in kind.keys.values() for name in key.all_fields}
        for name in kind.stored_names:
            named = " ".join(words(name))
            # What is part of a key is found by its value, and cannot be encrypted.
            if name not in hidden | keyed and is_text(kind, name) and _SECRET.search(named):
                yield Fault(
                    kind,
                    "it is stored in clear, and its name is that of a secret",
                    f"Mark it, as {name}: Annotated[str, secret]",
                    at=name,
                )
