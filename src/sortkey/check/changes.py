"""Which requests create records of an entity, and which change them."""

from sortkey.check.conditions import can_hold, demands_absence, nothing
from sortkey.check.model import AnyKind, PlannedRequest
from sortkey.check.verbs import CREATING
from sortkey.expressions.conjuncts import conjuncts
from sortkey.expressions.tree import Action, Add, AttributeNotExists, Minus, Plus, Set
from sortkey.wording.names import words


def creates(request: PlannedRequest, kind: AnyKind) -> bool:
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


def changes(request: PlannedRequest) -> bool:
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
    return not (is_open and not CREATING.isdisjoint(words(request.pattern.title)[:1]))


def counts(action: Action) -> bool:
    """Whether an action of an update adds to a number or subtracts from it, where it is stored."""
    match action:
        case Add() | Set(_, Plus() | Minus()):
            return True
        case _:
            return False
