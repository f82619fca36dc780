"""Actions of an update that wait for a request's names and values."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from sortkey.expressions.faults import (
    ExpressionError,
    incorrect_count,
    incorrect_type,
    needs_path,
    repeated_operand,
)
from sortkey.expressions.operands import Names, PathTemplate, Values, ValueTemplate
from sortkey.expressions.tree import (
    Action,
    Add,
    Delete,
    IfNotExists,
    ListAppend,
    Minus,
    Operation,
    Path,
    Plus,
    Remove,
    Set,
    Value,
)
from sortkey.wire.values import kind_of

_KIND_NAMES = {
    "S": "STRING",
    "N": "NUMBER",
    "B": "BINARY",
    "NULL": "NULL",
    "BOOL": "BOOLEAN",
    "L": "LIST",
    "M": "MAP",
}


class OperationTemplate(Protocol):
    """The right side of a SET with open placeholders."""

    def bind(self, names: Names, values: Values, /) -> Operation:
        """The operation with its names and values filled in."""
        ...


@dataclass(frozen=True, slots=True)
class UpdateFunctionTemplate:
    """A function with its operands as they are written."""

    function: str
    operands: tuple[OperationTemplate, ...]

    def bind(self, names: Names, values: Values) -> Operation:
        """Return the operation of the function on its operands."""
        operands = [operand.bind(names, values) for operand in self.operands]
        return checked_update_function(self.function, operands)


@dataclass(frozen=True, slots=True)
class ArithmeticTemplate:
    """A sum or difference."""

    op: str
    left: OperationTemplate
    right: OperationTemplate

    def bind(self, names: Names, values: Values) -> Operation:
        """The sum or difference, unless a literal in it is not a number."""
        left = self.left.bind(names, values)
        return checked_arithmetic(self.op, left, self.right.bind(names, values))


class ActionTemplate(Protocol):
    """An action with open placeholders."""

    @property
    def path(self) -> PathTemplate:
        """Where it acts."""
        ...

    def bind(self, path: Path, names: Names, values: Values, /) -> Action:
        """The action on the path with the rest filled in."""
        ...


@dataclass(frozen=True, slots=True)
class SetTemplate:
    """One assignment of a SET section."""

    path: PathTemplate
    operation: OperationTemplate

    def bind(self, path: Path, names: Names, values: Values) -> Set:
        """The assignment."""
        return Set(path, self.operation.bind(names, values))


@dataclass(frozen=True, slots=True)
class RemoveTemplate:
    """One path of a REMOVE section."""

    path: PathTemplate

    def bind(self, path: Path, _: Names, __: Values) -> Remove:
        """The removal."""
        return Remove(path)


@dataclass(frozen=True, slots=True)
class AddTemplate:
    """One path of an ADD section."""

    path: PathTemplate
    value: ValueTemplate

    def bind(self, path: Path, names: Names, values: Values) -> Add:
        """The addition, unless its value is neither a number nor a set."""
        value = self.value.bind(names, values)
        _refuse_kind("ADD", value, also="N")
        return Add(path, value)


@dataclass(frozen=True, slots=True)
class DeleteTemplate:
    """One path of a DELETE section."""

    path: PathTemplate
    value: ValueTemplate

    def bind(self, path: Path, names: Names, values: Values) -> Delete:
        """The deletion, unless its value is not a set."""
        value = self.value.bind(names, values)
        _refuse_kind("DELETE", value)
        return Delete(path, value)


def checked_update_function(function: str, operands: list[Operation]) -> Operation:
    """Return the operation of a function on its operands."""
    count, build = UPDATE_FUNCTIONS[function]
    if len(operands) != count:
        raise incorrect_count(function, len(operands))
    return build(operands)


def checked_arithmetic(op: str, left: Operation, right: Operation) -> Operation:
    """Return the sum or difference, unless a literal in it is not a number."""
    for operand in (left, right):
        _refuse_literal(op, operand, "N")
    return Plus(left, right) if op == "+" else Minus(left, right)


def _refuse_kind(action: str, value: Value, *, also: str = "") -> None:
    kind = kind_of(value.value)
    if kind in _KIND_NAMES and kind != also:
        raise ExpressionError(
            "Incorrect operand type for operator or function; "
            f"operator: {action}, operand type: {_KIND_NAMES[kind]}, "
            f"typeSet: ALLOWED_FOR_{action}_OPERAND"
        )


def _refuse_literal(operator: str, operand: Operation, wanted: str) -> None:
    if isinstance(operand, Value) and kind_of(operand.value) != wanted:
        raise incorrect_type(operator, kind_of(operand.value))


def _if_not_exists(operands: list[Operation]) -> Operation:
    path, otherwise = operands
    if not isinstance(path, Path):
        raise needs_path("if_not_exists")
    if path == otherwise:
        raise repeated_operand("if_not_exists", path)
    return IfNotExists(path, otherwise)


def _list_append(operands: list[Operation]) -> Operation:
    first, second = operands
    for operand in operands:
        _refuse_literal("list_append", operand, "L")
    return ListAppend(first, second)


_Build: TypeAlias = Callable[[list[Operation]], Operation]

# How many operands each function has, and what it does with them.
UPDATE_FUNCTIONS: dict[str, tuple[int, _Build]] = {
    "if_not_exists": (2, _if_not_exists),
    "list_append": (2, _list_append),
}
