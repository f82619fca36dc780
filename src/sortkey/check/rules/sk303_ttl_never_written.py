"""SK303 ttl-never-written: a table expires by an attribute that no pattern or entity writes."""

from collections.abc import Iterator

from sortkey.check.conditions import can_hold, nothing
from sortkey.check.model import AnyKind, Model, PlannedRequest
from sortkey.check.rule import WARNING, Finding, rule


@rule("SK303", "ttl-never-written", WARNING)
def ttl_never_written(model: Model) -> Iterator[Finding]:
    """A table expires by an attribute that no pattern or entity writes.

    Records without the attribute are never removed. Either the attribute has another name, or
    nothing should expire. A field whose default is None and that no pattern sets is never written
    either. Nor is a required field if only raw updates create the records and none of them sets it.

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
        by_request = any(_sets(request, ttl) for request in requests)
        for kind, field in fields:
            makers = list(_makers(model, kind))
            if field.required and makers and not any(_sets(one, ttl) for one in makers):
                yield Finding(
                    kind,
                    f'{table.__name__} expires by "{ttl}", but {makers[0].pattern.name}, which '
                    f"creates {kind.name} records, does not set it: they never expire",
                    f"Set `{ttl}` in the update, with if_not_exists to set it only once",
                    at=field.name,
                )
        if by_request:
            continue
        if not fields:
            yield Finding(
                table,
                f'it expires by "{ttl}", but nothing writes that attribute',
                f"Give an entity the field `{ttl}: TTL`, or remove ttl= from the table",
            )
        # Every record has a field that is not None by default, as soon as it is stored.
        elif all(
            field.omits_none and kind in is_written and kind not in model.obscure
            for kind, field in fields
        ):
            for kind, field in fields:
                yield Finding(
                    kind,
                    f'{table.__name__} expires by "{ttl}", which is None by default, and no '
                    "pattern sets it: no record expires",
                    f"Set {field.name} when {kind.name} records are written, or give it a default",
                    at=field.name,
                )


def _sets(request: PlannedRequest, ttl: str) -> bool:
    step = request.step
    return ttl in (step.item or {}) or (step.update is not None and ttl in step.update.targets)


def _makers(model: Model, kind: AnyKind) -> Iterator[PlannedRequest]:
    """Yield the raw updates of an entity if they alone write it and one creates records."""
    if kind in model.obscure:
        return
    writes = [r for r in model.requests_of(kind) if r.verb in {"PutItem", "UpdateItem"}]
    updates = [
        r for r in writes if r.is_raw and r.step.update is not None and r.step.update.creates
    ]
    is_made = any(can_hold(request.step.condition, nothing) for request in updates)
    if is_made and len(updates) == len(writes):
        yield from updates
