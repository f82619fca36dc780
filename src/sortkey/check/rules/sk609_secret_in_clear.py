"""SK609 secret-in-clear: a field with the name of a secret is stored in clear."""

from collections.abc import Iterator

from sortkey.check.fields import is_text, leaves_of
from sortkey.check.model import AnyKind, Model
from sortkey.check.raw_values import undeclared
from sortkey.check.rule import INFORMATION, Fault, rule
from sortkey.check.sensitive import is_secret_key, is_secret_name
from sortkey.design.marks import secret_fields


@rule("SK609", "secret-in-clear", INFORMATION)
def secret_in_clear(model: Model) -> Iterator[Fault]:
    """A field with the name of a secret is stored in clear.

    Whoever may read the table, its backups, its stream or an export of it reads the secret too. A
    field that is marked `secret` is encrypted before it leaves the program. It is for information,
    since only the name says that the value is a secret; a field of a model within a record counts
    as well, and so does an attribute that a raw request writes and no entity declares.

    What is part of a key cannot be encrypted, since it is found by its value. Keys appear in logs,
    metrics and exports as well. Store a hash of an API key or of a session token there: the program
    computes it from what the caller sends.

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
        yield from _in_keys(kind, keyed - hidden)
        for leaf in leaves_of(kind.model):
            if leaf.field not in hidden | keyed and leaf.is_text and is_secret_name(leaf.name):
                marked = (
                    "Annotated[str, secret]"
                    if leaf.path == leaf.field
                    else "Annotated[..., secret]"
                )
                yield Fault(
                    kind,
                    "it is stored in clear, and its name is that of a secret",
                    f"Declare `{leaf.field}: {marked}`",
                    at=leaf.path,
                )
    for request in model.raw_requests:
        for name, member in undeclared(request):
            if is_secret_name(name):
                yield Fault(
                    request.pattern,
                    f"it stores {name} in clear, and its name is that of a secret",
                    f"Store a salted hash of it, or declare `{name}: Annotated[str, secret]`",
                    at=request.place(member),
                )


def _in_keys(kind: AnyKind, keyed: set[str]) -> Iterator[Fault]:
    """Yield the fields of an entity's keys that have the name of a secret."""
    for name in sorted(keyed):
        if is_text(kind, name) and is_secret_key(name, kind.model.__name__):
            keys = [key.name for key in kind.keys.values() if name in key.all_fields]
            yield Fault(
                kind,
                f"it is part of the key {' and of '.join(keys)}, in clear, and its name is that of "
                "a secret: keys appear in logs, metrics and exports",
                f"Store a hash of it as `{name}_hash`, and find the record by that",
                at=name,
            )
