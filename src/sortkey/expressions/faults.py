"""The faults of an expression, in DynamoDB's words."""

NOT_IN_CONDITION = "The function is not allowed in a condition expression"
NOT_IN_UPDATE = "The function is not allowed in an update expression"


class ExpressionError(Exception):
    """An expression is rejected; the text follows "Invalid ConditionExpression: " or similar."""


def incorrect_type(operator: str, kind: str) -> ExpressionError:
    """A literal has a type that the operator or function cannot work on."""
    return ExpressionError(
        "Incorrect operand type for operator or function; "
        f"operator or function: {operator}, operand type: {kind}"
    )


def incorrect_count(function: str, count: int) -> ExpressionError:
    """A function has too few or too many operands."""
    return ExpressionError(
        "Incorrect number of operands for operator or function; "
        f"operator or function: {function}, number of operands: {count}"
    )


def needs_path(function: str) -> ExpressionError:
    """A function works on attributes only."""
    return ExpressionError(
        f"Operator or function requires a document path; operator or function: {function}"
    )


def repeated_operand(operator: str, first: object) -> ExpressionError:
    """An attribute is compared with itself."""
    return ExpressionError(
        "The first operand must be distinct from the remaining operands for this operator or "
        f"function; operator: {operator}, first operand: {first}"
    )


def too_many_choices(count: int) -> ExpressionError:
    """An IN has more choices than are allowed."""
    return ExpressionError(
        f"The IN operator is provided with too many operands; number of operands: {count}"
    )


def too_many_operators(count: int) -> ExpressionError:
    """An expression has more operators and functions than are allowed."""
    return ExpressionError(f"The expression contains too many operators; operator count: {count}")


def too_deep(levels: int) -> ExpressionError:
    """A path has more parts than are allowed."""
    return ExpressionError(
        f"The document path has too many nesting levels; nesting levels: {levels}"
    )


def outside_range(index: str) -> ExpressionError:
    """A list index is negative or too large."""
    return ExpressionError(f"List index is not within the allowable range; index: [{index}]")


def undefined_name(placeholder: str) -> ExpressionError:
    """The request does not define the attribute of the placeholder."""
    return ExpressionError(
        "An expression attribute name used in the document path is not defined; "
        f"attribute name: {placeholder}"
    )


def undefined_value(placeholder: str) -> ExpressionError:
    """The request does not define the value of the placeholder."""
    return ExpressionError(
        "An expression attribute value used in expression is not defined; "
        f"attribute value: {placeholder}"
    )
