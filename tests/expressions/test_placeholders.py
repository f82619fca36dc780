"""A request's names and values."""

from typing import Any

import pytest

from sortkey.expressions.placeholders import Placeholders
from sortkey.wire.errors import SerializationException, ValidationException


def refusal(names: Any, values: Any) -> str:
    with pytest.raises(ValidationException) as caught:
        Placeholders(names, values)
    return caught.value.message


@pytest.mark.parametrize(
    ("names", "values", "message"),
    [
        ({}, None, "ExpressionAttributeNames must not be empty"),
        (None, {}, "ExpressionAttributeValues must not be empty"),
        (
            {"#a": "x", "a": "x"},
            {},
            'ExpressionAttributeNames contains invalid key: Syntax error; key: "a"',
        ),
        (
            {"#": "x"},
            None,
            'ExpressionAttributeNames contains invalid key: Syntax error; key: "#"',
        ),
        (
            None,
            {":b": {"a": ""}, "b": {"S": "a"}},
            'ExpressionAttributeValues contains invalid key: Syntax error; key: "b"',
        ),
        (
            None,
            {":hi!there": {"S": "a"}},
            'ExpressionAttributeValues contains invalid key: Syntax error; key: ":hi!there"',
        ),
        (
            {"#a": ""},
            None,
            "ExpressionAttributeNames contains invalid value: Empty attribute name for key #a",
        ),
        (
            None,
            {":b": {}},
            (
                "ExpressionAttributeValues contains invalid value: Supplied AttributeValue is "
                "empty, must contain exactly one of the supported datatypes for key :b"
            ),
        ),
        (
            None,
            {":a": {"S": "x"}, ":b": {"N": "dog"}},
            (
                "ExpressionAttributeValues contains invalid value: The parameter cannot be "
                "converted to a numeric value: dog for key :b"
            ),
        ),
    ],
)
def test_names_and_values_are_checked_before_any_expression(
    names: Any, values: Any, message: str
) -> None:
    assert refusal(names, values) == message


def test_an_attribute_name_has_at_most_65535_bytes() -> None:
    Placeholders({"#a": "x" * 65535}, None)

    assert "65536 bytes for key #a" in refusal({"#a": "ü" * 32768}, None)


def test_a_placeholder_has_at_most_255_characters() -> None:
    Placeholders({"#" + "a" * 254: "x"}, None)

    assert "size of key: 256" in refusal({"#" + "a" * 255: "x"}, None)


def test_a_value_of_the_wrong_json_type_is_not_wrapped() -> None:
    with pytest.raises(SerializationException):
        Placeholders(None, {":a": {"N": 1}})


def test_each_name_and_value_must_be_used_by_some_expression() -> None:
    names = {"#a": "a", "#b": "b", "#c": "c"}
    values = {":x": {"N": "1"}, ":y": {"N": "2"}}
    placeholders = Placeholders(names, values)

    placeholders.condition("#a = :x")
    with pytest.raises(ValidationException) as unused_names:
        placeholders.refuse_unused()
    placeholders.projection("#b, #c")
    with pytest.raises(ValidationException) as unused_values:
        placeholders.refuse_unused()
    placeholders.update("SET z = :y")
    placeholders.refuse_unused()

    assert unused_names.value.message == (
        "Value provided in ExpressionAttributeNames unused in expressions: keys: {#b, #c}"
    )
    assert unused_values.value.message == (
        "Value provided in ExpressionAttributeValues unused in expressions: keys: {:y}"
    )


def test_what_an_evaluation_may_skip_counts_as_used() -> None:
    placeholders = Placeholders({"#a": "a"}, {":x": {"N": "1"}, ":y": {"N": "2"}})

    placeholders.condition("b = :x OR #a = :y")

    placeholders.refuse_unused()


def test_the_refusal_names_the_parameter() -> None:
    placeholders = Placeholders(None, None)

    for refused, member in (
        (lambda: placeholders.condition(""), "ConditionExpression"),
        (lambda: placeholders.condition("", "KeyConditionExpression"), "KeyConditionExpression"),
        (lambda: placeholders.update(""), "UpdateExpression"),
        (lambda: placeholders.projection(""), "ProjectionExpression"),
    ):
        with pytest.raises(ValidationException) as caught:
            refused()
        assert caught.value.message == f"Invalid {member}: The expression can not be empty;"
