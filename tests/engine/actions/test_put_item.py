"""PutItem."""

from collections.abc import Callable
from typing import Any

import pytest

from sortkey.wire.errors import (
    ConditionalCheckFailedException,
    SerializationException,
    ValidationException,
)

Ask = Callable[..., dict[str, Any]]
KEY = {"pk": {"S": "SHOP#1"}, "sk": {"S": "ORDER#1"}}
ITEM = KEY | {"status": {"S": "open"}, "amount": {"N": "12"}}


def put(ask: Ask, item: dict[str, Any], **more: Any) -> dict[str, Any]:
    return ask("PutItem", TableName="shop", Item=item, **more)


def units(answer: dict[str, Any]) -> dict[str, Any]:
    return answer["ConsumedCapacity"]


class TestShape:
    def test_a_missing_item_is_named(self, ask: Ask) -> None:
        with pytest.raises(ValidationException, match="Value null at 'item'"):
            ask("PutItem", TableName="shop")

    def test_return_values_are_one_of_five(self, ask: Ask) -> None:
        with pytest.raises(
            ValidationException,
            match=r"enum value set: \[ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW\]",
        ):
            put(ask, ITEM, ReturnValues="SOME")

    def test_an_attribute_of_the_wrong_json_type_is_refused(self, ask: Ask) -> None:
        with pytest.raises(SerializationException):
            put(ask, ITEM | {"n": {"N": 5}})


class TestValidation:
    def test_only_two_return_values_are_allowed(self, ask: Ask) -> None:
        with pytest.raises(ValidationException, match="ReturnValues can only be ALL_OLD or NONE"):
            put(ask, ITEM, ReturnValues="ALL_NEW")

    def test_a_missing_key_attribute_is_named(self, ask: Ask) -> None:
        with pytest.raises(ValidationException, match="Missing the key sk in the item"):
            put(ask, {"pk": {"S": "a"}})

    def test_a_key_attribute_of_another_type_is_named(self, ask: Ask) -> None:
        with pytest.raises(
            ValidationException, match="Type mismatch for key pk expected: S actual: N"
        ):
            put(ask, ITEM | {"pk": {"N": "1"}})

    def test_an_index_key_of_another_type_is_named(self, ask: Ask) -> None:
        with pytest.raises(
            ValidationException,
            match="Type mismatch for Index Key amount Expected: N Actual: S IndexName: by_status",
        ):
            put(ask, ITEM | {"amount": {"S": "12"}})

    def test_an_empty_index_key_is_refused(self, ask: Ask) -> None:
        with pytest.raises(ValidationException, match="IndexName: by_status, IndexKey: status"):
            put(ask, ITEM | {"status": {"S": ""}})

    def test_an_item_of_400_kilobytes_fits_and_a_byte_more_does_not(self, ask: Ask) -> None:
        fixed = len("id") + len("a") + len("note")
        fits = {"id": {"S": "a"}, "note": {"S": "x" * (400 * 1024 - fixed)}}
        ask("PutItem", TableName="plain", Item=fits)

        with pytest.raises(ValidationException, match="Item size has exceeded"):
            ask("PutItem", TableName="plain", Item=fits | {"note": {"S": fits["note"]["S"] + "x"}})


class TestBehaviour:
    def test_it_replaces_the_whole_item(self, ask: Ask) -> None:
        put(ask, ITEM | {"note": {"S": "old"}})

        put(ask, ITEM)

        assert ask("GetItem", TableName="shop", Key=KEY)["Item"] == ITEM

    def test_numbers_are_stored_canonically(self, ask: Ask) -> None:
        put(ask, ITEM | {"amount": {"N": "1.20e1"}})

        assert ask("GetItem", TableName="shop", Key=KEY)["Item"]["amount"] == {"N": "12"}

    def test_the_old_item_is_returned_on_request(self, ask: Ask) -> None:
        assert put(ask, ITEM, ReturnValues="ALL_OLD") == {}

        assert put(ask, KEY, ReturnValues="ALL_OLD") == {"Attributes": ITEM}

    def test_a_false_condition_stores_nothing_and_can_show_what_is_there(self, ask: Ask) -> None:
        put(ask, ITEM)

        with pytest.raises(ConditionalCheckFailedException) as failed:
            put(
                ask,
                KEY,
                ConditionExpression="attribute_not_exists(pk)",
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
            )

        assert failed.value.item == ITEM
        assert ask("GetItem", TableName="shop", Key=KEY)["Item"] == ITEM

    def test_the_old_expected_parameter_is_a_condition_too(self, ask: Ask) -> None:
        put(ask, ITEM, Expected={"pk": {"Exists": False}})

        with pytest.raises(ConditionalCheckFailedException):
            put(ask, ITEM, Expected={"pk": {"Exists": False}})

    def test_a_replacement_is_charged_for_the_larger_of_both(self, ask: Ask) -> None:
        plain = {"id": {"S": "a"}}
        ask("PutItem", TableName="plain", Item=plain | {"note": {"S": "x" * 3000}})

        answer = ask("PutItem", TableName="plain", Item=plain, ReturnConsumedCapacity="TOTAL")

        assert units(answer)["CapacityUnits"] == 3.0

    def test_each_index_that_changes_is_charged(self, ask: Ask) -> None:
        answer = put(ask, ITEM, ReturnConsumedCapacity="INDEXES")

        assert units(answer) == {
            "TableName": "shop",
            "CapacityUnits": 4.0,
            "Table": {"CapacityUnits": 1.0},
            "GlobalSecondaryIndexes": {
                "by_status": {"CapacityUnits": 1.0},
                "status_keys": {"CapacityUnits": 1.0},
            },
            "LocalSecondaryIndexes": {"by_amount": {"CapacityUnits": 1.0}},
        }

    def test_an_index_that_does_not_change_costs_nothing(self, ask: Ask) -> None:
        put(ask, ITEM)

        answer = put(ask, ITEM | {"note": {"S": "new"}}, ReturnConsumedCapacity="INDEXES")

        assert units(answer)["GlobalSecondaryIndexes"] == {"by_status": {"CapacityUnits": 1.0}}
        assert "LocalSecondaryIndexes" not in units(answer)

    def test_an_index_key_that_moves_is_charged_for_the_old_entry_and_the_new(
        self, ask: Ask
    ) -> None:
        put(ask, ITEM)

        answer = put(ask, ITEM | {"status": {"S": "paid"}}, ReturnConsumedCapacity="INDEXES")

        assert units(answer)["GlobalSecondaryIndexes"] == {
            "by_status": {"CapacityUnits": 2.0},
            "status_keys": {"CapacityUnits": 2.0},
        }

    def test_the_item_collection_is_measured_on_request(self, ask: Ask) -> None:
        answer = put(ask, ITEM, ReturnItemCollectionMetrics="SIZE")

        assert answer == {
            "ItemCollectionMetrics": {
                "ItemCollectionKey": {"pk": {"S": "SHOP#1"}},
                "SizeEstimateRangeGB": [0.0, 1.0],
            }
        }
