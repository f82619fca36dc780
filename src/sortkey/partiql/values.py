"""Literals as DynamoDB's values."""

from collections.abc import Mapping
from typing import Any

from sortkey.partiql.expressions import place_of
from sortkey.partiql.faults import misplaced
from sortkey.partiql.syntax import (
    Arithmetic,
    Call,
    IonLiteral,
    Missing,
    Node,
    Parameter,
    Reference,
    Scalar,
    Series,
    Struct,
)
from sortkey.wire.errors import ValidationException
from sortkey.wire.values import AttributeValue

_ROOT = "root"
# The grammar's own names of what may not stand in a collection.
_NODE_NAMES: Mapping[type[Any], str] = {
    Reference: "VariableReference",
    Parameter: "Parameter",
    Missing: "LiteralMissing",
    Call: "NAry",
    Arithmetic: "NAry",
}


def literal(node: Node, path: str = _ROOT) -> AttributeValue:
    """Return the value that is written; ``path`` says where in a larger value it is."""
    match node:
        case Scalar():
            return node.value
        case Series(is_bag=True):
            return _set(node)
        case Series():
            return {
                "L": [
                    literal(element, f"{path}.{number}")
                    for number, element in enumerate(node.elements)
                ]
            }
        case Struct():
            return {
                "M": {name: literal(value, f"{path}.{name}") for name, value in members(node, path)}
            }
        case IonLiteral():
            raise misplaced(f"Ion Literals are not supported: SYMBOL under key {path}", node.place)
        case _:
            name = _described(node) if path == _ROOT else _NODE_NAMES.get(type(node), "NAry")
            raise misplaced(f"Unsupported data type: {name} under key {path}", place_of(node))


def _described(node: Node) -> str:
    match node:
        case Reference():
            return str(node.parts[-1])
        case Missing():
            return "MISSING"
        case Arithmetic():
            return node.op
        case _:
            return _NODE_NAMES.get(type(node), "NAry")


def members(struct: Struct, path: str = _ROOT) -> list[tuple[str, Node]]:
    """Return the names and values of a struct; each name is a text, and there once."""
    found: dict[str, Node] = {}
    for key, value in struct.entries:
        if not isinstance(key, Scalar) or "S" not in key.value:
            kind = "Literal" if isinstance(key, Scalar) else _NODE_NAMES.get(type(key), "NAry")
            raise misplaced(
                f"Tuple keys must be of type String. Actual type: {kind} under {path}",
                place_of(key),
            )
        name: str = key.value["S"]
        if not name:
            raise ValidationException("Path component cannot be an empty string")
        if name in found:
            raise misplaced(f"Duplicate keys in tuple. Key: {name} under {path}", key.place)
        found[name] = value
    return list(found.items())


def _set(bag: Series) -> AttributeValue:
    """Return the set that a bag is; its elements are all texts or all numbers."""
    if not bag.elements:
        raise misplaced("Empty bags are not supported", bag.place)
    kind = ""
    values: list[str] = []
    for element in bag.elements:
        own = next(iter(element.value)) if isinstance(element, Scalar) else ""
        kind = kind or own
        if own not in {"S", "N"} or own != kind or not isinstance(element, Scalar):
            raise misplaced(
                "Unsupported data type in Bag. DynamoDB only supports either numbers or strings "
                "in bags",
                place_of(element),
            )
        values.append(element.value[own])
    return {f"{kind}S": values}
