"""Conditions, updates and projections as small structures, for the model."""

from dataclasses import dataclass
from typing import TypeAlias

from tests.engine.model.values import (
    Value,
)

# A name, and then the names and list positions below it.
Path: TypeAlias = tuple[str | int, ...]


@dataclass(frozen=True)
class At:
    """Return the value of the item at a path."""

    path: Path


@dataclass(frozen=True)
class Literal:
    """A value in the request."""

    value: Value


@dataclass(frozen=True)
class SizeOf:
    """``size(path)``."""

    path: Path


Operand: TypeAlias = At | Literal | SizeOf


@dataclass(frozen=True)
class Compare:
    """``left op right``."""

    op: str
    left: Operand
    right: Operand


@dataclass(frozen=True)
class Between:
    """``operand BETWEEN low AND high``."""

    operand: Operand
    low: Operand
    high: Operand


@dataclass(frozen=True)
class In:
    """``operand IN (choices)``."""

    operand: Operand
    choices: tuple[Operand, ...]


@dataclass(frozen=True)
class Exists:
    """``attribute_exists(path)``."""

    path: Path


@dataclass(frozen=True)
class HasType:
    """``attribute_type(path, kind)``."""

    path: Path
    kind: str


@dataclass(frozen=True)
class BeginsWith:
    """``begins_with(operand, prefix)``."""

    operand: Operand
    prefix: Operand


@dataclass(frozen=True)
class Contains:
    """``contains(operand, element)``."""

    operand: Operand
    element: Operand


@dataclass(frozen=True)
class Not:
    """``NOT condition``; of `Exists`, the test writes ``attribute_not_exists``."""

    condition: "Condition"


@dataclass(frozen=True)
class And:
    """``left AND right``."""

    left: "Condition"
    right: "Condition"


@dataclass(frozen=True)
class Or:
    """``left OR right``."""

    left: "Condition"
    right: "Condition"


Condition: TypeAlias = (
    Compare | Between | In | Exists | HasType | BeginsWith | Contains | Not | And | Or
)


@dataclass(frozen=True)
class Plus:
    """``left + right``."""

    left: "Operation"
    right: "Operation"


@dataclass(frozen=True)
class Minus:
    """``left - right``."""

    left: "Operation"
    right: "Operation"


@dataclass(frozen=True)
class IfNotExists:
    """``if_not_exists(path, otherwise)``."""

    path: Path
    otherwise: "Operation"


@dataclass(frozen=True)
class ListAppend:
    """``list_append(first, second)``."""

    first: "Operation"
    second: "Operation"


Operation: TypeAlias = At | Literal | Plus | Minus | IfNotExists | ListAppend


@dataclass(frozen=True)
class Set:
    """``SET path = operation``."""

    path: Path
    operation: Operation


@dataclass(frozen=True)
class Remove:
    """``REMOVE path``."""

    path: Path


@dataclass(frozen=True)
class Add:
    """``ADD path value``."""

    path: Path
    value: Value


@dataclass(frozen=True)
class Delete:
    """``DELETE path value``."""

    path: Path
    value: Value


Action: TypeAlias = Set | Remove | Add | Delete
