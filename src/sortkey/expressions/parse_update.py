"""Updates read from text: SET, REMOVE, ADD and DELETE sections, each at most once."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from sortkey.expressions.faults import undefined_name, undefined_value
from sortkey.expressions.operands import (
    CallTemplate,
    Names,
    OperandTemplate,
    Reader,
    Values,
    redundant_parentheses,
)
from sortkey.expressions.overlaps import refuse_overlaps
from sortkey.expressions.tree import Update
from sortkey.expressions.update_templates import (
    UPDATE_FUNCTIONS,
    ActionTemplate,
    AddTemplate,
    ArithmeticTemplate,
    DeleteTemplate,
    FunctionTemplate,
    OperationTemplate,
    RemoveTemplate,
    SetTemplate,
)

_CONDITION_FUNCTIONS = frozenset(
    {
        "attribute_exists",
        "attribute_not_exists",
        "attribute_type",
        "begins_with",
        "contains",
        "size",
    }
)


@dataclass(frozen=True, slots=True)
class ParsedUpdate:
    """An update's actions with open placeholders, which are listed in the order of the text."""

    actions: tuple[ActionTemplate, ...]
    names: tuple[str, ...]
    values: tuple[str, ...]

    def bind(self, names: Names, values: Values) -> Update:
        """The update with its names and values filled in, checked as DynamoDB checks it."""
        for placeholder in self.names:
            if placeholder not in names:
                raise undefined_name(placeholder)
        for placeholder in self.values:
            if placeholder not in values:
                raise undefined_value(placeholder)
        paths = [action.path.bind(names, values) for action in self.actions]
        refuse_overlaps(paths)
        for action in self.actions:
            action.refuse_operand(values)
        return Update(
            tuple(
                [
                    action.bind(path, names, values)
                    for action, path in zip(self.actions, paths, strict=True)
                ]
            )
        )


@lru_cache(maxsize=2048)
def parse_update(text: str) -> ParsedUpdate:
    """The update in the text; the same text is read once."""
    reader = _UpdateReader(text)
    actions = reader.update()
    reader.finish()
    return ParsedUpdate(tuple(actions), tuple(reader.names), tuple(reader.values))


class _UpdateReader(Reader):
    keywords: ClassVar[frozenset[str]] = frozenset({"SET", "REMOVE", "ADD", "DELETE"})
    precedence: ClassVar[tuple[str, ...]] = (
        *Reader.precedence,
        "unknown function",
        "misused function",
        "section",
    )

    def update(self) -> list[ActionTemplate]:
        read_action: dict[str, Callable[[], ActionTemplate]] = {
            "SET": self._set,
            "REMOVE": self._remove,
            "ADD": self._add,
            "DELETE": self._delete,
        }
        actions: list[ActionTemplate] = []
        sections: set[str] = set()
        while True:
            section = self.kind
            if section not in read_action:
                raise self.syntax_error()
            self.take()
            actions.append(read_action[section]())
            while self.passes(","):
                actions.append(read_action[section]())
            if section in sections:
                self.note(
                    "section",
                    f'The "{section}" section can only be used once in an update expression;',
                )
            sections.add(section)
            if self.kind == "end":
                return actions

    def _set(self) -> SetTemplate:
        path = self.path()
        self.expect("=")
        return SetTemplate(path, self._operation())

    def _remove(self) -> RemoveTemplate:
        return RemoveTemplate(self.path())

    def _add(self) -> AddTemplate:
        return AddTemplate(self.path(), self.value())

    def _delete(self) -> DeleteTemplate:
        return DeleteTemplate(self.path(), self.value())

    def _operation(self) -> OperationTemplate:
        """An operand, or a sum or difference of two, with or without parentheses around it."""
        opened = 0
        while self.passes("("):
            opened += 1
        operand = self.bare_operand()
        operation: OperationTemplate | None = None
        is_enclosed = False
        while True:
            if operation is None and self.kind in {"+", "-"}:
                operation = self._arithmetic(operand)
                is_enclosed = False
            elif opened:
                self.expect(")")
                opened -= 1
                if is_enclosed:
                    raise redundant_parentheses()
                longer = operand if operation else self.longer_path(operand)
                is_enclosed = longer is operand
                operand = longer
            else:
                return operation or self._as_operation(operand)

    def _arithmetic(self, left: OperandTemplate) -> ArithmeticTemplate:
        self.count_operator()
        op = self.take()
        right = self.operand()
        return ArithmeticTemplate(op, self._as_operation(left), self._as_operation(right))

    def _as_operation(
        self, operand: OperandTemplate, *, is_nested: bool = False
    ) -> OperationTemplate:
        if not isinstance(operand, CallTemplate):
            return operand
        function = operand.function
        operands = tuple([self._as_operation(each, is_nested=True) for each in operand.operands])
        if function in _CONDITION_FUNCTIONS:
            self.note(
                "unknown function",
                f"The function is not allowed in an update expression; function: {function}",
            )
        elif function not in UPDATE_FUNCTIONS:
            self.note("unknown function", f"Invalid function name; function: {function}")
        elif is_nested and function == "list_append":
            self.note(
                "misused function",
                "The function is not allowed to be used this way in an expression; "
                f"function: {function}",
            )
        return FunctionTemplate(function, operands)
