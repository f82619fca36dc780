"""SK132 foreign-index-entry: a field is stored in a key attribute of a foreign index."""

from collections.abc import Iterator

from sortkey.check.model import AnyKind, Model
from sortkey.check.rule import ERROR, WARNING, Finding, rule
from sortkey.design.tables.table import Index


@rule("SK132", "foreign-index-entry", WARNING)
def foreign_index_entry(model: Model) -> Iterator[Finding]:
    """A field is stored in the key attribute of an index in which its entity has no key.

    Every item with the key attributes of an index is in that index. The records of this entity
    appear among the others, and you pay for them. If the field's type differs from the attribute's
    type, DynamoDB rejects the write. If all writes of an entity are raw, only the attributes that
    they write are considered.

    Flagged:
        class Jobs(Table):
            by_status = gsi("status")

        class Job(Entity, table=Jobs):
            job_id: str
            status: str
            primary = Jobs.primary.key("JOB#{job_id}", "JOB")
            open = Jobs.by_status.key()

        class Worker(Entity, table=Jobs):
            worker_id: str
            status: int
            primary = Jobs.primary.key("WORKER#{worker_id}", "WORKER")

    Instead:
        class Jobs(Table):
            by_status = gsi("jobStatus")

        class Job(Entity, table=Jobs):
            job_id: str
            status: Annotated[str, Stored("jobStatus")]
            primary = Jobs.primary.key("JOB#{job_id}", "JOB")
            open = Jobs.by_status.key()

        class Worker(Entity, table=Jobs):
            worker_id: str
            status: int
            primary = Jobs.primary.key("WORKER#{worker_id}", "WORKER")
    """
    for kind in model.kinds:
        declared = {id(key.definition) for key in kind.keys.values()}
        for index in kind.table.indexes.values():
            if id(index) not in declared:
                yield from _entries(kind, index, _unwritten(model, kind))


def _unwritten(model: Model, kind: AnyKind) -> frozenset[str]:
    """Return the attributes of an entity that no write stores, if all its writes are raw."""
    writes = [r for r in model.requests_of(kind) if r.verb in {"PutItem", "UpdateItem"}]
    if not all(r.is_raw for r in writes) or all(r.step.item is None for r in writes):
        return frozenset()
    items = {name for r in writes for name in r.step.item or ()}
    updated = {name for r in writes if r.step.update for name in r.step.update.targets}
    return frozenset(kind.stored_names.values()) - items - updated


def _entries(kind: AnyKind, index: Index, unwritten: frozenset[str]) -> Iterator[Finding]:
    stored = [field for field in kind.codec.fields.values() if field.stored not in unwritten]
    fields = {field.stored: field for field in stored}
    written = {part.attribute.name for key in kind.keys.values() for part in key.parts}
    own = [a for a in index.attributes if a.name in fields and a.name not in kind.key_names]
    for attribute in own:
        kinds = fields[attribute.name].present.kinds
        if kinds != frozenset({attribute.type}):
            yield Finding(
                kind,
                f"it is stored as {attribute.name} with type {'/'.join(sorted(kinds))}, but the "
                f"key of {index} has {attribute.name} with type {attribute.type}: DynamoDB rejects "
                "the record",
                "Store it under another name",
                at=fields[attribute.name].name,
                severity=ERROR,
            )
            return
    if own and all(a.name in fields or a.name in written for a in index.attributes):
        names = ", ".join(attribute.name for attribute in own)
        yield Finding(
            kind,
            f"it stores {names}, so its records are in {index}, in which it has no key",
            f"Declare a key there, `{index}.key(...)`, or store the field under another name",
        )
