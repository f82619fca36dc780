"""One file, several engines: each sees at once what another did, as processes would."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sortkey.engine import Engine
from sortkey.wire.errors import ResourceNotFoundException, ValidationException

TABLE = {
    "TableName": "items",
    "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
}
ITEM = {"id": {"S": "a"}, "colour": {"S": "red"}}
KEY = {"TableName": "items", "Key": {"id": {"S": "a"}}}
INDEX = {
    "TableName": "items",
    "AttributeDefinitions": [{"AttributeName": "colour", "AttributeType": "S"}],
    "GlobalSecondaryIndexUpdates": [
        {
            "Create": {
                "IndexName": "by_colour",
                "KeySchema": [{"AttributeName": "colour", "KeyType": "HASH"}],
                "Projection": {"ProjectionType": "ALL"},
            }
        }
    ],
}
RED = {
    "TableName": "items",
    "IndexName": "by_colour",
    "KeyConditionExpression": "colour = :c",
    "ExpressionAttributeValues": {":c": {"S": "red"}},
    "ReturnConsumedCapacity": "INDEXES",
}
NO_INDEX: dict[str, Any] = {
    "TableName": "items",
    "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "by_colour"}}],
}


@pytest.fixture
def engines(tmp_path: Path) -> Iterator[tuple[Engine, Engine]]:
    with Engine.open(tmp_path / "app.db") as one, Engine.open(tmp_path / "app.db") as other:
        one.answer("CreateTable", TABLE)
        one.answer("PutItem", {"TableName": "items", "Item": ITEM})
        assert other.answer("GetItem", KEY) == {"Item": ITEM}
        yield one, other


def test_a_recreated_table_is_empty(engines: tuple[Engine, Engine]) -> None:
    one, other = engines
    one.answer("DeleteTable", {"TableName": "items"})
    with pytest.raises(ResourceNotFoundException):
        other.answer("GetItem", KEY)

    one.answer("CreateTable", TABLE)

    assert other.answer("GetItem", KEY) == {}


def test_a_new_index_can_be_read_and_is_charged(engines: tuple[Engine, Engine]) -> None:
    one, other = engines
    one.answer("UpdateTable", INDEX)

    answer = other.answer("Query", RED)

    assert answer["Items"] == [ITEM]
    assert answer["ConsumedCapacity"]["GlobalSecondaryIndexes"] == {
        "by_colour": {"CapacityUnits": 0.5}
    }


def test_a_new_index_is_written_to(engines: tuple[Engine, Engine]) -> None:
    one, other = engines
    one.answer("UpdateTable", INDEX)

    other.answer("PutItem", {"TableName": "items", "Item": ITEM | {"id": {"S": "b"}}})

    assert one.answer("Query", RED)["Count"] == 2


def test_an_index_that_is_gone_is_no_longer_read_or_written(
    engines: tuple[Engine, Engine],
) -> None:
    one, other = engines
    one.answer("UpdateTable", INDEX)
    assert other.answer("Query", RED)["Count"] == 1

    one.answer("UpdateTable", NO_INDEX)

    with pytest.raises(ValidationException, match="does not have the specified index"):
        other.answer("Query", RED)
    other.answer("PutItem", {"TableName": "items", "Item": ITEM | {"id": {"S": "b"}}})
    assert one.answer("Scan", {"TableName": "items"})["Count"] == 2


def test_a_group_holds_the_file_until_it_is_flushed(tmp_path: Path) -> None:
    with (
        Engine.open(tmp_path / "app.db", grouped=True) as writer,
        Engine.open(tmp_path / "app.db") as reader,
    ):
        writer.answer("CreateTable", TABLE)
        writer.flush()
        writer.answer("PutItem", {"TableName": "items", "Item": ITEM})
        assert reader.answer("GetItem", KEY) == {}

        writer.flush()

        assert reader.answer("GetItem", KEY) == {"Item": ITEM}
