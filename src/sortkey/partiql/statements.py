"""Statements with their parameters filled in: what to read or to write, in which table.

Nothing here knows the tables. Which conditions are on keys, and whether a statement fits its
table, is for the database to decide.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from sortkey.expressions import tree
from sortkey.expressions.faults import ExpressionError
from sortkey.partiql import syntax
from sortkey.partiql.conditions import ConditionReader
from sortkey.partiql.expressions import place_of
from sortkey.partiql.faults import malformed, misplaced
from sortkey.partiql.parser import parse_statement
from sortkey.partiql.projection import FlatProjection, flat_projection
from sortkey.partiql.reader import TOO_DEEP
from sortkey.partiql.updates import UpdateReader
from sortkey.partiql.values import members
from sortkey.wire.errors import ValidationException
from sortkey.wire.values import AttributeValue, Item, read_item

Returning: TypeAlias = Literal["ALL OLD", "ALL NEW", "MODIFIED OLD", "MODIFIED NEW"]

_ONE_TABLE = "FROM clause may only contain a single table name in data manipulation statements"


@dataclass(frozen=True, slots=True)
class Ordering:
    """An attribute to order by."""

    name: str
    descends: bool


@dataclass(frozen=True, slots=True)
class Selection:
    """A SELECT: without a projection it returns whole items."""

    table: str
    index: str | None
    projection: FlatProjection | None
    where: tree.Condition | None
    order: tuple[Ordering, ...]


@dataclass(frozen=True, slots=True)
class Insertion:
    """An INSERT of an item."""

    table: str
    item: Item
    size: int


@dataclass(frozen=True, slots=True)
class Alteration:
    """An UPDATE of the item that a condition names."""

    table: str
    update: tree.Update
    where: tree.Condition | None
    returning: Returning | None


@dataclass(frozen=True, slots=True)
class Deletion:
    """A DELETE of the item that a condition names."""

    table: str
    where: tree.Condition | None
    returning: Returning | None


@dataclass(frozen=True, slots=True)
class Existence:
    """An EXISTS: an item that must fulfil a condition."""

    selection: Selection

    @property
    def table(self) -> str:
        """The table of the item."""
        return self.selection.table


Statement: TypeAlias = Selection | Insertion | Alteration | Deletion | Existence


def read_statement(text: str, parameters: Sequence[AttributeValue]) -> Statement:
    """Return what a statement says, or raise DynamoDB's error."""
    try:
        parsed = parse_statement(text)
        if len(parameters) < parsed.parameters:
            raise ValidationException("Number of parameters in request and statement don't match.")
        return _StatementReader(parameters).read(parsed.statement)
    except ExpressionError as fault:
        raise ValidationException(str(fault)) from None
    except RecursionError:
        # The caller has used more of the stack than most do.
        raise malformed(TOO_DEEP) from None


class _StatementReader:
    def __init__(self, parameters: Sequence[AttributeValue]) -> None:
        self._parameters = parameters
        self._conditions = ConditionReader(parameters)

    def read(self, statement: syntax.ParsedStatement) -> Statement:
        match statement:
            case syntax.SelectNode():
                return self._selection(statement)
            case syntax.InsertNode():
                return self._insertion(statement)
            case syntax.UpdateNode():
                return Alteration(
                    _table(statement.target),
                    UpdateReader(self._parameters).update(statement.assignments),
                    self._where(statement.where),
                    _returning(statement.returning),
                )
            case syntax.DeleteNode():
                return Deletion(
                    _table(statement.target),
                    self._where(statement.where),
                    _returning(statement.returning),
                )
            case syntax.ExistsNode():
                return Existence(self._selection(statement.select))

    def _where(self, where: syntax.Node | None) -> tree.Condition | None:
        return None if where is None else self._conditions.condition(where)

    def _selection(self, select: syntax.SelectNode) -> Selection:
        table, index = _source(select.source)
        projection = None
        if select.columns is not None:
            projection = flat_projection([self._column(each) for each in select.columns])
        where = self._where(select.where)
        if select.order and where is None:
            raise ValidationException(
                "Must have WHERE clause in the statement when using ORDER BY clause."
            )
        return Selection(table, index, projection, where, tuple(map(_ordering, select.order)))

    def _column(self, node: syntax.Node) -> tree.Path:
        if not isinstance(node, syntax.ReferenceNode):
            raise misplaced("Unexpected path component", place_of(node))
        return self._conditions.path(node)

    def _insertion(self, insert: syntax.InsertNode) -> Insertion:
        parts = _parts(insert.target)
        if len(parts) > 1:
            raise ValidationException(_ONE_TABLE)
        if not isinstance(insert.value, syntax.StructNode):
            raise misplaced(
                "Unsupported format in item expression. Please use struct format {...} to express "
                "item values for insert statement.",
                place_of(insert.value),
            )
        item = {name: self._conditions.value(node) for name, node in members(insert.value)}
        return Insertion(parts[0], *read_item(item))


def _parts(reference: syntax.ReferenceNode) -> list[str]:
    """Return the names in a FROM clause."""
    if reference.fault is not None:
        raise ValidationException(reference.fault)
    if not all(isinstance(part, str) for part in reference.parts):
        raise ValidationException("Unexpected from source")
    return [str(part) for part in reference.parts]


def _source(reference: syntax.ReferenceNode) -> tuple[str, str | None]:
    """Return the table and the index that a FROM clause names."""
    match _parts(reference):
        case [table]:
            return table, None
        case [table, index]:
            return table, index
        case _:
            raise ValidationException("A path may contain at most 2 components in the FROM clause")


def _table(reference: syntax.ReferenceNode) -> str:
    """Return the table that an UPDATE or a DELETE names."""
    table, index = _source(reference)
    if index is not None:
        raise ValidationException("This operation is not supported on an index")
    return table


def _ordering(ordering: syntax.OrderingNode) -> Ordering:
    key = ordering.key
    if isinstance(key, syntax.ReferenceNode) and key.fault is None and len(key.parts) == 1:
        return Ordering(str(key.parts[0]), ordering.descends)
    shown = key.text if isinstance(key, syntax.ScalarNode) else "PATH"
    raise ValidationException(
        f"Argument to ORDER BY must be of type VariableReference. Type: {shown}"
    )


def _returning(words: str | None) -> Returning | None:
    match words:
        case "ALL OLD" | "ALL NEW" | "MODIFIED OLD" | "MODIFIED NEW":
            return words
        case _:
            return None
