"""Whether a condition holds for an item.

An attribute that is not there equals nothing, not even another that is not there; values of
different types are unequal and have no order.
"""

from collections.abc import Callable, Iterator
from operator import ge, gt, le, lt
from typing import Any

from sortkey.expressions.tree import (
    And,
    AttributeExists,
    AttributeNotExists,
    AttributeType,
    BeginsWith,
    Between,
    Compare,
    Condition,
    Contains,
    In,
    Not,
    Operand,
    Or,
    Path,
    Size,
    Value,
)
from sortkey.wire.values import AttributeValue, Item, binary, kind_of, same_value, sort_token


def holds(condition: Condition, item: Item) -> bool:
    """Whether the condition is true of the item, which is empty where there is none."""
    return _HOLDS[type(condition)](condition, item)


def condition_names(condition: Condition) -> frozenset[str]:
    """The top-level attributes that the condition looks at."""
    return frozenset(path.name for path in condition_paths(condition))


def condition_paths(condition: Condition) -> Iterator[Path]:
    """The paths that the condition looks at, in the order of its text."""
    if isinstance(condition, (And, Or)):
        for part in condition.conditions:
            yield from condition_paths(part)
    elif isinstance(condition, Not):
        yield from condition_paths(condition.condition)
    else:
        for operand in _operands(condition):
            place = operand.of if isinstance(operand, Size) else operand
            if isinstance(place, Path):
                yield place


def _operands(
    condition: Compare
    | Between
    | In
    | AttributeExists
    | AttributeNotExists
    | AttributeType
    | BeginsWith
    | Contains,
) -> tuple[Operand, ...]:
    match condition:
        case Compare():
            return condition.left, condition.right
        case Between():
            return condition.operand, condition.low, condition.high
        case In():
            return condition.operand, *condition.choices
        case AttributeExists() | AttributeNotExists():
            return (condition.path,)
        case AttributeType():
            return (condition.operand,)
        case BeginsWith():
            return condition.operand, condition.prefix
        case Contains():
            return condition.operand, condition.element


def _value(operand: Operand, item: Item) -> AttributeValue | None:
    """Return the operand's value for the item, or None if there is none."""
    if type(operand) is Path:
        return operand.find(item)
    if type(operand) is Value:
        return operand.value
    return _size(operand, item) if isinstance(operand, Size) else None


def _size(size: Size, item: Item) -> AttributeValue | None:
    value = _value(size.of, item)
    if value is None:
        return None
    kind = kind_of(value)
    content = value[kind]
    match kind:
        case "S":
            # DynamoDB counts UTF-16 units, in which characters beyond the BMP take two.
            count = len(content) if content.isascii() else len(content.encode("utf-16-le")) // 2
        case "B":
            count = len(binary(content))
        case "N" | "BOOL" | "NULL":
            return None
        case _:
            count = len(content)
    return {"N": str(count)}


def _compare(condition: Compare, item: Item) -> bool:
    left = _value(condition.left, item)
    right = _value(condition.right, item)
    op = condition.op
    if op == "=":
        return left is not None and right is not None and same_value(left, right)
    if op == "<>":
        return left is None or right is None or not same_value(left, right)
    return _is_ordered(_ORDERS[op], left, right)


_ORDERS: dict[str, Callable[[Any, Any], bool]] = {"<": lt, "<=": le, ">": gt, ">=": ge}


def _is_ordered(
    order: Callable[[Any, Any], bool], left: AttributeValue | None, right: AttributeValue | None
) -> bool:
    if left is None or right is None or kind_of(left) != kind_of(right):
        return False
    token = sort_token(left)
    return token is not None and order(token, sort_token(right))


def _between(condition: Between, item: Item) -> bool:
    value = _value(condition.operand, item)
    return _is_ordered(ge, value, _value(condition.low, item)) and _is_ordered(
        le, value, _value(condition.high, item)
    )


def _in(condition: In, item: Item) -> bool:
    value = _value(condition.operand, item)
    if value is None:
        return False
    for choice in condition.choices:
        candidate = _value(choice, item)
        if candidate is not None and same_value(value, candidate):
            return True
    return False


def _exists(condition: AttributeExists, item: Item) -> bool:
    return condition.path.find(item) is not None


def _not_exists(condition: AttributeNotExists, item: Item) -> bool:
    return condition.path.find(item) is None


def _has_type(condition: AttributeType, item: Item) -> bool:
    value = _value(condition.operand, item)
    return value is not None and kind_of(value) == condition.type.value["S"]


def _begins_with(condition: BeginsWith, item: Item) -> bool:
    value = _value(condition.operand, item)
    prefix = _value(condition.prefix, item)
    if value is None or prefix is None:
        return False
    if "S" in value and "S" in prefix:
        return value["S"].startswith(prefix["S"])
    if "B" in value and "B" in prefix:
        return binary(value["B"]).startswith(binary(prefix["B"]))
    return False


def _contains(condition: Contains, item: Item) -> bool:
    value = _value(condition.operand, item)
    element = _value(condition.element, item)
    if value is None or element is None:
        return False
    kind = kind_of(value)
    match kind, kind_of(element):
        case "S", "S":
            return element["S"] in value["S"]
        case "B", "B":
            return binary(element["B"]) in binary(value["B"])
        case ("SS", "S") | ("NS", "N") | ("BS", "B"):
            return element[kind[0]] in value[kind]
        case "L", _:
            return any(same_value(member, element) for member in value["L"])
        case _:
            return False


def _and(condition: And, item: Item) -> bool:
    for part in condition.conditions:  # noqa: SIM110  # a generator would double the stack's depth
        if not _HOLDS[type(part)](part, item):
            return False
    return True


def _or(condition: Or, item: Item) -> bool:
    for part in condition.conditions:  # noqa: SIM110  # a generator would double the stack's depth
        if _HOLDS[type(part)](part, item):
            return True
    return False


def _not(condition: Not, item: Item) -> bool:
    return not holds(condition.condition, item)


_HOLDS: dict[type, Callable[[Any, Item], bool]] = {
    Compare: _compare,
    Between: _between,
    In: _in,
    AttributeExists: _exists,
    AttributeNotExists: _not_exists,
    AttributeType: _has_type,
    BeginsWith: _begins_with,
    Contains: _contains,
    And: _and,
    Or: _or,
    Not: _not,
}
