"""Which part of a table or index a Query reads."""

from typing import Any

import pytest

from sortkey.expressions.key_condition import KeyCondition, read_key_condition
from sortkey.expressions.placeholders import Placeholders
from sortkey.wire.errors import ValidationException

S, N, M = {"S": "x"}, {"N": "1"}, {"N": "2"}


def read(
    text: str, partition: tuple[str, ...] = ("p",), sort: tuple[str, ...] = ("c",)
) -> KeyCondition:
    placeholders = Placeholders(None, {":s": S, ":n": N, ":m": M})
    condition = placeholders.condition(text, "KeyConditionExpression")
    return read_key_condition(condition, partition, sort)


def refusal(text: str, *key: Any) -> str:
    with pytest.raises(ValidationException) as caught:
        read(text, *key)
    return caught.value.message


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("p = :s", KeyCondition((S,))),
        ("c = :n AND :s = p", KeyCondition((S,), (N,))),
        ("p = :s AND c < :n", KeyCondition((S,), (), ("<", (N,)))),
        ("p = :s AND :n < c", KeyCondition((S,), (), (">", (N,)))),
        ("p = :s AND :n >= c", KeyCondition((S,), (), ("<=", (N,)))),
        ("((p = :s) AND (c BETWEEN :n AND :m))", KeyCondition((S,), (), ("BETWEEN", (N, M)))),
        ("p = :s AND begins_with(c, :s)", KeyCondition((S,), (), ("BEGINS_WITH", (S,)))),
    ],
)
def test_a_key_condition_is_read(text: str, condition: KeyCondition) -> None:
    assert read(text) == condition


@pytest.mark.parametrize(
    ("text", "operator"),
    [
        ("p = :s OR c = :n", "OR"),
        ("NOT p = :s", "NOT"),
        ("p = :s AND c <> :n", "<>"),
        ("p = :s AND c IN (:n)", "IN"),
        ("p = :s AND attribute_exists(c)", "attribute_exists"),
        ("p = :s AND attribute_not_exists(c)", "attribute_not_exists"),
        ("p = :s AND contains(c, :n)", "contains"),
    ],
)
def test_some_operators_are_not_for_keys(text: str, operator: str) -> None:
    assert refusal(text) == f"Invalid operator used in KeyConditionExpression: {operator}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("size(b) > a AND a.b > b", "KeyConditionExpressions cannot contain nested operations"),
        (
            "a between size(b) and size(a)",
            "KeyConditionExpressions cannot contain nested operations",
        ),
        (
            "b > a.b",
            (
                "Invalid condition in KeyConditionExpression: Multiple attribute names used in one "
                "condition"
            ),
        ),
        ("p[0] > :n", "KeyConditionExpressions cannot have conditions on nested attributes"),
        (
            ":n > :m AND p = :s",
            "Invalid condition in KeyConditionExpression: No key attribute specified",
        ),
        (
            ":n BETWEEN c AND :m",
            (
                "Invalid condition in KeyConditionExpression: BETWEEN operator must have the key "
                "attribute as its first operand"
            ),
        ),
        (
            "begins_with(:s, c)",
            (
                "Invalid condition in KeyConditionExpression: begins_with operator must have the "
                "key attribute as its first operand"
            ),
        ),
        (
            "p = :s AND p = :s",
            "KeyConditionExpressions must only contain one condition per key",
        ),
        ("p < :s", "Query key condition not supported"),
        ("c = :n", "Query condition missed key schema element: p"),
        ("p = :s AND a = :n", "Query condition missed key schema element: c"),
        ("p = :s AND c = :n AND a = :n", "Conditions can be of length 1 or 2 only"),
    ],
)
def test_a_condition_that_reads_no_key_is_refused(text: str, message: str) -> None:
    assert refusal(text) == message


def test_a_key_without_sort_attribute_has_one_condition() -> None:
    assert read("p = :s", ("p",), ()) == KeyCondition((S,))
    assert refusal("p = :s AND c = :n", ("p",), ()) == "Query key condition not supported"


COMPOSITE = (("h1", "h2"), ("r1", "r2", "r3"))
HASH = "h1 = :s AND h2 = :n"


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        (HASH, KeyCondition((S, N))),
        (f"r1 = :n AND {HASH}", KeyCondition((S, N), (N,))),
        (f"{HASH} AND r1 > :n", KeyCondition((S, N), (), (">", (N,)))),
        (f"{HASH} AND r2 = :m AND r1 = :n", KeyCondition((S, N), (N, M))),
        (
            f"r3 BETWEEN :n AND :m AND {HASH} AND r1 = :n AND r2 = :m",
            KeyCondition((S, N), (N, M), ("BETWEEN", (N, M))),
        ),
    ],
)
def test_a_key_of_several_attributes_is_bound_from_left_to_right(
    text: str, condition: KeyCondition
) -> None:
    assert read(text, *COMPOSITE) == condition


@pytest.mark.parametrize("text", ["h1 = :s", "h1 = :s AND h2 > :n", "r1 = :n AND r2 = :n"])
def test_every_partition_attribute_needs_an_equality(text: str) -> None:
    assert "HASH key attribute must have an equality condition" in refusal(text, *COMPOSITE)


@pytest.mark.parametrize("text", ["r2 = :n", "r1 > :n AND r2 = :n", "r1 = :n AND r3 = :n"])
def test_sort_attributes_leave_no_gap_and_range_only_at_the_end(text: str) -> None:
    assert "RANGE key attributes must be given" in refusal(f"{HASH} AND {text}", *COMPOSITE)


def test_an_attribute_outside_the_key_is_refused() -> None:
    assert refusal(f"{HASH} AND z = :n", *COMPOSITE) == (
        "Query key condition not supported: z is not part of the key"
    )
