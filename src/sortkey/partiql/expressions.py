"""Expressions read from tokens, by the precedence of their operators."""

from typing import cast

from sortkey.expressions.faults import outside_range
from sortkey.expressions.tree import Comparator
from sortkey.partiql.faults import TokenPlace, malformed, misplaced
from sortkey.partiql.lexer import StatementToken
from sortkey.partiql.reader import TokenReader
from sortkey.partiql.syntax import (
    ArithmeticNode,
    CallNode,
    ChoiceNode,
    ComparisonNode,
    IonNode,
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
    StructNode,
    TypeTestNode,
)
from sortkey.wire.errors import ValidationException
from sortkey.wire.limits import LARGEST_LIST_INDEX

_OR, _AND, _NOT, _EQUALITY, _ORDER, _SUM, _PRODUCT = range(1, 8)
_PRECEDENCE = {
    "OR": _OR,
    "AND": _AND,
    **dict.fromkeys(("=", "<>", "IS", "IN"), _EQUALITY),
    **dict.fromkeys(("<", "<=", ">", ">=", "BETWEEN", "LIKE"), _ORDER),
    **dict.fromkeys(("+", "-", "||"), _SUM),
    **dict.fromkeys(("*", "/", "%"), _PRODUCT),
}
_COMPARATORS = frozenset({"=", "<>", "<", "<=", ">", ">="})
# What may follow NOT in the middle of an expression.
_NEGATED = frozenset({"IN", "BETWEEN", "LIKE"})
_FUNCTION_WORDS = """
EXISTS COUNT AVG MAX MIN SUM SUBSTRING CHAR_LENGTH CHARACTER_LENGTH OCTET_LENGTH BIT_LENGTH
UPPER LOWER SIZE NULLIF COALESCE SEXP LIST BAG TRIM EXTRACT DATE_ADD DATE_DIFF
"""
_FUNCTIONS = frozenset(_FUNCTION_WORDS.split())
_TYPE_WORDS = """
MISSING NULL BOOLEAN BOOL SMALLINT INTEGER INT FLOAT REAL DECIMAL DEC NUMERIC TIMESTAMP
CHARACTER CHAR VARCHAR STRING SYMBOL CLOB BLOB STRUCT TUPLE LIST SEXP BAG
"""
_TYPES = frozenset(_TYPE_WORDS.split())
_TYPE_ALIASES = {
    "BOOL": "BOOLEAN",
    "INT": "INTEGER",
    "DEC": "DECIMAL",
    "CHAR": "CHARACTER",
    "VARCHAR": "CHARACTER_VARYING",
}
_OPERATORS = frozenset({"+", "-", "*", "/", "%", "=", "<>", "<", "<=", ">", ">=", "||"})
_STEPS = frozenset({".", "["})
_SIGNS = frozenset({"+", "-"})
_NOT_A_PART = "Unexpected path component"


class ExpressionReader(TokenReader):
    """A reader of the expressions in a statement."""

    def expression(self, least: int = 0) -> Node:
        """Return an expression of operators that bind more tightly than ``least``."""
        self.enter()
        left = self._unary()
        while True:
            op = self.kind
            negated = op == "NOT" and self.following_kind in _NEGATED
            if negated:
                op = self.following_kind
            precedence = _PRECEDENCE.get(op, 0)
            if precedence <= least:
                break
            if negated:
                self.take()
            joined = self._joined(op, precedence, left)
            left = NegationNode(joined, 1) if negated else joined
        self.leave()
        return left

    def _joined(self, op: str, precedence: int, left: Node) -> Node:
        """Return what an infix operator makes of the expression before it and what follows."""
        token = self.take()
        match op:
            case "AND" | "OR":
                return self._logic(op, precedence, left)
            case "IS":
                return self._type_test(left, token.place)
            case "IN":
                return ChoiceNode(left, self._choices(precedence))
            case "BETWEEN":
                low = self._right_side(precedence)
                self.expect("AND")
                if self.kind == "end":
                    raise malformed("Expected expression after AND")
                return RangeNode(left, low, self.expression(precedence))
            case _ if op in _COMPARATORS:
                return ComparisonNode(cast("Comparator", op), left, self._right_side(precedence))
            case _:
                right = self._right_side(precedence)
                return ArithmeticNode(op.lower(), (left, right), token.place)

    def _logic(self, op: str, precedence: int, left: Node) -> LogicNode:
        """Return all operands of a row of ANDs, or of ORs, side by side."""
        operands = [left, self._right_side(precedence)]
        while self.passes(op):
            operands.append(self._right_side(precedence))
        return LogicNode("AND" if op == "AND" else "OR", tuple(operands))

    def _right_side(self, precedence: int) -> Node:
        if self.kind == "end":
            raise malformed("Missing right-hand side expression of infix operator")
        return self.expression(precedence)

    def _type_test(self, operand: Node, place: TokenPlace) -> Node:
        negated = self.passes("NOT")
        if self.kind not in _TYPES:
            raise malformed("Expected type name")
        name = self.take().kind
        test = TypeTestNode(operand, _TYPE_ALIASES.get(name, name), place)
        return NegationNode(test, 1) if negated else test

    def _choices(self, precedence: int) -> Node:
        # Parentheses around one choice make a list of it.
        if self.kind == "(" and self.following_kind != "SELECT":
            place = self.take().place
            return SeriesNode(self._elements(")"), is_bag=False, place=place)
        return self._right_side(precedence)

    def _unary(self) -> Node:
        if self.kind == "NOT":
            count = 0
            while self.passes("NOT"):
                count += 1
            return NegationNode(self.expression(_NOT), count)
        if self.kind not in _SIGNS:
            return self._path(self._term())
        signs: list[StatementToken] = []
        while self.kind in _SIGNS:
            signs.append(self.take())
        node = self._path(self._term())
        for sign in reversed(signs):
            node = _signed(sign.kind, node, sign.place)
        return node

    def _term(self) -> Node:
        kind, place = self.kind, self.place
        match kind:
            case "word" | "quoted":
                return self._name()
            case "string":
                text = self.take().text
                return ScalarNode({"S": text}, text, place)
            case "number":
                text = self.take().text
                return ScalarNode({"N": text}, text, place)
            case "TRUE" | "FALSE":
                return ScalarNode({"BOOL": kind == "TRUE"}, self.take().text, place)
            case "NULL":
                return ScalarNode({"NULL": True}, self.take().text, place)
            case "MISSING":
                self.take()
                return MissingNode(place)
            case "ion":
                self.take()
                return IonNode(place)
            case "?":
                self.take()
                self.parameters += 1
                return ParameterNode(self.parameters - 1, place)
            case "@":
                self.take()
                if self.kind not in {"word", "quoted"}:
                    raise malformed("Identifier must follow @-operator")
                return self._name()
            case "[" | "<<" | "(" | "{":
                return self._collection()
            case "SELECT":
                return self.select()
            case _ if kind in _FUNCTIONS and self.following_kind == "(":
                return self._name()
            case _:
                raise self._unexpected()

    def select(self) -> SelectNode:
        """Return a SELECT, which may stand within an expression."""
        raise NotImplementedError

    def _unexpected(self) -> ValidationException:
        if self.kind in {"CASE", "CAST", "DATE", "TIME"}:
            return misplaced(f"Unsupported token in expression: {self.kind}", self.place)
        if self.kind == "FROM":
            return malformed("Expected data manipulation")
        if self.next_is_keyword:
            return malformed("Unexpected keyword")
        if self.kind in _OPERATORS:
            return malformed("Unexpected operator")
        return malformed("Unexpected term")

    def _name(self) -> Node:
        token = self.take()
        if self.kind != "(":
            return ReferenceNode((token.text,), token.place, _empty_name(token.text))
        self.take()
        if self.passes("*"):
            if token.kind != "COUNT":
                raise malformed(f"{token.text.lower()}(*) is not allowed")
            self.expect(")")
            return CallNode("count", (), token.place)
        return CallNode(token.text.lower(), self._elements(")"), token.place)

    def _collection(self) -> Node:
        token = self.take()
        match token.kind:
            case "[":
                return SeriesNode(self._elements("]"), is_bag=False, place=token.place)
            case "<<":
                return SeriesNode(self._elements(">>"), is_bag=True, place=token.place)
            case "{":
                return StructNode(self._entries(), token.place)
            case _:
                elements = self._elements(")")
                if not elements:
                    raise malformed("Expression group cannot be empty")
                if len(elements) == 1:
                    return elements[0]
                return SeriesNode(elements, is_bag=False, place=token.place)

    def _elements(self, closing: str) -> tuple[Node, ...]:
        """Return expressions with commas between them, up to the closing sign."""
        if self.passes(closing):
            return ()
        elements = [self.expression()]
        while self.passes(","):
            elements.append(self.expression())
        self.expect(closing)
        return tuple(elements)

    def _entries(self) -> tuple[tuple[Node, Node], ...]:
        entries: list[tuple[Node, Node]] = []
        if self.passes("}"):
            return ()
        while True:
            name = self.expression()
            self.expect(":")
            entries.append((name, self.expression()))
            if not self.passes(","):
                break
        self.expect("}")
        return tuple(entries)

    # -- paths --------------------------------------------------------------------------------

    def path(self) -> ReferenceNode:
        """Return a path whose steps are names and literals."""
        if self.kind not in {"word", "quoted"}:
            raise malformed("Expected identifier for simple path")
        token = self.take()
        name = ReferenceNode((token.text,), token.place, _empty_name(token.text))
        return cast("ReferenceNode", self._path(name, simple=True))

    def _path(self, term: Node, *, simple: bool = False) -> Node:
        """Return a term with the steps that follow it."""
        if self.kind not in _STEPS:
            return term
        place = place_of(term)
        parts: list[str | int] = []
        fault: str | None = f"{_NOT_A_PART} at {place}"
        if isinstance(term, ReferenceNode):
            parts, fault = list(term.parts), term.fault
        while self.kind in _STEPS:
            part, wrong = self._dot(simple) if self.passes(".") else self._bracket(simple)
            parts.append(part)
            fault = fault or wrong
        return ReferenceNode(tuple(parts), place, fault)

    def _dot(self, simple: bool) -> tuple[str | int, str | None]:
        token = self.take()
        if token.kind in {"word", "quoted"}:
            return token.text, _empty_name(token.text)
        if token.kind != "*":
            raise malformed("Invalid path dot component")
        if simple:
            raise malformed("Invalid path dot component for simple path")
        return "*", f"Unpivot path component like a.*.b are not supported at {token.place}"

    def _bracket(self, simple: bool) -> tuple[str | int, str | None]:
        self.take()
        if self.kind == "*":
            place = self.take().place
            self.expect("]")
            return "*", f"Wildcard path component like a[*].b are not supported at {place}"
        step = self.expression()
        self.expect("]")
        if isinstance(step, ScalarNode):
            return _index(step)
        if simple and not isinstance(step, ReferenceNode):
            raise malformed("Invalid path component for simple path")
        return "?", f"{_NOT_A_PART} at {place_of(step)}"


def _index(step: ScalarNode) -> tuple[str | int, str | None]:
    """Return the part that a literal in brackets is, and what is wrong with it."""
    if "S" in step.value:
        return step.value["S"], _empty_name(step.value["S"])
    number = step.value.get("N")
    if number is None or not number.lstrip("-").isdigit():
        return "?", f"{_NOT_A_PART} at {step.place}"
    # The text is looked at before it is converted: it may be thousands of digits long.
    if len(number) > len(str(LARGEST_LIST_INDEX)) or not 0 <= int(number) <= LARGEST_LIST_INDEX:
        return "?", f"{outside_range(number)} at {step.place}"
    return int(number), None


def _empty_name(name: str) -> str | None:
    return None if name else "Path component cannot be an empty string"


def _signed(sign: str, node: Node, place: TokenPlace) -> Node:
    """Return a number with its sign, or the operator and its operand."""
    if isinstance(node, ScalarNode) and "N" in node.value:
        text = node.value["N"]
        if sign == "-":
            text = text[1:] if text.startswith("-") else f"-{text}"
        return ScalarNode({"N": text}, text, node.place)
    return ArithmeticNode(sign, (node,), place)


def place_of(node: Node) -> TokenPlace:
    """Return the place that faults of a node name."""
    match node:
        case NegationNode():
            return place_of(node.operand)
        case LogicNode():
            return place_of(node.operands[0])
        case ComparisonNode():
            return place_of(node.left)
        case RangeNode() | ChoiceNode():
            return place_of(node.operand)
        case _:
            return node.place
