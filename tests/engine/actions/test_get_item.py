"""GetItem."""

from collections.abc import Callable
from typing import Any

import pytest

from sortkey.wire.errors import (
    ResourceNotFoundException,
    SerializationException,
    ValidationException,
)

Ask = Callable[..., dict[str, Any]]
KEY = {"pk": {"S": "SHOP#1"}, "sk": {"S": "INFO"}}
LARGE = KEY | {"note": {"S": "x" * 5000}, "tags": {"L": [{"S": "a"}, {"S": "b"}]}}


class TestShape:
    def test_everything_that_is_missing_is_named(self, ask: Ask) -> None:
        with pytest.raises(
            ValidationException, match=r"2 validation errors detected: .*'tableName'.*'key'"
        ):
            ask("GetItem")

    def test_a_missing_key_is_named(self, ask: Ask) -> None:
        with pytest.raises(
            ValidationException, match="1 validation error detected: Value null at 'key'"
        ):
            ask("GetItem", TableName="shop")

    def test_every_complaint_is_made_at_once(self, ask: Ask) -> None:
        with pytest.raises(ValidationException, match=r"2 validation errors detected: .*; .*"):
            ask("GetItem", TableName="shop", ReturnConsumedCapacity="SOME")

    def test_a_wrong_type_comes_before_anything_else(self, ask: Ask) -> None:
        with pytest.raises(SerializationException, match="NUMBER_VALUE cannot be converted"):
            ask("GetItem", TableName="nope", Key={"pk": {"S": 5}})


class TestValidation:
    def test_an_unknown_table_is_not_found(self, ask: Ask) -> None:
        with pytest.raises(ResourceNotFoundException, match="Requested resource not found"):
            ask("GetItem", TableName="nope", Key=KEY)

    @pytest.mark.parametrize(
        "key",
        [
            {},
            {"pk": {"S": "a"}},
            KEY | {"more": {"S": "a"}},
            {"pk": {"S": "a"}, "other": {"S": "b"}},
            {"pk": {"N": "1"}, "sk": {"S": "b"}},
        ],
    )
    def test_a_key_that_is_not_the_tables_is_refused(self, ask: Ask, key: dict[str, Any]) -> None:
        with pytest.raises(ValidationException, match="does not match the schema"):
            ask("GetItem", TableName="shop", Key=key)

    def test_an_empty_key_value_is_refused(self, ask: Ask) -> None:
        with pytest.raises(ValidationException, match=r"empty string value. Key: sk"):
            ask("GetItem", TableName="shop", Key={"pk": {"S": "a"}, "sk": {"S": ""}})

    def test_key_values_have_a_greatest_length(self, ask: Ask) -> None:
        longest = {"pk": {"S": "a" * 2048}, "sk": {"S": "b" * 1024}}
        assert ask("GetItem", TableName="shop", Key=longest) == {}

        with pytest.raises(ValidationException, match=r"Size of hashkey .* limit of2048 bytes"):
            ask("GetItem", TableName="shop", Key=longest | {"pk": {"S": "a" * 2049}})
        with pytest.raises(ValidationException, match=r"Size of rangekey .* limit of1024 bytes"):
            ask("GetItem", TableName="shop", Key=longest | {"sk": {"S": "é" * 513}})

    def test_a_bad_projection_is_reported_even_on_a_miss(self, ask: Ask) -> None:
        with pytest.raises(ValidationException, match="Invalid ProjectionExpression"):
            ask("GetItem", TableName="shop", Key=KEY, ProjectionExpression="a,,b")

    def test_old_and_new_projections_do_not_mix(self, ask: Ask) -> None:
        with pytest.raises(ValidationException, match="Can not use both expression and non-"):
            ask(
                "GetItem",
                TableName="shop",
                Key=KEY,
                ProjectionExpression="a",
                AttributesToGet=["a"],
            )


class TestBehaviour:
    def test_a_miss_has_no_item_member(self, ask: Ask) -> None:
        assert ask("GetItem", TableName="shop", Key=KEY) == {}

    def test_the_stored_item_comes_back(self, ask: Ask) -> None:
        ask("PutItem", TableName="shop", Item=LARGE)

        assert ask("GetItem", TableName="shop", Key=KEY) == {"Item": LARGE}

    def test_a_table_may_be_named_by_its_arn(self, ask: Ask) -> None:
        ask("PutItem", TableName="shop", Item=LARGE)
        arn = ask("DescribeTable", TableName="shop")["Table"]["TableArn"]

        assert ask("GetItem", TableName=arn, Key=KEY) == {"Item": LARGE}

    def test_null_members_count_as_absent(self, ask: Ask) -> None:
        assert ask("GetItem", TableName="shop", Key=KEY, ConsistentRead=None) == {}

    def test_a_projection_is_charged_for_the_whole_item(self, ask: Ask) -> None:
        ask("PutItem", TableName="shop", Item=LARGE)

        answer = ask(
            "GetItem",
            TableName="shop",
            Key=KEY,
            ProjectionExpression="pk, tags[1]",
            ConsistentRead=True,
            ReturnConsumedCapacity="TOTAL",
        )

        assert answer["Item"] == {"pk": KEY["pk"], "tags": {"L": [{"S": "b"}]}}
        assert answer["ConsumedCapacity"] == {"TableName": "shop", "CapacityUnits": 2.0}

    def test_an_eventually_consistent_read_costs_half(self, ask: Ask) -> None:
        ask("PutItem", TableName="shop", Item=LARGE)

        answer = ask("GetItem", TableName="shop", Key=KEY, ReturnConsumedCapacity="INDEXES")

        assert answer["ConsumedCapacity"] == {
            "TableName": "shop",
            "CapacityUnits": 1.0,
            "Table": {"CapacityUnits": 1.0},
        }

    def test_a_miss_costs_as_much_as_the_smallest_item(self, ask: Ask) -> None:
        answer = ask("GetItem", TableName="shop", Key=KEY, ReturnConsumedCapacity="TOTAL")

        assert answer["ConsumedCapacity"]["CapacityUnits"] == 0.5
