"""SK303 ttl-never-written: a table expires by an attribute that nothing writes."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import WARNING, Fault, rule


@rule("SK303", "ttl-never-written", WARNING)
def ttl_never_written(model: Model) -> Iterator[Fault]:
    """A table expires by an attribute that nothing writes.

    Records without it stay for good. Either the attribute has another name, or nothing was meant to
    expire.

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
        requests = [request for request in model.requests if request.table is definition]
        if ttl is None or not (kinds or requests):
            continue
        by_kind = any(ttl in kind.stored_names.values() for kind in kinds)
        by_request = any(
            ttl in (request.step.item or {})
            or (request.step.update is not None and ttl in request.step.update.targets)
            for request in requests
        )
        if not by_kind and not by_request:
            yield Fault(
                table,
                f'it expires by "{ttl}", and nothing writes that',
                f"Give an entity a field of type TTL that is stored as {ttl}, or drop the ttl",
            )
