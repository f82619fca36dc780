"""BatchWriteItem."""

from collections.abc import Iterator
from typing import Any

import pytest

from sortkey.engine import Engine
from sortkey.wire.errors import (
    ResourceNotFoundException,
    SerializationException,
    ValidationException,
)

MISMATCH = "The provided key element does not match the schema"
TWICE = "Provided list of item keys contains duplicates"


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine.memory() as made:
        made.answer(
            "CreateTable",
            {
                "TableName": "plain",
                "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
                "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
                "BillingMode": "PAY_PER_REQUEST",
            },
        )
        made.answer(
            "CreateTable",
            {
                "TableName": "indexed",
                "KeySchema": [
                    {"AttributeName": "pk", "KeyType": "HASH"},
                    {"AttributeName": "sk", "KeyType": "RANGE"},
                ],
                "AttributeDefinitions": [
                    {"AttributeName": "pk", "AttributeType": "S"},
                    {"AttributeName": "sk", "AttributeType": "N"},
                    {"AttributeName": "color", "AttributeType": "S"},
                ],
                "LocalSecondaryIndexes": [
                    {
                        "IndexName": "local",
                        "KeySchema": [
                            {"AttributeName": "pk", "KeyType": "HASH"},
                            {"AttributeName": "color", "KeyType": "RANGE"},
                        ],
                        "Projection": {"ProjectionType": "ALL"},
                    }
                ],
                "GlobalSecondaryIndexes": [
                    {
                        "IndexName": "global",
                        "KeySchema": [{"AttributeName": "color", "KeyType": "HASH"}],
                        "Projection": {"ProjectionType": "KEYS_ONLY"},
                    }
                ],
                "BillingMode": "PAY_PER_REQUEST",
            },
        )
        yield made


def put(**attributes: Any) -> dict[str, Any]:
    return {"PutRequest": {"Item": attributes}}


def delete(**key: Any) -> dict[str, Any]:
    return {"DeleteRequest": {"Key": key}}


def write(engine: Engine, batches: Any, **members: Any) -> dict[str, Any]:
    return engine.answer("BatchWriteItem", {"RequestItems": batches, **members})


def stored(engine: Engine, table: str = "plain") -> list[Any]:
    return engine.answer("Scan", {"TableName": table})["Items"]


def refusal(engine: Engine, batches: Any, **members: Any) -> str:
    with pytest.raises(ValidationException) as refused:
        write(engine, batches, **members)
    return refused.value.message


class TestShape:
    @pytest.mark.parametrize("items", ["plain", [], 3])
    def test_request_items_are_a_map(self, engine: Engine, items: Any) -> None:
        with pytest.raises(SerializationException):
            write(engine, items)

    @pytest.mark.parametrize("request_", ["a", 1, ["a"]])
    def test_a_write_request_is_a_structure(self, engine: Engine, request_: Any) -> None:
        with pytest.raises(SerializationException):
            write(engine, {"plain": [request_]})

    def test_an_item_in_a_request_is_a_map(self, engine: Engine) -> None:
        with pytest.raises(SerializationException):
            write(engine, {"plain": [{"PutRequest": {"Item": "a"}}]})


class TestValidation:
    def test_request_items_are_required(self, engine: Engine) -> None:
        with pytest.raises(ValidationException) as refused:
            engine.answer("BatchWriteItem", {})
        assert refused.value.message == (
            "1 validation error detected: Value null at 'requestItems' failed to satisfy "
            "constraint: Member must not be null"
        )

    def test_an_empty_batch_is_refused(self, engine: Engine) -> None:
        assert refusal(engine, {}) == "The requestItems parameter is required for BatchWriteItem"

    def test_every_fault_of_the_shape_is_listed(self, engine: Engine) -> None:
        message = refusal(
            engine,
            {"aa;": [{"PutRequest": {}, "DeleteRequest": {}}]},
            ReturnConsumedCapacity="hi",
            ReturnItemCollectionMetrics="hi",
        )
        assert message.startswith("5 validation errors detected: ")
        assert "Map keys must satisfy constraint: [Member must have length less than" in message
        assert "Value null at 'requestItems.aa;.member.1.member.putRequest.item'" in message

    @pytest.mark.parametrize("count", [0, 26])
    def test_a_table_has_up_to_25_requests(self, engine: Engine, count: int) -> None:
        message = refusal(engine, {"plain": [put(pk={"S": str(i)}) for i in range(count)]})
        assert message.startswith("1 validation error detected: Value '{plain=[")
        assert message.endswith(
            "at 'requestItems' failed to satisfy constraint: Map value must satisfy constraint: "
            "[Member must have length less than or equal to 25, "
            "Member must have length greater than or equal to 1]"
        )

    def test_all_tables_together_have_up_to_25_requests(self, engine: Engine) -> None:
        batch = [put(pk={"S": str(i)}, sk={"N": "1"}) for i in range(13)]
        assert refusal(engine, {"plain": batch, "indexed": batch}) == (
            "Too many items requested for the BatchWriteItem call"
        )

    @pytest.mark.parametrize("request_", [{}, put(pk={"S": "a"}) | delete(pk={"S": "a"})])
    def test_a_request_is_a_put_or_a_delete(self, engine: Engine, request_: Any) -> None:
        assert refusal(engine, {"plain": [request_]}) == (
            "Supplied AttributeValue has more than one datatypes set, must contain exactly one of "
            "the supported datatypes"
        )

    def test_values_are_read_before_the_table_is_looked_for(self, engine: Engine) -> None:
        assert refusal(engine, {"nowhere": [put(pk={"N": "b"})]}) == (
            "The parameter cannot be converted to a numeric value: b"
        )

    def test_sizes_are_checked_before_the_table_is_looked_for(self, engine: Engine) -> None:
        large = put(pk={"S": "a"}, blob={"S": "x" * 409_600})
        assert refusal(engine, {"nowhere": [large]}) == (
            "Item size has exceeded the maximum allowed size"
        )

    def test_an_item_of_exactly_400_kilobytes_is_stored(self, engine: Engine) -> None:
        write(engine, {"plain": [put(pk={"S": "a"}, b={"S": "x" * (409_600 - 4)})]})
        assert len(stored(engine)) == 1

    def test_the_table_is_looked_for_before_duplicates(self, engine: Engine) -> None:
        with pytest.raises(ResourceNotFoundException, match=r"^Requested resource not found$"):
            write(engine, {"nowhere": [put(pk={"S": "a"}), delete(pk={"S": "a"})]})

    @pytest.mark.parametrize("pk", [{"N": "1"}, {"B": "YQ=="}, {"BOOL": True}, {"L": []}])
    def test_a_key_has_the_type_of_the_schema(self, engine: Engine, pk: Any) -> None:
        assert refusal(engine, {"plain": [put(pk=pk)]}) == MISMATCH
        assert refusal(engine, {"plain": [delete(pk=pk)]}) == MISMATCH

    def test_an_item_has_its_key(self, engine: Engine) -> None:
        assert refusal(engine, {"plain": [put(other={"S": "a"})]}) == MISMATCH
        assert refusal(engine, {"indexed": [put(pk={"S": "a"})]}) == MISMATCH

    def test_a_deleted_key_has_no_other_attribute(self, engine: Engine) -> None:
        assert refusal(engine, {"plain": [delete(pk={"S": "a"}, b={"S": "b"})]}) == MISMATCH

    def test_a_key_is_not_empty(self, engine: Engine) -> None:
        assert refusal(engine, {"plain": [put(pk={"S": ""})]}) == (
            "One or more parameter values are not valid. The AttributeValue for a key attribute "
            "cannot contain an empty string value. Key: pk"
        )

    def test_index_keys_have_their_type(self, engine: Engine) -> None:
        item = put(pk={"S": "a"}, sk={"N": "1"}, color={"N": "5"})
        assert "Type mismatch for Index Key color Expected: S Actual: N IndexName: " in refusal(
            engine, {"indexed": [item]}
        )

    @pytest.mark.parametrize(
        "requests",
        [
            [put(pk={"S": "a"}), put(pk={"S": "a"})],
            [put(pk={"S": "a"}), delete(pk={"S": "a"})],
            [delete(pk={"S": "a"}), delete(pk={"S": "a"})],
        ],
    )
    def test_an_item_is_written_once(self, engine: Engine, requests: Any) -> None:
        assert refusal(engine, {"plain": requests}) == TWICE

    def test_two_spellings_of_a_number_are_one_key(self, engine: Engine) -> None:
        requests = [
            put(pk={"S": "a"}, sk={"N": "1000"}),
            put(pk={"S": "a"}, sk={"N": "1e3"}),
        ]
        assert refusal(engine, {"indexed": requests}) == TWICE

    def test_one_bad_request_writes_nothing(self, engine: Engine) -> None:
        refusal(engine, {"plain": [put(pk={"S": "a"}), put(pk={"N": "1"})]})
        assert stored(engine) == []


class TestBehaviour:
    def test_puts_and_deletes_go_together(self, engine: Engine) -> None:
        write(engine, {"plain": [put(pk={"S": "old"}), put(pk={"S": "kept"})]})
        answer = write(engine, {"plain": [put(pk={"S": "new"}), delete(pk={"S": "old"})]})
        assert answer == {"UnprocessedItems": {}}
        assert {item["pk"]["S"] for item in stored(engine)} == {"new", "kept"}

    def test_a_put_replaces_the_whole_item(self, engine: Engine) -> None:
        write(engine, {"plain": [put(pk={"S": "a"}, old={"S": "x"})]})
        write(engine, {"plain": [put(pk={"S": "a"}, new={"N": "01"})]})
        assert stored(engine) == [{"pk": {"S": "a"}, "new": {"N": "1"}}]

    def test_several_tables_are_written_at_once(self, engine: Engine) -> None:
        row = put(pk={"S": "a"}, sk={"N": "1"})
        write(engine, {"plain": [put(pk={"S": "a"})], "indexed": [row]})
        assert len(stored(engine)) == len(stored(engine, "indexed")) == 1

    def test_indexes_follow_what_is_put_and_deleted(self, engine: Engine) -> None:
        key = {"pk": {"S": "a"}, "sk": {"N": "1"}}
        write(engine, {"indexed": [put(**key, color={"S": "red"})]})
        query = {
            "TableName": "indexed",
            "IndexName": "global",
            "KeyConditionExpression": "color = :c",
            "ExpressionAttributeValues": {":c": {"S": "red"}},
        }
        assert engine.answer("Query", query)["Count"] == 1
        write(engine, {"indexed": [delete(**key)]})
        assert engine.answer("Query", query)["Count"] == 0

    def test_each_item_is_charged_for_itself(self, engine: Engine) -> None:
        batch = [put(pk={"S": str(i)}) for i in range(2)] + [
            put(pk={"S": "big"}, blob={"S": "x" * 1024})
        ]
        answer = write(engine, {"plain": batch}, ReturnConsumedCapacity="TOTAL")
        assert answer["ConsumedCapacity"] == [{"TableName": "plain", "CapacityUnits": 4.0}]

    def test_the_larger_of_before_and_after_is_charged(self, engine: Engine) -> None:
        write(engine, {"plain": [put(pk={"S": k}, b={"S": "x" * 1024}) for k in "ab"]})
        batch = [put(pk={"S": "a"}), delete(pk={"S": "b"}), delete(pk={"S": "none"})]
        answer = write(engine, {"plain": batch}, ReturnConsumedCapacity="TOTAL")
        assert answer["ConsumedCapacity"][0]["CapacityUnits"] == 2 + 2 + 1

    def test_indexes_are_charged_for_what_changes_in_them(self, engine: Engine) -> None:
        batch = [
            put(pk={"S": "a"}, sk={"N": "1"}, color={"S": "red"}),
            put(pk={"S": "a"}, sk={"N": "2"}),
        ]
        answer = write(engine, {"indexed": batch}, ReturnConsumedCapacity="INDEXES")
        assert answer["ConsumedCapacity"] == [
            {
                "TableName": "indexed",
                "CapacityUnits": 4.0,
                "Table": {"CapacityUnits": 2.0},
                "GlobalSecondaryIndexes": {"global": {"CapacityUnits": 1.0}},
                "LocalSecondaryIndexes": {"local": {"CapacityUnits": 1.0}},
            }
        ]

    def test_a_table_may_be_named_by_its_arn(self, engine: Engine) -> None:
        arn = engine.answer("DescribeTable", {"TableName": "plain"})["Table"]["TableArn"]
        answer = write(engine, {arn: [put(pk={"S": "a"})]}, ReturnConsumedCapacity="TOTAL")
        assert answer["ConsumedCapacity"] == [{"TableName": arn, "CapacityUnits": 1.0}]

    def test_collections_are_measured_where_there_are_local_indexes(self, engine: Engine) -> None:
        batch = [put(pk={"S": "a"}, sk={"N": str(i)}) for i in range(2)]
        answer = write(
            engine,
            {"indexed": batch, "plain": [put(pk={"S": "a"})]},
            ReturnItemCollectionMetrics="SIZE",
        )
        assert answer["ItemCollectionMetrics"] == {
            "indexed": [
                {"ItemCollectionKey": {"pk": {"S": "a"}}, "SizeEstimateRangeGB": [0.0, 1.0]}
            ]
        }
