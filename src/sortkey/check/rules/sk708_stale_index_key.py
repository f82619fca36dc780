"""SK708 stale-index-key: an update changes a field but not the index key that is built from it."""

from collections.abc import Iterator, Mapping

from sortkey.check.model import AnyKind, Model, PlannedRequest
from sortkey.check.rule import ERROR, Finding, rule
from sortkey.design.plans.constants import literal, slot_sources
from sortkey.design.plans.sources import Source, source_of
from sortkey.design.records.keys.entity_key import KeyPart
from sortkey.expressions.tree import Set, Value
from sortkey.wording.names import words


@rule("SK708", "stale-index-key", ERROR)
def stale_index_key(model: Model) -> Iterator[Finding]:
    """An update changes a field but not the index key that is built from it.

    The index keeps showing the record with its old value: a finished job stays in the list of
    waiting jobs. The same happens if a write puts one constant into the field and another into the
    key. sortkey's own updates write both, or raise an error.

    Flagged:
        class Old(Table, raw=True):
            gsi1 = gsi("GSI1PK", "GSI1SK")

        class Job(Entity, table=Old):
            job_id: str
            status: str
            primary = Old.primary.key("JOB#{job_id}", "JOB")
            by_status = Old.gsi1.key("STATUS#{status}", "{job_id}")

        finish = raw_pattern(
            "Finish a job",
            table=Old,
            operation="UpdateItem",
            entity=Job,
            key={"PK": "JOB#{job_id}", "SK": "JOB"},
            update="SET #status = :done",
            condition="attribute_exists(PK)",
            names={"#status": "status"},
            values={":done": "done"},
            arguments={"job_id": str},
        )

    Instead:
        class Old(Table, raw=True):
            gsi1 = gsi("GSI1PK", "GSI1SK")

        class Job(Entity, table=Old):
            job_id: str
            status: str
            primary = Old.primary.key("JOB#{job_id}", "JOB")
            by_status = Old.gsi1.key("STATUS#{status}", "{job_id}")

        finish = raw_pattern(
            "Finish a job",
            table=Old,
            operation="UpdateItem",
            entity=Job,
            key={"PK": "JOB#{job_id}", "SK": "JOB"},
            update="SET #status = :done, GSI1PK = :gone",
            condition="attribute_exists(PK)",
            names={"#status": "status"},
            values={":done": "done", ":gone": "STATUS#done"},
            arguments={"job_id": str},
        )
    """
    for request in model.raw_requests:
        written = _written(request)
        for kind in request.kinds:
            parts = [part for entry in kind.entries for part in entry.parts]
            for part in parts:
                if request.step.update is not None:
                    yield from _unset(request, kind, part, set(written))
                yield from _other(request, kind, part, written)


def _written(request: PlannedRequest) -> Mapping[str, Source | None]:
    """Return the source of each written attribute; None if it is not a single value."""
    update = request.step.update
    if update is None:
        return dict(request.step.item or {})
    values = {
        action.path.name: source_of(action.operation)
        for action in update.actions
        if isinstance(action, Set)
        and isinstance(action.operation, Value)
        and len(action.path.parts) == 1
    }
    return {name: values.get(name) for name in update.targets}


def _unset(
    request: PlannedRequest, kind: AnyKind, part: KeyPart, targets: set[str]
) -> Iterator[Finding]:
    """Yield a finding if a field of a key attribute is written but the attribute is not."""
    changed = {name for name, stored in kind.stored_names.items() if stored in targets}
    stale = changed & set(part.fields) - kind.key_fields
    if stale and not part.is_natural and part.attribute.name not in targets:
        yield Finding(
            request.pattern,
            f"it changes {', '.join(sorted(stale))} of {kind.name} but not "
            f"{part.attribute.name}, which is built from it: the index shows the old value",
            f"Set `{part.attribute.name}` too",
            at=request.place("update"),
        )


def _other(
    request: PlannedRequest, kind: AnyKind, part: KeyPart, written: Mapping[str, Source | None]
) -> Iterator[Finding]:
    """Yield a finding if a field and its key attribute are written with different constants."""
    source = written.get(part.attribute.name)
    if source is None or part.is_natural:
        return
    for name, slot_source in slot_sources(part, source):
        in_key, in_field = literal(slot_source), literal(written.get(kind.stored_names[name]))
        # A key is often written in capitals.
        if in_key is not None and in_field is not None and words(in_key) != words(in_field):
            yield Finding(
                request.pattern,
                f'it writes "{in_field}" into {name} of {kind.name} but "{in_key}" into '
                f"{part.attribute.name}, which is built from it: the index shows another value",
                f"Write the same `{name}` into both",
                at=request.place("item" if request.step.update is None else "update"),
            )
