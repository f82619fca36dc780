"""The nodes of a statement, as its grammar knows them."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from sortkey.expressions.tree import Comparator
from sortkey.partiql.faults import Place
from sortkey.wire.values import AttributeValue


@dataclass(frozen=True, slots=True)
class Reference:
    """An attribute, or a place within one; ``fault`` says why it is not a path of DynamoDB's."""

    parts: tuple[str | int, ...]
    place: Place
    fault: str | None = None


@dataclass(frozen=True, slots=True)
class Scalar:
    """A text, number, boolean or null, as it is written."""

    value: AttributeValue
    text: str
    place: Place


@dataclass(frozen=True, slots=True)
class Missing:
    """The word MISSING."""

    place: Place


@dataclass(frozen=True, slots=True)
class IonLiteral:
    """A literal in backticks."""

    place: Place


@dataclass(frozen=True, slots=True)
class Parameter:
    """A question mark, with its number from 0."""

    number: int
    place: Place


@dataclass(frozen=True, slots=True)
class Series:
    """Elements in brackets, in double angle brackets (a bag), or in parentheses."""

    elements: tuple["Node", ...]
    is_bag: bool
    place: Place


@dataclass(frozen=True, slots=True)
class Struct:
    """Names and values in braces."""

    entries: tuple[tuple["Node", "Node"], ...]
    place: Place


@dataclass(frozen=True, slots=True)
class Call:
    """A function and its arguments; its name is in lower case."""

    function: str
    arguments: tuple["Node", ...]
    place: Place


@dataclass(frozen=True, slots=True)
class Negation:
    """NOT, so many times in a row."""

    operand: "Node"
    count: int


@dataclass(frozen=True, slots=True)
class Logic:
    """Nodes joined by AND, or by OR."""

    op: Literal["AND", "OR"]
    operands: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """One node against another."""

    op: Comparator
    left: "Node"
    right: "Node"


@dataclass(frozen=True, slots=True)
class Range:
    """``a BETWEEN b AND c``."""

    operand: "Node"
    low: "Node"
    high: "Node"


@dataclass(frozen=True, slots=True)
class Choice:
    """``a IN b``."""

    operand: "Node"
    choices: "Node"


@dataclass(frozen=True, slots=True)
class TypeTest:
    """``a IS type``."""

    operand: "Node"
    type: str
    place: Place


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """An operator that is not a comparison, with one or two operands."""

    op: str
    operands: tuple["Node", ...]
    place: Place


@dataclass(frozen=True, slots=True)
class Ordering:
    """One key of an ORDER BY."""

    key: "Node"
    descends: bool


@dataclass(frozen=True, slots=True)
class Select:
    """A SELECT; without ``columns`` it selects everything."""

    columns: tuple["Node", ...] | None
    source: Reference
    where: "Node | None"
    order: tuple[Ordering, ...]
    place: Place


Node: TypeAlias = (
    Reference
    | Scalar
    | Missing
    | IonLiteral
    | Parameter
    | Series
    | Struct
    | Call
    | Negation
    | Logic
    | Comparison
    | Range
    | Choice
    | TypeTest
    | Arithmetic
    | Select
)


@dataclass(frozen=True, slots=True)
class Insert:
    """An INSERT of one item."""

    target: Reference
    value: Node


@dataclass(frozen=True, slots=True)
class Assignment:
    """One path of a SET and its value, or one path of a REMOVE."""

    target: Reference
    value: Node | None


@dataclass(frozen=True, slots=True)
class Update:
    """An UPDATE."""

    target: Reference
    assignments: tuple[Assignment, ...]
    where: Node | None
    returning: str | None


@dataclass(frozen=True, slots=True)
class Delete:
    """A DELETE."""

    target: Reference
    where: Node | None
    returning: str | None


@dataclass(frozen=True, slots=True)
class Exists:
    """An EXISTS of a SELECT."""

    select: Select


ParsedStatement: TypeAlias = Select | Insert | Update | Delete | Exists
