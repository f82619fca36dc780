"""The model's expressions as PartiQL."""

from typing import Any

from tests.engine.model import expressions as tree
from tests.engine.model.requests import Requests
from tests.engine.model.values import Value, kind


class StatementTexts:
    """Writes parts of one statement, and keeps its parameters."""

    def __init__(self, *, literally: bool = False) -> None:
        self._literally = literally
        self.parameters: list[Any] = []

    def path(self, path: tree.Path) -> str:
        first, *rest = path
        return f'"{first}"' + "".join(
            f"[{part}]" if isinstance(part, int) else f'."{part}"' for part in rest
        )

    def value(self, value: Value) -> str:
        """A value as a literal where it can be one, or as a parameter."""
        text = _literal(value) if self._literally else None
        if text is not None:
            return text
        self.parameters.append(Requests().value(value))
        return "?"

    def operand(self, operand: tree.Operand) -> str:
        match operand:
            case tree.At(path):
                return self.path(path)
            case tree.Literal(value):
                return self.value(value)
            case tree.SizeOf(path):
                return f"size({self.path(path)})"

    def condition(self, condition: tree.Condition) -> str:
        operand = self.operand
        match condition:
            case tree.Compare(op, left, right):
                return f"{operand(left)} {op} {operand(right)}"
            case tree.Between(value, low, high):
                return f"{operand(value)} BETWEEN {operand(low)} AND {operand(high)}"
            case tree.In(value, choices):
                return f"{operand(value)} IN [{', '.join(map(operand, choices))}]"
            case tree.Exists(path):
                return f"{self.path(path)} IS NOT MISSING"
            case tree.HasType(path, letters):
                return f"attribute_type({self.path(path)}, '{letters}')"
            case tree.BeginsWith(value, prefix):
                return f"begins_with({operand(value)}, {operand(prefix)})"
            case tree.Contains(value, element):
                return f"contains({operand(value)}, {operand(element)})"
            case tree.Not(inner):
                return f"NOT ({self.condition(inner)})"
            case tree.And(left, right):
                return f"({self.condition(left)}) AND ({self.condition(right)})"
            case tree.Or(left, right):
                return f"({self.condition(left)}) OR ({self.condition(right)})"

    def action(self, action: tree.Action) -> str:
        match action:
            case tree.Set(path, operation):
                return f"SET {self.path(path)} = {self.operation(operation)}"
            case tree.Remove(path):
                return f"REMOVE {self.path(path)}"
            case tree.Add(path, value):
                return f"SET {self.path(path)} = set_add({self.path(path)}, {self.value(value)})"
            case tree.Delete(path, value):
                return f"SET {self.path(path)} = set_delete({self.path(path)}, {self.value(value)})"

    def operation(self, operation: tree.Operand | tree.Operation) -> str:
        match operation:
            case tree.At() | tree.Literal() | tree.SizeOf():
                return self.operand(operation)
            case tree.Plus(left, right):
                return f"{self.operation(left)} + {self.operation(right)}"
            case tree.Minus(left, right):
                return f"{self.operation(left)} - {self.operation(right)}"
            case tree.IfNotExists(path, otherwise):
                return f"if_not_exists({self.path(path)}, {self.operation(otherwise)})"
            case tree.ListAppend(first, second):
                return f"list_append({self.operation(first)}, {self.operation(second)})"


def _literal(value: Value) -> str | None:
    """The value as it is written in a statement, which binaries cannot be."""
    match kind(value):
        case "S":
            return "'" + value.replace("'", "''") + "'"
        case "N":
            return str(value)
        case "BOOL" | "NULL":
            return "null" if value is None else str(value).lower()
        case "L":
            parts = [_literal(element) for element in value]
            return None if None in parts else f"[{', '.join(map(str, parts))}]"
        case "M":
            entries = {name: _literal(entry) for name, entry in value.items()}
            if None in entries.values():
                return None
            return f"{{{', '.join(f'{name!r}: {text}' for name, text in entries.items())}}}"
        case "SS" | "NS":
            return f"<<{', '.join(str(_literal(member)) for member in sorted(value, key=str))}>>"
        case _:
            return None
