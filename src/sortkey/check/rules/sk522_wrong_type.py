"""SK522 wrong-type: a raw request writes a value that does not match its field's type."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.raw_keys import RawKeys, judged
from sortkey.check.raw_values import (
    NAMES,
    RequestedField,
    RequestedValue,
    fields_of,
    shown,
    written,
)
from sortkey.check.rule import ERROR, Finding, rule
from sortkey.design.plans.notation import type_text
from sortkey.design.plans.sources import Argument
from sortkey.expressions.tree import ListAppend, Minus, Path, Plus, Set
from sortkey.wire.values import kind_of

_ADDED = frozenset({"N", "SS", "NS", "BS"})


@rule("SK522", "wrong-type", ERROR)
def wrong_type(model: Model) -> Iterator[Finding]:
    """A raw request writes a value that does not match its field's type.

    DynamoDB stores any value in any attribute. The entity then cannot read the record; a number
    that is stored as a string is not found by a comparison with numbers, and it sorts as text.
    DynamoDB rejects adding a number to a string or a list.

    Flagged:
        class Old(Table, raw=True):
            pass

        class Job(Entity, table=Old):
            job_id: str
            tries: int
            primary = Old.primary.key("JOB#{job_id}", "JOB")

        add = raw_pattern(
            "Add a job",
            table=Old,
            operation="PutItem",
            entity=Job,
            item={"PK": "JOB#{job_id}", "SK": "JOB", "job_id": "{job_id}", "tries": "0"},
            condition="attribute_not_exists(PK)",
            arguments={"job_id": str},
        )

    Instead:
        class Old(Table, raw=True):
            pass

        class Job(Entity, table=Old):
            job_id: str
            tries: int
            primary = Old.primary.key("JOB#{job_id}", "JOB")

        add = raw_pattern(
            "Add a job",
            table=Old,
            operation="PutItem",
            entity=Job,
            item={"PK": "JOB#{job_id}", "SK": "JOB", "job_id": "{job_id}", "tries": 0},
            condition="attribute_not_exists(PK)",
            arguments={"job_id": str},
        )
    """
    for request in judged(model):
        keys = RawKeys(model, request)
        step = request.step
        sent = step.sent.item or {}
        placed = [
            RequestedValue(n, sent[n], source, "item") for n, source in (step.item or {}).items()
        ]
        for one in (*placed, *written(step.update)):
            # SK302 judges values of the TTL attribute.
            is_ttl = one.attribute == request.table.settings.ttl
            fields = [] if is_ttl else fields_of(keys, one.attribute)
            wrong = [field for field in fields if _is_wrong(field, one)]
            if fields and wrong == fields:
                member = "item" if one.by == "item" else "update"
                yield _fault(keys, one, wrong[0], member)
        yield from _computed(keys)


def _is_wrong(field: RequestedField, placed: RequestedValue) -> bool:
    if placed.by in {"ADD", "DELETE"}:
        return kind_of(placed.value) in _ADDED and kind_of(placed.value) not in field.kinds
    return field.cannot_hold(placed.value, placed.source)


def _fault(keys: RawKeys, placed: RequestedValue, field: RequestedField, member: str) -> Finding:
    what, attribute = NAMES[kind_of(placed.value)], placed.attribute
    at = keys.request.place(member)
    if placed.by in {"ADD", "DELETE"}:
        return Finding(
            keys.request.pattern,
            f"{placed.by} changes {attribute} by {what}, but {field.with_type}: DynamoDB rejects "
            "it",
            f"Give {field} a type that {placed.by} can change, or SET a whole value",
            at=at,
        )
    wanted = type_text(field.type)
    fix = f"Write a value of type {wanted}"
    if isinstance(placed.source, Argument):
        fix = f"Give the argument {placed.source.name} the type {wanted}"
    is_refused = kind_of(placed.value) in field.kinds and not isinstance(placed.source, Argument)
    why = f"which {field} does not accept" if is_refused else f"but {field.with_type}"
    return Finding(
        keys.request.pattern,
        f"{attribute} is written as {shown(placed)}, {why}: the record cannot be read back",
        f"Write a value that {field} accepts" if is_refused else fix,
        at=at,
    )


def _computed(keys: RawKeys) -> Iterator[Finding]:
    """Yield arithmetic on fields that are not numbers, and appends to fields that are not lists."""
    update = keys.request.step.update
    for action in update.actions if update else ():
        match action:
            case Set(Path((name,)), Plus() | Minus()):
                kind, verb = "N", "adds to or subtracts from"
            case Set(Path((name,)), ListAppend()):
                kind, verb = "L", "appends to"
            case _:
                continue
        fields = fields_of(keys, str(name))
        if fields and all(kind not in field.kinds for field in fields):
            yield Finding(
                keys.request.pattern,
                f"it {verb} {name}, but {fields[0].with_type}: DynamoDB rejects it",
                f"Make {fields[0]} {NAMES[kind]}, or SET a whole value",
                at=keys.request.place("update"),
            )
