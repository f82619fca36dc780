"""Updates read from text: SET, REMOVE, ADD and DELETE sections, each at most once."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from sortkey.expressions.faults import NOT_IN_UPDATE
from sortkey.expressions.operands import (
    CallTemplate,
    Names,
    OperandTemplate,
    PathTemplate,
    Reader,
    Values,
    redundant_parentheses,
)
from sortkey.expressions.overlaps import bind_together
from sortkey.expressions.tree import Update
from sortkey.expressions.update_templates import (
    UPDATE_FUNCTIONS,
    ActionTemplate,
    AddTemplate,
    ArithmeticTemplate,
    DeleteTemplate,
    OperationTemplate,
    RemoveTemplate,
    SetTemplate,
    UpdateFunctionTemplate,
)
from sortkey.wire.limits import EXPRESSION_BYTES

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

# A repeated section is the least of the faults that the text shows.
_AFTER_THE_TEXT = EXPRESSION_BYTES


@dataclass(frozen=True, slots=True)
class ParsedUpdate:
    """An update's actions with open placeholders, and those that its text mentions."""

    actions: tuple[ActionTemplate, ...]
    paths: tuple[PathTemplate, ...]
    names: frozenset[str]
    values: frozenset[str]

    def bind(self, names: Names, values: Values) -> Update:
        """The update with its names and values filled in, checked as DynamoDB checks it.

        That is from the last action to the first: all paths, then all that is done to them.
        """
        paths = bind_together(self.paths, names)
        actions = [
            action.bind(path, names, values)
            for action, path in zip(reversed(self.actions), reversed(paths), strict=True)
        ]
        actions.reverse()
        return Update(tuple(actions))


@lru_cache(maxsize=2048)
def parse_update(text: str) -> ParsedUpdate:
    """The update in the text; the same text is read once."""
    reader = _UpdateReader(text)
    actions = reader.update()
    reader.finish()
    return ParsedUpdate(
        tuple(actions),
        tuple([action.path for action in actions]),
        frozenset(reader.names),
        frozenset(reader.values),
    )


class _UpdateReader(Reader):
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
                    _AFTER_THE_TEXT,
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
        opened = self.opened()
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
                is_enclosed = True
            else:
                return operation or self._as_operation(operand)

    def _arithmetic(self, left: OperandTemplate) -> ArithmeticTemplate:
        self.count_operator()
        op = self.take()
        right = self.operand()
        return ArithmeticTemplate(
            op,
            self._as_operation(left, is_nested=True),
            self._as_operation(right, is_nested=True),
        )

    def _as_operation(
        self, operand: OperandTemplate, *, is_nested: bool = False
    ) -> OperationTemplate:
        if not isinstance(operand, CallTemplate):
            return operand
        function = operand.function
        operands = tuple([self._as_operation(each, is_nested=True) for each in operand.operands])
        if function not in UPDATE_FUNCTIONS or (is_nested and function == "list_append"):
            self._note_misuse(operand)
        return UpdateFunctionTemplate(function, operands)

    def _note_misuse(self, call: CallTemplate) -> None:
        """Record a function that does not exist, or is not allowed here."""
        if call.function in _CONDITION_FUNCTIONS:
            fault = NOT_IN_UPDATE
        elif call.function in UPDATE_FUNCTIONS:
            fault = "The function is not allowed to be used this way in an expression"
        else:
            fault = "Invalid function name"
        self.note(call.position, f"{fault}; function: {call.function}")
