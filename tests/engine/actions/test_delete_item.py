"""DeleteItem."""

from collections.abc import Callable
from typing import Any

import pytest

from sortkey.wire.errors import ConditionalCheckFailedException, ValidationException

Ask = Callable[..., dict[str, Any]]
KEY = {"pk": {"S": "SHOP#1"}, "sk": {"S": "ORDER#1"}}
ITEM = KEY | {"status": {"S": "open"}, "amount": {"N": "12"}}


def delete(ask: Ask, **more: Any) -> dict[str, Any]:
    return ask("DeleteItem", TableName="shop", Key=KEY, **more)


class TestShape:
    def test_a_missing_key_is_named(self, ask: Ask) -> None:
        with pytest.raises(ValidationException, match="Value null at 'key'"):
            ask("DeleteItem", TableName="shop")


class TestValidation:
    def test_only_two_return_values_are_allowed(self, ask: Ask) -> None:
        with pytest.raises(ValidationException, match="ReturnValues can only be ALL_OLD or NONE"):
            delete(ask, ReturnValues="UPDATED_NEW")

    def test_unused_values_are_refused(self, ask: Ask) -> None:
        with pytest.raises(ValidationException, match=r"unused in expressions: keys: \{:b\}"):
            delete(
                ask,
                ConditionExpression="sk = :a",
                ExpressionAttributeValues={":a": {"S": "x"}, ":b": {"S": "y"}},
            )


class TestBehaviour:
    def test_the_item_is_gone_from_the_table_and_its_indexes(self, ask: Ask) -> None:
        ask("PutItem", TableName="shop", Item=ITEM)

        delete(ask)

        assert ask("Scan", TableName="shop")["Count"] == 0
        for index in ("by_status", "status_keys", "by_amount"):
            assert ask("Scan", TableName="shop", IndexName=index)["Count"] == 0
        assert ask("DescribeTable", TableName="shop")["Table"]["ItemCount"] == 0

    def test_deleting_a_missing_item_is_not_an_error(self, ask: Ask) -> None:
        assert delete(ask, ReturnValues="ALL_OLD") == {}

    def test_the_old_item_is_returned_on_request(self, ask: Ask) -> None:
        ask("PutItem", TableName="shop", Item=ITEM)

        assert delete(ask, ReturnValues="ALL_OLD") == {"Attributes": ITEM}

    def test_a_false_condition_deletes_nothing(self, ask: Ask) -> None:
        ask("PutItem", TableName="shop", Item=ITEM)

        with pytest.raises(ConditionalCheckFailedException):
            delete(
                ask,
                ConditionExpression="amount > :limit",
                ExpressionAttributeValues={":limit": {"N": "100"}},
            )

        assert ask("GetItem", TableName="shop", Key=KEY) == {"Item": ITEM}

    def test_it_is_charged_for_what_it_removes(self, ask: Ask) -> None:
        ask("PutItem", TableName="shop", Item=ITEM | {"note": {"S": "x" * 1500}})

        answer = delete(ask, ReturnConsumedCapacity="INDEXES")

        assert answer["ConsumedCapacity"]["Table"] == {"CapacityUnits": 2.0}
        assert answer["ConsumedCapacity"]["GlobalSecondaryIndexes"] == {
            "by_status": {"CapacityUnits": 2.0},
            "status_keys": {"CapacityUnits": 1.0},
        }
