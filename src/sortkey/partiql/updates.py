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
    ArithmeticNode,
    AssignmentNode,
    CallNode,
    ChoiceNode,
    ComparisonNode,
    LogicNode,
    MissingNode,
    NegationNode,
    Node,
    RangeNode,
    ReferenceNode,
    SelectNode,
    TypeTestNode,
)
from sortkey.wire.errors import ValidationException

_SETS = frozenset({"SS", "NS", "BS"})
_SET_FUNCTIONS = {"set_add": Add, "set_delete": Delete}


class UpdateReader(ValueReader):
    """The meaning of one statement's SET and REMOVE clauses."""

    def update(self, assignments: Sequence[AssignmentNode]) -> Update:
        """Return the update; its paths may not overlap."""
        actions = [self._action(each) for each in assignments]
        refuse_overlaps(action.path for action in actions)
        return Update(tuple(actions))

    def _action(self, assignment: AssignmentNode) -> Action:
        path = self.path(assignment.target)
        value = assignment.value
        if value is None:
            return Remove(path)
        if isinstance(value, CallNode) and value.function in _SET_FUNCTIONS:
            return self._set_action(path, value)
        return Set(path, self._operation(value))

    def _set_action(self, path: Path, call: CallNode) -> Action:
        self.count_operators()
        name = call.function.upper()
        if len(call.arguments) != 2:  # noqa: PLR2004 - the set, and the members
            raise misplaced(f"{name} must have exactly two arguments", call.place)
        first, second = call.arguments
        if not isinstance(first, ReferenceNode) or self.path(first) != path:
            raise ValidationException(
                f"The first argument to {name} must equal the assignment value"
            )
        value = None if isinstance(second, ReferenceNode | CallNode) else self.value(second)
        if value is None or _SETS.isdisjoint(value):
            raise misplaced(
                f"The second argument to {name} must be a value with type SET", first.place
            )
        return _SET_FUNCTIONS[call.function](path, Value(value))

    def _operation(self, node: Node) -> Operation:
        match node:
            case ReferenceNode():
                return self.path(node)
            case CallNode():
                self.count_operators()
                return self._function(node)
            case ArithmeticNode():
                self.count_operators()
                return self._arithmetic(node)
            case MissingNode():
                raise ValidationException("MISSING must be compared using IS operator")
            case SelectNode():
                raise misplaced("Unsupported token in expression: SELECT", node.place)
            case (
                LogicNode()
                | NegationNode()
                | ComparisonNode()
                | RangeNode()
                | ChoiceNode()
                | TypeTestNode()
            ):
                raise ValidationException(
                    f"Unsupported operator in Update Expression. Operator: {_operator(node)}"
                )
            case _:
                return Value(self.value(node))

    def _function(self, call: CallNode) -> Operation:
        if call.function in UPDATE_FUNCTIONS:
            return checked_update_function(
                call.function, [self._operation(each) for each in call.arguments]
            )
        if call.function == "size" or call.function in CONDITION_FUNCTIONS:
            raise ExpressionError(f"{NOT_IN_UPDATE}; function: {call.function}")
        raise ValidationException(f"Unrecognized function: {call.function}")

    def _arithmetic(self, node: ArithmeticNode) -> Operation:
        if node.op not in {"+", "-"}:
            raise ValidationException(
                f"Unsupported operator in Update Expression. Operator: {node.op}"
            )
        if len(node.operands) == 1:
            raise incorrect_count(node.op, 1)
        left, right = [self._operation(each) for each in node.operands]
        return checked_arithmetic(node.op, left, right)


def _operator(
    node: LogicNode | NegationNode | ComparisonNode | RangeNode | ChoiceNode | TypeTestNode,
) -> str:
    match node:
        case LogicNode():
            return node.op.lower()
        case ComparisonNode():
            return node.op
        case NegationNode():
            return "not"
        case RangeNode():
            return "between"
        case ChoiceNode():
            return "in"
        case TypeTestNode():
            return "is"
