"""Conditions that wait for a request's names and values.

Binding is where DynamoDB checks what the text alone does not show, one condition after the
other: that placeholders are defined, then the number of operands, that they differ, and that
literals have types the operator can work on.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from sortkey.expressions.faults import (
    ExpressionError,
    incorrect_count,
    incorrect_type,
    needs_path,
    repeated_operand,
    too_many_choices,
)
from sortkey.expressions.operands import Names, PathTemplate, Values, ValueTemplate
from sortkey.expressions.tree import (
    And,
    AttributeExists,
    AttributeNotExists,
    AttributeType,
    BeginsWith,
    Between,
    Comparator,
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
from sortkey.wire.limits import IN_OPERANDS
from sortkey.wire.values import TYPES, kind_of, sort_token

_ORDERED = frozenset({"S", "N", "B"})
_TEXTS = frozenset({"S", "B"})
_UNSIZED = frozenset({"N", "BOOL", "NULL"})
_ANY_TYPE = "{NS,SS,L,BS,N,M,B,BOOL,NULL,S}"
_TYPE_NAMES = "{B,NULL,SS,BOOL,L,BS,N,NS,S,M}"


class ConditionTemplate(Protocol):
    """A condition with open placeholders."""

    def bind(self, names: Names, values: Values, /) -> Condition:
        """The condition with its names and values filled in."""
        ...


@dataclass(frozen=True, slots=True)
class SizeTemplate:
    """``size(...)``, of which the number of operands is not yet known to be one."""

    operands: tuple["OperandTemplate", ...]

    def bind(self, names: Names, values: Values) -> Size:
        """The size of what the only operand yields."""
        return checked_size([operand.bind(names, values) for operand in self.operands])


OperandTemplate: TypeAlias = PathTemplate | ValueTemplate | SizeTemplate


@dataclass(frozen=True, slots=True)
class CompareTemplate:
    """A comparison."""

    op: Comparator
    left: OperandTemplate
    right: OperandTemplate

    def bind(self, names: Names, values: Values) -> Compare:
        """The comparison, unless it is of an attribute with itself or cannot be ordered."""
        left = self.left.bind(names, values)
        return checked_comparison(self.op, left, self.right.bind(names, values))


@dataclass(frozen=True, slots=True)
class BetweenTemplate:
    """``a BETWEEN b AND c``."""

    operand: OperandTemplate
    low: OperandTemplate
    high: OperandTemplate

    def bind(self, names: Names, values: Values) -> Between:
        """The range, unless its bounds are known to be crossed or of different types."""
        operand = self.operand.bind(names, values)
        low = self.low.bind(names, values)
        return checked_range(operand, low, self.high.bind(names, values))


@dataclass(frozen=True, slots=True)
class InTemplate:
    """``a IN (b, c, ...)``."""

    operand: OperandTemplate
    choices: tuple[OperandTemplate, ...]

    def bind(self, names: Names, values: Values) -> In:
        """The choice, unless there are too many."""
        operand = self.operand.bind(names, values)
        return checked_choice(operand, [choice.bind(names, values) for choice in self.choices])


@dataclass(frozen=True, slots=True)
class FunctionTemplate:
    """A function that is a condition, with its operands as they are written."""

    function: str
    operands: tuple[OperandTemplate, ...]

    def bind(self, names: Names, values: Values) -> Condition:
        """The condition that the function states about its operands."""
        operands = [operand.bind(names, values) for operand in self.operands]
        return checked_function(self.function, operands)


@dataclass(frozen=True, slots=True)
class AndTemplate:
    """Conditions joined by AND."""

    conditions: tuple[ConditionTemplate, ...]

    def bind(self, names: Names, values: Values) -> And:
        """The conjunction."""
        return And(tuple([condition.bind(names, values) for condition in self.conditions]))


@dataclass(frozen=True, slots=True)
class OrTemplate:
    """Conditions joined by OR."""

    conditions: tuple[ConditionTemplate, ...]

    def bind(self, names: Names, values: Values) -> Or:
        """The disjunction."""
        return Or(tuple([condition.bind(names, values) for condition in self.conditions]))


@dataclass(frozen=True, slots=True)
class NotTemplate:
    """NOT and a condition."""

    condition: ConditionTemplate

    def bind(self, names: Names, values: Values) -> Not:
        """The negation."""
        return Not(self.condition.bind(names, values))


@dataclass(frozen=True, slots=True)
class FixedTemplate:
    """A condition without placeholders, which is bound already."""

    condition: Condition

    def bind(self, _: Names, __: Values) -> Condition:
        """The condition."""
        return self.condition


def fold(template: ConditionTemplate) -> ConditionTemplate:
    """The template, bound once and for all if nothing in it is open or wrong."""
    try:
        return FixedTemplate(template.bind({}, {}))
    except ExpressionError:
        return template


# -- conditions on operands that are bound, with the checks that DynamoDB makes of each -----------


def checked_size(operands: Sequence[Operand]) -> Size:
    """Return the size of the only operand."""
    if len(operands) != 1:
        raise incorrect_count("size", len(operands))
    of = operands[0]
    if isinstance(of, Size):
        raise incorrect_type("size", "N")
    if isinstance(of, Value) and kind_of(of.value) in _UNSIZED:
        raise incorrect_type("size", kind_of(of.value))
    return Size(of)


def checked_comparison(op: Comparator, left: Operand, right: Operand) -> Compare:
    """Return the comparison, unless it is of an attribute with itself or cannot be ordered."""
    if isinstance(right, Path):
        _refuse_repeated(op, left, (right,))
    if op not in {"=", "<>"}:
        _refuse_types(op, (left, right), _ORDERED)
    return Compare(op, left, right)


def checked_range(operand: Operand, low: Operand, high: Operand) -> Between:
    """Return the range, unless its bounds are known to be crossed or of different types."""
    _refuse_repeated("BETWEEN", operand, (low, high))
    _refuse_types("BETWEEN", (operand, low, high), _ORDERED)
    if isinstance(low, Value) and isinstance(high, Value):
        _refuse_bounds(low, high)
    return Between(operand, low, high)


def checked_choice(operand: Operand, choices: Sequence[Operand]) -> In:
    """Return the choice, unless there are too many."""
    if len(choices) > IN_OPERANDS:
        raise too_many_choices(len(choices))
    _refuse_repeated("IN", operand, choices)
    return In(operand, tuple(choices))


def checked_function(function: str, operands: Sequence[Operand]) -> Condition:
    """Return the condition that the function states about its operands."""
    count, build = CONDITION_FUNCTIONS[function]
    if len(operands) != count:
        raise incorrect_count(function, len(operands))
    _refuse_repeated(function, operands[0], operands[1:])
    return build(function, operands)


def _refuse_repeated(operator: str, first: Operand, rest: Iterable[Operand]) -> None:
    if not isinstance(first, Path):
        return
    for operand in rest:
        if isinstance(operand, Path) and operand.parts == first.parts:
            raise repeated_operand(operator, first)


def _refuse_types(operator: str, operands: Iterable[Operand], allowed: frozenset[str]) -> None:
    for operand in operands:
        kind = _literal_kind(operand)
        if kind is not None and kind not in allowed:
            raise incorrect_type(operator, kind)


def _literal_kind(operand: Operand) -> str | None:
    """The type that an operand has whatever the item is, if there is one."""
    if isinstance(operand, Value):
        return kind_of(operand.value)
    return "N" if isinstance(operand, Size) else None


def _refuse_bounds(least: Value, most: Value) -> None:
    low, high = least.value, most.value
    low_kind, high_kind = kind_of(low), kind_of(high)
    shown = (
        f"lower bound operand: AttributeValue: {{{low_kind}:{low[low_kind]}}}, "
        f"upper bound operand: AttributeValue: {{{high_kind}:{high[high_kind]}}}"
    )
    if low_kind != high_kind:
        raise ExpressionError(
            "The BETWEEN operator requires same data type for lower and upper bounds; " + shown
        )
    if least.varies or most.varies:
        return
    if sort_token(low) > sort_token(high):  # pyright: ignore[reportOperatorIssue]  # same kind
        raise ExpressionError(
            "The BETWEEN operator requires upper bound to be greater than or equal to lower "
            "bound; " + shown
        )


def _attribute_exists(function: str, operands: Sequence[Operand]) -> Condition:
    return AttributeExists(_path(function, operands[0]))


def _attribute_not_exists(function: str, operands: Sequence[Operand]) -> Condition:
    return AttributeNotExists(_path(function, operands[0]))


def _path(function: str, operand: Operand) -> Path:
    if not isinstance(operand, Path):
        raise needs_path(function)
    return operand


def _attribute_type(function: str, operands: Sequence[Operand]) -> Condition:
    operand, named = operands
    kind = _literal_kind(named)
    if kind != "S" or not isinstance(named, Value):
        raise incorrect_type(function, kind or _ANY_TYPE)
    if named.value["S"] not in TYPES and not named.varies:
        raise ExpressionError(
            f"Invalid attribute type name found; type: {named.value['S']}, "
            f"valid types: {_TYPE_NAMES}"
        )
    return AttributeType(operand, named)


def _begins_with(function: str, operands: Sequence[Operand]) -> Condition:
    _refuse_types(function, operands, _TEXTS)
    return BeginsWith(*operands)


def _contains(_: str, operands: Sequence[Operand]) -> Condition:
    return Contains(*operands)


_Build: TypeAlias = Callable[[str, Sequence[Operand]], Condition]

# How many operands each function has, and what it states about them.
CONDITION_FUNCTIONS: dict[str, tuple[int, _Build]] = {
    "attribute_exists": (1, _attribute_exists),
    "attribute_not_exists": (1, _attribute_not_exists),
    "attribute_type": (2, _attribute_type),
    "begins_with": (2, _begins_with),
    "contains": (2, _contains),
}
