"""SK717 revived-record: a put that changes a record can restore it after its deletion."""

from collections.abc import Iterator

from sortkey.check.conditions import accepts_absence, can_hold, demands_absence, nothing
from sortkey.check.model import Model, PlannedRequest
from sortkey.check.rule import WARNING, Finding, rule
from sortkey.design.plans.sources import Constant, source_of
from sortkey.expressions.tree import Compare, Condition, Or, Path, Value


@rule("SK717", "revived-record", WARNING)
def revived_record(model: Model) -> Iterator[Finding]:
    """A put that changes a record can restore it after its deletion.

    A condition such as `attribute_not_exists(PK) OR version = :loaded` lets one put create a record
    and change one. If another pattern deletes the record between the read and the put, the first
    half of the condition holds, and the deleted record is back with its old values. Use one put
    that creates and another that only changes, each with its own condition.

    A put that may be repeated with the same values, such as that of a lock by its owner, and one
    that compares with `<` or `>`, are not reported.

    Flagged:
        class Old(Table, raw=True):
            pass

        class Guest(Entity, table=Old):
            party_id: str
            guest_id: str
            version: int
            primary = Old.primary.key("PARTY#{party_id}", "GUEST#{guest_id}")

        save = raw_pattern(
            "Save a guest",
            table=Old,
            operation="PutItem",
            entity=Guest,
            item={
                "PK": "PARTY#{party_id}",
                "SK": "GUEST#{guest_id}",
                "party_id": "{party_id}",
                "guest_id": "{guest_id}",
                "version": "{next}",
            },
            condition="attribute_not_exists(PK) OR version = :loaded",
            values={":loaded": "{loaded}"},
            arguments={"party_id": str, "guest_id": str, "next": int, "loaded": int},
        )
        leave = raw_pattern(
            "Remove a guest",
            table=Old,
            operation="DeleteItem",
            entity=Guest,
            key={"PK": "PARTY#{party_id}", "SK": "GUEST#{guest_id}"},
            arguments={"party_id": str, "guest_id": str},
        )

    Instead:
        class Old(Table, raw=True):
            pass

        class Guest(Entity, table=Old):
            party_id: str
            guest_id: str
            version: int
            primary = Old.primary.key("PARTY#{party_id}", "GUEST#{guest_id}")

        change = raw_pattern(
            "Change a guest",
            table=Old,
            operation="PutItem",
            entity=Guest,
            item={
                "PK": "PARTY#{party_id}",
                "SK": "GUEST#{guest_id}",
                "party_id": "{party_id}",
                "guest_id": "{guest_id}",
                "version": "{next}",
            },
            condition="version = :loaded",
            values={":loaded": "{loaded}"},
            arguments={"party_id": str, "guest_id": str, "next": int, "loaded": int},
        )
        leave = raw_pattern(
            "Remove a guest",
            table=Old,
            operation="DeleteItem",
            entity=Guest,
            key={"PK": "PARTY#{party_id}", "SK": "GUEST#{guest_id}"},
            arguments={"party_id": str, "guest_id": str},
        )
    """
    deletes = [request for request in model.requests if request.deletes_a_record]
    for request in model.requests:
        read = _read_before(request)
        if read is None:
            continue
        for kind in request.kinds:
            delete = next((one for one in deletes if kind in one.kinds), None)
            if delete is not None:
                yield Finding(
                    request.pattern,
                    f"if {delete.pattern.name} deletes the {kind.name} after it was read, this put "
                    "restores it with its old values, since its condition also holds if there is "
                    "no record",
                    f"Create with attribute_not_exists({request.table.key_names[0]}), and change "
                    f"in another request with the condition on {read} alone",
                    at=request.place("condition"),
                )


def _read_before(request: PlannedRequest) -> str | None:
    """Return the attribute that a put compares with an earlier value, if it accepts absence too."""
    condition, names = request.step.condition, request.table.key_names
    if request.verb != "PutItem" or not accepts_absence(condition, names):
        return None
    if not can_hold(condition, nothing) or demands_absence(condition, names, request.step.item):
        return None
    return next((name for name in _compared(condition)), None)


def _compared(condition: Condition | None) -> Iterator[str]:
    """Yield the attributes that an alternative compares with an argument."""
    match condition:
        case Or(conditions):
            for part in conditions:
                yield from _compared(part)
        case Compare("=", Path() as path, Value() as value):
            if not isinstance(source_of(value), Constant):
                yield path.name
        case _:
            return
