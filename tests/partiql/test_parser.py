"""The grammar of statements."""

import pytest

from sortkey.partiql.faults import TokenPlace
from sortkey.partiql.parser import parse_statement
from sortkey.partiql.syntax import (
    ComparisonNode,
    DeleteNode,
    ExistsNode,
    InsertNode,
    LogicNode,
    NegationNode,
    ReferenceNode,
    ScalarNode,
    SelectNode,
    StructNode,
    UpdateNode,
)
from sortkey.wire.errors import ValidationException


def where(text: str) -> object:
    statement = parse_statement(f"SELECT * FROM t WHERE {text}").statement
    assert isinstance(statement, SelectNode)
    return statement.where


def malformed(text: str) -> str:
    with pytest.raises(ValidationException) as raised:
        parse_statement(text)
    prefix = "Statement wasn't well formed, can't be processed: "
    assert raised.value.message.startswith(prefix)
    return raised.value.message.removeprefix(prefix)


def refused(text: str) -> str:
    with pytest.raises(ValidationException) as raised:
        parse_statement(text)
    return raised.value.message


def test_every_statement_has_its_node() -> None:
    kinds = {
        "SELECT * FROM t": SelectNode,
        "insert into t value {'a': 1}": InsertNode,
        "UPDATE t SET a = 1 REMOVE b SET c = 2 WHERE a = 1 RETURNING ALL OLD *": UpdateNode,
        "DELETE FROM t WHERE a = 1;": DeleteNode,
        "EXISTS(SELECT * FROM t WHERE a = 1)": ExistsNode,
    }

    assert {text: type(parse_statement(text).statement) for text in kinds} == kinds


def test_and_binds_more_tightly_than_or_and_not_more_loosely_than_a_comparison() -> None:
    node = where("a = 1 OR NOT b = 2 AND c = 3")

    assert isinstance(node, LogicNode)
    assert node.op == "OR"
    second = node.operands[1]
    assert isinstance(second, LogicNode)
    assert isinstance(second.operands[0], NegationNode)
    assert isinstance(second.operands[0].operand, ComparisonNode)


def test_a_row_of_ands_is_one_node() -> None:
    node = where(" AND ".join(["a = 1"] * 500))

    assert isinstance(node, LogicNode)
    assert len(node.operands) == 500


def test_a_row_of_nots_is_one_node() -> None:
    node = where("NOT " * 2000 + "a = 1")

    assert isinstance(node, NegationNode)
    assert node.count == 2000


def test_a_sign_belongs_to_the_number() -> None:
    node = where("a = - -5")

    assert isinstance(node, ComparisonNode)
    assert node.right == ScalarNode({"N": "5"}, "5", TokenPlace(1, 30, 1))


def test_paths_have_names_and_indexes_in_brackets_or_after_dots() -> None:
    statement = parse_statement("""SELECT a."b c"[0]['d'] FROM t""").statement

    assert isinstance(statement, SelectNode)
    assert statement.columns is not None
    assert isinstance(statement.columns[0], ReferenceNode)
    assert statement.columns[0].parts == ("a", "b c", 0, "d")


def test_parameters_are_numbered_in_the_order_of_the_text() -> None:
    parsed = parse_statement("INSERT INTO t VALUE {'a': ?, 'b': ?}")

    assert parsed.parameters == 2
    assert isinstance(parsed.statement, InsertNode)
    assert isinstance(parsed.statement.value, StructNode)
    numbers = [getattr(value, "number", None) for _, value in parsed.statement.value.entries]
    assert numbers == [0, 1]


MALFORMED = {
    " ": "Unexpected term",
    "SLECT * FROM t": "Expected data manipulation",
    "UPDATE Payment-x SET a = 1": "Expected data manipulation",
    "VALUES (1)": "Unexpected keyword",
    "SELECT": "Unexpected term",
    "SELECT FROM t": "Expected data manipulation",
    "SELECT a": "Expected FROM after SELECT list",
    "SELECT a, FROM t": "Expected data manipulation",
    "SELECT *, a FROM t": (
        "Other expressions may not be present in the select list when '*' is used without dot "
        "notation."
    ),
    "SELECT a[*] FROM t": "Invalid use of * in select list",
    "SELECT * FROM t WHERE": "Unexpected term",
    "SELECT * FROM t WHERE a =": "Missing right-hand side expression of infix operator",
    "SELECT * FROM t WHERE a = 1 AND": "Missing right-hand side expression of infix operator",
    "SELECT * FROM t WHERE a == 1": "Unexpected operator",
    "SELECT * FROM t WHERE order = 1": "Unexpected keyword",
    "SELECT * FROM t WHERE m.value = 1": "Invalid path dot component",
    "SELECT * FROM t WHERE (a = 1": "Expected RIGHT_PAREN",
    "SELECT * FROM t WHERE ()": "Expression group cannot be empty",
    "SELECT * FROM t WHERE a[0 = 1": "Expected RIGHT_BRACKET",
    "SELECT * FROM t WHERE a = <<1": "Expected RIGHT_DOUBLE_ANGLE_BRACKET",
    "SELECT * FROM t WHERE a IS": "Expected type name",
    "SELECT * FROM t WHERE a BETWEEN 1": "Expected AND keyword",
    "SELECT * FROM t WHERE a BETWEEN 1 AND": "Expected expression after AND",
    "SELECT * FROM t WHERE contains(*)": "contains(*) is not allowed",
    "SELECT * FROM t WHERE @1": "Identifier must follow @-operator",
    "SELECT * FROM t WHERE a = 1)": "Unexpected token after expression",
    "SELECT * FROM t; SELECT * FROM t": (
        "Unexpected token after semicolon. (Only one query is allowed.)"
    ),
    "INSERT t VALUE {}": "Unexpected keyword",
    "INSERT INTO 't' VALUE {}": "Expected identifier for simple path",
    "INSERT INTO t (key) VALUES (1)": "Unexpected keyword",
    "INSERT INTO t VALUES {}": "Expected LEFT_PAREN for row value constructor",
    "INSERT INTO t VALUE {'a'}": "Expected COLON",
    "INSERT INTO t VALUE {'a': 1": "Expected RIGHT_CURLY",
    "UPDATE t": "Expected data manipulation",
    "UPDATE t SET a": "Expected '='",
    "UPDATE t SET a.* = 1": "Invalid path dot component for simple path",
    "UPDATE t SET a[1 + 1] = 1": "Invalid path component for simple path",
    "UPDATE t REMOVE a, b WHERE c = 1": "Unexpected token after expression",
    "UPDATE t SET a = 1 RETURNING *": (
        "Expected ( MODIFIED | ALL ) ( NEW | OLD ) in each returning element."
    ),
    "DELETE t": "Expected FROM after DELETE",
    "CREATE VIEW t": "Unexpected token following CREATE",
    "SELECT * FROM t JOIN u": "Expected 'ON'",
}


@pytest.mark.parametrize("text", MALFORMED)
def test_a_fault_of_the_grammar_has_the_grammars_words(text: str) -> None:
    assert malformed(text) == MALFORMED[text]


REFUSED = {
    "CREATE TABLE t": "Unsupported operation: CreateTable",
    "SELECT a AS b FROM t": "Aliasing is not supported",
    "SELECT s.a FROM t s": "Aliasing is not supported",
    "SELECT a.* FROM t": "Changing item's hierarchy while reading isn't supported",
    "SELECT DISTINCT a FROM t": "Unsupported token in expression: DISTINCT",
    "SELECT VALUE a FROM t": "Select projection doesn't support value or pivot keywords",
    "SELECT * FROM t, u": "Only select from a single table or index is supported.",
    "SELECT * FROM t JOIN u ON a = b": "Only select from a single table or index is supported.",
    "SELECT * FROM 't'": "Unexpected from source",
    "SELECT * FROM t WHERE a = 1 GROUP BY a": "Unsupported clause: GROUP BY",
    "SELECT * FROM t HAVING a = 1": "Unsupported clause: HAVING",
    "SELECT * FROM t WHERE a = 1 LIMIT 2": "Unsupported clause: LIMIT at 1:35:1",
    "INSERT INTO t {'a': 1}": "Unsupported operation: InsertOp",
    "INSERT INTO t VALUE {} AT 1": "AT is not supported in insert statements. at 1:1:6",
    "INSERT INTO t VALUE {} RETURNING ALL OLD *": "RETURNING is not supported in INSERT",
    "DELETE FROM t WHERE a = 1 RETURNING ALL NEW *": (
        "Invalid returning clause: RETURNING ALL NEW *. "
        "Only RETURNING ALL OLD * is allowed in DELETE statements."
    ),
    "UPDATE t SET a = 1 RETURNING ALL OLD a": (
        "Expected '*' after ( MODIFIED | ALL ) ( NEW | OLD ) in RETURNING clause"
    ),
    "UPDATE t SET a = 1 RETURNING ALL OLD *, ALL NEW *": (
        "Invalid syntax with multiple returning elements in RETURNING clause"
    ),
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_dynamodb_does_not_support_is_refused(text: str) -> None:
    assert refused(text) == REFUSED[text]


def test_a_fault_of_the_grammar_goes_before_what_is_not_supported() -> None:
    assert malformed("SELECT a AS b FROM t WHERE") == "Unexpected term"


@pytest.mark.parametrize("opening", ["(", "[", "<<", "{'a':", "a[", "f(", "NOT (", "- ("])
def test_a_statement_is_not_read_deeper_than_the_stack_allows(opening: str) -> None:
    many = 8000 // len(opening)

    assert malformed("SELECT * FROM t WHERE " + opening * many).endswith("nested too deeply")


def test_a_value_may_be_as_deep_as_an_item_may_be() -> None:
    assert where("a = " + "[" * 32 + "]" * 32) is not None


def test_few_long_statements_are_kept() -> None:
    def is_kept(length: int) -> bool:
        texts = [f"SELECT a{n:<{length}} FROM t" for n in range(100)]
        parsed = [parse_statement(text) for text in texts]
        return parse_statement(texts[0]) is parsed[0]

    assert is_kept(10)
    assert not is_kept(1000)
