"""SK303 ttl-never-written: a table expires by an attribute that nothing writes."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import WARNING, Fault, rule


@rule("SK303", "ttl-never-written", WARNING)
def ttl_never_written(model: Model) -> Iterator[Fault]:
    """A table expires by an attribute that nothing writes.

    Records without it stay for good. Either the attribute has another name, or nothing was meant to
    expire. A field that is None by default, and that no pattern sets, is never written either.

    Flagged:
        class Sessions(Table, ttl="expires_at"):
            pass

        class Session(Entity, table=Sessions):
            session_id: str
            primary = Sessions.primary.key("SESSION#{session_id}", "SESSION")

    Instead:
        class Sessions(Table, ttl="expires_at"):
            pass

        class Session(Entity, table=Sessions):
            session_id: str
            expires_at: TTL
            primary = Sessions.primary.key("SESSION#{session_id}", "SESSION")
    """
    for table in model.design.tables:
        definition, ttl = table.definition, table.definition.settings.ttl
        kinds = list(model.kinds_of(definition))
        requests = [request for request in model.every_request if request.table is definition]
        if ttl is None or not (kinds or requests):
            continue
        fields = [(k, f) for k in kinds for f in k.codec.fields.values() if f.stored == ttl]
        is_written = {k for r in requests if r.verb in {"PutItem", "UpdateItem"} for k in r.kinds}
        by_request = any(
            ttl in (request.step.item or {})
            or (request.step.update is not None and ttl in request.step.update.targets)
            for request in requests
        )
        if by_request:
            continue
        if not fields:
            yield Fault(
                table,
                f'it expires by "{ttl}", and nothing writes that attribute',
                f"Give an entity the field `{ttl}: TTL`, or remove the ttl",
            )
        # Every record has a field that is not None by default, as soon as it is stored.
        elif all(field.omits_none and kind in is_written for kind, field in fields):
            for kind, field in fields:
                yield Fault(
                    kind,
                    f'{table.__name__} expires by "{ttl}", which is None by default, and no '
                    "pattern sets it: nothing expires",
                    f"Set {field.name} where a {kind.name} is written, or give it a default",
                    at=field.name,
                )
