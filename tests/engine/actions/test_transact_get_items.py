"""TransactGetItems."""

from typing import Any

import pytest

from sortkey.engine import Engine
from sortkey.wire.errors import (
    ResourceNotFoundException,
    SerializationException,
    TransactionCanceledException,
    ValidationException,
)


def get(id_: str, /, **more: Any) -> dict[str, Any]:
    return {"Get": {"TableName": "plain", "Key": {"id": {"S": id_}}, **more}}


def put(engine: Engine, id_: str, /, **attributes: Any) -> dict[str, Any]:
    item = {"id": {"S": id_}, **attributes}
    engine.answer("PutItem", {"TableName": "plain", "Item": item})
    return item


def transact(engine: Engine, *actions: Any, **members: Any) -> dict[str, Any]:
    return engine.answer("TransactGetItems", {"TransactItems": list(actions), **members})


def refusal(engine: Engine, *actions: Any) -> str:
    with pytest.raises(ValidationException) as refused:
        transact(engine, *actions)
    return refused.value.message


class TestShape:
    @pytest.mark.parametrize("actions", ["a", {}, 3])
    def test_actions_are_a_list(self, engine: Engine, actions: Any) -> None:
        with pytest.raises(SerializationException):
            engine.answer("TransactGetItems", {"TransactItems": actions})

    def test_an_action_gets_something(self, engine: Engine) -> None:
        assert refusal(engine, {}) == (
            "1 validation error detected: Value null at 'transactItems.1.member.get' failed to "
            "satisfy constraint: Member must not be null"
        )

    def test_a_malformed_table_name_is_named_with_its_action(self, engine: Engine) -> None:
        bad = {"Get": {"TableName": "bad!name", "Key": {"id": {"S": "a"}}}}
        assert refusal(engine, get("a"), bad) == (
            "1 validation error detected: Value 'bad!name' at "
            "'transactItems.2.member.get.tableName' failed to satisfy constraint: "
            "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"
        )


class TestValidation:
    def test_there_is_an_action(self, engine: Engine) -> None:
        assert refusal(engine) == (
            "1 validation error detected: Value '[]' at 'transactItems' failed to satisfy "
            "constraint: Member must have length greater than or equal to 1"
        )

    def test_there_are_up_to_100_actions(self, engine: Engine) -> None:
        assert refusal(engine, *[get(str(i)) for i in range(101)]).endswith(
            "at 'transactItems' failed to satisfy constraint: "
            "Member must have length less than or equal to 100"
        )
        assert len(transact(engine, *[get(str(i)) for i in range(100)])["Responses"]) == 100

    def test_a_bad_projection_refuses_the_whole_request(self, engine: Engine) -> None:
        assert refusal(engine, get("a"), get("b", ProjectionExpression="!!!")) == (
            'Invalid ProjectionExpression: Syntax error; token: "!", near: "!!"'
        )

    def test_an_unused_name_refuses_the_whole_request(self, engine: Engine) -> None:
        action = get("a", ProjectionExpression="b", ExpressionAttributeNames={"#q": "q"})
        assert refusal(engine, action) == (
            "Value provided in ExpressionAttributeNames unused in expressions: keys: {#q}"
        )

    def test_every_table_must_be_there(self, engine: Engine) -> None:
        action = {"Get": {"TableName": "nowhere", "Key": {"id": {"S": "a"}}}}
        with pytest.raises(ResourceNotFoundException, match=r"^Requested resource not found$"):
            transact(engine, get("a"), action)

    def test_an_item_may_be_requested_once(self, engine: Engine) -> None:
        assert refusal(engine, get("a"), get("a")) == (
            "Transaction request cannot include multiple operations on one item"
        )

    @pytest.mark.parametrize("key", [{}, {"id": {"N": "1"}}, {"other": {"S": "a"}}])
    def test_a_key_that_fits_no_item_cancels(self, engine: Engine, key: Any) -> None:
        action = {"Get": {"TableName": "plain", "Key": key}}
        with pytest.raises(TransactionCanceledException) as cancelled:
            transact(engine, get("a"), action)
        assert cancelled.value.reasons == [
            {"Code": "None"},
            {
                "Code": "ValidationError",
                "Message": "The provided key element does not match the schema",
            },
        ]

    def test_items_of_more_than_four_megabytes_cancel(self, engine: Engine) -> None:
        for number in range(11):
            put(engine, str(number), blob={"S": "x" * 400_000})
        with pytest.raises(TransactionCanceledException) as cancelled:
            transact(engine, *[get(str(number)) for number in range(11)])
        assert [reason["Code"] for reason in cancelled.value.reasons] == [
            *["None"] * 10,
            "ValidationError",
        ]
        transact(engine, *[get(str(number)) for number in range(10)])


class TestBehaviour:
    def test_responses_stand_in_the_order_of_the_actions(self, engine: Engine) -> None:
        first, second = put(engine, "a", n={"N": "1"}), put(engine, "b")
        answer = transact(engine, get("b"), get("none"), get("a"))
        assert answer == {"Responses": [{"Item": second}, {}, {"Item": first}]}

    def test_a_projection_is_all_that_is_returned(self, engine: Engine) -> None:
        put(engine, "a", x={"S": "1"}, y={"S": "2"})
        action = get("a", ProjectionExpression="#x", ExpressionAttributeNames={"#x": "x"})
        assert transact(engine, action) == {"Responses": [{"Item": {"x": {"S": "1"}}}]}

    def test_several_tables_are_read_together(self, engine: Engine) -> None:
        key = {"pk": {"S": "a"}, "sk": {"S": "b"}}
        engine.answer("PutItem", {"TableName": "shop", "Item": key})
        item = put(engine, "a")
        answer = transact(engine, get("a"), {"Get": {"TableName": "shop", "Key": key}})
        assert answer == {"Responses": [{"Item": item}, {"Item": key}]}

    def test_a_read_is_charged_double(self, engine: Engine) -> None:
        put(engine, "big", blob={"S": "x" * 4096})
        actions = (get("big", ProjectionExpression="id"), get("none"))
        answer = transact(engine, *actions, ReturnConsumedCapacity="INDEXES")
        units = {"CapacityUnits": 6.0, "ReadCapacityUnits": 6.0}
        assert answer["ConsumedCapacity"] == [{"TableName": "plain", **units, "Table": units}]

    def test_a_table_may_be_named_by_its_arn(self, engine: Engine) -> None:
        arn = engine.answer("DescribeTable", {"TableName": "plain"})["Table"]["TableArn"]
        action = {"Get": get("a")["Get"] | {"TableName": arn}}
        answer = transact(engine, action, ReturnConsumedCapacity="TOTAL")
        assert answer["ConsumedCapacity"] == [
            {"TableName": arn, "CapacityUnits": 2.0, "ReadCapacityUnits": 2.0}
        ]
