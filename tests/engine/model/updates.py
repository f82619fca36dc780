"""Updates of an item, and which are rejected, for the model."""

import operator
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from tests.engine.model.expressions import (
    Action,
    Add,
    At,
    Delete,
    IfNotExists,
    ListAppend,
    Literal,
    Minus,
    Operation,
    Plus,
    Remove,
    Set,
)
from tests.engine.model.paths import collide, find
from tests.engine.model.values import (
    EXACT,
    MISSING,
    Item,
    Value,
    copied,
    is_storable,
    kind,
)

from sortkey.wire.errors import ValidationException


def is_update_refused(actions: Sequence[Action]) -> bool:
    """Return whether DynamoDB rejects the update for every item."""
    return collide([action.path for action in actions]) or any(map(_is_action_refused, actions))


def _is_action_refused(action: Action) -> bool:
    match action:
        case Set(_, operation):
            return _is_operation_refused(operation)
        case Add(_, value):
            return kind(value) not in {"N", "SS", "NS", "BS"}
        case Delete(_, value):
            return kind(value) not in {"SS", "NS", "BS"}
        case Remove():
            return False


def _is_operation_refused(operation: Operation) -> bool:
    match operation:
        case Plus(left, right) | Minus(left, right):
            inside, wanted = (left, right), "N"
        case ListAppend(left, right):
            inside, wanted = (left, right), "L"
        case IfNotExists(_, otherwise):
            return _is_operation_refused(otherwise)
        case _:
            return False
    literals = [each.value for each in inside if isinstance(each, Literal)]
    return any(kind(each) != wanted for each in literals) or any(map(_is_operation_refused, inside))


def _compute(operation: Operation, old: Item) -> Value:
    match operation:
        case Literal(value):
            return value
        case At(path):
            return _needed(find(old, path))
        case IfNotExists(path, otherwise):
            found = find(old, path)
            return _compute(otherwise, old) if found is MISSING else found
        case ListAppend(first, second):
            return _needed(_compute(first, old), "L") + _needed(_compute(second, old), "L")
        case Plus(left, right):
            pair = _needed(_compute(left, old), "N"), _needed(_compute(right, old), "N")
            return _stored(EXACT.add(*pair))
        case Minus(left, right):
            pair = _needed(_compute(left, old), "N"), _needed(_compute(right, old), "N")
            return _stored(EXACT.subtract(*pair))


def _needed(value: Value, letters: str | None = None) -> Value:
    if value is MISSING or (letters and kind(value) != letters):
        raise ValidationException("there is no such operand")
    return value


def _stored(number: Decimal) -> Decimal:
    if not is_storable(number):
        raise ValidationException("the number is too long, large or small")
    return number


def _result(action: Action, old: Item) -> Value:
    """Return the value that an action puts at its path, or MISSING."""
    found = find(old, action.path)
    match action:
        case Set(_, operation):
            return _compute(operation, old)
        case Remove():
            return MISSING
        case Add(_, value):
            if found is MISSING:
                return value
            _needed(found, kind(value))
            return _stored(EXACT.add(found, value)) if kind(value) == "N" else found | value
        case Delete(_, value):
            if found is MISSING:
                return MISSING
            return _needed(found, kind(value)) - value or MISSING


def updated(actions: Sequence[Action], before: Item | None, key: Item) -> Item | None:
    """The item after an update, in which every operand and position is that of the item before."""
    if before is None and all(isinstance(action, Remove | Delete) for action in actions):
        return None
    old = key if before is None else before
    new = copied(old)
    removed: list[tuple[Any, Any]] = []
    appended: list[tuple[Any, Any, Value]] = []
    for action in actions:
        if before is None and isinstance(action, Remove):
            continue
        value = _result(action, old)
        container, place = find(new, action.path[:-1]), action.path[-1]
        wanted = "L" if isinstance(place, int) else "M"
        if container is MISSING or kind(container) != wanted:
            raise ValidationException("the path does not lead anywhere")
        if value is MISSING:
            if find(old, action.path) is not MISSING:
                removed.append((container, place))
        elif find(old, action.path) is MISSING and isinstance(place, int):
            appended.append((container, place, copied(value)))
        else:
            container[place] = copied(value)
    for container, _, value in sorted(appended, key=operator.itemgetter(1)):
        container.append(value)
    for container, place in sorted(removed, key=_position, reverse=True):
        del container[place]
    return new


def _position(removal: tuple[Any, Any]) -> int:
    """Return a sort key with which a list is shortened from its end."""
    return removal[1] if isinstance(removal[1], int) else 0
