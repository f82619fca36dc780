"""Updates that SET and REMOVE state, as the trees of update expressions."""

from collections.abc import Sequence

from sortkey.expressions.condition_templates import CONDITION_FUNCTIONS
from sortkey.expressions.faults import NOT_IN_UPDATE, ExpressionError, incorrect_count
from sortkey.expressions.overlaps import refuse_overlaps
from sortkey.expressions.tree import (
    Action,
    Add,
    Delete,
    Operation,
    Path,
    Remove,
    Set,
    Update,
    Value,
)
from sortkey.expressions.update_templates import (
    UPDATE_FUNCTIONS,
    checked_arithmetic,
    checked_update_function,
)
from sortkey.partiql.conditions import ValueReader
from sortkey.partiql.faults import misplaced
from sortkey.partiql.syntax import (
    Arithmetic,
    Assignment,
    Call,
    Choice,
    Comparison,
    Logic,
    Missing,
    Negation,
    Node,
    Range,
    Reference,
    Select,
    TypeTest,
)
from sortkey.wire.errors import ValidationException

_SETS = frozenset({"SS", "NS", "BS"})
_SET_FUNCTIONS = {"set_add": Add, "set_delete": Delete}


class UpdateReader(ValueReader):
    """The meaning of one statement's SET and REMOVE clauses."""

    def update(self, assignments: Sequence[Assignment]) -> Update:
        """Return the update; its paths may not overlap."""
        actions = [self._action(each) for each in assignments]
        refuse_overlaps(action.path for action in actions)
        return Update(tuple(actions))

    def _action(self, assignment: Assignment) -> Action:
        path = self.path(assignment.target)
        value = assignment.value
        if value is None:
            return Remove(path)
        if isinstance(value, Call) and value.function in _SET_FUNCTIONS:
            return self._set_action(path, value)
        return Set(path, self._operation(value))

    def _set_action(self, path: Path, call: Call) -> Action:
        self.count_operators()
        name = call.function.upper()
        if len(call.arguments) != 2:  # noqa: PLR2004 - the set, and the members
            raise misplaced(f"{name} must have exactly two arguments", call.place)
        first, second = call.arguments
        if not isinstance(first, Reference) or self.path(first) != path:
            raise ValidationException(
                f"The first argument to {name} must equal the assignment value"
            )
        value = None if isinstance(second, Reference | Call) else self.value(second)
        if value is None or _SETS.isdisjoint(value):
            raise misplaced(
                f"The second argument to {name} must be a value with type SET", first.place
            )
        return _SET_FUNCTIONS[call.function](path, Value(value))

    def _operation(self, node: Node) -> Operation:
        match node:
            case Reference():
                return self.path(node)
            case Call():
                self.count_operators()
                return self._function(node)
            case Arithmetic():
                self.count_operators()
                return self._arithmetic(node)
            case Missing():
                raise ValidationException("MISSING must be compared using IS operator")
            case Select():
                raise misplaced("Unsupported token in expression: SELECT", node.place)
            case Logic() | Negation() | Comparison() | Range() | Choice() | TypeTest():
                raise ValidationException(
                    f"Unsupported operator in Update Expression. Operator: {_operator(node)}"
                )
            case _:
                return Value(self.value(node))

    def _function(self, call: Call) -> Operation:
        if call.function in UPDATE_FUNCTIONS:
            return checked_update_function(
                call.function, [self._operation(each) for each in call.arguments]
            )
        if call.function == "size" or call.function in CONDITION_FUNCTIONS:
            raise ExpressionError(f"{NOT_IN_UPDATE}; function: {call.function}")
        raise ValidationException(f"Unrecognized function: {call.function}")

    def _arithmetic(self, node: Arithmetic) -> Operation:
        if node.op not in {"+", "-"}:
            raise ValidationException(
                f"Unsupported operator in Update Expression. Operator: {node.op}"
            )
        if len(node.operands) == 1:
            raise incorrect_count(node.op, 1)
        left, right = [self._operation(each) for each in node.operands]
        return checked_arithmetic(node.op, left, right)


def _operator(node: Logic | Negation | Comparison | Range | Choice | TypeTest) -> str:
    match node:
        case Logic():
            return node.op.lower()
        case Comparison():
            return node.op
        case Negation():
            return "not"
        case Range():
            return "between"
        case Choice():
            return "in"
        case TypeTest():
            return "is"
