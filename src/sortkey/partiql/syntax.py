"""The nodes of a statement, as its grammar knows them."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from sortkey.expressions.tree import Comparator
from sortkey.partiql.faults import TokenPlace
from sortkey.wire.values import AttributeValue


@dataclass(frozen=True, slots=True)
class ReferenceNode:
    """An attribute, or a place within one; ``fault`` says why it is not a path of DynamoDB's."""

    parts: tuple[str | int, ...]
    place: TokenPlace
    fault: str | None = None


@dataclass(frozen=True, slots=True)
class ScalarNode:
    """A text, number, boolean or null, as it is written."""

    value: AttributeValue
    text: str
    place: TokenPlace


@dataclass(frozen=True, slots=True)
class MissingNode:
    """The word MISSING."""

    place: TokenPlace


@dataclass(frozen=True, slots=True)
class IonNode:
    """A literal in backticks."""

    place: TokenPlace


@dataclass(frozen=True, slots=True)
class ParameterNode:
    """A question mark, with its number from 0."""

    number: int
    place: TokenPlace


@dataclass(frozen=True, slots=True)
class SeriesNode:
    """Elements in brackets, in double angle brackets (a bag), or in parentheses."""

    elements: tuple["Node", ...]
    is_bag: bool
    place: TokenPlace


@dataclass(frozen=True, slots=True)
class StructNode:
    """Names and values in braces."""

    entries: tuple[tuple["Node", "Node"], ...]
    place: TokenPlace


@dataclass(frozen=True, slots=True)
class CallNode:
    """A function and its arguments; its name is in lower case."""

    function: str
    arguments: tuple["Node", ...]
    place: TokenPlace


@dataclass(frozen=True, slots=True)
class NegationNode:
    """NOT, so many times in a row."""

    operand: "Node"
    count: int


@dataclass(frozen=True, slots=True)
class LogicNode:
    """Nodes joined by AND, or by OR."""

    op: Literal["AND", "OR"]
    operands: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class ComparisonNode:
    """One node against another."""

    op: Comparator
    left: "Node"
    right: "Node"


@dataclass(frozen=True, slots=True)
class RangeNode:
    """``a BETWEEN b AND c``."""

    operand: "Node"
    low: "Node"
    high: "Node"


@dataclass(frozen=True, slots=True)
class ChoiceNode:
    """``a IN b``."""

    operand: "Node"
    choices: "Node"


@dataclass(frozen=True, slots=True)
class TypeTestNode:
    """``a IS type``."""

    operand: "Node"
    type: str
    place: TokenPlace


@dataclass(frozen=True, slots=True)
class ArithmeticNode:
    """An operator that is not a comparison, with one or two operands."""

    op: str
    operands: tuple["Node", ...]
    place: TokenPlace


@dataclass(frozen=True, slots=True)
class OrderingNode:
    """One key of an ORDER BY."""

    key: "Node"
    descends: bool


@dataclass(frozen=True, slots=True)
class SelectNode:
    """A SELECT; without ``columns`` it selects everything."""

    columns: tuple["Node", ...] | None
    source: ReferenceNode
    where: "Node | None"
    order: tuple[OrderingNode, ...]
    place: TokenPlace


Node: TypeAlias = (
    ReferenceNode
    | ScalarNode
    | MissingNode
    | IonNode
    | ParameterNode
    | SeriesNode
    | StructNode
    | CallNode
    | NegationNode
    | LogicNode
    | ComparisonNode
    | RangeNode
    | ChoiceNode
    | TypeTestNode
    | ArithmeticNode
    | SelectNode
)


@dataclass(frozen=True, slots=True)
class InsertNode:
    """An INSERT of one item."""

    target: ReferenceNode
    value: Node


@dataclass(frozen=True, slots=True)
class AssignmentNode:
    """One path of a SET and its value, or one path of a REMOVE."""

    target: ReferenceNode
    value: Node | None


@dataclass(frozen=True, slots=True)
class UpdateNode:
    """An UPDATE."""

    target: ReferenceNode
    assignments: tuple[AssignmentNode, ...]
    where: Node | None
    returning: str | None


@dataclass(frozen=True, slots=True)
class DeleteNode:
    """A DELETE."""

    target: ReferenceNode
    where: Node | None
    returning: str | None


@dataclass(frozen=True, slots=True)
class ExistsNode:
    """An EXISTS of a SELECT."""

    select: SelectNode


ParsedStatement: TypeAlias = SelectNode | InsertNode | UpdateNode | DeleteNode | ExistsNode
