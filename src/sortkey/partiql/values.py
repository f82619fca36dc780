"""Literals as DynamoDB's values."""

from collections.abc import Mapping
from typing import Any

from sortkey.partiql.expressions import place_of
from sortkey.partiql.faults import misplaced
from sortkey.partiql.syntax import (
    ArithmeticNode,
    CallNode,
    IonNode,
    MissingNode,
    Node,
    ParameterNode,
    ReferenceNode,
    ScalarNode,
    SeriesNode,
    StructNode,
)
from sortkey.wire.errors import ValidationException
from sortkey.wire.values import AttributeValue

_ROOT = "root"
# The grammar's own names of what may not stand in a collection.
_NODE_NAMES: Mapping[type[Any], str] = {
    ReferenceNode: "VariableReference",
    ParameterNode: "Parameter",
    MissingNode: "LiteralMissing",
    CallNode: "NAry",
    ArithmeticNode: "NAry",
}


def literal(node: Node, path: str = _ROOT) -> AttributeValue:
    """Return the value that is written; ``path`` says where in a larger value it is."""
    match node:
        case ScalarNode():
            return node.value
        case SeriesNode(is_bag=True):
            return _set(node)
        case SeriesNode():
            return {
                "L": [
                    literal(element, f"{path}.{number}")
                    for number, element in enumerate(node.elements)
                ]
            }
        case StructNode():
            return {
                "M": {name: literal(value, f"{path}.{name}") for name, value in members(node, path)}
            }
        case IonNode():
            raise misplaced(f"Ion Literals are not supported: SYMBOL under key {path}", node.place)
        case _:
            name = _described(node) if path == _ROOT else _NODE_NAMES.get(type(node), "NAry")
            raise misplaced(f"Unsupported data type: {name} under key {path}", place_of(node))


def _described(node: Node) -> str:
    match node:
        case ReferenceNode():
            return str(node.parts[-1])
        case MissingNode():
            return "MISSING"
        case ArithmeticNode():
            return node.op
        case _:
            return _NODE_NAMES.get(type(node), "NAry")


def members(struct: StructNode, path: str = _ROOT) -> list[tuple[str, Node]]:
    """Return the names and values of a struct; each name is a text, and there once."""
    found: dict[str, Node] = {}
    for key, value in struct.entries:
        if not isinstance(key, ScalarNode) or "S" not in key.value:
            kind = "Literal" if isinstance(key, ScalarNode) else _NODE_NAMES.get(type(key), "NAry")
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


def _set(bag: SeriesNode) -> AttributeValue:
    """Return the set that a bag is; its elements are all texts or all numbers."""
    if not bag.elements:
        raise misplaced("Empty bags are not supported", bag.place)
    kind = ""
    values: list[str] = []
    for element in bag.elements:
        own = next(iter(element.value)) if isinstance(element, ScalarNode) else ""
        kind = kind or own
        if own not in {"S", "N"} or own != kind or not isinstance(element, ScalarNode):
            raise misplaced(
                "Unsupported data type in Bag. DynamoDB only supports either numbers or strings "
                "in bags",
                place_of(element),
            )
        values.append(element.value[own])
    return {f"{kind}S": values}
