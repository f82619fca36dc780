"""SK525 absent-from-index: a raw put omits the key attributes of an index."""

from collections.abc import Iterator

from sortkey.check.model import AnyKind, Model, PlannedRequest
from sortkey.check.raw_keys import RawKeys, judged
from sortkey.check.rule import WARNING, Finding, rule
from sortkey.design.plans.plan import PlannedStep
from sortkey.design.records.keys.entity_key import EntityKey
from sortkey.wording.spelling import meant_by


@rule("SK525", "absent-from-index", WARNING)
def absent_from_index(model: Model) -> Iterator[Finding]:
    """A raw put omits the key attributes of an index in which the entity has a key.

    An index contains only items that have all of its key attributes. The record is stored, but no
    query of the index returns it. sortkey's own writes add these attributes. Nothing is reported if
    the key is built from an optional field that the item omits too, or if an update sets the
    attributes later.

    Flagged:
        class Old(Table, raw=True):
            gsi1 = gsi("GSI1PK", "GSI1SK")

        class Job(Entity, table=Old):
            job_id: str
            status: str
            primary = Old.primary.key("JOB#{job_id}", "JOB")
            by_status = Old.gsi1.key("STATUS#{status}", "JOB#{job_id}")

        add = raw_pattern(
            "Add a job",
            table=Old,
            operation="PutItem",
            entity=Job,
            item={"PK": "JOB#{job_id}", "SK": "JOB", "status": "{status}"},
            condition="attribute_not_exists(PK)",
            arguments={"job_id": str, "status": str},
        )

    Instead:
        class Old(Table, raw=True):
            gsi1 = gsi("GSI1PK", "GSI1SK")

        class Job(Entity, table=Old):
            job_id: str
            status: str
            primary = Old.primary.key("JOB#{job_id}", "JOB")
            by_status = Old.gsi1.key("STATUS#{status}", "JOB#{job_id}")

        add = raw_pattern(
            "Add a job",
            table=Old,
            operation="PutItem",
            entity=Job,
            item={
                "PK": "JOB#{job_id}",
                "SK": "JOB",
                "GSI1PK": "STATUS#{status}",
                "GSI1SK": "JOB#{job_id}",
                "status": "{status}",
            },
            condition="attribute_not_exists(PK)",
            arguments={"job_id": str, "status": str},
        )
    """
    for request in judged(model):
        kinds = RawKeys(model, request).kinds
        if request.step.item is None or len(kinds) != 1:
            continue
        later = {*_set_later(model, kinds[0]), *request.table.key_names}
        for key in kinds[0].keys.values():
            missing = [name for name in _missing(kinds[0], key, request.step) if name not in later]
            if missing:
                yield Finding(
                    request.pattern,
                    f"the item has no {' and no '.join(missing)}, so the {kinds[0].name} record is "
                    f"missing from {key.definition}",
                    _fix(request, key, missing),
                    at=request.place("item"),
                )


def _fix(request: PlannedRequest, key: EntityKey, missing: list[str]) -> str:
    """Return the attributes to add, as code if the request has an argument for each field."""
    templates = {p.attribute.name: p.template for p in key.parts if p.attribute.name in missing}
    wanted = ", ".join(f'"{name}": "{template}"' for name, template in templates.items())
    named = {name for template in templates.values() for name in template.fields}
    if named <= {parameter.name for parameter in request.pattern.parameters}:
        return f"Add `item={{{wanted}}}`"
    return f"Write `{wanted}` too, with the values of the record"


def _missing(kind: AnyKind, key: EntityKey, step: PlannedStep) -> list[str]:
    """Return the key attributes of an index that an item should have but lacks."""
    item = step.item or {}
    fields = [kind.codec.fields[name] for name in key.all_fields if name not in kind.key_fields]
    # Omitting an optional field keeps the record out of the index on purpose; SK524 reports a
    # required one.
    if any(f.stored not in item and (f.optional or f.required) for f in fields):
        return []
    missing = [part.attribute.name for part in key.parts if part.attribute.name not in item]
    indexes = (step.table.primary, *step.table.indexes.values())
    known = {attribute.name for index in indexes for attribute in index.attributes}
    # SK526 reports an attribute with another spelling.
    others = [name for name in item if name not in known]
    return [] if any(meant_by(name, missing) for name in others) else missing


def _set_later(model: Model, kind: AnyKind) -> set[str]:
    """Return the attributes that updates of an entity's records set."""
    updates = [r.step.update for r in model.requests_of(kind) if r.step.update is not None]
    return {name for update in updates for name in update.targets}
