"""SK434 stale-decision: something is decided on what a global index returns."""

from collections.abc import Iterator

from sortkey.check.changes import changes, names_a_change, names_a_save
from sortkey.check.deciding import decides, decides_access
from sortkey.check.fields import own_ids, words
from sortkey.check.lost_updates import lost_updates
from sortkey.check.model import AnyKind, Model, Request
from sortkey.check.rule import INFORMATION, Fault, rule
from sortkey.expressions.evaluate import condition_names
from sortkey.expressions.tree import Set, Value

_DECIDED = frozenset(
    {
        *("amount", "balance", "credit", "credits", "inventory", "points", "quantity", "remaining"),
        *("score", "seats", "stage", "state", "status", "stock"),
    }
)


@rule("SK434", "stale-decision", INFORMATION)
def stale_decision(model: Model) -> Iterator[Fault]:
    """Something is decided on what a global index returns.

    A global index follows the table a moment later and cannot be read consistently. A check whether
    a name is taken passes twice, and a webhook that comes at once finds nothing. A status, balance
    or score that is read there and then set without a condition overwrites a change that the index
    did not show yet. Read the record by its primary key with a consistent read, or give the write a
    condition on what was read. A put under an id of the record's own makes a new record, unless its
    title begins with a word such as "Update" or "Save". It is for information, since only names say
    that something is decided.

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
            yield Fault(
                request.pattern,
                f"it decides on what {request.index} returns, which follows the table a moment "
                "later: what was just written is missing",
                "Read the record by its primary key with a consistent read, or let the write that "
                "follows fail by a condition",
                at="index" if request.is_raw else "",
            )
    back = {found.request for found in model.once(lost_updates)}
    for request in model.raw_requests:
        is_judged = changes(request) and not request.pattern.fresh and request not in back
        for kind in request.kinds if is_judged else ():
            for name in _set_blindly(model, request, kind):
                reader = next((one for one in lists if _shows(one, kind, name)), None)
                if reader is not None:
                    yield Fault(
                        request.pattern,
                        f"it sets {name} without looking at it, and {reader.pattern.name} reads it "
                        f"from {reader.index}, which follows a moment later: a decision on the old "
                        "value overwrites a newer one",
                        f"Give it a condition on `{name}`, or read the record by its primary key "
                        "with a consistent read before",
                    )


def _set_blindly(model: Model, request: Request, kind: AnyKind) -> Iterator[str]:
    """Yield what a write sets to a new value, whatever it was, and by which things are decided."""
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


def _is_new(model: Model, request: Request, kind: AnyKind) -> bool:
    """Whether a put makes a record under an id of its own, as far as one can see."""
    others = {name for other in model.kinds if other is not kind for name in own_ids(other)}
    own = own_ids(kind) - (others - {"id", "uuid"})
    is_named = names_a_change(request) or names_a_save(request)
    return request.step.condition is None and not is_named and bool(own & kind.key_fields)


def _shows(request: Request, kind: AnyKind, name: str) -> bool:
    """Whether a query of an index returns an attribute of an entity."""
    key = request.key_of(kind) if kind in request.kinds else None
    projection = request.step.projection
    asked = projection is None or name in {path.name for path in projection.paths}
    return key is not None and key.holds(name) and asked and request.step.select != "COUNT"
