import json

import pytest

from sortkey.engine import Engine
from sortkey.engine.stored_items import StoredItems, to_json

TABLE = {
    "TableName": "Users",
    "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
    "BillingMode": "PAY_PER_REQUEST",
}
ITEMS = [{"id": {"S": name}, "n": {"N": "1"}} for name in "abc"]
STORED = StoredItems([json.dumps(item).encode() for item in ITEMS])


def test_stored_items_are_a_sequence_of_the_items() -> None:
    assert list(STORED) == list(STORED) == ITEMS
    assert len(STORED) == 3
    assert STORED[-1] == ITEMS[-1]
    assert list(STORED[:2]) == ITEMS[:2]
    assert STORED
    assert not StoredItems([])


def test_an_item_is_decoded_for_each_reader() -> None:
    first = STORED[0]
    first["n"] = {"N": "2"}

    assert STORED[0] == ITEMS[0]


def test_stored_items_are_written_as_a_list() -> None:
    assert json.loads(to_json({"Items": STORED, "Count": 3})) == {"Items": ITEMS, "Count": 3}
    assert to_json({"Items": StoredItems([])}) == b'{"Items":[]}'


@pytest.mark.parametrize(
    "members",
    [
        {},
        {"Limit": 2, "ReturnConsumedCapacity": "TOTAL"},
        {"Select": "COUNT"},
        {"FilterExpression": "n = :n", "ExpressionAttributeValues": {":n": {"N": "1"}}},
        {"ProjectionExpression": "n"},
    ],
)
def test_a_lazy_response_equals_the_plain_one(members: dict[str, object]) -> None:
    with Engine.memory() as engine:
        engine.answer("CreateTable", TABLE)
        for item in ITEMS:
            engine.answer("PutItem", {"TableName": "Users", "Item": item})
        scan = {"TableName": "Users", **members}
        plain = engine.answer("Scan", scan)
        lazy = engine.answer("Scan", scan, lazily=True)

    if "Items" in lazy:
        lazy["Items"] = list(lazy["Items"])
    assert lazy == plain
    assert type(plain.get("Items", [])) is list
