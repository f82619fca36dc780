"""Query."""

from collections.abc import Callable
from typing import Any

import pytest

from sortkey.engine import Engine
from sortkey.wire.errors import ValidationException

Ask = Callable[..., dict[str, Any]]


def order(number: int, **more: Any) -> dict[str, Any]:
    return {
        "pk": {"S": "SHOP#1"},
        "sk": {"S": f"ORDER#{number:03d}"},
        "status": {"S": "open" if number % 2 else "paid"},
        "amount": {"N": str(100 - number)},
    } | more


@pytest.fixture
def orders(ask: Ask) -> list[dict[str, Any]]:
    made = [order(number) for number in range(10)]
    for item in made:
        ask("PutItem", TableName="shop", Item=item)
    ask("PutItem", TableName="shop", Item=order(5) | {"pk": {"S": "SHOP#12"}})
    return made


def query(ask: Ask, condition: str = "pk = :p", **more: Any) -> dict[str, Any]:
    values = {":p": {"S": "SHOP#1"}} | more.pop("values", {})
    return ask(
        "Query",
        TableName="shop",
        KeyConditionExpression=condition,
        ExpressionAttributeValues=values,
        **more,
    )


def open_orders(ask: Ask, **more: Any) -> dict[str, Any]:
    return query(
        ask,
        "#s = :p",
        values={":p": {"S": "open"}},
        ExpressionAttributeNames={"#s": "status"} | more.pop("names", {}),
        **more,
    )


def numbers(answer: dict[str, Any]) -> list[int]:
    return [int(item["sk"]["S"].partition("#")[2]) for item in answer["Items"]]


class TestShape:
    def test_a_limit_is_at_least_one(self, ask: Ask) -> None:
        with pytest.raises(
            ValidationException, match=r"'Limit' failed .* greater than or equal to 1"
        ):
            query(ask, Limit=0)


@pytest.mark.usefixtures("orders")
class TestValidation:
    def test_some_key_condition_is_needed(self, ask: Ask) -> None:
        with pytest.raises(ValidationException, match="Either the KeyConditions or KeyCondition"):
            ask("Query", TableName="shop")

    def test_the_partition_key_is_needed(self, ask: Ask) -> None:
        with pytest.raises(ValidationException, match="missed key schema element: pk"):
            query(ask, "sk = :p")

    def test_values_have_the_type_of_the_key(self, ask: Ask) -> None:
        with pytest.raises(ValidationException, match="does not match schema type"):
            query(ask, values={":p": {"N": "1"}})

    def test_an_unknown_index_is_named(self, ask: Ask) -> None:
        with pytest.raises(
            ValidationException, match="does not have the specified index: by_colour"
        ):
            query(ask, IndexName="by_colour")

    def test_a_global_index_has_no_consistent_reads(self, ask: Ask) -> None:
        with pytest.raises(ValidationException, match="Consistent reads are not supported"):
            open_orders(ask, IndexName="by_status", ConsistentRead=True)

    def test_a_global_index_gives_only_what_it_projects(self, ask: Ask) -> None:
        with pytest.raises(ValidationException, match=r"does not project \[amount\]"):
            open_orders(ask, IndexName="status_keys", ProjectionExpression="sk, amount")

    def test_a_filter_cannot_name_a_key_attribute(self, ask: Ask) -> None:
        with pytest.raises(ValidationException, match="Primary key attribute: sk"):
            query(ask, FilterExpression="begins_with(sk, :p)")

    @pytest.mark.parametrize(
        ("start", "complaint"),
        [
            ({"pk": {"S": "SHOP#1"}}, "starting key is invalid: The provided key element"),
            ({"pk": {"S": "SHOP#1"}, "sk": {"N": "1"}}, "starting key is invalid"),
            ({"pk": {"S": "SHOP#1"}, "sk": {}}, "invalid: Supplied AttributeValue is empty"),
        ],
    )
    def test_a_page_starts_after_a_key(
        self, ask: Ask, start: dict[str, Any], complaint: str
    ) -> None:
        with pytest.raises(ValidationException, match=complaint):
            query(ask, ExclusiveStartKey=start)

    def test_a_page_of_an_index_starts_after_a_key_of_the_index_and_of_the_table(
        self, ask: Ask
    ) -> None:
        start = {"pk": {"S": "SHOP#1"}, "sk": {"S": "ORDER#001"}, "status": {"S": "open"}}
        for wrong in (start, start | {"amount": {"S": "1"}}):
            with pytest.raises(ValidationException, match="starting key is invalid"):
                open_orders(ask, IndexName="by_status", ExclusiveStartKey=wrong)

    @pytest.mark.parametrize(
        ("member", "complaint"),
        [
            ({"ConditionalOperator": "AND"}, "cannot be used without Filter or Expected"),
            ({"AttributesToGet": ["sk", "sk"]}, "Duplicate value in attribute name: sk"),
        ],
    )
    def test_what_the_old_parameters_do_not_take_is_refused(
        self, ask: Ask, member: dict[str, Any], complaint: str
    ) -> None:
        key = {"pk": {"AttributeValueList": [{"S": "SHOP#1"}], "ComparisonOperator": "EQ"}}
        with pytest.raises(ValidationException, match=complaint):
            ask("Query", TableName="shop", KeyConditions=key, **member)

    @pytest.mark.parametrize(
        ("operation", "member", "complaint"),
        [
            ("Scan", {"ExpressionAttributeNames": {"#a": "a"}}, "Names can only be specified when"),
            ("Scan", {"ExpressionAttributeValues": {":a": {"S": "a"}}}, "Values can only be"),
            (
                "DeleteItem",
                {
                    "ExpressionAttributeValues": {":a": {"S": "a"}},
                    "Key": {"pk": {"S": "a"}, "sk": {"S": "b"}},
                },
                "when using expressions: ConditionExpression is null",
            ),
        ],
    )
    def test_placeholders_need_an_expression(
        self, ask: Ask, operation: str, member: dict[str, Any], complaint: str
    ) -> None:
        with pytest.raises(ValidationException, match=complaint):
            ask(operation, TableName="shop", **member)

    def test_a_page_starts_inside_what_is_queried(self, ask: Ask) -> None:
        start = {"pk": {"S": "SHOP#2"}, "sk": {"S": "ORDER#001"}}
        with pytest.raises(ValidationException, match="outside query boundaries"):
            query(ask, ExclusiveStartKey=start)
        with pytest.raises(ValidationException, match="does not match the range key predicate"):
            query(
                ask,
                "pk = :p AND sk > :s",
                values={":s": {"S": "ORDER#005"}},
                ExclusiveStartKey=start | {"pk": {"S": "SHOP#1"}},
            )


@pytest.mark.usefixtures("orders")
class TestBehaviour:
    def test_items_come_in_order_and_only_from_their_partition(self, ask: Ask) -> None:
        answer = query(ask)

        assert numbers(answer) == list(range(10))
        assert (answer["Count"], answer["ScannedCount"]) == (10, 10)

    def test_items_may_come_in_reverse_order(self, ask: Ask) -> None:
        assert numbers(query(ask, ScanIndexForward=False)) == list(range(9, -1, -1))

    @pytest.mark.parametrize(
        ("condition", "expected"),
        [
            ("sk = :s", [4]),
            ("sk < :s", [0, 1, 2, 3]),
            ("sk <= :s", [0, 1, 2, 3, 4]),
            ("sk > :s", [5, 6, 7, 8, 9]),
            ("sk >= :s", [4, 5, 6, 7, 8, 9]),
            ("sk BETWEEN :s AND :t", [4, 5, 6]),
            ("begins_with(sk, :b)", list(range(10))),
        ],
    )
    def test_every_condition_on_the_sort_key(
        self, ask: Ask, condition: str, expected: list[int]
    ) -> None:
        values = {":s": {"S": "ORDER#004"}, ":t": {"S": "ORDER#006"}, ":b": {"S": "ORD"}}
        used = {name: value for name, value in values.items() if name in condition}

        assert numbers(query(ask, f"pk = :p AND {condition}", values=used)) == expected

    @pytest.mark.parametrize("size", [1, 3, 10, 11])
    @pytest.mark.parametrize("forward", [True, False])
    def test_pages_join_without_gap_or_repeat(self, ask: Ask, size: int, forward: bool) -> None:
        found: list[int] = []
        start: dict[str, Any] = {}
        while True:
            page = query(ask, Limit=size, ScanIndexForward=forward, **start)
            found += numbers(page)
            if "LastEvaluatedKey" not in page:
                break
            start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}

        assert found == sorted(range(10), reverse=not forward)

    def test_a_page_can_start_after_an_item_that_is_gone(self, ask: Ask) -> None:
        page = query(ask, Limit=3)
        ask("DeleteItem", TableName="shop", Key=page["LastEvaluatedKey"])

        assert numbers(query(ask, ExclusiveStartKey=page["LastEvaluatedKey"]))[0] == 3

    def test_a_page_ends_with_the_item_that_fills_a_megabyte(self, ask: Ask) -> None:
        for number in range(5):
            ask("PutItem", TableName="shop", Item=order(number, note={"S": "x" * 300_000}))

        page = query(ask)

        assert numbers(page) == [0, 1, 2, 3]
        assert page["LastEvaluatedKey"] == {"pk": order(3)["pk"], "sk": order(3)["sk"]}

    def test_a_filter_works_on_what_was_read(self, ask: Ask) -> None:
        answer = query(
            ask,
            FilterExpression="amount < :t",
            values={":t": {"N": "95"}},
            Limit=8,
            ReturnConsumedCapacity="TOTAL",
        )

        assert numbers(answer) == [6, 7]
        assert (answer["Count"], answer["ScannedCount"]) == (2, 8)
        assert "LastEvaluatedKey" in answer

    def test_counting_returns_no_items(self, ask: Ask) -> None:
        answer = query(ask, Select="COUNT")

        assert answer == {"Count": 10, "ScannedCount": 10}

    def test_a_global_index_has_its_own_order(self, ask: Ask) -> None:
        answer = open_orders(ask, IndexName="by_status")

        assert sorted(numbers(answer)) == [1, 3, 5, 5, 7, 9]
        amounts = [int(item["amount"]["N"]) for item in answer["Items"]]
        assert amounts == sorted(amounts)

    def test_an_index_that_projects_keys_gives_keys(self, ask: Ask) -> None:
        answer = open_orders(ask, IndexName="status_keys")

        assert all(item.keys() == {"pk", "sk", "status"} for item in answer["Items"])

    @pytest.mark.parametrize("size", [1, 2, 4])
    def test_pages_of_an_index_go_on_among_equal_keys(self, ask: Ask, size: int) -> None:
        found: list[dict[str, Any]] = []
        start: dict[str, Any] = {}
        while True:
            page = open_orders(ask, IndexName="status_keys", Limit=size, **start)
            found += page["Items"]
            if "LastEvaluatedKey" not in page:
                break
            start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}

        assert len(found) == 6
        assert len({(item["pk"]["S"], item["sk"]["S"]) for item in found}) == 6

    def test_a_local_index_fetches_what_it_lacks_and_is_charged_for_it(self, ask: Ask) -> None:
        answer = query(
            ask,
            IndexName="by_amount",
            ProjectionExpression="sk, #s",
            ExpressionAttributeNames={"#s": "status"},
            ReturnConsumedCapacity="INDEXES",
        )

        assert numbers(answer) == list(range(9, -1, -1))
        assert answer["Items"][0] == {"sk": {"S": "ORDER#009"}, "status": {"S": "open"}}
        assert answer["ConsumedCapacity"] == {
            "TableName": "shop",
            "CapacityUnits": 5.5,
            "Table": {"CapacityUnits": 5.0},
            "LocalSecondaryIndexes": {"by_amount": {"CapacityUnits": 0.5}},
        }

    def test_a_local_index_fetches_every_attribute_where_all_are_wanted(self, ask: Ask) -> None:
        found = query(ask, IndexName="by_amount", Select="ALL_ATTRIBUTES", Limit=1)
        assert "status" in found["Items"][0]
        filtered = query(
            ask,
            IndexName="by_amount",
            FilterExpression="#s = :s",
            ExpressionAttributeNames={"#s": "status"},
            values={":s": {"S": "open"}},
        )
        assert filtered["Count"] == 5

    def test_a_page_is_charged_for_the_sum_of_its_items(self, ask: Ask) -> None:
        for number in range(10):
            ask("PutItem", TableName="shop", Item=order(number, note={"S": "x" * 1000}))

        answer = query(ask, ConsistentRead=True, ReturnConsumedCapacity="TOTAL")

        assert answer["ConsumedCapacity"]["CapacityUnits"] == 3.0

    def test_the_old_key_conditions_are_understood(self, ask: Ask) -> None:
        answer = ask(
            "Query",
            TableName="shop",
            KeyConditions={
                "pk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "SHOP#1"}]},
                "sk": {"ComparisonOperator": "GE", "AttributeValueList": [{"S": "ORDER#008"}]},
            },
        )

        assert numbers(answer) == [8, 9]


def test_a_page_of_a_local_index_ends_when_the_items_of_the_table_fill_it() -> None:
    local = {
        "IndexName": "local",
        "KeySchema": [
            {"AttributeName": "pk", "KeyType": "HASH"},
            {"AttributeName": "at", "KeyType": "RANGE"},
        ],
        "Projection": {"ProjectionType": "KEYS_ONLY"},
    }
    table = {
        "TableName": "large",
        "KeySchema": [
            {"AttributeName": "pk", "KeyType": "HASH"},
            {"AttributeName": "sk", "KeyType": "RANGE"},
        ],
        "AttributeDefinitions": [
            {"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk", "at")
        ],
        "LocalSecondaryIndexes": [local],
        "BillingMode": "PAY_PER_REQUEST",
    }
    with Engine.memory() as engine:
        engine.answer("CreateTable", table)
        for number in range(6):
            name = {"S": str(number)}
            item = {"pk": {"S": "p"}, "sk": name, "at": name, "text": {"S": "x" * 300_000}}
            engine.answer("PutItem", {"TableName": "large", "Item": item})
        request: dict[str, Any] = {
            "TableName": "large",
            "IndexName": "local",
            "Select": "ALL_ATTRIBUTES",
            "KeyConditionExpression": "pk = :p",
            "ExpressionAttributeValues": {":p": {"S": "p"}},
        }

        first = engine.answer("Query", request)
        second = engine.answer("Query", request | {"ExclusiveStartKey": first["LastEvaluatedKey"]})

    assert [each["sk"]["S"] for each in first["Items"]] == ["0", "1", "2", "3"]
    assert first["ScannedCount"] == 4
    assert [each["sk"]["S"] for each in second["Items"]] == ["4", "5"]
    assert "LastEvaluatedKey" not in second
