"""What DynamoDB finds wrong with updates once it knows their values."""

from typing import Any

import pytest

from sortkey.expressions.placeholders import Placeholders
from sortkey.wire.errors import ValidationException


def refusal(text: str, value: dict[str, Any]) -> str:
    with pytest.raises(ValidationException) as caught:
        Placeholders(None, {":v": value}).update(text)
    return caught.value.message.removeprefix("Invalid UpdateExpression: ")


@pytest.mark.parametrize(
    ("section", "value", "shown"),
    [
        ("ADD", {"S": "a"}, "STRING"),
        ("ADD", {"NULL": True}, "NULL"),
        ("ADD", {"BOOL": False}, "BOOLEAN"),
        ("ADD", {"B": "YQ=="}, "BINARY"),
        ("ADD", {"M": {}}, "MAP"),
        ("ADD", {"L": []}, "LIST"),
        ("DELETE", {"N": "1"}, "NUMBER"),
        ("DELETE", {"L": []}, "LIST"),
    ],
)
def test_add_and_delete_take_certain_types_only(
    section: str, value: dict[str, Any], shown: str
) -> None:
    assert refusal(f"{section} a.b :v", value) == (
        f"Incorrect operand type for operator or function; operator: {section}, "
        f"operand type: {shown}, typeSet: ALLOWED_FOR_{section}_OPERAND"
    )


@pytest.mark.parametrize(
    ("text", "operator", "value"),
    [
        ("SET a = b + :v", "+", {"S": "a"}),
        ("SET a = :v - b", "-", {"NS": ["1"]}),
        ("SET a = list_append(b, :v)", "list_append", {"S": "a"}),
        ("SET a = if_not_exists(b, :v) + :v", "+", {"L": []}),
    ],
)
def test_a_literal_has_a_type_that_the_operator_works_on(
    text: str, operator: str, value: dict[str, Any]
) -> None:
    assert refusal(text, value) == (
        "Incorrect operand type for operator or function; "
        f"operator or function: {operator}, operand type: {next(iter(value))}"
    )


@pytest.mark.parametrize(("text", "count"), [("list_append(a)", 1), ("list_append(a, b, c)", 3)])
def test_a_function_has_its_number_of_operands(text: str, count: int) -> None:
    assert refusal(f"SET a = {text}", {"N": "1"}) == (
        "Incorrect number of operands for operator or function; "
        f"operator or function: list_append, number of operands: {count}"
    )


def test_if_not_exists_does_not_fall_back_on_the_same_path() -> None:
    assert refusal("SET a = if_not_exists(b.c, b.c)", {"N": "1"}) == (
        "The first operand must be distinct from the remaining operands for this operator or "
        "function; operator: if_not_exists, first operand: [b, c]"
    )


@pytest.mark.parametrize("first", [":v", "if_not_exists(a, :v)"])
def test_if_not_exists_is_asked_of_a_path(first: str) -> None:
    assert refusal(f"SET b = if_not_exists({first}, :v)", {"N": "1"}) == (
        "Operator or function requires a document path; operator or function: if_not_exists"
    )
