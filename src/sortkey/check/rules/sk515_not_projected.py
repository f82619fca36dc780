"""SK515 not-projected: a request reads an attribute that its index does not project."""

from collections.abc import Iterator

from sortkey.check.model import AnyKind, Model, PlannedRequest
from sortkey.check.rule import ERROR, INFORMATION, WARNING, Finding, rule
from sortkey.design.plans.projecting import Absent, NarrowRead, narrow_read
from sortkey.design.plans.stated import fields_in


@rule("SK515", "not-projected", ERROR)
def not_projected(model: Model) -> Iterator[Finding]:
    """A request reads an attribute that its index does not project.

    A global index contains the keys and the projected attributes. All others are absent there:
    DynamoDB rejects a projection that names one, and a filter on one finds nothing. If `where=`
    compares a field that the index does not contain, the request cannot select the intended
    records.

    A request that reads records of an `entity=` without a projection returns the attributes of the
    index. It is a warning if required fields are absent. It is information if that seems intended:
    the index contains only keys, the text of its key contains the fields, or another pattern reads
    the records by their primary key. `projection=` declares which attributes are wanted.

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
    steps = [request.step for request in model.every_request]
    for request in model.raw_requests:
        if request.verb not in {"Query", "Scan"}:
            continue
        yield from _filtered(request)
        for kind in request.kinds:
            read = narrow_read(request.step, kind, steps)
            if read is not None and kind.name in request.step.entities:
                yield _incomplete(request, read)


def _filtered(request: PlannedRequest) -> Iterator[Finding]:
    for name in sorted(request.unheld_in_filter):
        yield Finding(
            request.pattern,
            f"it filters by {name}, which {request.index} does not project: to the filter, every "
            "record lacks it",
            f"Project {name}, or move it into the key",
            at="filter",
        )


def _incomplete(request: PlannedRequest, read: NarrowRead) -> Finding:
    kind, absent = read.kind, read.absent
    for name in () if absent.is_legible else _meant(request, kind, absent):
        return Finding(
            request.pattern,
            f"where= compares {name} of {kind.name}, which {request.index} does not project",
            f"Project {name}, or move it into the key",
            at="index",
        )
    if read.is_on_purpose:
        why = ", which only the text of its key contains" if absent.is_legible else ""
        return Finding(
            request.pattern,
            f"it returns {kind.name} records without {absent.shown}{why}: {request.index} does "
            f"not project {absent.pronoun}",
            "Read the whole records by their keys, or list the wanted attributes in projection=",
            at="index",
            severity=INFORMATION,
        )
    return Finding(
        request.pattern,
        f"it reads {kind.name} records, but {request.index} does not project {absent.shown}",
        f"Project {absent.shown}, or list the wanted attributes in projection=",
        at="index",
        severity=WARNING,
    )


def _meant(request: PlannedRequest, kind: AnyKind, absent: Absent) -> list[str]:
    """Return the absent fields that where= uses and that the key of the index does not contain.

    A key that not all records have may itself select the intended records.
    """
    key = request.key_of(kind)
    if request.pattern.where is None or key is None:
        return []
    fields = {name for part in key.parts for name in part.fields}
    looked_at = fields_in(request.pattern.where) - fields
    return (
        sorted(looked_at.intersection(absent.fields)) if fields.isdisjoint(kind.removable) else []
    )
