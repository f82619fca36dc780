"""SK434 stale-decision: a decision is based on the result of a global index."""

from collections.abc import Iterator

from sortkey.check.changes import changes
from sortkey.check.deciding import decides, decides_access
from sortkey.check.fields import own_ids
from sortkey.check.lost_updates import lost_updates
from sortkey.check.model import AnyKind, Model, PlannedRequest
from sortkey.check.rule import INFORMATION, Finding, rule
from sortkey.check.verbs import names_a_change, names_a_save
from sortkey.expressions.evaluate import condition_names
from sortkey.expressions.tree import Set, Value
from sortkey.wording.names import words

_DECIDED = frozenset(
    {
        *("amount", "balance", "credit", "credits", "inventory", "points", "quantity", "remaining"),
        *("score", "seats", "stage", "state", "status", "stock"),
    }
)


@rule("SK434", "stale-decision", INFORMATION)
def stale_decision(model: Model) -> Iterator[Finding]:
    """A decision is based on the result of a global index.

    A global index is updated a moment after the table and does not support consistent reads. Two
    checks whether a name is taken can both pass, and a webhook that arrives immediately finds
    nothing. If a status, balance or score is read there and then set without a condition, the write
    overwrites a change that the index did not show yet. Read the record by its primary key with a
    consistent read, or give the write a condition on the value that was read. A put with the
    record's own id creates a new record, unless its title begins with a word such as "Update" or
    "Save". Severity is information, because only names suggest a decision.

    Flagged:
        class Jobs(Table, raw=True):
            by_status = gsi("status", "job_id")

        class Job(Entity, table=Jobs):
            job_id: str
            status: str
            primary = Jobs.primary.key("JOB#{job_id}", "JOB")
            listed = Jobs.by_status.key()

        waiting = raw_pattern(
            "Jobs of a status",
            table=Jobs,
            index="by_status",
            operation="Query",
            entity=Job,
            key_condition="#status = :status",
            names={"#status": "status"},
            values={":status": "{status}"},
            limit=20,
            arguments={"status": str},
        )
        begin = raw_pattern(
            "Begin a job",
            table=Jobs,
            operation="UpdateItem",
            entity=Job,
            key={"PK": "JOB#{job_id}", "SK": "JOB"},
            update="SET #status = :running",
            condition="attribute_exists(PK)",
            names={"#status": "status"},
            values={":running": "running"},
            arguments={"job_id": str},
        )

    Instead:
        class Jobs(Table, raw=True):
            by_status = gsi("status", "job_id")

        class Job(Entity, table=Jobs):
            job_id: str
            status: str
            primary = Jobs.primary.key("JOB#{job_id}", "JOB")
            listed = Jobs.by_status.key()

        waiting = raw_pattern(
            "Jobs of a status",
            table=Jobs,
            index="by_status",
            operation="Query",
            entity=Job,
            key_condition="#status = :status",
            names={"#status": "status"},
            values={":status": "{status}"},
            limit=20,
            arguments={"status": str},
        )
        begin = raw_pattern(
            "Begin a job",
            table=Jobs,
            operation="UpdateItem",
            entity=Job,
            key={"PK": "JOB#{job_id}", "SK": "JOB"},
            update="SET #status = :running",
            condition="attribute_exists(PK) AND #status = :waiting",
            names={"#status": "status"},
            values={":running": "running", ":waiting": "waiting"},
            arguments={"job_id": str},
        )
    """
    lists = [r for r in model.queries if r.index is not None and r.index.kind == "global"]
    for request in lists:
        is_flag = words(request.pattern.title)[:1] == ["check"] and not request.partition_arguments
        if (
            (is_flag or decides(request))
            and not decides_access(request)
            and not request.pattern.fresh
        ):
            yield Finding(
                request.pattern,
                f"it decides by the result of {request.index}, which is updated a moment after the "
                "table: a record that was just written is missing",
                "Read the record by its primary key with a consistent read, or give the write that "
                "follows a condition",
                at="index" if request.is_raw else "",
            )
    back = {found.request for found in model.once(lost_updates)}
    for request in model.raw_requests:
        is_judged = changes(request) and not request.pattern.fresh and request not in back
        for kind in request.kinds if is_judged else ():
            for name in _set_blindly(model, request, kind):
                reader = next((one for one in lists if _shows(one, kind, name)), None)
                if reader is not None:
                    yield Finding(
                        request.pattern,
                        f"it sets {name} without a condition on it, and {reader.pattern.name} "
                        f"reads it from {reader.index}, which is updated a moment later: a "
                        "decision on the old value overwrites a newer one",
                        f"Give it a condition on `{name}`, or first read the record by its primary "
                        "key with a consistent read",
                    )


def _set_blindly(model: Model, request: PlannedRequest, kind: AnyKind) -> Iterator[str]:
    """Yield the attributes that a write sets unconditionally and that decisions depend on."""
    step = request.step
    condition = step.condition
    named = frozenset[str]() if condition is None else condition_names(condition)
    if kind.immutable or kind.version or not named <= {*request.table.key_names}:
        return
    actions = () if step.update is None else step.update.actions
    is_set = {a.path.name for a in actions if isinstance(a, Set) and isinstance(a.operation, Value)}
    if step.item is not None and _is_new(model, request, kind):
        return
    for name in sorted({*(step.item or ())} | is_set):
        is_own = name in kind.stored_names.values() and name not in request.table.key_names
        if is_own and not _DECIDED.isdisjoint(words(name)[-1:]):
            yield name


def _is_new(model: Model, request: PlannedRequest, kind: AnyKind) -> bool:
    """Whether a put seems to create a record with its own id."""
    others = {name for other in model.kinds if other is not kind for name in own_ids(other)}
    own = own_ids(kind) - (others - {"id", "uuid"})
    is_named = names_a_change(request) or names_a_save(request)
    return request.step.condition is None and not is_named and bool(own & kind.key_fields)


def _shows(request: PlannedRequest, kind: AnyKind, name: str) -> bool:
    """Whether a query of an index returns an attribute of an entity."""
    key = request.key_of(kind) if kind in request.kinds else None
    projection = request.step.projection
    asked = projection is None or name in {path.name for path in projection.paths}
    return key is not None and key.holds(name) and asked and request.step.select != "COUNT"
