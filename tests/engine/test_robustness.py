"""Hostile requests: each is rejected, and other requests are not affected."""

from collections.abc import Callable
from typing import Any

import pytest

from sortkey.wire.errors import (
    ResourceNotFoundException,
    SerializationException,
    ServiceError,
    ValidationException,
)

Ask = Callable[..., dict[str, Any]]


def deep(levels: int) -> dict[str, Any]:
    value: dict[str, Any] = {"L": []}
    for _ in range(levels - 1):
        value = {"L": [value]}
    return value


def update(ask: Ask, expression: str, **values: Any) -> dict[str, Any]:
    given = {f":{name}": value for name, value in values.items()}
    return ask(
        "UpdateItem",
        TableName="plain",
        Key={"id": {"S": "a"}},
        UpdateExpression=expression,
        **({"ExpressionAttributeValues": given} if given else {}),
    )


def test_one_table_under_two_names_is_one_table(ask: Ask) -> None:
    arn = ask("DescribeTable", TableName="shop")["Table"]["TableArn"]
    item = {"pk": {"S": "a"}, "sk": {"S": "b"}}
    batch = {
        "shop": [{"PutRequest": {"Item": item | {"status": {"S": "open"}}}}],
        arn: [{"PutRequest": {"Item": item | {"status": {"S": "paid"}}}}],
    }

    with pytest.raises(ValidationException, match="contains duplicates"):
        ask("BatchWriteItem", RequestItems=batch)


def test_an_update_cannot_nest_deeper_than_a_put(ask: Ask) -> None:
    update(ask, "SET x = :v", v=deep(30))
    update(ask, "SET y = :v", v={"L": [deep(30)]})

    with pytest.raises(ValidationException, match="Nesting Levels"):
        update(ask, "SET y[0] = :v", v={"L": [deep(30)]})
    with pytest.raises(ValidationException, match="Nesting Levels"):
        update(ask, "SET y[1] = y")


@pytest.mark.parametrize("levels", [50, 300, 900])
def test_deep_json_is_refused_and_not_tripped_over(ask: Ask, levels: int) -> None:
    put = {"PutRequest": {"Item": {"id": {"S": "a"}, "x": deep(levels)}}}
    for operation, body in {
        "PutItem": {"Item": {"id": {"S": "a"}, "x": deep(levels)}},
        "GetItem": {"TableName": "plain", "Unknown": deep(levels)},
        "BatchWriteItem": {"RequestItems": {"plain": [put] * 26}},
        "TransactWriteItems": {"TransactItems": [{"Put": put}] * 101},
    }.items():
        with pytest.raises(ServiceError):
            ask(operation, **body)


@pytest.mark.parametrize("operation", ["Query", "Scan"])
def test_a_limit_beyond_all_integers_is_not_an_integer(ask: Ask, operation: str) -> None:
    with pytest.raises(SerializationException, match="cannot be converted to Integer"):
        ask(operation, TableName="plain", Limit=1 << 63)


def test_a_key_too_long_to_exist_is_not_looked_for(ask: Ask) -> None:
    with pytest.raises(ValidationException, match="Size of hashkey has exceeded"):
        ask(
            "Query",
            TableName="plain",
            KeyConditionExpression="id = :id",
            ExpressionAttributeValues={":id": {"S": "x" * 3000}},
        )


def test_an_arn_from_elsewhere_names_no_table_here(ask: Ask) -> None:
    arn = ask("DescribeTable", TableName="plain")["Table"]["TableArn"]

    with pytest.raises(ResourceNotFoundException):
        ask("Scan", TableName=arn.replace("us-east-1", "eu-west-1"))


@pytest.mark.parametrize(
    ("operation", "body"),
    [
        (
            "BatchGetItem",
            {
                "RequestItems": {
                    "plain": {"Keys": [{"id": {"S": "a"}}], "ProjectionExpression": "id.x"}
                }
            },
        ),
        (
            "Query",
            {
                "TableName": "plain",
                "KeyConditionExpression": "id = :id",
                "ExpressionAttributeValues": {":id": {"S": "a"}},
                "ProjectionExpression": "id[0]",
            },
        ),
    ],
)
def test_a_path_into_a_key_is_refused(ask: Ask, operation: str, body: dict[str, Any]) -> None:
    with pytest.raises(ValidationException, match="Key attributes must be scalars"):
        ask(operation, **body)
