"""Conditions and times over the fields of plain Python records, without their stored form."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime
from enum import Enum
from operator import ge, gt, le, lt
from typing import Any, cast

from pydantic import BaseModel

from sortkey.design.records.codecs.dynamic import decode_any
from sortkey.design.records.kind import EntityKind
from sortkey.design.records.selectors import as_compared
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
from sortkey.operations.origin import FieldValue
from sortkey.prove.values import valid

_ORDERS: Mapping[str, Callable[[Any, Any], bool]] = {"<": lt, "<=": le, ">": gt, ">=": ge}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class _Null:
    """A stored NULL, as opposed to an attribute that is not stored."""


_NULL = _Null()


def plain(value: Any) -> Any:
    """Return the value to compare: for a member of an enum, its value."""
    return value.value if isinstance(value, Enum) else value


def coarse(value: Any, spec: str) -> Any:
    """Return the part of a time that a time format keeps; any other value as in `plain`."""
    if not isinstance(value, date) or "%" not in spec:
        return plain(value)
    if isinstance(value, datetime):
        if spec == "%s":
            return (value - _EPOCH).total_seconds() // 1
        return value.astimezone(UTC).strftime(spec)
    return value.strftime(spec)


def compares(op: str, value: Any, bounds: Sequence[Any]) -> bool:
    """Return whether a value lies in a range of a query; None lies in no range."""
    held, wanted = plain(value), [plain(bound) for bound in bounds]
    if held is None:
        return False
    match op:
        case "ge":
            return held >= wanted[0]
        case "gt":
            return held > wanted[0]
        case "le":
            return held <= wanted[0]
        case "lt":
            return held < wanted[0]
        case "between":
            return wanted[0] <= held <= wanted[1]
        case _:
            return held.startswith(wanted[0])


def holds(condition: Condition, record: BaseModel | None, kind: EntityKind[Any]) -> bool:
    """Return whether a condition holds for a record's fields; None is a missing record."""
    return _Fields(record, kind).holds(condition)


class _Fields:
    """The values of a record, by the paths of a condition."""

    def __init__(self, record: BaseModel | None, kind: EntityKind[Any]) -> None:
        self._record = record
        self._kind = kind

    def holds(self, condition: Condition) -> bool:
        match condition:
            case And(conditions):
                return all(map(self.holds, conditions))
            case Or(conditions):
                return any(map(self.holds, conditions))
            case Not(inner):
                return not self.holds(inner)
            case AttributeExists(path):
                return self._of(path) is not None
            case AttributeNotExists(path):
                return self._of(path) is None
            case AttributeType(operand, kind):
                return kind.value["S"] == "NULL" and self._of(operand) is _NULL
            case Compare(op, left, right):
                return _compared(op, self._of(left, right), self._of(right, left))
            case Between(operand, low, high):
                held = self._of(operand)
                return _compared(">=", held, self._of(low, operand)) and _compared(
                    "<=", held, self._of(high, operand)
                )
            case In(operand, choices):
                held = self._of(operand)
                return any(_compared("=", held, self._of(choice, operand)) for choice in choices)
            case BeginsWith(operand, prefix):
                held, start = self._of(operand), self._of(prefix)
                return isinstance(held, str | bytes) and held.startswith(start)
            case Contains(operand, element):
                held, part = self._of(operand), self._of(element)
                return held is not None and part is not None and part in held

    def _of(self, operand: Operand, beside: Operand | None = None) -> Any:
        """Return the value of an operand, in the type of the field it is compared with."""
        match operand:
            case Path():
                return self._at(operand)
            case Size(of):
                held = self._empty(of) if isinstance(of, Path) else None
                held = self._of(of) if held is None else held
                return len(held) if hasattr(held, "__len__") else None
            case Value(value, FieldValue(plain_value)):
                return _NULL if "NULL" in value else plain(self._held(plain_value, beside))
            case Value(value):
                return _NULL if "NULL" in value else decode_any(value)

    def _held(self, value: Any, beside: Operand | None) -> Any:
        if not isinstance(beside, Path) or len(beside.parts) > 1:
            return value
        fields = self._kind.model.model_fields
        names = [n for n, stored in self._kind.stored_names.items() if stored == beside.name]
        held = [v for name in names for v in valid(fields[name].rebuild_annotation(), value)]
        return as_compared(value, held[0]) if held else value

    def _at(self, path: Path) -> Any:
        names = {stored: name for name, stored in self._kind.stored_names.items()}
        name = names.get(path.name)
        if self._record is None:
            return None
        if name is None:
            return self._kept(path.name)
        found = getattr(self._record, name)
        for part in path.parts[1:]:
            found = _inside(found, part)
        field = self._kind.codec.fields[name]
        if found is None and len(path.parts) == 1 and not field.omits_none:
            return _NULL
        if field.omits_empty and not found:
            return None
        return plain(found)

    def _empty(self, path: Path) -> Any:
        """Return an empty collection of the record, which DynamoDB does not store, or None."""
        names = {stored: name for name, stored in self._kind.stored_names.items()}
        name = names.get(path.name)
        if self._record is None or name is None or len(path.parts) > 1:
            return None
        held = getattr(self._record, name)
        is_empty = self._kind.codec.fields[name].omits_empty and held is not None and not held
        return held if is_empty else None

    def _kept(self, attribute: str) -> Any:
        """Return the value of an attribute that is not a field: a key, or the type."""
        return True if attribute in self._kind.key_names else self._kind.name


def _inside(value: Any, part: str | int) -> Any:
    if isinstance(part, int):
        return value[part] if isinstance(value, list) and part < len(value) else None  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    if isinstance(value, BaseModel):
        return getattr(value, field_named(type(value), part), None)
    return cast("Mapping[str, Any]", value).get(part) if isinstance(value, Mapping) else None


def field_named(model: type[BaseModel], stored: str) -> str:
    """Return the field of a nested model that is stored under a name, in any word style."""
    joined = stored.replace("_", "").lower()
    names = [name for name in model.model_fields if name.replace("_", "").lower() == joined]
    return names[0] if names else stored


def _compared(op: str, left: Any, right: Any) -> bool:
    absent = left is None or right is None
    if op == "=":
        return not absent and left == right
    if op == "<>":
        return absent or left != right
    if absent:
        return False
    try:
        return _ORDERS[op](left, right)
    except TypeError:
        return False  # DynamoDB finds no order between two types
