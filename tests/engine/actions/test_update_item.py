"""UpdateItem."""

from collections.abc import Callable
from typing import Any

import pytest

from sortkey.wire.errors import ConditionalCheckFailedException, ValidationException

Ask = Callable[..., dict[str, Any]]
KEY = {"pk": {"S": "SHOP#1"}, "sk": {"S": "ORDER#1"}}
ITEM = KEY | {"status": {"S": "open"}, "amount": {"N": "12"}, "note": {"S": "hello"}}


def update(ask: Ask, expression: str | None = None, **more: Any) -> dict[str, Any]:
    if expression is not None:
        more["UpdateExpression"] = expression
    return ask("UpdateItem", TableName="shop", Key=KEY, **more)


def stored(ask: Ask) -> dict[str, Any]:
    return ask("GetItem", TableName="shop", Key=KEY).get("Item", {})


def statuses(ask: Ask, status: str, index: str = "by_status") -> int:
    return ask(
        "Query",
        TableName="shop",
        IndexName=index,
        KeyConditionExpression="#s = :s",
        ExpressionAttributeNames={"#s": "status"},
        ExpressionAttributeValues={":s": {"S": status}},
    )["Count"]


class TestShape:
    def test_an_action_is_one_of_three(self, ask: Ask) -> None:
        with pytest.raises(ValidationException, match=r"enum value set: \[ADD, PUT, DELETE\]"):
            update(ask, AttributeUpdates={"a": {"Action": "REPLACE", "Value": {"S": "x"}}})


class TestValidation:
    def test_the_key_cannot_be_updated(self, ask: Ask) -> None:
        with pytest.raises(
            ValidationException, match=r"Cannot update attribute sk. This attribute is part of the"
        ):
            update(ask, "SET sk = :x", ExpressionAttributeValues={":x": {"S": "y"}})

    def test_old_and_new_parameters_do_not_mix(self, ask: Ask) -> None:
        with pytest.raises(ValidationException, match=r"\{AttributeUpdates\} Expression param"):
            update(ask, "REMOVE a", AttributeUpdates={})

    def test_an_index_key_cannot_become_another_type(self, ask: Ask) -> None:
        with pytest.raises(ValidationException, match=r"(?i)index key"):
            update(ask, "SET amount = :x", ExpressionAttributeValues={":x": {"S": "y"}})
        assert stored(ask) == {}

    def test_an_index_key_cannot_become_empty(self, ask: Ask) -> None:
        with pytest.raises(ValidationException, match="attempted to update a secondary index key"):
            update(
                ask,
                "SET #s = :x",
                ExpressionAttributeNames={"#s": "status"},
                ExpressionAttributeValues={":x": {"S": ""}},
            )

    def test_an_item_cannot_grow_beyond_400_kilobytes(self, ask: Ask) -> None:
        ask("PutItem", TableName="plain", Item={"id": {"S": "a"}, "x": {"S": "x" * 300_000}})

        with pytest.raises(ValidationException, match="Item size to update has exceeded"):
            ask(
                "UpdateItem",
                TableName="plain",
                Key={"id": {"S": "a"}},
                UpdateExpression="SET y = x",
            )


class TestBehaviour:
    def test_it_changes_some_attributes_and_keeps_the_rest(self, ask: Ask) -> None:
        ask("PutItem", TableName="shop", Item=ITEM)

        update(
            ask,
            "SET note = :note, amount = amount + :one REMOVE #s",
            ExpressionAttributeNames={"#s": "status"},
            ExpressionAttributeValues={":note": {"S": "bye"}, ":one": {"N": "1"}},
        )

        assert stored(ask) == KEY | {"amount": {"N": "13"}, "note": {"S": "bye"}}

    def test_an_item_that_is_not_there_is_made(self, ask: Ask) -> None:
        update(ask, "SET note = :n", ExpressionAttributeValues={":n": {"S": "new"}})

        assert stored(ask) == KEY | {"note": {"S": "new"}}

    def test_without_any_change_it_makes_the_key_alone(self, ask: Ask) -> None:
        update(ask)

        assert stored(ask) == KEY

    def test_removals_alone_make_nothing(self, ask: Ask) -> None:
        assert update(ask, "REMOVE note.line", ReturnValues="ALL_NEW") == {}

        assert stored(ask) == {}

    def test_the_old_attribute_updates_are_understood(self, ask: Ask) -> None:
        ask("PutItem", TableName="shop", Item=ITEM)

        update(
            ask,
            AttributeUpdates={
                "note": {"Action": "DELETE"},
                "amount": {"Action": "ADD", "Value": {"N": "-2"}},
                "extra": {"Value": {"BOOL": True}},
            },
        )

        assert stored(ask) == KEY | {
            "status": {"S": "open"},
            "amount": {"N": "10"},
            "extra": {"BOOL": True},
        }

    @pytest.mark.parametrize(
        ("wanted", "returned"),
        [
            ("NONE", None),
            ("ALL_OLD", ITEM),
            ("ALL_NEW", KEY | {"status": {"S": "open"}, "amount": {"N": "13"}}),
            ("UPDATED_OLD", {"amount": {"N": "12"}, "note": {"S": "hello"}}),
            ("UPDATED_NEW", {"amount": {"N": "13"}}),
        ],
    )
    def test_every_kind_of_return_value(
        self, ask: Ask, wanted: str, returned: dict[str, Any] | None
    ) -> None:
        ask("PutItem", TableName="shop", Item=ITEM)

        answer = update(
            ask,
            "SET amount = :n REMOVE note",
            ExpressionAttributeValues={":n": {"N": "13"}},
            ReturnValues=wanted,
        )

        assert answer.get("Attributes") == returned

    def test_a_false_condition_changes_nothing(self, ask: Ask) -> None:
        ask("PutItem", TableName="shop", Item=ITEM)

        with pytest.raises(ConditionalCheckFailedException) as failed:
            update(
                ask,
                "SET amount = :n",
                ConditionExpression="amount < :n",
                ExpressionAttributeValues={":n": {"N": "5"}},
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
            )

        assert failed.value.item == ITEM
        assert stored(ask) == ITEM

    def test_an_item_moves_within_its_indexes(self, ask: Ask) -> None:
        ask("PutItem", TableName="shop", Item=ITEM)

        update(
            ask,
            "SET #s = :s",
            ExpressionAttributeNames={"#s": "status"},
            ExpressionAttributeValues={":s": {"S": "paid"}},
        )

        for index in ("by_status", "status_keys"):
            assert (statuses(ask, "open", index), statuses(ask, "paid", index)) == (0, 1)

    def test_an_item_leaves_an_index_with_its_attribute(self, ask: Ask) -> None:
        ask("PutItem", TableName="shop", Item=ITEM)

        update(ask, "REMOVE amount")

        assert statuses(ask, "open", "by_status") == 0
        assert statuses(ask, "open", "status_keys") == 1

    def test_it_is_charged_for_the_whole_item_not_for_the_change(self, ask: Ask) -> None:
        ask("PutItem", TableName="plain", Item={"id": {"S": "a"}, "x": {"S": "x" * 2500}})

        answer = ask(
            "UpdateItem",
            TableName="plain",
            Key={"id": {"S": "a"}},
            UpdateExpression="SET y = :y",
            ExpressionAttributeValues={":y": {"BOOL": True}},
            ReturnConsumedCapacity="TOTAL",
        )

        assert answer["ConsumedCapacity"]["CapacityUnits"] == 3.0
