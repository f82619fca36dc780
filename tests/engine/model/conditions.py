"""When conditions hold, and which are refused, for the model."""

import operator
from collections.abc import Iterator
from decimal import Decimal

from tests.engine.model.expressions import (
    And,
    At,
    BeginsWith,
    Between,
    Compare,
    Condition,
    Contains,
    Exists,
    HasType,
    In,
    Literal,
    Not,
    Operand,
    Or,
    SizeOf,
)
from tests.engine.model.paths import find
from tests.engine.model.values import (
    MISSING,
    Item,
    Value,
    kind,
    order,
    same,
)

ORDERS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
ORDERED = {"S", "N", "B"}


def _read(operand: Operand, item: Item) -> Value:
    match operand:
        case At(path):
            return find(item, path)
        case Literal(value):
            return value
        case SizeOf(path):
            value = find(item, path)
            if value is MISSING or kind(value) in {"N", "BOOL", "NULL"}:
                return MISSING
            if isinstance(value, str):
                return Decimal(len(value.encode("utf-16-le")) // 2)
            return Decimal(len(value))


def _is_ordered(op: str, left: Value, right: Value) -> bool:
    if left is MISSING or right is MISSING:
        return False
    comparable = kind(left) == kind(right) and kind(left) in ORDERED
    return comparable and ORDERS[op](order(left), order(right))


def _is_equal(left: Value, right: Value) -> bool:
    return left is not MISSING and right is not MISSING and same(left, right)


def holds(condition: Condition, item: Item) -> bool:
    """Return whether the condition is true of the item."""
    match condition:
        case Compare("=", left, right):
            return _is_equal(_read(left, item), _read(right, item))
        case Compare("<>", left, right):
            return not _is_equal(_read(left, item), _read(right, item))
        case Compare(op, left, right):
            return _is_ordered(op, _read(left, item), _read(right, item))
        case Between(operand, low, high):
            value = _read(operand, item)
            above = _is_ordered(">=", value, _read(low, item))
            return above and _is_ordered("<=", value, _read(high, item))
        case In(operand, choices):
            value = _read(operand, item)
            return any(_is_equal(value, _read(choice, item)) for choice in choices)
        case Exists(path):
            return find(item, path) is not MISSING
        case HasType(path, letters):
            value = find(item, path)
            return value is not MISSING and kind(value) == letters
        case BeginsWith(operand, prefix):
            value, start = _read(operand, item), _read(prefix, item)
            alike = type(value) is type(start) and isinstance(value, str | bytes)
            return alike and value.startswith(start)
        case Contains(operand, element):
            return _contains(_read(operand, item), _read(element, item))
        case Not(inner):
            return not holds(inner, item)
        case And(left, right):
            return holds(left, item) and holds(right, item)
        case Or(left, right):
            return holds(left, item) or holds(right, item)


def _contains(value: Value, element: Value) -> bool:
    if value is MISSING or element is MISSING:
        return False
    if kind(value) in {"S", "B"}:
        return kind(element) == kind(value) and element in value
    return kind(value) in {"L", "SS", "NS", "BS"} and any(same(member, element) for member in value)


def operands(condition: Condition) -> tuple[Operand, ...]:
    """The operands of one condition, those of the conditions inside it not counted."""
    match condition:
        case Compare(_, left, right):
            return left, right
        case Between(operand, low, high):
            return operand, low, high
        case In(operand, choices):
            return operand, *choices
        case Exists(path) | HasType(path, _):
            return (At(path),)
        case BeginsWith(operand, other) | Contains(operand, other):
            return operand, other
        case _:
            return ()


def parts(condition: Condition) -> Iterator[Condition]:
    """The condition and those inside it."""
    yield condition
    match condition:
        case Not(inner):
            yield from parts(inner)
        case And(left, right) | Or(left, right):
            yield from parts(left)
            yield from parts(right)
        case _:
            pass


def names_in(condition: Condition) -> set[str | int]:
    """The top-level attributes that a condition looks at."""
    return {
        operand.path[0]
        for part in parts(condition)
        for operand in operands(part)
        if not isinstance(operand, Literal)
    }


def is_refused(condition: Condition) -> bool:
    """Return whether DynamoDB rejects the condition for every item."""
    return any(map(_is_refused_alone, parts(condition)))


def _is_refused_alone(condition: Condition) -> bool:
    mentioned = operands(condition)
    kinds = {kind(each.value) for each in mentioned if isinstance(each, Literal)}
    if isinstance(mentioned and mentioned[0], At) and mentioned[0] in mentioned[1:]:
        return True
    match condition:
        case Compare(op):
            return op in ORDERS and not kinds <= ORDERED
        case Between(_, Literal(low), Literal(high)):
            return (
                len({kind(low), kind(high)}) == 2
                or not kinds <= ORDERED
                or order(low) > order(high)
            )
        case Between():
            return not kinds <= ORDERED
        case BeginsWith():
            return not kinds <= {"S", "B"}
        case _:
            return False
