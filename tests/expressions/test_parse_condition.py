"""Conditions read from text, and what DynamoDB says about those it cannot read."""

from typing import Any

import pytest

from sortkey.expressions.placeholders import Placeholders
from sortkey.expressions.tree import (
    And,
    AttributeExists,
    Between,
    Compare,
    Condition,
    In,
    Not,
    Or,
    Path,
    Size,
    Value,
)
from sortkey.wire.errors import ValidationException

NAMES = {"#a": "a", "#n": "n"}
VALUES = {":v": {"N": "1"}, ":w": {"N": "2"}, ":s": {"S": "x"}}
A, B, C = (Path((name,)) for name in "abc")
V, W = Value({"N": "1"}), Value({"N": "2"})


def read(text: str, names: Any = NAMES, values: Any = VALUES) -> Condition:
    return Placeholders(names, values).condition(text, "FilterExpression")


def refusal(text: str, names: Any = NAMES, values: Any = VALUES) -> str:
    with pytest.raises(ValidationException) as caught:
        read(text, names, values)
    assert caught.value.message.startswith("Invalid FilterExpression: ")
    return caught.value.message.removeprefix("Invalid FilterExpression: ")


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a = :v", Compare("=", A, V)),
        ("  #a=:v\t\r\n", Compare("=", A, V)),
        ("(a) <> (:v)", Compare("<>", A, V)),
        ("(a = :v)", Compare("=", A, V)),
        ("a.b[1].#n >= :v", Compare(">=", Path(("a", "b", 1, "n")), V)),
        ("size(a) > :v", Compare(">", Size(A), V)),
        ("(size(a)) > (size(b))", Compare(">", Size(A), Size(B))),
        ("a BeTwEeN :v aNd :w", Between(A, V, W)),
        ("(a)between(:v)and(:w)", Between(A, V, W)),
        ("a in (b, :v)", In(A, (B, V))),
        ("attribute_exists (a)", AttributeExists(A)),
        ("(attribute_exists(a))", AttributeExists(A)),
        ("NOT a = :v", Not(Compare("=", A, V))),
        ("not not (a) = :v", Not(Not(Compare("=", A, V)))),
        ("NOT (a = :v)", Not(Compare("=", A, V))),
    ],
)
def test_a_condition_is_read(text: str, tree: Condition) -> None:
    assert read(text) == tree


def equal(path: Path) -> Condition:
    return Compare("=", path, V)


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a=:v AND b=:v AND c=:v", And((equal(A), equal(B), equal(C)))),
        ("a=:v OR b=:v AND c=:v", Or((equal(A), And((equal(B), equal(C)))))),
        ("(a=:v OR b=:v) AND c=:v", And((Or((equal(A), equal(B))), equal(C)))),
        ("NOT a=:v AND b=:v", And((Not(equal(A)), equal(B)))),
        ("((a=:v) AND (b=:v))", And((equal(A), equal(B)))),
        ("a BETWEEN :v AND :w AND b=:v", And((Between(A, V, W), equal(B)))),
        ("a=:v AND (b=:v AND c=:v)", And((equal(A), And((equal(B), equal(C)))))),
        ("((a=:v) AND b=:v)", And((equal(A), equal(B)))),
    ],
)
def test_not_binds_before_and_and_and_before_or(text: str, tree: Condition) -> None:
    assert read(text) == tree


@pytest.mark.parametrize(
    ("text", "token", "near"),
    [
        ("things are not gonna be ok", "are", "things are not"),
        ("a > 4", "4", "> 4"),
        ("a != :v", "!", "a !="),
        ("a = :v AND", "<EOF>", "AND"),
        ("a", "<EOF>", "a"),
        (":v", "<EOF>", ":v"),
        ("a AND b", "AND", "a AND b"),
        ("(a=:v AND b)", ")", "b)"),
        ("a = b AND c", "<EOF>", "c"),
        ("a in ()", ")", "()"),
        ("a in b, c", "b", "in b,"),
        ("a in (b,c,)", ")", ",)"),
        ("size(a).b > a", ".", ").b"),
        ("(a.b).c = :v", ".", ").c"),
        ("a = (b)[0]", "[", ")[0"),
        ("a[01] = :v", "1", "01]"),
        ("a = ", "<EOF>", "= "),
        ("a.set = :v", "set", ".set ="),
        ("REMOVE = :v", "REMOVE", "REMOVE ="),
        ("(size(a))[0] > a", "[", ")[0"),
        ("a > :things.stuff", ".", ":things.stuff"),
        ("b[:a] > a", ":a", "[:a]"),
        ("b[4.5] > a", ".", "4.5"),
        ("_a = :v", "_", "_a"),
        ("ü > a", "ü", "ü >"),
        ("tenant:abc-x = :v", ":abc", "tenant:abc-"),
        ("a = :v)", ")", ":v)"),
        ("(a = :v", "<EOF>", ":v"),
        ("a == :v", "=", "== :v"),
    ],
)
def test_a_syntax_error_shows_the_token_between_its_neighbours(
    text: str, token: str, near: str
) -> None:
    assert refusal(text) == f'Syntax error; token: "{token}", near: "{near}"'


@pytest.mark.parametrize(
    "text",
    [
        "((a = :v))",
        "a=:v AND ((b=:v))",
        "a > ((b))",
        "((a)) > b",
        "(a)between(((b.c)).d)and(c)",
        "a > whatever((:v), ((a)))",
        "a=:v OR ((b=:v OR (a=:v OR b=:v)))",
        "((attribute_exists(a)))",
    ],
)
def test_two_parentheses_around_one_thing_are_redundant(text: str) -> None:
    assert refusal(text) == "The expression has redundant parentheses;"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("dog(a)", "Invalid function name; function: dog"),
        ("attRIbute_exIsts(a)", "Invalid function name; function: attRIbute_exIsts"),
        ("whatever(abort) > a", "Invalid function name; function: whatever"),
        ("dog(cat(a))", "Invalid function name; function: dog"),
        (
            "if_not_exists(a, b) = :v",
            "The function is not allowed in a condition expression; function: if_not_exists",
        ),
    ],
)
def test_a_function_must_be_one_for_conditions(text: str, message: str) -> None:
    assert refusal(text) == message


@pytest.mark.parametrize(
    ("text", "function"),
    [
        ("size(a)", "size"),
        ("(size(a))", "size"),
        ("a = :v OR size(a)", "size"),
        ("attribute_exists(abort) > b", "attribute_exists"),
        ("size(contains(a, b)) > a", "contains"),
        ("a between b and attribute_exists(c)", "attribute_exists"),
        ("a in (b, attribute_exists(c))", "attribute_exists"),
    ],
)
def test_a_function_must_stand_where_its_kind_is_wanted(text: str, function: str) -> None:
    assert refusal(text) == (
        f"The function is not allowed to be used this way in an expression; function: {function}"
    )


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("abort = :v and whatever(:v) > a", "Attribute name is a reserved keyword"),
        ("whatever(:v) > a and abort = :v", "Invalid function name"),
        ("size(a) and abort = :v", "The function is not allowed to be used this way"),
        ("abort = :v and size(a)", "Attribute name is a reserved keyword"),
        ("a[99999999999] = :v and dog(a)", "List index is not within the allowable range"),
    ],
)
def test_of_the_faults_that_the_text_shows_the_first_is_reported(text: str, fault: str) -> None:
    assert refusal(text).startswith(fault)


@pytest.mark.parametrize("word", ["abOrT", "views", "size"])
def test_a_reserved_word_is_refused_before_placeholders_are_looked_at(word: str) -> None:
    assert refusal(f":missing < {word}") == (
        f"Attribute name is a reserved keyword; reserved keyword: {word}"
    )


def test_a_path_has_at_most_32_levels() -> None:
    read(f"a{'.b' * 31} = :v")

    assert refusal(f"a{'.b' * 32} = :v") == (
        "The document path has too many nesting levels; nesting levels: 33"
    )


@pytest.mark.parametrize("index", ["2147483648", "99999999999999", "9" * 4000])
def test_a_list_index_is_a_32_bit_number(index: str) -> None:
    assert refusal(f"a[{index}] = :v") == (
        f"List index is not within the allowable range; index: [{index}]"
    )


def test_an_expression_is_not_empty() -> None:
    assert refusal("") == "The expression can not be empty;"


def test_an_expression_has_at_most_4_kb_in_utf_8() -> None:
    read("a" + " " * 4090 + "= :v")

    assert refusal("ü" * 2049) == (
        "Expression size has exceeded the maximum allowed size; expression size: 4098"
    )


def test_an_expression_has_at_most_300_operators() -> None:
    read(" and ".join(["a=:v"] * 150))

    assert refusal(" and ".join(["a=:v"] * 151)) == (
        "The expression contains too many operators; operator count: 301"
    )


@pytest.mark.parametrize(
    "text",
    [
        "(" * 4096,
        "f(" * 2000,
        "size(" * 800 + "a" + ")" * 70,
        "NOT " * 1000 + "a = :v",
        "(" * 2000 + "a = :v" + ")" * 2000,
        "a = " + "(" * 4000,
        "a" + "[0]" * 1360,
    ],
)
def test_deep_nesting_is_refused_and_never_exhausts_the_stack(text: str) -> None:
    with pytest.raises(ValidationException):
        read(text)


@pytest.mark.parametrize("call", ["size(", "(size(", "size(b, ", "f("])
def test_nested_calls_are_refused_by_name_from_deep_in_the_stack(call: str) -> None:
    text = "a < " + call * 299 + "b" + ")" * 299 * call.count("(")

    def refused_from(depth: int) -> str:
        return refused_from(depth - 1) if depth else refusal(text)

    assert refused_from(250).endswith(
        {
            "size(": "operator or function: size, operand type: N",
            "(size(": "operator or function: size, operand type: N",
            "size(b, ": "operator or function: size, number of operands: 2",
            "f(": "Invalid function name; function: f",
        }[call]
    )


def test_300_nested_negations_are_read() -> None:
    condition = read("NOT (" * 299 + "a = :v" + ")" * 299)

    depth = 0
    while isinstance(condition, Not):
        condition = condition.condition
        depth += 1
    assert depth == 299


def test_the_same_text_means_something_else_with_other_names_and_values() -> None:
    text = "#a = :v"

    assert read(text) == Compare("=", A, V)
    assert read(text, {"#a": "z"}, {":v": {"S": "x"}}) == Compare(
        "=", Path(("z",)), Value({"S": "x"})
    )
