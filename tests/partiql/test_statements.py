"""The meaning of statements: the trees that expressions have too."""

import inspect
import sys
from typing import Any

import pytest

from sortkey.expressions.tree import (
    Add,
    And,
    AttributeNotExists,
    AttributeType,
    BeginsWith,
    Between,
    Compare,
    Delete,
    In,
    ListAppend,
    Not,
    Or,
    Path,
    Plus,
    Remove,
    Set,
    Size,
    Value,
)
from sortkey.partiql.projection import flat_name
from sortkey.partiql.statements import (
    Alteration,
    Deletion,
    Existence,
    Insertion,
    Ordering,
    Selection,
    read_statement,
)
from sortkey.wire.errors import ValidationException

A, B = Path(("a",)), Path(("b",))
ONE, TWO = Value({"N": "1"}), Value({"N": "2"})


def where(text: str, *parameters: Any) -> object:
    statement = read_statement(f"SELECT * FROM tab WHERE {text}", parameters)
    assert isinstance(statement, Selection)
    return statement.where


def update(text: str, *parameters: Any) -> object:
    statement = read_statement(f"UPDATE tab {text}", parameters)
    assert isinstance(statement, Alteration)
    return statement.update.actions


def refused(text: str, *parameters: Any) -> str:
    with pytest.raises(ValidationException) as raised:
        read_statement(text, parameters)
    return raised.value.message


CONDITIONS = {
    "a = 1": Compare("=", A, ONE),
    "1 != a": Compare("<>", ONE, A),
    "a >= ?": Compare(">=", A, ONE),
    "a BETWEEN 1 AND 2": Between(A, ONE, TWO),
    "a NOT BETWEEN 1 AND 2": Not(Between(A, ONE, TWO)),
    "a IN (1)": In(A, (ONE,)),
    "a IN [1, 2]": In(A, (ONE, TWO)),
    "a NOT IN <<1, 2>>": Not(In(A, (ONE, TWO))),
    "a IS MISSING": AttributeNotExists(A),
    "a IS NOT MISSING": Not(AttributeNotExists(A)),
    "a IS NULL": AttributeType(A, Value({"S": "NULL"})),
    "a IS NOT NUMERIC": Not(AttributeType(A, Value({"S": "N"}))),
    "BEGINS_WITH(a, 'x')": BeginsWith(A, Value({"S": "x"})),
    "size(a) > 1": Compare(">", Size(A), ONE),
    "begins_with(a, 'x') = true": BeginsWith(A, Value({"S": "x"})),
    "begins_with(a, 'x') = false": Not(BeginsWith(A, Value({"S": "x"}))),
    "a = 1 AND (b = 2 OR NOT a = 2)": And(
        (Compare("=", A, ONE), Or((Compare("=", B, TWO), Not(Compare("=", A, TWO)))))
    ),
    "a = null": Compare("=", A, Value({"NULL": True})),
    "a = [1, 'x', {'b': true}]": Compare(
        "=", A, Value({"L": [{"N": "1"}, {"S": "x"}, {"M": {"b": {"BOOL": True}}}]})
    ),
    "a = <<'x', 'y'>>": Compare("=", A, Value({"SS": ["x", "y"]})),
    "a.b[0] = 1.0": Compare("=", Path(("a", "b", 0)), ONE),
}


@pytest.mark.parametrize("text", CONDITIONS)
def test_a_clause_states_the_condition_of_an_expression(text: str) -> None:
    assert where(text, {"N": "1"}) == CONDITIONS[text]


REFUSED_CONDITIONS = {
    "a": "WHERE clause must contain an expression that resolves to a boolean",
    "a = 1 AND b": "The arguments to AND/OR must be Expressions",
    "a = MISSING": "MISSING must be compared using IS operator",
    "a + 1 = 2": "Unsupported operator in Condition Expression. Operator: +",
    "a LIKE 'x'": "Unsupported operator in Condition Expression. Operator: like",
    "a IN ?": "IN operator must have a left hand argument of type Variable Reference and right "
    "hand argument of type Seq with at least one member",
    "foo(a)": "Unrecognized function: foo",
    "list_append(a, b)": (
        "The function is not allowed in a condition expression; function: list_append"
    ),
    "begins_with(a)": "Incorrect number of operands for operator or function; "
    "operator or function: begins_with, number of operands: 1",
    "a < true": "Incorrect operand type for operator or function; "
    "operator or function: <, operand type: BOOL",
    "a = a": "The first operand must be distinct from the remaining operands for this operator or "
    "function; operator: =, first operand: [a]",
    "a IS INT": "Unsupported data type for IS operator: INTEGER. Supported data types are "
    "[MISSING, NULL, BOOLEAN, BLOB, STRING, NUMERIC, STRUCT, TUPLE, LIST] at 1:27:2",
    "a[-1] = 1": "List index is not within the allowable range; index: [-1] at 1:28:1",
    "a[?] = 1": "Unexpected path component at 1:27:1",
    "a[*] = 1": "Wildcard path component like a[*].b are not supported at 1:27:1",
    "a.* = 1": "Unpivot path component like a.*.b are not supported at 1:27:1",
    "a = `x`": "Ion Literals are not supported: SYMBOL under key root at 1:29:3",
    "a = [b]": "Unsupported data type: VariableReference under key root.0 at 1:30:1",
    "a = {b: 1}": "Tuple keys must be of type String. Actual type: VariableReference under root "
    "at 1:30:1",
    "a = {'b': 1, 'b': 2}": "Duplicate keys in tuple. Key: b under root at 1:38:3",
    "a = <<>>": "Empty bags are not supported at 1:29:2",
    "a = <<1, 'x'>>": "Unsupported data type in Bag. DynamoDB only supports either numbers or "
    "strings in bags at 1:34:3",
    "a = <<1, 1.0>>": "Input collection contains duplicates",
    "EXISTS(SELECT * FROM tab)": "Unsupported token in expression: SELECT at 1:32:6",
    " AND ".join(["a = 1"] * 151): "The expression contains too many operators; "
    "operator count: 301",
    "NOT " * 301 + "a = 1": "The expression contains too many operators; operator count: 301",
    ".".join("a" * 33) + " = 1": "The document path has too many nesting levels; "
    "nesting levels: 33",
}


@pytest.mark.parametrize("text", REFUSED_CONDITIONS)
def test_a_clause_that_states_no_condition_is_refused(text: str) -> None:
    expected = REFUSED_CONDITIONS[text]

    assert refused(f"SELECT * FROM tab WHERE {text}", {"N": "1"}) == expected


UPDATES = {
    "SET a = 1, b = ?": (Set(A, ONE), Set(B, TWO)),
    "SET a = 1 REMOVE b": (Set(A, ONE), Remove(B)),
    "SET a = b + 1": (Set(A, Plus(B, ONE)),),
    "SET a = LIST_APPEND(a, [1])": (Set(A, ListAppend(A, Value({"L": [{"N": "1"}]}))),),
    "SET a = set_add(a, <<1>>)": (Add(A, Value({"NS": ["1"]})),),
    "SET a = SET_DELETE(a, <<'x'>>)": (Delete(A, Value({"SS": ["x"]})),),
}


@pytest.mark.parametrize("text", UPDATES)
def test_an_update_states_the_actions_of_an_expression(text: str) -> None:
    assert update(text, {"N": "2"}) == UPDATES[text]


REFUSED_UPDATES = {
    "SET a = b * 2": "Unsupported operator in Update Expression. Operator: *",
    "SET a = (b = 2)": "Unsupported operator in Update Expression. Operator: =",
    "SET a = -b": "Incorrect number of operands for operator or function; "
    "operator or function: -, number of operands: 1",
    "SET a = size(b)": "The function is not allowed in an update expression; function: size",
    "SET a = foo(b)": "Unrecognized function: foo",
    "SET a = MISSING": "MISSING must be compared using IS operator",
    "SET a = set_add(b, <<1>>)": "The first argument to SET_ADD must equal the assignment value",
    "SET a = set_add(a, 1)": (
        "The second argument to SET_ADD must be a value with type SET at 1:28:1"
    ),
    "SET a = set_delete(a)": "SET_DELETE must have exactly two arguments at 1:20:10",
    "SET a = 1, a.b = 2": "Two document paths overlap with each other; must remove or rewrite one "
    "of these paths; path one: [a, b], path two: [a]",
}


@pytest.mark.parametrize("text", REFUSED_UPDATES)
def test_an_update_that_dynamodb_does_not_know_is_refused(text: str) -> None:
    assert refused(f"UPDATE tab {text}") == REFUSED_UPDATES[text]


def test_a_projection_names_each_attribute_by_the_end_of_its_path() -> None:
    statement = read_statement("SELECT a, m.b, m.l[0][1] FROM tab", [])

    assert isinstance(statement, Selection)
    assert statement.projection is not None
    assert list(map(flat_name, statement.projection.paths)) == ["a", "b", "l[0][1]"]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("a, a", "Duplicate identifiers in select clause: a"),
        ("m.a, n.a", "Duplicate identifiers in select clause: a"),
        (
            "m, m.a",
            (
                "Two document paths overlap with each other; must remove or rewrite one of these "
                "paths; path one: [m, a], path two: [m]"
            ),
        ),
        ("COUNT(*)", "Unexpected path component at 1:8:5"),
        ("'a'", "Unexpected path component at 1:8:3"),
        ("a + 1", "Unexpected path component at 1:10:1"),
    ],
)
def test_a_projection_is_of_paths_that_differ(text: str, complaint: str) -> None:
    assert refused(f"SELECT {text} FROM tab") == complaint


def test_a_source_is_a_table_or_an_index() -> None:
    statement = read_statement('SELECT * FROM "tab"."by-a" WHERE a = 1 ORDER BY a DESC, b', [])

    assert isinstance(statement, Selection)
    assert (statement.table, statement.index) == ("tab", "by-a")
    assert statement.order == (Ordering("a", descends=True), Ordering("b", descends=False))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("SELECT * FROM tab.a.b", "A path may contain at most 2 components in the FROM clause"),
        ('SELECT * FROM tab.""', "Path component cannot be an empty string"),
        ("SELECT * FROM tab[0]", "Unexpected from source"),
        ("UPDATE tab.a SET b = 1", "This operation is not supported on an index"),
        ("DELETE FROM tab.a", "This operation is not supported on an index"),
        (
            "INSERT INTO tab.a VALUE {}",
            "FROM clause may only contain a single table name in data manipulation statements",
        ),
        (
            "INSERT INTO tab VALUE [1]",
            (
                "Unsupported format in item expression. Please use struct format {...} to express "
                "item values for insert statement. at 1:23:1"
            ),
        ),
        (
            "SELECT * FROM tab ORDER BY a",
            "Must have WHERE clause in the statement when using ORDER BY clause.",
        ),
        (
            "SELECT * FROM tab WHERE a = 1 ORDER BY b.c",
            "Argument to ORDER BY must be of type VariableReference. Type: PATH",
        ),
        (
            "SELECT * FROM tab WHERE a = 1 ORDER BY 1",
            "Argument to ORDER BY must be of type VariableReference. Type: 1",
        ),
        (
            "SELECT * FROM tab WHERE a = ?",
            "Number of parameters in request and statement don't match.",
        ),
    ],
)
def test_a_statement_that_cannot_be_carried_out_is_refused(text: str, complaint: str) -> None:
    assert refused(text) == complaint


def test_an_item_has_its_values_in_canonical_form() -> None:
    statement = read_statement("INSERT INTO tab VALUE {'a': 1.50, 'b': ?}", [{"S": "x"}])

    assert isinstance(statement, Insertion)
    assert statement.item == {"a": {"N": "1.5"}, "b": {"S": "x"}}


def test_a_clause_says_which_item_is_returned() -> None:
    deletion = read_statement("DELETE FROM tab WHERE a = 1 RETURNING ALL OLD *", [])
    alteration = read_statement("UPDATE tab SET b = 1 WHERE a = 1 RETURNING MODIFIED NEW *", [])

    assert isinstance(deletion, Deletion)
    assert isinstance(alteration, Alteration)
    assert (deletion.returning, alteration.returning) == ("ALL OLD", "MODIFIED NEW")


def test_exists_is_of_a_select() -> None:
    statement = read_statement("EXISTS(SELECT * FROM tab WHERE a = 1)", [])

    assert isinstance(statement, Existence)
    assert statement.table == "tab"


def test_more_parameters_than_are_used_do_no_harm() -> None:
    assert where("a = ?", {"N": "1"}, {"N": "2"}) == Compare("=", A, ONE)


def test_a_caller_deep_in_the_stack_gets_an_error_of_its_statement() -> None:
    text = "SELECT * FROM tab WHERE " + "(" * 70 + "a = 1" + ")" * 70

    def call(levels: int) -> str:
        return call(levels - 1) if levels else refused(text)

    used = len(inspect.stack())
    message = call(sys.getrecursionlimit() - used - 200)

    assert message.endswith("nested too deeply")
