"""SK609 secret-in-clear: a field with the name of a secret is stored unencrypted."""

from collections.abc import Iterator

from sortkey.check.fields import is_text, leaves_of
from sortkey.check.model import AnyKind, Model
from sortkey.check.raw_values import undeclared
from sortkey.check.rule import INFORMATION, Finding, rule
from sortkey.check.sensitive import is_secret_key, is_secret_name
from sortkey.design.records.marks import secret_fields


@rule("SK609", "secret-in-clear", INFORMATION)
def secret_in_clear(model: Model) -> Iterator[Finding]:
    """A field with the name of a secret is stored unencrypted.

    Anyone who can read the table, its backups, its stream or an export can read the secret. A field
    that is marked `secret` is encrypted before it leaves the program. Severity is information,
    because only the name suggests that the value is a secret. Fields of a model within a record are
    checked too, and so are attributes that a raw request writes and no entity declares.

    A part of a key cannot be encrypted, since records are found by its value. Keys also appear in
    logs, metrics and exports. Store a hash of an API key or a session token there: the program
    computes it from the value that the caller sends.

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
                yield Finding(
                    kind,
                    "it is stored unencrypted, but its name suggests a secret",
                    f"Declare `{leaf.field}: {marked}`",
                    at=leaf.path,
                )
    for request in model.raw_requests:
        for name, member in undeclared(request):
            if is_secret_name(name):
                yield Finding(
                    request.pattern,
                    f"it stores {name} unencrypted, but the name suggests a secret",
                    f"Store a salted hash of it, or declare `{name}: Annotated[str, secret]`",
                    at=request.place(member),
                )


def _in_keys(kind: AnyKind, keyed: set[str]) -> Iterator[Finding]:
    """Yield the fields of an entity's keys that have the name of a secret."""
    for name in sorted(keyed):
        if is_text(kind, name) and is_secret_key(name, kind.model.__name__):
            keys = [key.name for key in kind.keys.values() if name in key.all_fields]
            yield Finding(
                kind,
                "its name suggests a secret, but it is an unencrypted part of "
                f"{' and '.join(keys)}: keys appear in logs, metrics and exports",
                f"Store a hash of it as `{name}_hash`, and find the record by that",
                at=name,
            )
