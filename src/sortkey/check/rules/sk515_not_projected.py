"""SK515 not-projected: a request reads what its index does not hold."""

from collections.abc import Iterator

from sortkey.check.model import AnyKind, Model, Request
from sortkey.check.rule import ERROR, INFORMATION, WARNING, Fault, rule
from sortkey.design.findings import Finding
from sortkey.design.projecting import Absent, NarrowRead, narrow_read
from sortkey.design.stated import fields_in


@rule("SK515", "not-projected", ERROR)
def not_projected(model: Model) -> Iterator[Fault | Finding]:
    """A request reads what its index does not hold.

    A global index has the keys and what it projects. The rest is absent there: DynamoDB rejects a
    projection that names it, and a filter on it finds nothing. Where `where=` compares a field that
    the index does not hold, the request cannot choose the records that are meant.

    A request that reads records of an `entity=` without a projection returns what the index holds.
    It is a warning where required fields are absent then. It is for information where that seems to
    be meant: the index holds keys only, the text of its key tells the fields, or another pattern
    reads the records by their primary key. `projection=` says that no more is wanted.

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


def _filtered(request: Request) -> Iterator[Fault]:
    for name in sorted(request.unheld_in_filter):
        yield Fault(
            request.pattern,
            f"it filters by {name}, which {request.index} does not project: the filter finds it "
            "absent from every record",
            f"Project {name}, or move it into the key",
            at="filter",
        )


def _incomplete(request: Request, read: NarrowRead) -> Fault:
    kind, absent = read.kind, read.absent
    for name in () if absent.is_legible else _meant(request, kind, absent):
        return Fault(
            request.pattern,
            f"where= compares {name} of {kind.name}, which {request.index} does not project",
            f"Project {name}, or move it into the key",
            at="index",
        )
    if read.is_on_purpose:
        why = ", which only the text of its key tells" if absent.is_legible else ""
        return Fault(
            request.pattern,
            f"it returns {kind.name} records without {absent.shown}{why}: {request.index} does "
            f"not project {absent.pronoun}",
            "Read the whole records by their keys, or say with projection= that less is wanted",
            at="index",
            severity=INFORMATION,
        )
    return Fault(
        request.pattern,
        f"it reads {kind.name} records, and {request.index} does not project {absent.shown}",
        f"Project {absent.shown}, or say with projection= that less is wanted",
        at="index",
        severity=WARNING,
    )


def _meant(request: Request, kind: AnyKind, absent: Absent) -> list[str]:
    """The absent fields that where= looks at, and of which the key of the index says nothing.

    A key that not all records have may itself say which records are meant.
    """
    key = request.key_of(kind)
    if request.pattern.where is None or key is None:
        return []
    fields = {name for part in key.parts for name in part.fields}
    looked_at = fields_in(request.pattern.where) - fields
    return (
        sorted(looked_at.intersection(absent.fields)) if fields.isdisjoint(kind.removable) else []
    )
