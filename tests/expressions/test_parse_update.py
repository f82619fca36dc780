"""Updates read from text, and what DynamoDB says about those it refuses."""

from typing import Any

import pytest

from sortkey.expressions.placeholders import Placeholders
from sortkey.expressions.tree import (
    Add,
    Delete,
    IfNotExists,
    ListAppend,
    Minus,
    Path,
    Plus,
    Remove,
    Set,
    Update,
    Value,
)
from sortkey.wire.errors import ValidationException

NAMES = {"#a": "a"}
VALUES: dict[str, Any] = {
    ":v": {"N": "1"},
    ":s": {"S": "x"},
    ":l": {"L": []},
    ":set": {"SS": ["x"]},
}
A, B, C = (Path((name,)) for name in "abc")
V = Value({"N": "1"})


def read(text: str, values: Any = VALUES) -> Update:
    return Placeholders(NAMES, values).update(text)


def refusal(text: str, values: Any = VALUES) -> str:
    with pytest.raises(ValidationException) as caught:
        read(text, values)
    return caught.value.message.removeprefix("Invalid UpdateExpression: ")


@pytest.mark.parametrize(
    ("text", "actions"),
    [
        ("SET a = :v", [Set(A, V)]),
        ("  set   #a=:v  ", [Set(A, V)]),
        ("sEt a = :v, b = a rEmOvE c", [Set(A, V), Set(B, A), Remove(C)]),
        ("SET a = b + :v", [Set(A, Plus(B, V))]),
        ("SET a = (b - :v)", [Set(A, Minus(B, V))]),
        ("SET a = ((b)+(:v))", [Set(A, Plus(B, V))]),
        ("SET a = (b) - (c)", [Set(A, Minus(B, C))]),
        ("SET a = (b)", [Set(A, B)]),
        ("SET a = if_not_exists(b, :v)+:v", [Set(A, Plus(IfNotExists(B, V), V))]),
        ("SET a = list_append(if_not_exists(b, c), c)", [Set(A, ListAppend(IfNotExists(B, C), C))]),
        ("ADD a :v, b.c :set", [Add(A, V), Add(Path(("b", "c")), Value({"SS": ["x"]}))]),
        ("DELETE a :set", [Delete(A, Value({"SS": ["x"]}))]),
    ],
)
def test_an_update_is_read(text: str, actions: list[Any]) -> None:
    assert read(text) == Update(tuple(actions))


@pytest.mark.parametrize(
    ("text", "token", "near"),
    [
        ("INVALID SYNTAX HERE", "INVALID", "INVALID SYNTAX"),
        ("SET _123 = :v", "_", "SET _123"),
        ("SET 123a = :v", "123", "SET 123a"),
        ("ADD hits : incr", ":", "hits : incr"),
        ("SET a = :v,", "<EOF>", ","),
        ("SET a = :v, #, b = :v", "#", ", #,"),
        ("SET hi-there = :v", "-", "hi-there"),
        ("SET :a = :v", ":a", "SET :a ="),
        ("SET a[:v] = :v", ":v", "[:v]"),
        ("SET a[#a] = :v", "#a", "[#a]"),
        ("SET a = :v + :v + :v", "+", ":v + :v"),
        ("SET a = if_not_exists(a, :v+:v)", "+", ":v+:v"),
        ("SET a = f(b", "<EOF>", "b"),
        ("ADD a b", "b", "a b"),
        ("REMOVE (a)", "(", "REMOVE (a"),
        ("SET a = :v b = :v", "b", ":v b ="),
        ("SET a :v", ":v", "a :v"),
        ("SET a = (b.c).d + :v", ".", ").d"),
        ("SET a = set", "set", "= set"),
        ("SET and = :v", "and", "SET and ="),
    ],
)
def test_a_syntax_error_shows_the_token_between_its_neighbours(
    text: str, token: str, near: str
) -> None:
    assert refusal(text) == f'Syntax error; token: "{token}", near: "{near}"'


@pytest.mark.parametrize("text", ["SET a = ((b))", "SET a = ((b + :v))", "SET a = f(((b)))"])
def test_two_parentheses_around_one_thing_are_redundant(text: str) -> None:
    assert refusal(text) == "The expression has redundant parentheses;"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "SET abort = f(b) SET c = :nowhere",
            "Attribute name is a reserved keyword; reserved keyword: abort",
        ),
        ("SET a = f123_hi(b) SET c = :nowhere", "Invalid function name; function: f123_hi"),
        ("SET a = LIST_APPEND(b, c)", "Invalid function name; function: LIST_APPEND"),
        (
            "SET a = contains(b, c)",
            "The function is not allowed in an update expression; function: contains",
        ),
        (
            "SET a = list_append(list_append(b, c), c)",
            (
                "The function is not allowed to be used this way in an expression; "
                "function: list_append"
            ),
        ),
        (
            "SET a = :v + list_append(b, c)",
            (
                "The function is not allowed to be used this way in an expression; "
                "function: list_append"
            ),
        ),
        (
            "SET a = :nowhere REMOVE b SET c = :v",
            'The "SET" section can only be used once in an update expression;',
        ),
        (
            "SET a = :v SET abort = dog(b)",
            "Attribute name is a reserved keyword; reserved keyword: abort",
        ),
        ("SET a = dog(abort)", "Invalid function name; function: dog"),
        (
            "SET #first = :nowhere, b = #third, #second = :v, c = #third",
            (
                "An expression attribute name used in the document path is not defined; "
                "attribute name: #second"
            ),
        ),
        (
            "SET a = :first, b = :second",
            (
                "An expression attribute value used in expression is not defined; "
                "attribute value: :second"
            ),
        ),
        (
            "SET c = #nowhere, #a = :nowhere, a = :v",
            (
                "Two document paths overlap with each other; must remove or rewrite one of these "
                "paths; path one: [a], path two: [a]"
            ),
        ),
        (
            "SET a = if_not_exists(b), c = :nowhere ADD b :s",
            (
                "Incorrect operand type for operator or function; operator: ADD, "
                "operand type: STRING, typeSet: ALLOWED_FOR_ADD_OPERAND"
            ),
        ),
    ],
)
def test_the_gravest_fault_is_reported(text: str, message: str) -> None:
    assert refusal(text) == message


def test_an_update_has_at_most_300_operators() -> None:
    assert refusal("SET " + ", ".join(f"a{i}=b+:v" for i in range(301))) == (
        "The expression contains too many operators; operator count: 301"
    )


def test_240_nested_functions_are_read_from_deep_in_the_stack() -> None:
    def read_from(depth: int) -> None:
        if depth:
            read_from(depth - 1)
        else:
            read("SET a = " + "if_not_exists(b," * 240 + ":v" + ")" * 240)

    read_from(300)
