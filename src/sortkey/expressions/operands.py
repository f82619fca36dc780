"""Operands as text: paths, values and calls, with their placeholders still open.

Text is read once into templates, which are kept; binding a template to a request's names and
values is then cheap. Faults that the text alone shows are noted while reading, since a syntax
error further on goes before them; of those noted, the one that stands first is reported.

Open calls are kept on a list: on Python's stack, 300 of them would leave too little room to a
caller who is deep in it already.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from sortkey.expressions.faults import (
    ExpressionError,
    outside_range,
    too_deep,
    too_many_operators,
    undefined_name,
    undefined_value,
)
from sortkey.expressions.lexer import Cursor
from sortkey.expressions.reserved import is_reserved
from sortkey.expressions.tree import Path, Value
from sortkey.wire.limits import EXPRESSION_OPERATORS, LARGEST_LIST_INDEX, NESTING_LEVELS

Names: TypeAlias = Mapping[str, str]
Values: TypeAlias = Mapping[str, Value]


class PathTemplate:
    """A path whose parts may be ``#names``."""

    __slots__ = ("_fixed", "_latest", "_only", "parts")

    def __init__(self, parts: tuple[str | int, ...]) -> None:
        self.parts = parts
        is_open = any(isinstance(part, str) and part[0] == "#" for part in parts)
        self._fixed = None if is_open else Path(parts)
        self._only = str(parts[0]) if len(parts) == 1 else None
        # The same text mostly comes with the same names, so the last path bound is kept.
        self._latest = Path(parts)

    def bind(self, names: Names, _: Values) -> Path:
        """The path with its names filled in."""
        if self._fixed is not None:
            return self._fixed
        try:
            if self._only is not None:
                name = names[self._only]
                latest = self._latest
                if latest.parts[0] != name:
                    self._latest = latest = Path((name,))
                return latest
            return Path(
                tuple(
                    names[part] if isinstance(part, str) and part[0] == "#" else part
                    for part in self.parts
                )
            )
        except KeyError as missing:
            raise undefined_name(str(missing.args[0])) from None


class ValueTemplate:
    """A ``:value``."""

    __slots__ = ("placeholder",)

    def __init__(self, placeholder: str) -> None:
        self.placeholder = placeholder

    def bind(self, _: Names, values: Values) -> Value:
        """The value that the placeholder stands for."""
        try:
            return values[self.placeholder]
        except KeyError:
            raise undefined_value(self.placeholder) from None


@dataclass(frozen=True, slots=True)
class CallTemplate:
    """A function's name and operands, not yet known to fit each other."""

    function: str
    operands: tuple["OperandTemplate", ...]
    position: int


OperandTemplate: TypeAlias = PathTemplate | ValueTemplate | CallTemplate


@dataclass(slots=True)
class _OpenCall:
    """A call that has not ended yet, and the parentheses that were opened before it."""

    function: str
    position: int
    opened: int
    operands: list[OperandTemplate] = field(default_factory=list[OperandTemplate])


class Reader(Cursor):
    """A cursor that reads what all expressions have in common."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.names: set[str] = set()
        self.values: set[str] = set()
        self._operators = 0
        self._faults: list[tuple[int, str]] = []

    def finish(self) -> None:
        """Refuse text after the end of the expression, then the first of the faults noted."""
        if self.kind != "end":
            raise self.syntax_error()
        if self._faults:
            raise ExpressionError(min(self._faults)[1])

    def note(self, position: int, message: str) -> None:
        """Keep a fault at this position until the whole text is read."""
        self._faults.append((position, message))

    def count_operator(self) -> None:
        """Count an operator or function, of which there may be 300.

        The count is kept while reading, so that it also bounds how deep calls can nest.
        """
        self._operators += 1
        if self._operators > EXPRESSION_OPERATORS:
            raise too_many_operators(self._operators)

    def path(self) -> PathTemplate:
        """A document path."""
        if self.kind not in {"word", "name"}:
            raise self.syntax_error()
        return PathTemplate((self._part(), *self._steps()))

    def value(self) -> ValueTemplate:
        """A ``:value``."""
        placeholder = self.expect("value")
        self.values.add(placeholder)
        return ValueTemplate(placeholder)

    def operand(self) -> OperandTemplate:
        """A path, value or call, with or without parentheses around it."""
        opened = self.opened()
        return self._closed(self.bare_operand(), opened)

    def bare_operand(self) -> OperandTemplate:
        """A path, value or call without parentheses."""
        calls: list[_OpenCall] = []
        opened = 0
        while True:
            if self.kind == "word" and self.following_kind == "(":
                calls.append(self._open_call(opened))
                opened = self.opened()
                continue
            operand = self.value() if self.kind == "value" else self.path()
            while calls:
                call = calls[-1]
                call.operands.append(self._closed(operand, opened))
                if self.passes(","):
                    opened = self.opened()
                    break
                self.expect(")")
                calls.pop()
                operand = CallTemplate(call.function, tuple(call.operands), call.position)
                opened = call.opened
            else:
                return operand

    def opened(self) -> int:
        """Pass the parentheses that are opened here, and return their number."""
        count = 0
        while self.passes("("):
            count += 1
        return count

    def _closed(self, operand: OperandTemplate, opened: int) -> OperandTemplate:
        """The operand after as many closing parentheses as were opened."""
        is_enclosed = False
        for _ in range(opened):
            self.expect(")")
            if is_enclosed:
                raise redundant_parentheses()
            is_enclosed = True
        return operand

    def _open_call(self, opened: int) -> _OpenCall:
        position = self.position
        function = self.take()
        self.count_operator()
        self.expect("(")
        return _OpenCall(function, position, opened)

    def _steps(self) -> list[str | int]:
        start = self.position
        steps: list[str | int] = []
        while True:
            if self.passes("."):
                if self.kind not in {"word", "name"}:
                    raise self.syntax_error()
                steps.append(self._part())
            elif self.passes("["):
                steps.append(self._index())
                self.expect("]")
            else:
                break
        levels = 1 + len(steps)
        if levels > NESTING_LEVELS:
            self.note(start, str(too_deep(levels)))
        return steps

    def _part(self) -> str:
        if self.kind == "name":
            placeholder = self.take()
            self.names.add(placeholder)
            return placeholder
        position = self.position
        word = self.take()
        if is_reserved(word):
            self.note(position, f"Attribute name is a reserved keyword; reserved keyword: {word}")
        return word

    def _index(self) -> int:
        position = self.position
        digits = self.expect("index")
        # The text is looked at before it is converted: it may be thousands of digits long.
        if len(digits) > len(str(LARGEST_LIST_INDEX)) or int(digits) > LARGEST_LIST_INDEX:
            self.note(position, str(outside_range(digits)))
            return LARGEST_LIST_INDEX
        return int(digits)


def redundant_parentheses() -> ExpressionError:
    """Two pairs of parentheses stand around the same thing."""
    return ExpressionError("The expression has redundant parentheses;")
