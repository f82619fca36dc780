"""The grammar of statements: text in, nodes out.

DynamoDB uses the grammar of the PartiQL language, of which it then refuses the greater part. So
this grammar reads more than DynamoDB does, and notes what is refused: a syntax error further on
in the text goes before it.
"""

from dataclasses import dataclass
from functools import lru_cache

from sortkey.partiql.expressions import ExpressionReader, place_of
from sortkey.partiql.faults import malformed, misplaced
from sortkey.partiql.syntax import (
    AssignmentNode,
    DeleteNode,
    ExistsNode,
    InsertNode,
    Node,
    OrderingNode,
    ParsedStatement,
    ReferenceNode,
    SelectNode,
    UpdateNode,
)
from sortkey.wire.errors import ValidationException

_UNSUPPORTED = {
    ("CREATE", "TABLE"): "CreateTable",
    ("CREATE", "INDEX"): "CreateIndex",
    ("DROP", "TABLE"): "DropTable",
    ("DROP", "INDEX"): "DropIndex",
}
# The characters of a short statement. The nodes of a text take up to a hundred times its length.
_SHORT = 1000
_JOINS = frozenset({",", "JOIN", "CROSS", "INNER", "LEFT", "RIGHT", "FULL", "OUTER"})


@dataclass(frozen=True, slots=True)
class ParsedText:
    """A statement with open parameters, and their number."""

    statement: ParsedStatement
    parameters: int


def parse_statement(text: str) -> ParsedText:
    """Return the statement in the text; of the same text, one that was read before."""
    return (_read_short if len(text) <= _SHORT else _read_long)(text)


def _read(text: str) -> ParsedText:
    reader = _GrammarReader(text)
    statement = reader.statement()
    reader.finish()
    return ParsedText(statement, reader.parameters)


_read_short = lru_cache(maxsize=1024)(_read)
_read_long = lru_cache(maxsize=64)(_read)


class _GrammarReader(ExpressionReader):
    def statement(self) -> ParsedStatement:
        match self.kind:
            case "SELECT":
                return self.select()
            case "INSERT":
                return self._insert()
            case "UPDATE":
                return self._update()
            case "DELETE":
                return self._delete()
            case "EXISTS" if self.following_kind == "(":
                return self._exists()
            case "CREATE" | "DROP":
                raise self._definition()
            case _ if self.next_is_keyword:
                raise malformed("Unexpected keyword")
            case "end":
                raise malformed("Unexpected term")
            case _:
                raise malformed("Expected data manipulation")

    def _definition(self) -> ValidationException:
        verb = self.take().kind
        operation = _UNSUPPORTED.get((verb, self.kind))
        if operation is None:
            return malformed(f"Unexpected token following {verb}")
        return ValidationException(f"Unsupported operation: {operation}")

    # -- SELECT -------------------------------------------------------------------------------

    def select(self) -> SelectNode:
        """Return a SELECT."""
        place = self.take().place
        if self.passes("DISTINCT"):
            self.note(ValidationException("Unsupported token in expression: DISTINCT"))
        self.passes("ALL")
        if self.kind == "VALUE" and self.following_kind != "FROM":
            self.take()
            self.note(
                ValidationException("Select projection doesn't support value or pivot keywords")
            )
        columns = self._columns()
        if not self.passes("FROM"):
            raise malformed("Expected FROM after SELECT list")
        source = self._source()
        where = self._where()
        self._refuse_grouping()
        order = self._order()
        if self.passes("LIMIT"):
            limit = self.expression()
            self.note(misplaced("Unsupported clause: LIMIT", place_of(limit)))
        return SelectNode(columns, source, where, order, place)

    def _columns(self) -> tuple[Node, ...] | None:
        if self.passes("*"):
            if self.kind == ",":
                raise malformed(
                    "Other expressions may not be present in the select list when '*' is used "
                    "without dot notation."
                )
            return None
        columns = [self._column()]
        while self.passes(","):
            columns.append(self._column())
        return tuple(columns)

    def _column(self) -> Node:
        column = self.expression()
        if isinstance(column, ReferenceNode) and "*" in column.parts:
            if column.parts[-1] != "*" or "Wildcard" in (column.fault or ""):
                raise malformed("Invalid use of * in select list")
            self.note(
                ValidationException("Changing item's hierarchy while reading isn't supported")
            )
        self._refuse_alias()
        return column

    def _source(self) -> ReferenceNode:
        source = self.expression()
        self._refuse_alias()
        if self.kind in _JOINS:
            self._pass_joins()
            self.note(ValidationException("Only select from a single table or index is supported."))
        if isinstance(source, ReferenceNode):
            return source
        self.note(ValidationException("Unexpected from source"))
        return ReferenceNode(("?",), place_of(source))

    def _pass_joins(self) -> None:
        while self.kind in _JOINS:
            is_cross = False
            if not self.passes(","):
                while self.kind in _JOINS - {"JOIN", ","}:
                    is_cross |= self.take().kind == "CROSS"
                self.expect("JOIN")
                self.expression()
                self._refuse_alias()
                if not is_cross and not self.passes("ON"):
                    raise malformed("Expected 'ON'")
            self.expression()
            self._refuse_alias()

    def _refuse_alias(self) -> None:
        if self.passes("AS"):
            if self.kind not in {"word", "quoted"}:
                raise malformed("Expected identifier for AS-alias")
        elif self.kind not in {"word", "quoted"}:
            return
        self.take()
        self.note(ValidationException("Aliasing is not supported"))

    def _where(self) -> Node | None:
        return self.expression() if self.passes("WHERE") else None

    def _refuse_grouping(self) -> None:
        if self.passes("GROUP"):
            self.passes("PARTIAL")
            self.expect("BY")
            self.expression()
            while self.passes(","):
                self.expression()
            self.note(ValidationException("Unsupported clause: GROUP BY"))
        if self.passes("HAVING"):
            self.expression()
            self.note(ValidationException("Unsupported clause: HAVING"))

    def _order(self) -> tuple[OrderingNode, ...]:
        if not self.passes("ORDER"):
            return ()
        self.expect("BY")
        order = [self._ordering()]
        while self.passes(","):
            order.append(self._ordering())
        return tuple(order)

    def _ordering(self) -> OrderingNode:
        key = self.expression()
        descends = self.passes("DESC")
        if not descends:
            self.passes("ASC")
        return OrderingNode(key, descends)

    def _exists(self) -> ExistsNode:
        self.take()
        self.take()
        if self.kind != "SELECT":
            raise ValidationException("Unsupported operation in transaction.")
        select = self.select()
        self.expect(")")
        return ExistsNode(select)

    # -- INSERT, UPDATE and DELETE ------------------------------------------------------------

    def _insert(self) -> InsertNode:
        place = self.take().place
        if not self.passes("INTO"):
            raise malformed("Unexpected keyword")
        target = self.path()
        if not self.passes("VALUE"):
            if self.kind == "VALUES":
                raise malformed("Expected LEFT_PAREN for row value constructor")
            self.expression()
            self.note(ValidationException("Unsupported operation: InsertOp"))
            return InsertNode(target, target)
        value = self.expression()
        if self.passes("AT"):
            self.expression()
            self.note(misplaced("AT is not supported in insert statements.", place))
        if self._returning() is not None:
            self.note(ValidationException("RETURNING is not supported in INSERT"))
        return InsertNode(target, value)

    def _update(self) -> UpdateNode:
        self.take()
        target = self.path()
        self._refuse_alias()
        if self.kind not in {"SET", "REMOVE"}:
            raise malformed("Expected data manipulation")
        assignments: list[AssignmentNode] = []
        while self.kind in {"SET", "REMOVE"}:
            if self.passes("REMOVE"):
                assignments.append(AssignmentNode(self.path(), None))
                continue
            self.take()
            assignments.append(self._assignment())
            while self.passes(","):
                assignments.append(self._assignment())
        where = self._where()
        return UpdateNode(target, tuple(assignments), where, self._returning())

    def _assignment(self) -> AssignmentNode:
        target = self.path()
        if not self.passes("="):
            raise malformed("Expected '='")
        return AssignmentNode(target, self.expression())

    def _delete(self) -> DeleteNode:
        self.take()
        if not self.passes("FROM"):
            raise malformed("Expected FROM after DELETE")
        target = self.path()
        self._refuse_alias()
        where = self._where()
        returning = self._returning()
        if returning not in {None, "ALL OLD"}:
            self.note(
                ValidationException(
                    f"Invalid returning clause: RETURNING {returning} *. "
                    "Only RETURNING ALL OLD * is allowed in DELETE statements."
                )
            )
        return DeleteNode(target, where, returning)

    def _returning(self) -> str | None:
        """Return which item a RETURNING clause names: ALL OLD, MODIFIED NEW and so on."""
        if not self.passes("RETURNING"):
            return None
        named = self._returned()
        while self.passes(","):
            self._returned()
            self.note(
                ValidationException(
                    "Invalid syntax with multiple returning elements in RETURNING clause"
                )
            )
        return named

    def _returned(self) -> str:
        words = [self.take().kind, self.take().kind]
        if words[0] not in {"ALL", "MODIFIED"} or words[1] not in {"OLD", "NEW"}:
            raise malformed("Expected ( MODIFIED | ALL ) ( NEW | OLD ) in each returning element.")
        if not self.passes("*"):
            self.expression()
            self.note(
                ValidationException(
                    "Expected '*' after ( MODIFIED | ALL ) ( NEW | OLD ) in RETURNING clause"
                )
            )
        return " ".join(words)
