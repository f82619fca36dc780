"""SK708 stale-index-key: an update changes a field and not the index key that is made from it."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Fault, rule


@rule("SK708", "stale-index-key", ERROR)
def stale_index_key(model: Model) -> Iterator[Fault]:
    """An update changes a field and not the index key that is made from it.

    The index goes on showing the record under its old value: a job that is done stays in the list
    of those that wait. sortkey's own updates write both, or refuse.

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
        if request.step.update is None:
            continue
        targets = set(request.step.update.targets)
        for kind in request.kinds:
            changed = {name for name, stored in kind.stored_names.items() if stored in targets}
            parts = [part for entry in kind.entries for part in entry.parts]
            for part in parts:
                stale = changed & set(part.fields) - kind.key_fields
                if stale and not part.is_natural and part.attribute.name not in targets:
                    yield Fault(
                        request.pattern,
                        f"it changes {', '.join(sorted(stale))} of {kind.name} and not "
                        f"{part.attribute.name}, which is made from it: the index shows the old "
                        "value",
                        f"Set `{part.attribute.name}` too",
                        at="update",
                    )
