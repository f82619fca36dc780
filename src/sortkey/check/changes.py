"""Which requests create records of an entity, and which change them."""

from sortkey.check.conditions import can_hold, demands_absence, nothing
from sortkey.check.fields import words
from sortkey.check.model import AnyKind, Request
from sortkey.expressions.conjuncts import conjuncts
from sortkey.expressions.tree import Action, Add, AttributeNotExists, Minus, Plus, Set

# How the title begins of a request that is meant to create a record.
_CREATING = frozenset({"add", "create", "insert", "new", "open", "place", "post", "register"})
# How it begins of one that changes a record, and of one that may do either.
_CHANGING = frozenset(
    {"accept", "activate", "adjust", "approve", "archive", "cancel", "change", "close", "complete"}
    | {"confirm", "deactivate", "decline", "edit", "expire", "finish", "mark", "modify", "move"}
    | {"postpone", "refresh", "reject", "release", "rename", "replace", "reschedule", "reset"}
    | {"restore", "revoke", "set", "update"}
)
_SAVING = frozenset({"persist", "save", "store", "submit", "sync", "upsert", "write"})


def creates(request: Request, kind: AnyKind) -> bool:
    """Whether a request can make a whole record of an entity where there was none."""
    step = request.step
    if request.verb == "PutItem":
        return True
    if step.update is None or not can_hold(step.condition, nothing):
        return False
    set_fields = {
        name for name, stored in kind.stored_names.items() if stored in step.update.targets
    }
    # What sortkey writes itself is whole.
    return not request.is_raw or kind.required() <= set_fields | kind.key_fields


def changes(request: Request) -> bool:
    """Whether a request can change a record that is there."""
    if request.verb == "UpdateItem":
        return True
    condition = request.step.condition
    if request.verb != "PutItem" or demands_absence(condition, request.table.key_names):
        return False
    # That an attribute is absent holds of a new record; of an old one, only where it may be.
    is_new = any(isinstance(part, AttributeNotExists) for part in conjuncts(condition))
    if is_new and can_hold(condition, nothing):
        return False
    # An unconditional put is both, and only its title may say what is meant.
    is_open = request.is_raw and condition is None
    return not (is_open and words(request.pattern.title)[:1] and _is_creating(request))


def _is_creating(request: Request) -> bool:
    return words(request.pattern.title)[0] in _CREATING


def counts(action: Action) -> bool:
    """Whether an action of an update adds to a number or subtracts from it, where it is stored."""
    match action:
        case Add() | Set(_, Plus() | Minus()):
            return True
        case _:
            return False


def names_a_change(request: Request) -> bool:
    """Whether a title or name begins as that of a request which changes a record that is there."""
    return not _CHANGING.isdisjoint(_verbs(request))


def names_a_save(request: Request) -> bool:
    """Whether a title or name begins as that of a request which creates or changes a record."""
    return not _SAVING.isdisjoint(_verbs(request))


def _verbs(request: Request) -> set[str]:
    """The first words of the title and of the name, without a number before them."""
    said = (words(request.pattern.title), words(request.pattern.name))
    return {word for each in said for word in [w for w in each if not w.isdigit()][:1]}
