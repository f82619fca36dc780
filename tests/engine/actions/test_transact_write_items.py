"""TransactWriteItems."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sortkey.engine import Engine
from sortkey.wire.errors import (
    IdempotentParameterMismatchException,
    ResourceNotFoundException,
    SerializationException,
    TransactionCanceledException,
    ValidationException,
)

FAILED = {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed"}
NONE = {"Code": "None"}
MISMATCH = "The provided key element does not match the schema"
ABSENT = {"ConditionExpression": "attribute_not_exists(id)"}
PRESENT = {"ConditionExpression": "attribute_exists(id)"}
PLAIN = {
    "TableName": "plain",
    "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
}


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 1_700_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def engine(clock: Clock) -> Iterator[Engine]:
    with Engine.memory(clock=clock) as made:
        made.answer("CreateTable", PLAIN)
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
                    {"AttributeName": "sk", "AttributeType": "S"},
                    {"AttributeName": "color", "AttributeType": "S"},
                ],
                "LocalSecondaryIndexes": [
                    {
                        "IndexName": "by_color",
                        "KeySchema": [
                            {"AttributeName": "pk", "KeyType": "HASH"},
                            {"AttributeName": "color", "KeyType": "RANGE"},
                        ],
                        "Projection": {"ProjectionType": "ALL"},
                    }
                ],
                "BillingMode": "PAY_PER_REQUEST",
            },
        )
        yield made


def put(id_: str, /, *, condition: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    item = {"id": {"S": id_}, **more}
    return {"Put": {"TableName": "plain", "Item": item, **(condition or {})}}


def delete(id_: str, /, **more: Any) -> dict[str, Any]:
    return {"Delete": {"TableName": "plain", "Key": {"id": {"S": id_}}, **more}}


def check(id_: str, /, **more: Any) -> dict[str, Any]:
    action = {"TableName": "plain", "Key": {"id": {"S": id_}}, **PRESENT, **more}
    return {"ConditionCheck": action}


def update(id_: str, /, expression: str = "ADD n :one", **more: Any) -> dict[str, Any]:
    action = {
        "TableName": "plain",
        "Key": {"id": {"S": id_}},
        "UpdateExpression": expression,
        "ExpressionAttributeValues": {":one": {"N": "1"}},
    }
    return {"Update": action | more}


def transact(engine: Engine, *actions: Any, **members: Any) -> dict[str, Any]:
    return engine.answer("TransactWriteItems", {"TransactItems": list(actions), **members})


def refusal(engine: Engine, *actions: Any, **members: Any) -> str:
    with pytest.raises(ValidationException) as refused:
        transact(engine, *actions, **members)
    return refused.value.message


def reasons(engine: Engine, *actions: Any) -> list[dict[str, Any]]:
    with pytest.raises(TransactionCanceledException) as cancelled:
        transact(engine, *actions)
    return cancelled.value.reasons


def stored(engine: Engine) -> dict[str, Any]:
    items = engine.answer("Scan", {"TableName": "plain"})["Items"]
    return {item["id"]["S"]: item for item in items}


class TestShape:
    @pytest.mark.parametrize("actions", ["a", {}, 3])
    def test_actions_are_a_list(self, engine: Engine, actions: Any) -> None:
        with pytest.raises(SerializationException):
            engine.answer("TransactWriteItems", {"TransactItems": actions})

    def test_a_name_that_is_a_number_is_refused_as_such(self, engine: Engine) -> None:
        action = put("a", condition=ABSENT | {"ExpressionAttributeNames": {"#a": 7}})
        with pytest.raises(SerializationException):
            transact(engine, action)

    def test_a_missing_member_is_named_with_its_action(self, engine: Engine) -> None:
        assert refusal(engine, put("a"), {"Update": {"TableName": "plain", "Key": {}}}) == (
            "1 validation error detected: Value null at "
            "'transactItems.2.member.update.updateExpression' failed to satisfy constraint: "
            "Member must not be null"
        )

    def test_a_malformed_table_name_is_named_with_its_action(self, engine: Engine) -> None:
        bad = {"Put": {"TableName": "bad!name", "Item": {"id": {"S": "b"}}}}
        assert refusal(engine, put("a"), bad) == (
            "1 validation error detected: Value 'bad!name' at "
            "'transactItems.2.member.put.tableName' failed to satisfy constraint: "
            "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"
        )


class TestValidation:
    def test_there_is_an_action(self, engine: Engine) -> None:
        assert refusal(engine) == (
            "1 validation error detected: Value '[]' at 'transactItems' failed to satisfy "
            "constraint: Member must have length greater than or equal to 1"
        )

    def test_there_are_up_to_100_actions(self, engine: Engine) -> None:
        message = refusal(engine, *[put(str(i)) for i in range(101)])
        assert message.endswith(
            "at 'transactItems' failed to satisfy constraint: "
            "Member must have length less than or equal to 100"
        )
        transact(engine, *[put(str(i)) for i in range(100)])
        assert len(stored(engine)) == 100

    def test_a_token_has_up_to_36_characters(self, engine: Engine) -> None:
        assert "at 'clientRequestToken' failed" in refusal(
            engine, put("a"), ClientRequestToken="x" * 37
        )

    def test_an_action_does_something(self, engine: Engine) -> None:
        assert refusal(engine, {}) == (
            "Invalid Request: TransactWriteRequest should contain Delete or Put or Update request"
        )

    def test_an_action_does_one_thing(self, engine: Engine) -> None:
        assert refusal(engine, put("a") | delete("b")) == (
            "TransactItems can only contain one of Check, Put, Update or Delete"
        )

    def test_a_check_has_a_condition(self, engine: Engine) -> None:
        action = {"ConditionCheck": {"TableName": "plain", "Key": {"id": {"S": "a"}}}}
        assert "'transactItems.1.member.conditionCheck.conditionExpression'" in refusal(
            engine, action
        )

    def test_a_bad_expression_refuses_the_whole_request(self, engine: Engine) -> None:
        action = put("b", condition={"ConditionExpression": ""})
        assert refusal(engine, put("a"), action) == (
            "Invalid ConditionExpression: The expression can not be empty;"
        )
        assert stored(engine) == {}

    def test_an_unused_value_refuses_the_whole_request(self, engine: Engine) -> None:
        action = put("b", condition=ABSENT | {"ExpressionAttributeValues": {":v": {"S": "x"}}})
        assert refusal(engine, put("a"), action) == (
            "Value provided in ExpressionAttributeValues unused in expressions: keys: {:v}"
        )
        assert stored(engine) == {}

    def test_expressions_are_read_before_tables_are_looked_for(self, engine: Engine) -> None:
        action = {"Put": put("a")["Put"] | {"TableName": "nowhere", "ConditionExpression": "("}}
        assert refusal(engine, action).startswith("Invalid ConditionExpression: Syntax error")

    def test_every_table_must_be_there(self, engine: Engine) -> None:
        action = {"Put": {"TableName": "nowhere", "Item": {"id": {"S": "a"}}}}
        with pytest.raises(ResourceNotFoundException, match=r"^Requested resource not found$"):
            transact(engine, put("a"), action)
        assert stored(engine) == {}

    @pytest.mark.parametrize("second", [put("a"), delete("a"), check("a"), update("a")])
    def test_two_actions_on_one_item_are_refused(self, engine: Engine, second: Any) -> None:
        assert refusal(engine, put("a"), put("b"), second) == (
            "Transaction request cannot include multiple operations on one item"
        )

    def test_a_put_of_more_than_400_kilobytes_refuses_the_request(self, engine: Engine) -> None:
        assert refusal(engine, put("a", blob={"S": "x" * 409_600})) == (
            "Item size has exceeded the maximum allowed size"
        )

    def test_four_megabytes_may_be_sent(self, engine: Engine) -> None:
        blob = {"S": "x" * 100_000}
        assert "size cannot exceed" in refusal(engine, *[put(str(i), blob=blob) for i in range(42)])
        values = {":blob": blob}
        assert "size cannot exceed" in refusal(
            engine,
            *[update(str(i), "SET b = :blob", ExpressionAttributeValues=values) for i in range(42)],
        )
        transact(engine, *[put(str(i), blob=blob) for i in range(41)])
        # What the items hold does not count, only what is sent.
        transact(engine, put("other", blob=blob), *[delete(str(i)) for i in range(41)])

    @pytest.mark.parametrize("kind", ["Update", "Delete", "ConditionCheck"])
    def test_an_empty_key_value_refuses_the_whole_request(self, engine: Engine, kind: str) -> None:
        action = {"Update": update, "Delete": delete, "ConditionCheck": check}[kind]
        message = (
            "One or more parameter values are not valid. The AttributeValue for a key attribute "
            "cannot contain an empty string value. Key: id"
        )
        assert refusal(engine, action("")) == message
        assert refusal(engine, put("")) == message


class TestReasons:
    def test_every_action_has_its_reason_in_order(self, engine: Engine) -> None:
        failing = put("c", condition=PRESENT)
        found = reasons(engine, put("a"), put("b", condition=ABSENT), failing, check("d"))
        assert found == [NONE, NONE, FAILED, FAILED]
        assert stored(engine) == {}

    def test_the_message_lists_the_codes(self, engine: Engine) -> None:
        with pytest.raises(TransactionCanceledException) as cancelled:
            transact(engine, put("a"), check("b"))
        assert cancelled.value.message == (
            "Transaction cancelled, please refer cancellation reasons for specific reasons "
            "[None, ConditionalCheckFailed]"
        )

    @pytest.mark.parametrize(
        ("asked", "item"),
        [("ALL_OLD", {"Item": {"id": {"S": "a"}, "n": {"N": "1"}}}), ("NONE", {})],
    )
    def test_the_item_is_returned_on_request(self, engine: Engine, asked: str, item: Any) -> None:
        transact(engine, put("a", n={"N": "1"}))
        ask = {"ReturnValuesOnConditionCheckFailure": asked}
        assert reasons(engine, put("a", condition=ABSENT | ask)) == [FAILED | item]
        missing = put("b", condition=PRESENT | ask)
        assert reasons(engine, missing) == [FAILED]

    def test_only_the_first_misfitting_key_is_reported(self, engine: Engine) -> None:
        wrong = {"Put": {"TableName": "plain", "Item": {"id": {"N": "7"}}}}
        message = (
            "One or more parameter values were invalid: Type mismatch for key id expected: S "
            "actual: N"
        )
        assert reasons(engine, put("a"), wrong, wrong, put("b", condition=PRESENT)) == [
            NONE,
            {"Code": "ValidationError", "Message": message},
            NONE,
            NONE,
        ]

    @pytest.mark.parametrize("kind", ["Update", "Delete", "ConditionCheck"])
    @pytest.mark.parametrize("key", [{}, {"id": {"N": "5"}}, {"id": {"L": [{"S": "x"}]}}])
    def test_a_key_that_fits_no_item_cancels(self, engine: Engine, kind: str, key: Any) -> None:
        make = {"Update": update, "Delete": delete, "ConditionCheck": check}[kind]
        action = {kind: make("a")[kind] | {"Key": key}}
        assert reasons(engine, action) == [{"Code": "ValidationError", "Message": MISMATCH}]

    def test_an_update_of_the_key_cancels(self, engine: Engine) -> None:
        action = update("a", "SET id = :one")
        assert reasons(engine, action)[0]["Message"] == (
            "One or more parameter values were invalid: Cannot update attribute id. "
            "This attribute is part of the key"
        )

    def test_an_index_key_of_the_wrong_type_cancels(self, engine: Engine) -> None:
        item = {"pk": {"S": "a"}, "sk": {"S": "b"}, "color": {"N": "5"}}
        message = (
            "One or more parameter values were invalid: Type mismatch for Index Key color "
            "Expected: S Actual: N IndexName: by_color"
        )
        assert reasons(engine, {"Put": {"TableName": "indexed", "Item": item}}) == [
            {"Code": "ValidationError", "Message": message}
        ]

    def test_an_update_that_fails_on_the_item_cancels(self, engine: Engine) -> None:
        transact(engine, put("a", n={"S": "text"}))
        found = reasons(engine, update("a"), check("none"), put("b"))
        assert [reason["Code"] for reason in found] == [
            "ValidationError",
            "ConditionalCheckFailed",
            "None",
        ]

    def test_an_update_that_makes_the_item_too_large_cancels(self, engine: Engine) -> None:
        transact(engine, put("a", blob={"S": "x" * 300_000}))
        values = {":more": {"S": "x" * 200_000}}
        action = update("a", "SET more = :more", ExpressionAttributeValues=values)
        assert reasons(engine, action) == [
            {
                "Code": "ValidationError",
                "Message": "Item size to update has exceeded the maximum allowed size",
            }
        ]


class TestBehaviour:
    def test_all_kinds_of_actions_go_together(self, engine: Engine) -> None:
        transact(engine, put("changed", n={"N": "1"}), put("removed"), put("checked"))
        answer = transact(
            engine, put("new"), update("changed"), delete("removed"), check("checked")
        )
        assert answer == {}
        assert stored(engine).keys() == {"new", "changed", "checked"}
        assert stored(engine)["changed"]["n"] == {"N": "2"}

    def test_an_update_makes_a_missing_item(self, engine: Engine) -> None:
        transact(engine, update("a"))
        assert stored(engine) == {"a": {"id": {"S": "a"}, "n": {"N": "1"}}}

    def test_several_tables_are_written_together(self, engine: Engine) -> None:
        item = {"pk": {"S": "a"}, "sk": {"S": "b"}}
        transact(engine, put("a"), {"Put": {"TableName": "indexed", "Item": item}})
        assert engine.answer("Scan", {"TableName": "indexed"})["Items"] == [item]

    def test_a_table_may_be_named_by_its_arn(self, engine: Engine) -> None:
        arn = engine.answer("DescribeTable", {"TableName": "plain"})["Table"]["TableArn"]
        action = {"Put": put("a")["Put"] | {"TableName": arn}}
        answer = transact(engine, action, ReturnConsumedCapacity="TOTAL")
        assert answer["ConsumedCapacity"][0]["TableName"] == arn
        assert "multiple operations on one item" in refusal(engine, action, put("a"))

    def test_the_table_is_charged_double(self, engine: Engine) -> None:
        transact(engine, put("big", blob={"S": "x" * 1024}))
        answer = transact(
            engine, put("new"), check("big"), delete("none"), ReturnConsumedCapacity="TOTAL"
        )
        assert answer["ConsumedCapacity"] == [
            {"TableName": "plain", "CapacityUnits": 8.0, "WriteCapacityUnits": 8.0}
        ]

    def test_an_index_is_charged_once(self, engine: Engine) -> None:
        item = {"pk": {"S": "a"}, "sk": {"S": "b"}, "color": {"S": "red"}}
        answer = transact(
            engine,
            {"Put": {"TableName": "indexed", "Item": item}},
            put("a"),
            ReturnConsumedCapacity="INDEXES",
        )
        two = {"CapacityUnits": 2.0, "WriteCapacityUnits": 2.0}
        one = {"CapacityUnits": 1.0, "WriteCapacityUnits": 1.0}
        assert answer["ConsumedCapacity"] == [
            {
                "TableName": "indexed",
                "CapacityUnits": 3.0,
                "WriteCapacityUnits": 3.0,
                "Table": two,
                "LocalSecondaryIndexes": {"by_color": one},
            },
            {"TableName": "plain", **two, "Table": two},
        ]

    def test_collections_are_measured_where_there_are_local_indexes(self, engine: Engine) -> None:
        key = {"pk": {"S": "a"}, "sk": {"S": "b"}}
        answer = transact(
            engine,
            {"Delete": {"TableName": "indexed", "Key": key}},
            put("a"),
            ReturnItemCollectionMetrics="SIZE",
        )
        assert answer["ItemCollectionMetrics"] == {
            "indexed": [
                {"ItemCollectionKey": {"pk": {"S": "a"}}, "SizeEstimateRangeGB": [0.0, 1.0]}
            ]
        }

    def test_a_cancelled_transaction_leaves_its_group_alone(self, clock: Clock) -> None:
        with Engine.memory(grouped=True, clock=clock) as engine:
            engine.answer("CreateTable", PLAIN)
            transact(engine, put("a"))
            with pytest.raises(TransactionCanceledException):
                transact(engine, put("b"), check("none"))
            transact(engine, put("c"))
            engine.flush()
            assert stored(engine).keys() == {"a", "c"}


class TestTokens:
    def test_without_a_token_each_request_counts(self, engine: Engine) -> None:
        for _ in range(2):
            transact(engine, update("a"))
        assert stored(engine)["a"]["n"] == {"N": "2"}

    def test_with_a_token_the_second_request_changes_nothing(self, engine: Engine) -> None:
        for _ in range(2):
            assert transact(engine, update("a"), ClientRequestToken="t") == {}
        assert stored(engine)["a"]["n"] == {"N": "1"}

    def test_a_replay_does_not_look_at_conditions(self, engine: Engine) -> None:
        for _ in range(2):
            transact(engine, put("a", condition=ABSENT), ClientRequestToken="t")

    def test_a_replay_is_charged_as_reads(self, engine: Engine) -> None:
        actions = (put("a", blob={"S": "x" * 4096}), put("b"))
        for units in ({"WriteCapacityUnits": 12.0}, {"ReadCapacityUnits": 6.0}):
            answer = transact(
                engine, *actions, ClientRequestToken="t", ReturnConsumedCapacity="TOTAL"
            )
            [total] = units.values()
            assert answer["ConsumedCapacity"] == [
                {"TableName": "plain", "CapacityUnits": total, **units}
            ]

    def test_another_request_under_the_token_is_refused(self, engine: Engine) -> None:
        transact(engine, put("a"), ClientRequestToken="t")
        with pytest.raises(IdempotentParameterMismatchException):
            transact(engine, put("b"), ClientRequestToken="t")
        assert stored(engine).keys() == {"a"}

    def test_the_order_of_members_makes_no_other_request(self, engine: Engine) -> None:
        transact(engine, put("a", b={"N": "1"}, c={"N": "2"}), ClientRequestToken="t")
        transact(engine, put("a", c={"N": "2"}, b={"N": "1"}), ClientRequestToken="t")

    def test_a_cancelled_request_leaves_its_token_free(self, engine: Engine) -> None:
        with pytest.raises(TransactionCanceledException):
            transact(engine, check("a"), ClientRequestToken="t")
        transact(engine, put("a"), ClientRequestToken="t")

    def test_a_token_is_kept_with_what_was_written(self, tmp_path: Path, clock: Clock) -> None:
        file = tmp_path / "app.db"
        with Engine.open(file, clock=clock) as engine:
            engine.answer("CreateTable", PLAIN)
            transact(engine, update("a"), ClientRequestToken="t")
        with Engine.open(file, clock=clock) as engine:
            transact(engine, update("a"), ClientRequestToken="t")
            assert stored(engine)["a"]["n"] == {"N": "1"}

    def test_a_token_is_forgotten_after_ten_minutes(self, engine: Engine, clock: Clock) -> None:
        transact(engine, update("a"), ClientRequestToken="t")
        clock.now += 599
        transact(engine, update("a"), ClientRequestToken="t")
        assert stored(engine)["a"]["n"] == {"N": "1"}
        clock.now += 1
        transact(engine, update("a"), ClientRequestToken="t")
        assert stored(engine)["a"]["n"] == {"N": "2"}
