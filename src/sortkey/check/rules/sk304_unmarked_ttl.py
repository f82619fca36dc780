"""SK304 unmarked-ttl: the field in a table's TTL attribute is not declared as a TTL."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import WARNING, Finding, rule


@rule("SK304", "unmarked-ttl", WARNING)
def unmarked_ttl(model: Model) -> Iterator[Finding]:
    """The field in a table's TTL attribute is not declared as a TTL.

    DynamoDB removes an expired record within days, not at once. Until then, sortkey treats a record
    past its TTL as absent, but only if the field has the type `TTL`: this one is still read,
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
                yield Finding(
                    kind,
                    f"{kind.table} expires by it, but expired records are still read",
                    f"Declare `{field.name}: TTL`",
                    at=field.name,
                )
