"""Whether a condition holds for an item.

An attribute that is not there equals nothing, not even another that is not there; values of
different types are unequal and have no order.
"""

import threading
from collections.abc import Callable, Hashable, Iterable, Iterator
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
from sortkey.wire.values import (
    AttributeValue,
    Item,
    binary,
    hashable,
    kind_of,
    same_value,
    sort_token,
)

# More members than this are looked up, and not compared one by one.
_FEW = 8
_COLLECTIONS = frozenset({"SS", "NS", "BS", "L", "M"})


def holds(condition: Condition, item: Item) -> bool:
    """Whether the condition is true of the item, which is empty where there is none."""
    try:
        return _HOLDS[type(condition)](condition, item)
    finally:
        if _current.prepared:
            _current.prepared.clear()


def condition_weight(condition: Condition) -> int:
    """Return about how many comparisons it takes to find whether the condition holds."""
    match condition:
        case And() | Or():
            return sum(map(condition_weight, condition.conditions))
        case Not():
            return condition_weight(condition.condition)
        case In():
            return min(len(condition.choices), _FEW)
        case _:
            return 1


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
    if op not in {"=", "<>"}:
        return _is_ordered(_ORDERS[op], left, right)
    if left is None or right is None:
        return op == "<>"
    return _is_same(condition.left, left, condition.right, right) == (op == "=")


class _CurrentItem(threading.local):
    """The collections of the item that a thread looks at, as they are compared.

    Each is prepared once, however often a condition looks at it. The value is held too, so that
    its identity stays its own.
    """

    def __init__(self) -> None:
        self.prepared: dict[
            tuple[int, Callable[[AttributeValue], Any]], tuple[AttributeValue, Any]
        ] = {}


_current = _CurrentItem()


def _hashed(operand: Operand, value: AttributeValue) -> Hashable:
    """Return the operand's value as it is compared with others."""
    return operand.hashed if type(operand) is Value else _prepared(value, hashable)


def _prepared(value: AttributeValue, prepare: Callable[[AttributeValue], Any]) -> Any:
    """Return what ``prepare`` makes of a value of the current item."""
    if kind_of(value) not in _COLLECTIONS:
        return prepare(value)
    place = id(value), prepare
    prepared = _current.prepared
    found = prepared.get(place)
    if found is None:
        found = prepared[place] = (value, prepare(value))
    return found[1]


def _members(value: AttributeValue) -> frozenset[Hashable]:
    """Return the members of a set or a list, to look one up."""
    kind = kind_of(value)
    return frozenset(map(hashable, value["L"]) if kind == "L" else value[kind])


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
    if len(condition.choices) <= _FEW:
        return _is_one_of(condition.operand, value, condition.choices, item)
    choices = condition.lookup
    if _hashed(condition.operand, value) in choices.values:
        return True
    # The longer of the two may be long, and is not walked.
    names = item if len(item) < len(choices.places) else choices.places
    return any(
        _is_one_of(condition.operand, value, choices.places[name], item)
        for name in (*names, "")
        if name in choices.places
    )


def _is_one_of(
    operand: Operand, value: AttributeValue, choices: Iterable[Operand], item: Item
) -> bool:
    for choice in choices:
        candidate = _value(choice, item)
        if candidate is not None and _is_same(operand, value, choice, candidate):
            return True
    return False


def _is_same(one: Operand, left: AttributeValue, other: Operand, right: AttributeValue) -> bool:
    """Return whether the values of two operands are equal."""
    kind = kind_of(left)
    if kind not in _COLLECTIONS:
        return left == right
    if kind != kind_of(right) or len(left[kind]) != len(right[kind]):
        return False
    return _hashed(one, left) == _hashed(other, right)


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
            members = value[kind]
            sought = element[kind[0]]
            return sought in (members if len(members) <= _FEW else _prepared(value, _members))
        case "L", _:
            if len(value["L"]) <= _FEW:
                return any(same_value(member, element) for member in value["L"])
            return _hashed(condition.element, element) in _prepared(value, _members)
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
    return not _HOLDS[type(condition.condition)](condition.condition, item)


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
