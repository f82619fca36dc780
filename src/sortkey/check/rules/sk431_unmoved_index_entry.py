"""SK431 unmoved-index-entry: no pattern changes a value in an index key that varies."""

from collections.abc import Iterator

from sortkey.check.changes import changes
from sortkey.check.fields import type_of
from sortkey.check.model import AnyKind, Model, PlannedRequest
from sortkey.check.rule import INFORMATION, Finding, rule
from sortkey.design.plans.demand import choices_of
from sortkey.design.records.keys.entity_key import EntityKey
from sortkey.wording.names import words

_LAST_WORDS = frozenset({"phase", "stage", "status"})
_FIRST_WORDS = frozenset({"active", "current", "due", "next", "open", "pending"})
# Words for a place or a person that something is assigned to for a time.
_PLACES = frozenset({"assigned", "assignee", "category", "department", "folder", "manager"})


@rule("SK431", "unmoved-index-entry", INFORMATION)
def unmoved_index_entry(model: Model) -> Iterator[Finding]:
    """An index key contains a value that changes, but no pattern changes it.

    A status, a priority or the next date of a record changes during its life, and so may its
    category or the person it is assigned to. The write that changes it must also write the index
    key, or the index keeps showing the old value; that can be judged only if the write is a
    pattern. Severity is information, because only the name suggests that the field changes.
    `Annotated[..., immutable]` declares that it does not.

    Flagged:
        class Job(Entity, table=App):
            job_id: str
            status: Literal["waiting", "done"]
            primary = App.primary.key("JOB#{job_id}", "JOB")
            in_status = App.gsi1.key("STATUS#{status}", "{job_id}")

        @pattern("Add a job", rate="5/s")
        def add(job: Job) -> Op[Job]:
            return job.create()

    Instead:
        class Job(Entity, table=App):
            job_id: str
            status: Literal["waiting", "done"]
            primary = App.primary.key("JOB#{job_id}", "JOB")
            in_status = App.gsi1.key("STATUS#{status}", "{job_id}")

        @pattern("Add a job", rate="5/s")
        def add(job: Job) -> Op[Job]:
            return job.create()

        @pattern("Finish a job", rate="5/s")
        def finish(job_id: str) -> Op[Job]:
            return Job.update(job_id=job_id).set(lambda j: j.status).to("done")
    """
    for kind in model.kinds:
        requests = list(model.requests_of(kind))
        if kind.immutable or not any(request.writes for request in requests):
            continue
        if kind in model.obscure:
            continue
        for key in kind.keys.values():
            moved = {name for r in requests if changes(r) for name in _written(r, kind, key)}
            stuck = [name for name in key.all_fields if _varies(kind, name) and name not in moved]
            if key.index is not None and stuck:
                names = ", ".join(stuck)
                yield Finding(
                    key,
                    f"the index finds {kind.name} records by {names}, but no pattern changes it",
                    f"Declare the write that changes {names} as a pattern",
                )


def _written(request: PlannedRequest, kind: AnyKind, key: EntityKey) -> set[str]:
    """Return the fields of a key that a request writes, as fields or in a key attribute."""
    step = request.step
    targets = {*(step.item or ()), *(step.update.targets if step.update else ())}
    fields = {name for name in key.all_fields if kind.stored_names[name] in targets}
    return fields.union(*(part.fields for part in key.parts if part.attribute.name in targets))


def _varies(kind: AnyKind, name: str) -> bool:
    """Whether a field outside the primary key looks as if it changes."""
    if name in kind.key_fields or name in kind.frozen_fields or name in kind.kept_fields:
        return False
    said = words(name)
    if said[-1:] == ["state"]:
        return choices_of(type_of(kind, name)) is not None
    is_placed = not _PLACES.isdisjoint(said[:-1] if said[-1] in {"id", "to"} else said[-1:])
    is_state = said[-1] in _LAST_WORDS or said[0] in _FIRST_WORDS or "priority" in said
    return is_state or is_placed
