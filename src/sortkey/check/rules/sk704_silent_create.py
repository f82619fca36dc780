"""SK704 silent-create: an update creates a record if it does not exist."""

from collections.abc import Iterator

from sortkey.check.conditions import anywhere, can_hold, nothing
from sortkey.check.model import AnyKind, Model, PlannedRequest
from sortkey.check.rule import WARNING, Finding, rule
from sortkey.expressions.tree import (
    Add,
    AttributeNotExists,
    IfNotExists,
    ListAppend,
    Minus,
    Operation,
    Path,
    Plus,
    Set,
    Update,
)


@rule("SK704", "silent-create", WARNING)
def silent_create(model: Model) -> Iterator[Finding]:
    """An update creates a record if it does not exist.

    If UpdateItem finds no record, it creates one with only the key and the updated attributes: half
    a profile of a user who was deleted a moment ago. Any condition that fails on a missing record
    prevents that. sortkey's `update()` has one, and `upsert()` writes a whole record. A raw update
    may do the same: it is not reported if it writes every required field and index key, and counts
    with ADD, uses if_not_exists or sets the type.

    Flagged:
        class Old(Table, raw=True):
            pass

        rename = raw_pattern(
            "Rename a user",
            table=Old,
            operation="UpdateItem",
            key={"PK": "USER#{user_id}", "SK": "PROFILE"},
            update="SET title = :title",
            values={":title": "{title}"},
            arguments={"user_id": str, "title": str},
        )

    Instead:
        class Old(Table, raw=True):
            pass

        rename = raw_pattern(
            "Rename a user",
            table=Old,
            operation="UpdateItem",
            key={"PK": "USER#{user_id}", "SK": "PROFILE"},
            update="SET title = :title",
            condition="attribute_exists(PK)",
            values={":title": "{title}"},
            arguments={"user_id": str, "title": str},
        )
    """
    for request in model.raw_requests:
        step = request.step
        if step.update is None or not step.update.creates or _needs_record(step.update):
            continue
        # A condition on absence shows that the update is meant to create a record.
        is_meant = any(isinstance(part, AttributeNotExists) for part in anywhere(step.condition))
        counts = _may_create(request, step.update)
        lacking = [name for kind in request.kinds for name in _lacking(kind, step.update)]
        is_meant = is_meant or (counts and bool(request.kinds) and not lacking)
        if not is_meant and can_hold(step.condition, nothing):
            exists = f'`condition="attribute_exists({request.table.key_names[0]})"`'
            too = f"Set `{', '.join(dict.fromkeys(lacking))}` too"
            yield Finding(
                request.pattern,
                "if the record does not exist, its update creates one with only the key and the "
                "updated attributes",
                # A condition would keep a counter from ever starting.
                f"{too}, with if_not_exists, if it may create the record; otherwise add {exists}"
                if counts and lacking
                else f"Add {exists}",
            )


def _may_create(request: PlannedRequest, update: Update) -> bool:
    """Whether an update is also right for a new record."""
    return any(
        isinstance(action, Add)
        or (isinstance(action, Set) and _begins(action.operation))
        or action.path.name == request.table.type_attribute
        for action in update.actions
    )


def _begins(operation: Operation) -> bool:
    """Whether an operation gives an attribute a value even without a record."""
    match operation:
        case IfNotExists():
            return True
        case Plus() | Minus():
            return _begins(operation.left) or _begins(operation.right)
        case ListAppend():
            return _begins(operation.first) or _begins(operation.second)
        case _:
            return False


def _lacking(kind: AnyKind, update: Update) -> list[str]:
    """Return the attributes of a whole record that an update does not write."""
    needed = {kind.stored_names[name] for name in kind.required() - kind.key_fields}
    entries = {
        part.attribute.name
        for entry in kind.entries
        for part in entry.parts
        if kind.removable.isdisjoint(part.fields)
    }
    return sorted((needed | entries) - {*update.targets, *kind.key_names})


def _needs_record(update: Update) -> bool:
    """Whether an update is rejected if there is no record.

    It reads an attribute, or changes a member of one: "The document path provided in the update
    expression is invalid for update".
    """
    return any(
        isinstance(a, Set | Add)
        and (len(a.path.parts) > 1 or (isinstance(a, Set) and _reads(a.operation)))
        for a in update.actions
    )


def _reads(operation: Operation) -> bool:
    match operation:
        case Path():
            return True
        case IfNotExists():
            return _reads(operation.otherwise)
        case Plus() | Minus():
            return _reads(operation.left) or _reads(operation.right)
        case ListAppend():
            return _reads(operation.first) or _reads(operation.second)
        case _:
            return False
