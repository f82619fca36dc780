"""SK515 not-projected: a request reads what its index does not hold."""

from collections.abc import Iterator

from sortkey.check.model import AnyKind, Model, Request
from sortkey.check.rule import ERROR, WARNING, Fault, rule
from sortkey.design.findings import Finding
from sortkey.design.keys import EntityKey
from sortkey.expressions.evaluate import condition_names


@rule("SK515", "not-projected", ERROR)
def not_projected(model: Model) -> Iterator[Fault | Finding]:
    """A request reads what its index does not hold.

    A global index has the keys and what it projects. The rest is absent there: DynamoDB refuses to
    read it by name, a filter on it finds nothing, and records of an `entity=` come back without
    their required fields. That is a warning where the text of a key tells the fields, and where the
    index projects keys only, since the records may then be read by these keys; `projection=` says
    that no more is wanted.

    Flagged:
        class Old(Table, raw=True):
            by_day = gsi("day", "at", project=["title"], name="ByDay")

        notes = raw_pattern(
            "Notes of a user",
            table=Old,
            operation="Query",
            index="ByDay",
            key_condition="#day = :day",
            projection="body",
            names={"#day": "day"},
            values={":day": "{day}"},
            arguments={"day": str},
        )

    Instead:
        class Old(Table, raw=True):
            by_day = gsi("day", "at", project=["title"], name="ByDay")

        notes = raw_pattern(
            "Notes of a user",
            table=Old,
            operation="Query",
            index="ByDay",
            key_condition="#day = :day",
            projection="title",
            names={"#day": "day"},
            values={":day": "{day}"},
            arguments={"day": str},
        )
    """
    yield from model.collected("SK515")
    for request in model.raw_requests:
        if request.verb not in {"Query", "Scan"} or _is_whole(request):
            continue
        yield from _filtered(request)
        if request.step.projection is None and request.step.select != "COUNT":
            for kind in request.kinds:
                if kind.name in request.step.entities:
                    yield from _incomplete(request, kind)


def _is_whole(request: Request) -> bool:
    """Whether all attributes of a record are there to be read."""
    index = request.index
    return index is None or index.projection == "ALL" or request.step.select == "ALL_ATTRIBUTES"


def _held(request: Request) -> set[str]:
    """The attributes that the index holds."""
    index = request.index
    if index is None:
        return set()
    projected = () if isinstance(index.projection, str) else index.projection
    keys = (*index.attributes, *request.table.primary.attributes)
    return {*projected, *(attribute.name for attribute in keys)}


def _filtered(request: Request) -> Iterator[Fault]:
    condition = request.step.filter
    if condition is None or request.index is None or request.index.kind != "global":
        return
    for name in sorted(condition_names(condition) - _held(request)):
        yield Fault(
            request.pattern,
            f"it filters by {name}, which {request.index} does not project: the filter finds it "
            "absent from every record",
            f"Project {name}, or move it into the key",
            at="filter",
        )


def _incomplete(request: Request, kind: AnyKind) -> Iterator[Fault]:
    held, index = _held(request), request.index
    # sortkey reads from a primary key what is stored nowhere else.
    absent = {n for n in kind.required() if kind.stored_names[n] not in held} - _told(
        [kind.primary]
    )
    lost = absent - _told([key for key in kind.keys.values() if key.definition is index])
    if not absent or index is None:
        return
    missing = ", ".join(sorted(lost or absent))
    why = "" if lost else ", which only the text of its key tells"
    yield Fault(
        request.pattern,
        f"it reads {kind.name} records, and {index} does not project {missing}{why}",
        f"Project {missing}, or say with projection= that less is wanted",
        at="index",
        severity=ERROR if lost and index.projection != "KEYS_ONLY" else WARNING,
    )


def _told(keys: list[EntityKey]) -> set[str]:
    """The fields whose values can be read from the text of keys."""
    slots = (slot for key in keys for part in key.parts for slot in part.template.slots)
    return {slot.field for slot in slots if not slot.lossy}
