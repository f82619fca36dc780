"""Where a plan mentions an argument, it is found."""

from typing import Any

import pytest

from sortkey.check.arguments import arguments_in_text, arguments_in_value


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("$user_id", ["user_id"]),
        ("$user.email", ["user.email"]),
        ("$ids[]", ["ids[]"]),
        ("$user.rev + 1", ["user.rev"]),
        ('"USER#{user_id}#{day:%Y-%m-%d}"', ["user_id", "day"]),
        ("{ref: $ref, at: $at}", ["ref", "at"]),
        ("$now()", []),
        ('"$$5"', []),
        ('"open"', []),
        ("12", []),
    ],
)
def test_the_arguments_of_an_expression_s_value(text: str, names: list[str]) -> None:
    assert list(arguments_in_text(text)) == names


@pytest.mark.parametrize(
    ("value", "names"),
    [
        ("$user_id", ["user_id"]),
        ({"op": "=", "template": "USER#{id}", "bound": {"id": "$user_id"}}, ["user_id"]),
        ({"op": "between", "range": {"values": ["$first", "$last"]}}, ["first", "last"]),
        ({"value": "$$5"}, []),
        ({"template": "USER#{id}", "bound": {"id": "ada"}}, []),
        ({"bound": {"subject": "USER#«user_id»"}}, ["user_id"]),
        (3, []),
    ],
)
def test_the_arguments_of_a_plan_s_value(value: Any, names: list[str]) -> None:
    assert list(arguments_in_value(value)) == names
