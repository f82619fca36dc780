"""BatchGetItem."""

from collections.abc import Iterator
from typing import Any

import pytest

from sortkey.engine import Engine
from sortkey.wire.errors import (
    ResourceNotFoundException,
    SerializationException,
    ValidationException,
)


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine.memory() as made:
        for name, kind in (("words", "S"), ("numbers", "N")):
            made.answer(
                "CreateTable",
                {
                    "TableName": name,
                    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
                    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": kind}],
                    "BillingMode": "PAY_PER_REQUEST",
                },
            )
        yield made


def put(engine: Engine, *keys: str, **attributes: Any) -> None:
    for key in keys:
        engine.answer("PutItem", {"TableName": "words", "Item": {"pk": {"S": key}, **attributes}})


def keys(*names: str) -> list[Any]:
    return [{"pk": {"S": name}} for name in names]


def get(engine: Engine, batches: Any, **members: Any) -> dict[str, Any]:
    return engine.answer("BatchGetItem", {"RequestItems": batches, **members})


def refusal(engine: Engine, batches: Any) -> str:
    with pytest.raises(ValidationException) as refused:
        get(engine, batches)
    return refused.value.message


class TestShape:
    @pytest.mark.parametrize("batch", ["words", [], 3])
    def test_a_batch_is_a_structure(self, engine: Engine, batch: Any) -> None:
        with pytest.raises(SerializationException):
            get(engine, {"words": batch})

    @pytest.mark.parametrize("key", ["a", 1, ["a"]])
    def test_a_key_is_a_map(self, engine: Engine, key: Any) -> None:
        with pytest.raises(SerializationException):
            get(engine, {"words": {"Keys": [key]}})

    def test_consistent_read_is_a_flag(self, engine: Engine) -> None:
        with pytest.raises(SerializationException):
            get(engine, {"words": {"Keys": keys("a"), "ConsistentRead": "hi"}})


class TestValidation:
    def test_request_items_are_required(self, engine: Engine) -> None:
        with pytest.raises(ValidationException) as refused:
            engine.answer("BatchGetItem", {})
        assert refused.value.message == (
            "1 validation error detected: Value null at 'requestItems' failed to satisfy "
            "constraint: Member must not be null"
        )

    def test_an_empty_batch_is_refused(self, engine: Engine) -> None:
        # BatchWriteItem has another message. This one was seen in September 2026, in all regions
        # but one.
        assert refusal(engine, {}) == (
            "1 validation error detected: Value at 'RequestItems' failed to satisfy constraint: "
            "Member must have length greater than or equal to 1"
        )

    def test_a_table_without_keys_is_refused(self, engine: Engine) -> None:
        assert refusal(engine, {"words": {"Keys": []}}) == (
            "1 validation error detected: Value at 'RequestItems.words.member.Keys' failed to "
            "satisfy constraint: Member must have length greater than or equal to 1"
        )

    def test_a_table_has_up_to_100_keys(self, engine: Engine) -> None:
        assert refusal(engine, {"words": {"Keys": keys(*map(str, range(101)))}}) == (
            "1 validation error detected: Value at 'RequestItems.words.member.Keys' failed to "
            "satisfy constraint: Member must have length less than or equal to 100"
        )

    def test_all_tables_together_have_up_to_100_keys(self, engine: Engine) -> None:
        batches = {
            "words": {"Keys": keys(*map(str, range(60)))},
            "others": {"Keys": keys(*map(str, range(60)))},
        }
        assert refusal(engine, batches) == "Too many items requested for the BatchGetItem call"

    def test_a_malformed_table_name_is_a_fault_of_the_map(self, engine: Engine) -> None:
        assert refusal(engine, {"bad!name": {"Keys": keys("a")}}) == (
            '1 validation error detected: Value \'{"bad!name":{"Keys":[{"pk":{"S":"a"}}]}}\' at '
            "'requestItems' failed to satisfy constraint: Map keys must satisfy constraint: "
            "[Member must have length less than or equal to 255, "
            "Member must have length greater than or equal to 3, "
            "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+]"
        )

    @pytest.mark.parametrize("apart", [True, False])
    def test_expressions_and_what_they_replaced_do_not_mix(
        self, engine: Engine, *, apart: bool
    ) -> None:
        new, old = {"ProjectionExpression": "a"}, {"AttributesToGet": ["a"]}
        batches = (
            {"words": {"Keys": keys("a"), **new}, "numbers": {"Keys": [{"pk": {"N": "1"}}], **old}}
            if apart
            else {"words": {"Keys": keys("a"), **new, **old}}
        )
        assert refusal(engine, batches) == (
            "Can not use both expression and non-expression parameters in the same request: "
            "Non-expression parameters: {AttributesToGet} "
            "Expression parameters: {ProjectionExpression}"
        )

    def test_an_unused_name_is_refused(self, engine: Engine) -> None:
        batch = {
            "Keys": keys("a"),
            "ProjectionExpression": "#a",
            "ExpressionAttributeNames": {"#a": "a", "#b": "b"},
        }
        assert refusal(engine, {"words": batch}) == (
            "Value provided in ExpressionAttributeNames unused in expressions: keys: {#b}"
        )

    def test_values_are_read_before_the_table_is_looked_for(self, engine: Engine) -> None:
        assert refusal(engine, {"nowhere": {"Keys": [{"pk": {"N": "b"}}]}}) == (
            "The parameter cannot be converted to a numeric value: b"
        )

    def test_duplicates_are_refused_before_the_table_is_looked_for(self, engine: Engine) -> None:
        twice = [
            {"pk": {"S": "a"}, "sk": {"S": "b"}},
            {"sk": {"S": "b"}, "pk": {"S": "a"}},
        ]
        assert refusal(engine, {"nowhere": {"Keys": twice}}) == (
            "Provided list of item keys contains duplicates"
        )

    def test_the_table_must_be_there(self, engine: Engine) -> None:
        with pytest.raises(ResourceNotFoundException, match=r"^Requested resource not found$"):
            get(engine, {"nowhere": {"Keys": [{}]}})

    @pytest.mark.parametrize("key", [{}, {"b": {"S": "a"}}, {"pk": {"N": "1"}}])
    def test_a_key_fits_the_schema(self, engine: Engine, key: Any) -> None:
        assert refusal(engine, {"words": {"Keys": [key]}}) == (
            "The provided key element does not match the schema"
        )


class TestBehaviour:
    def test_only_what_is_there_is_returned(self, engine: Engine) -> None:
        put(engine, "a", "b", extra={"N": "1"})
        answer = get(engine, {"words": {"Keys": keys("b", "none", "a")}})
        assert answer["UnprocessedKeys"] == {}
        assert sorted(answer["Responses"]["words"], key=str) == [
            {"pk": {"S": "a"}, "extra": {"N": "1"}},
            {"pk": {"S": "b"}, "extra": {"N": "1"}},
        ]

    def test_a_table_without_any_item_has_an_empty_list(self, engine: Engine) -> None:
        answer = get(engine, {"words": {"Keys": keys("a")}})
        assert answer == {"Responses": {"words": []}, "UnprocessedKeys": {}}

    def test_two_spellings_of_a_number_read_the_item_once(self, engine: Engine) -> None:
        engine.answer("PutItem", {"TableName": "numbers", "Item": {"pk": {"N": "1000"}}})
        batch = {"Keys": [{"pk": {"N": "1000"}}, {"pk": {"N": "1e3"}}]}
        answer = get(engine, {"numbers": batch})
        assert answer["Responses"]["numbers"] == [{"pk": {"N": "1000"}}]

    @pytest.mark.parametrize(
        "projection",
        [
            {"AttributesToGet": ["x"]},
            {"ProjectionExpression": "#x", "ExpressionAttributeNames": {"#x": "x"}},
        ],
    )
    def test_a_projection_is_all_that_is_returned(self, engine: Engine, projection: Any) -> None:
        put(engine, "a", x={"S": "1"}, y={"S": "2"})
        answer = get(engine, {"words": {"Keys": keys("a"), **projection}})
        assert answer["Responses"]["words"] == [{"x": {"S": "1"}}]

    def test_an_arn_is_answered_as_it_was_given(self, engine: Engine) -> None:
        put(engine, "a")
        arn = engine.answer("DescribeTable", {"TableName": "words"})["Table"]["TableArn"]
        answer = get(engine, {arn: {"Keys": keys("a")}}, ReturnConsumedCapacity="TOTAL")
        assert answer["Responses"] == {arn: keys("a")}
        assert answer["ConsumedCapacity"] == [{"TableName": arn, "CapacityUnits": 0.5}]

    def test_each_key_is_charged_for_itself(self, engine: Engine) -> None:
        put(engine, "big", blob={"S": "x" * 4096})
        batches = {
            "words": {"Keys": keys("big", "none"), "ConsistentRead": True},
            "numbers": {"Keys": [{"pk": {"N": "1"}}], "ProjectionExpression": "pk"},
        }
        answer = get(engine, batches, ReturnConsumedCapacity="INDEXES")
        assert answer["ConsumedCapacity"] == [
            {"TableName": "words", "CapacityUnits": 3.0, "Table": {"CapacityUnits": 3.0}},
            {"TableName": "numbers", "CapacityUnits": 0.5, "Table": {"CapacityUnits": 0.5}},
        ]

    def test_keys_beyond_16_megabytes_are_returned_as_unprocessed(self, engine: Engine) -> None:
        names = [f"{number:02}" for number in range(50)]
        put(engine, *names, blob={"S": "x" * 390_000})
        asked = {"words": {"Keys": keys(*names), "ConsistentRead": True}}
        first = get(engine, asked, ReturnConsumedCapacity="TOTAL")
        found = first["Responses"]["words"]
        left = first["UnprocessedKeys"]
        assert len(found) == 16 * 1024 * 1024 // (390_000 + 8)
        assert left["words"] == {"Keys": keys(*names[len(found) :]), "ConsistentRead": True}
        # 390,008 bytes are 96 blocks of 4 KB; what was left is not charged.
        assert first["ConsumedCapacity"][0]["CapacityUnits"] == 96 * len(found)
        second = get(engine, left)
        assert len(found) + len(second["Responses"]["words"]) == len(names)
        assert second["UnprocessedKeys"] == {}

    def test_tables_that_have_no_room_left_are_answered_with_nothing(self, engine: Engine) -> None:
        names = [f"{number:02}" for number in range(50)]
        put(engine, *names, blob={"S": "x" * 390_000})
        numbers = {"Keys": [{"pk": {"N": "1"}}], "ProjectionExpression": "pk"}
        answer = get(engine, {"words": {"Keys": keys(*names)}, "numbers": numbers})
        assert answer["Responses"]["numbers"] == []
        assert answer["UnprocessedKeys"]["numbers"] == numbers
