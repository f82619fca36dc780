"""Conditions that a WHERE clause states, as the trees of condition expressions."""

from collections.abc import Sequence

from sortkey.expressions.condition_templates import (
    CONDITION_FUNCTIONS,
    checked_choice,
    checked_comparison,
    checked_function,
    checked_range,
    checked_size,
)
from sortkey.expressions.faults import (
    NOT_IN_CONDITION,
    ExpressionError,
    too_deep,
    too_many_operators,
)
from sortkey.expressions.tree import (
    And,
    AttributeNotExists,
    AttributeType,
    Condition,
    Not,
    Operand,
    Or,
    Path,
    Value,
)
from sortkey.expressions.update_templates import UPDATE_FUNCTIONS
from sortkey.partiql.faults import misplaced
from sortkey.partiql.syntax import (
    ArithmeticNode,
    CallNode,
    ChoiceNode,
    ComparisonNode,
    LogicNode,
    MissingNode,
    NegationNode,
    Node,
    ParameterNode,
    RangeNode,
    ReferenceNode,
    ScalarNode,
    SelectNode,
    SeriesNode,
    TypeTestNode,
)
from sortkey.partiql.values import literal
from sortkey.wire.errors import ValidationException
from sortkey.wire.limits import EXPRESSION_OPERATORS, NESTING_LEVELS
from sortkey.wire.values import AttributeValue, read_value

_TYPES = {
    "NULL": "NULL",
    "BOOLEAN": "BOOL",
    "BLOB": "B",
    "STRING": "S",
    "NUMERIC": "N",
    "STRUCT": "M",
    "TUPLE": "M",
    "LIST": "L",
}
_TYPE_NAMES = "[MISSING, NULL, BOOLEAN, BLOB, STRING, NUMERIC, STRUCT, TUPLE, LIST]"
_IN_OPERANDS = (
    "IN operator must have a left hand argument of type Variable Reference and right hand argument "
    "of type Seq with at least one member"
)


class ValueReader:
    """The meaning of paths and values, with the parameters of the request."""

    def __init__(self, parameters: Sequence[AttributeValue]) -> None:
        self._parameters = parameters
        self._operators = 0

    def count_operators(self, count: int = 1) -> None:
        """Count operators and functions, of which there may be 300."""
        self._operators += count
        if self._operators > EXPRESSION_OPERATORS:
            raise too_many_operators(EXPRESSION_OPERATORS + 1)

    def path(self, node: ReferenceNode) -> Path:
        """Return the path that a reference names."""
        if node.fault is not None:
            raise ValidationException(node.fault)
        if len(node.parts) > NESTING_LEVELS:
            raise too_deep(len(node.parts))
        return Path(node.parts)

    def value(self, node: Node) -> AttributeValue:
        """Return the value of a literal or a parameter, in canonical form."""
        if isinstance(node, ParameterNode):
            return self._parameters[node.number]
        try:
            return read_value(literal(node))[0]
        except ValidationException as fault:
            if "contains duplicates" in fault.message:
                raise ValidationException("Input collection contains duplicates") from None
            raise


class ConditionReader(ValueReader):
    """The meaning of the nodes of one statement's WHERE clause."""

    def condition(self, node: Node, complaint: str = "") -> Condition:
        """Return the condition that a node states."""
        match node:
            case LogicNode():
                return self._logic(node)
            case NegationNode():
                self.count_operators(node.count)
                condition = self.condition(node.operand, complaint)
                for _ in range(node.count):
                    condition = Not(condition)
                return condition
            case ComparisonNode():
                return self._comparison(node)
            case RangeNode():
                self.count_operators()
                operand = self.operand(node.operand)
                return checked_range(operand, self.operand(node.low), self.operand(node.high))
            case ChoiceNode():
                return self._choice(node)
            case TypeTestNode():
                return self._type_test(node)
            case CallNode() if node.function != "size":
                return self._function(node)
            case ArithmeticNode() | SelectNode():
                raise self._unsupported(node)
            case _:
                raise ValidationException(
                    complaint
                    or "WHERE clause must contain an expression that resolves to a boolean"
                )

    def operand(self, node: Node) -> Operand:
        """Return the operand that a node is."""
        match node:
            case ReferenceNode():
                return self.path(node)
            case CallNode(function="size"):
                self.count_operators()
                return checked_size([self.operand(each) for each in node.arguments])
            case MissingNode():
                raise ValidationException("MISSING must be compared using IS operator")
            case CallNode():
                raise _misused(node)
            case ArithmeticNode() | SelectNode():
                raise self._unsupported(node)
            case _:
                return Value(self.value(node))

    def _logic(self, node: LogicNode) -> Condition:
        self.count_operators(len(node.operands) - 1)
        conditions = tuple(
            [
                self.condition(each, "The arguments to AND/OR must be Expressions")
                for each in node.operands
            ]
        )
        return And(conditions) if node.op == "AND" else Or(conditions)

    def _comparison(self, node: ComparisonNode) -> Condition:
        self.count_operators()
        for one, other in ((node.left, node.right), (node.right, node.left)):
            if _is_condition(one) and isinstance(other, ScalarNode) and "BOOL" in other.value:
                return self._compared(node, self.condition(one), expected=other.value["BOOL"])
        return checked_comparison(node.op, self.operand(node.left), self.operand(node.right))

    def _compared(self, node: ComparisonNode, condition: Condition, *, expected: bool) -> Condition:
        """Return a condition that is compared with true or false."""
        if node.op not in {"=", "<>"}:
            raise ExpressionError(
                "Incorrect operand type for operator or function; "
                f"operator or function: {node.op}, operand type: BOOL"
            )
        return condition if expected == (node.op == "=") else Not(condition)

    def _choice(self, node: ChoiceNode) -> Condition:
        self.count_operators()
        choices = node.choices
        if (
            not isinstance(node.operand, ReferenceNode)
            or not isinstance(choices, SeriesNode)
            or not choices.elements
        ):
            raise ValidationException(_IN_OPERANDS)
        return checked_choice(
            self.operand(node.operand), [self.operand(each) for each in choices.elements]
        )

    def _type_test(self, node: TypeTestNode) -> Condition:
        self.count_operators()
        operand = self.operand(node.operand)
        if node.type == "MISSING":
            if not isinstance(operand, Path):
                raise ExpressionError(
                    "Operator or function requires a document path; "
                    "operator or function: attribute_not_exists"
                )
            return AttributeNotExists(operand)
        kind = _TYPES.get(node.type)
        if kind is None:
            raise misplaced(
                f"Unsupported data type for IS operator: {node.type}. "
                f"Supported data types are {_TYPE_NAMES}",
                node.place,
            )
        return AttributeType(operand, Value({"S": kind}))

    def _function(self, node: CallNode) -> Condition:
        self.count_operators()
        if node.function not in CONDITION_FUNCTIONS:
            raise _misused(node)
        return checked_function(node.function, [self.operand(each) for each in node.arguments])

    def _unsupported(self, node: ArithmeticNode | SelectNode) -> ValidationException:
        if isinstance(node, SelectNode):
            return misplaced("Unsupported token in expression: SELECT", node.place)
        return ValidationException(
            f"Unsupported operator in Condition Expression. Operator: {node.op}"
        )


def _is_condition(node: Node) -> bool:
    match node:
        case (
            LogicNode()
            | NegationNode()
            | ComparisonNode()
            | RangeNode()
            | ChoiceNode()
            | TypeTestNode()
        ):
            return True
        case CallNode():
            return node.function in CONDITION_FUNCTIONS
        case _:
            return False


def _misused(call: CallNode) -> Exception:
    """Return the error for a function that does not exist, or does not belong here."""
    if call.function in UPDATE_FUNCTIONS:
        return ExpressionError(f"{NOT_IN_CONDITION}; function: {call.function}")
    if call.function in CONDITION_FUNCTIONS:
        return ExpressionError(
            "The function is not allowed to be used this way in an expression; "
            f"function: {call.function}"
        )
    if call.arguments and isinstance(call.arguments[0], SelectNode):
        return misplaced("Unsupported token in expression: SELECT", call.arguments[0].place)
    return ValidationException(f"Unrecognized function: {call.function}")
