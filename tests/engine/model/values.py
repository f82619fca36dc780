"""DynamoDB's values as plain Python ones, their JSON and their sizes, for the model.

A string is a str, a number a Decimal, a binary bytes, a set a frozenset of one of these, a list a
list, a map a dict, a boolean a bool, and NULL is None.
"""

from base64 import b64encode
from decimal import Context, Decimal
from typing import Any, TypeAlias

Value: TypeAlias = Any
Item: TypeAlias = dict[str, Value]

# What stands for an attribute that is not there; None is DynamoDB's NULL.
MISSING: Any = object()

# Wide enough that no sum of two of DynamoDB's numbers is rounded.
EXACT = Context(prec=600)


def kind(value: Value) -> str:
    """The value's type, as DynamoDB abbreviates it."""
    match value:
        case bool():
            return "BOOL"
        case None:
            return "NULL"
        case str():
            return "S"
        case Decimal():
            return "N"
        case bytes():
            return "B"
        case list():
            return "L"
        case dict():
            return "M"
        case _:
            return kind(next(iter(value))) + "S"


def plain(number: Decimal) -> str:
    """The number without exponent, sign of zero or superfluous zeros."""
    return format(number.normalize(EXACT), "f") if number else "0"


def is_storable(number: Decimal) -> bool:
    """Return whether a number has at most 38 digits and is in range."""
    if not number:
        return True
    digits = number.normalize(EXACT).as_tuple().digits
    return len(digits) <= 38 and -130 <= number.adjusted() <= 125


def wire(value: Value) -> dict[str, Any]:
    """The value as DynamoDB answers it, with the members of sets in order."""
    letters = kind(value)
    match letters:
        case "N":
            content: Any = plain(value)
        case "B":
            content = b64encode(value).decode()
        case "NULL":
            content = True
        case "L":
            content = [wire(element) for element in value]
        case "M":
            content = wire_item(value)
        case "SS" | "NS" | "BS":
            content = sorted(wire(member)[letters[0]] for member in value)
        case _:
            content = value
    return {letters: content}


def wire_item(item: Item) -> dict[str, Any]:
    """The item as DynamoDB answers it."""
    return {name: wire(value) for name, value in item.items()}


def same(one: Value, other: Value) -> bool:
    """Return whether two values are equal to DynamoDB, to which true is not 1."""
    return wire(one) == wire(other)


def order(value: Value) -> Any:
    """Something that Python sorts as DynamoDB sorts strings, numbers and binaries."""
    return value.encode() if isinstance(value, str) else value


def size(value: Value) -> int:
    """The value's bytes, as DynamoDB's developer guide counts them."""
    match kind(value):
        case "S":
            return len(value.encode())
        case "N":
            return number_size(value)
        case "B":
            return len(value)
        case "BOOL" | "NULL":
            return 1
        case "L":
            return 3 + sum(1 + size(element) for element in value)
        case "M":
            return 3 + len(value) + item_size(value)
        case _:
            return sum(map(size, value))


def number_size(number: Decimal) -> int:
    """One byte for each digit to the base of a hundred, one for the exponent, one for a minus."""
    if not number:
        return 1
    whole, _, fraction = plain(number.copy_abs()).partition(".")
    even = whole.zfill(len(whole) + len(whole) % 2)
    even += fraction + "0" * (len(fraction) % 2)
    hundreds = [even[at : at + 2] for at in range(0, len(even), 2)]
    while hundreds[0] == "00":
        hundreds.pop(0)
    while hundreds[-1] == "00":
        hundreds.pop()
    return len(hundreds) + 1 + (number < 0)


def item_size(item: Item) -> int:
    """The bytes of an item: its names and its values."""
    return sum(len(name.encode()) + size(value) for name, value in item.items())


def copied(value: Value) -> Value:
    """The value again, no part of which is shared."""
    match kind(value):
        case "L":
            return [copied(element) for element in value]
        case "M":
            return {name: copied(element) for name, element in value.items()}
        case _:
            return value


def members(value: Value) -> dict[Any, Value]:
    """Return the members of a map by name, or of a list by position."""
    match kind(value):
        case "M":
            return value
        case "L":
            return {at: value[at] for at in range(len(value))}
        case _:
            return {}
