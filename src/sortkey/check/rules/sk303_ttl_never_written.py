"""SK303 ttl-never-written: a table expires by an attribute that nothing writes."""

from collections.abc import Iterator

from sortkey.check.conditions import can_hold, nothing
from sortkey.check.model import AnyKind, Model, Request
from sortkey.check.rule import WARNING, Fault, rule


@rule("SK303", "ttl-never-written", WARNING)
def ttl_never_written(model: Model) -> Iterator[Fault]:
    """A table expires by an attribute that nothing writes.

    Records without it stay for good. Either the attribute has another name, or nothing was meant to
    expire. A field that is None by default, and that no pattern sets, is never written either. Nor
    is a required field where only raw updates make the records, and none of them sets it.

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
                yield Fault(
                    kind,
                    f'{table.__name__} expires by "{ttl}", and {makers[0].pattern.name}, which '
                    f"makes {kind.name} records, does not set it: they never expire",
                    f"Set `{ttl}` in the update, with if_not_exists if it is to be set once",
                    at=field.name,
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


def _sets(request: Request, ttl: str) -> bool:
    step = request.step
    return ttl in (step.item or {}) or (step.update is not None and ttl in step.update.targets)


def _makers(model: Model, kind: AnyKind) -> Iterator[Request]:
    """Yield the raw updates of an entity that nothing puts, where one of them makes its records."""
    writes = [r for r in model.requests_of(kind) if r.verb in {"PutItem", "UpdateItem"}]
    updates = [
        r for r in writes if r.is_raw and r.step.update is not None and r.step.update.creates
    ]
    is_made = any(can_hold(request.step.condition, nothing) for request in updates)
    if is_made and len(updates) == len(writes):
        yield from updates
