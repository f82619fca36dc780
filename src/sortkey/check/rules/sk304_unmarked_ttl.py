"""SK304 unmarked-ttl: a field is a table's TTL attribute, and not declared as one."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import WARNING, Fault, rule


@rule("SK304", "unmarked-ttl", WARNING)
def unmarked_ttl(model: Model) -> Iterator[Fault]:
    """A field is a table's TTL attribute, and not declared as one.

    DynamoDB removes an expired record within days, not at once. sortkey takes a record past its
    TTL for absent until then, but only where the field is of type `TTL`: this one is still read,
    updated and counted after its time.

    Flagged:
        class Sessions(Table, ttl="expires_at"):
            pass

        class Session(Entity, table=Sessions):
            session_id: str
            expires_at: int
            primary = Sessions.primary.key("SESSION#{session_id}", "SESSION")

    Instead:
        class Sessions(Table, ttl="expires_at"):
            pass

        class Session(Entity, table=Sessions):
            session_id: str
            expires_at: TTL
            primary = Sessions.primary.key("SESSION#{session_id}", "SESSION")
    """
    for kind in model.kinds:
        ttl = kind.table.settings.ttl
        for field in kind.codec.fields.values():
            is_ttl = field.stored == ttl and field.present.kinds == frozenset({"N"})
            if is_ttl and kind.expires is None and not kind.table.raw:
                yield Fault(
                    kind,
                    f"{kind.table} expires by it, and records past it are still read",
                    f"Declare `{field.name}: TTL`",
                    at=field.name,
                )
