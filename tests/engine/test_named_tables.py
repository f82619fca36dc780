"""Table names in requests."""

from typing import Any

import pytest

from sortkey.engine.named_tables import IsTableNameOrArn, KeysAreTableNames, tables_in

ARN = "arn:aws:dynamodb:us-east-1:000000000000:table/"


@pytest.mark.parametrize("name", ["abc", "A-b_c.9", "x" * 255, ARN + "abc"])
def test_a_name_or_an_arn_is_good(name: str) -> None:
    assert IsTableNameOrArn().complaints(name) == []
    assert KeysAreTableNames().complaints({name: 1}) == []


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("bad!name", "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"),
        ("ab", "Member must have length greater than or equal to 3"),
        ("x" * 256, "Member must have length less than or equal to 255"),
        (ARN + "bad!name", "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"),
    ],
)
def test_another_text_is_complained_about(name: str, complaint: str) -> None:
    assert IsTableNameOrArn().complaints(name) == [complaint]
    [said] = KeysAreTableNames().complaints({"good": 1, name: 2})
    assert said.startswith("Map keys must satisfy constraint: [")


@pytest.mark.parametrize(
    ("body", "tables"),
    [
        ({"TableName": "orders"}, ["orders"]),
        ({"TableName": "arn:aws:dynamodb:us-east-1:0:table/orders"}, ["orders"]),
        ({"RequestItems": {"orders": [], "users": []}}, ["orders", "users"]),
        (
            {"TransactItems": [{"Put": {"TableName": "a"}}, {"Get": {"TableName": "a"}}]},
            ["a", "a"],
        ),
        ({"TransactItems": [None, {"Put": 1}, {"Put": {"TableName": 1}}]}, []),
        ({"TransactItems": 1}, []),
        ({"Statement": "SELECT * FROM orders WHERE id = 'x'"}, ["orders"]),
        ({"Statement": 'select "from x", from_ from "orders"."ByCustomer"'}, ["orders"]),
        ({"Statement": "INSERT INTO orders VALUE {'id': 'FROM users'}"}, ["orders"]),
        ({"Statement": "UPDATE\n\"orders\" SET x = 'it''s from y'"}, ["orders"]),
        ({"Statement": "DELETE FROM arn WHERE id = 1"}, ["arn"]),
        ({"Statement": "EXISTS(SELECT * FROM orders WHERE id = 1)"}, ["orders"]),
        ({"Statement": "SELECT 'FROM orders'"}, []),
        ({"Statement": "UPDATE"}, []),
        (
            {"TransactStatements": [{"Statement": "DELETE FROM a"}, {"Statement": "UPDATE b"}]},
            ["a", "b"],
        ),
        ({"Statements": [{"Statement": "DELETE FROM a"}, {"Statement": 1}, None]}, ["a"]),
        ({"Statements": 1, "TransactStatements": None}, []),
        ({"Statements": 1, "TransactStatements": [{"Statement": "UPDATE b"}]}, ["b"]),
        ({}, []),
        (None, []),
    ],
)
def test_the_tables_of_a_request_are_found_whatever_it_is(body: Any, tables: list[str]) -> None:
    assert tables_in(body) == tables
