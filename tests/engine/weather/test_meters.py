from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sortkey.engine import Engine
from sortkey.engine.weather import Scenario, scenario
from sortkey.engine.weather.meters import KEPT_MINUTES, HotKeys
from sortkey.wire.errors import ServiceError

FAIR = scenario("fair")
HOT_DAY = scenario("hot-day")


class Shop:
    """An engine with meters, whose clock stands still unless it is moved."""

    def __init__(self, weather: Scenario = FAIR) -> None:
        self.time = 1_000_000_000.0
        self.engine = Engine.memory(clock=lambda: self.time, weather=weather)
        self.engine.answer(
            "CreateTable",
            {
                "TableName": "orders",
                "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
                "AttributeDefinitions": [
                    {"AttributeName": "id", "AttributeType": "N"},
                    {"AttributeName": "customer", "AttributeType": "S"},
                ],
                "GlobalSecondaryIndexes": [
                    {
                        "IndexName": "ByCustomer",
                        "KeySchema": [{"AttributeName": "customer", "KeyType": "HASH"}],
                        "Projection": {"ProjectionType": "ALL"},
                    }
                ],
                "BillingMode": "PAY_PER_REQUEST",
            },
        )

    def send(self, operation: str, **request: Any) -> dict[str, Any] | ServiceError:
        try:
            return self.engine.answer(operation, request)
        except ServiceError as error:
            return error

    def put(self, number: int, customer: str = "ada", **request: Any) -> None:
        self.send(
            "PutItem",
            TableName="orders",
            Item={"id": {"N": str(number)}, "customer": {"S": customer}},
            **request,
        )

    def sums(self) -> dict[str, float]:
        """Return the total of each metric; dimensions stand behind its name."""
        return {
            " ".join([each["MetricName"], *each["Dimensions"].values()]): each["Total"]["Sum"]
            for each in self.engine.answer("DescribeMeters", {})["Metrics"]
            if each["MetricName"] != "SuccessfulRequestLatency"
        }

    def metric(self, name: str) -> dict[str, Any]:
        metrics = self.engine.answer("DescribeMeters", {})["Metrics"]
        return next(each for each in metrics if each["MetricName"] == name)


# -- metrics ---------------------------------------------------------------------------------


def test_units_are_counted_for_the_table_and_each_index() -> None:
    shop = Shop()

    shop.put(1)
    shop.send("GetItem", TableName="orders", Key={"id": {"N": "1"}}, ConsistentRead=True)
    shop.send(
        "Query",
        TableName="orders",
        IndexName="ByCustomer",
        KeyConditionExpression="customer = :c",
        ExpressionAttributeValues={":c": {"S": "ada"}},
    )

    assert shop.sums() == {
        "ConsumedReadCapacityUnits orders": 1.0,
        "ConsumedReadCapacityUnits orders ByCustomer": 0.5,
        "ConsumedWriteCapacityUnits orders": 1.0,
        "ConsumedWriteCapacityUnits orders ByCustomer": 1.0,
    }


def test_the_latency_of_each_operation_is_measured() -> None:
    shop = Shop()

    shop.put(1)
    shop.put(2)

    latencies = [
        each
        for each in shop.engine.answer("DescribeMeters", {})["Metrics"]
        if each["MetricName"] == "SuccessfulRequestLatency"
    ]
    assert {
        each["Dimensions"]["Operation"]: each["Total"]["SampleCount"] for each in latencies
    } == {
        "CreateTable": 1,
        "PutItem": 2,
    }
    assert all(each["Datapoints"][-1]["Minimum"] > 0 for each in latencies)


def test_a_failed_condition_is_counted_and_its_units_are_too() -> None:
    shop = Shop()

    shop.put(1)
    shop.put(1, ConditionExpression="attribute_not_exists(id)")

    assert shop.sums()["ConditionalCheckFailedRequests orders"] == 1
    assert shop.sums()["ConsumedWriteCapacityUnits orders"] == 2
    assert "UserErrors" not in shop.sums()


@pytest.mark.parametrize(
    "request_",
    [
        ("ExecuteStatement", {"Statement": "UPDATE orders SET x = 1 WHERE id = 1 AND x = 5"}),
        ("ExecuteStatement", {"Statement": "INSERT INTO orders VALUE {'id': 1}"}),
        (
            "BatchExecuteStatement",
            {"Statements": [{"Statement": "DELETE FROM orders WHERE id = 1 AND x = 5"}]},
        ),
    ],
    ids=lambda request: request[1].get("Statement", "batch"),
)
def test_a_statement_whose_condition_fails_needs_units_too(
    request_: tuple[str, dict[str, Any]],
) -> None:
    shop = Shop()
    shop.put(1)
    before = shop.sums()["ConsumedWriteCapacityUnits orders"]
    operation, members = request_

    shop.send(operation, **members)

    assert shop.sums()["ConsumedWriteCapacityUnits orders"] == before + 1


def test_failed_statements_are_counted_for_their_tables() -> None:
    shop = Shop()
    shop.put(1)
    update = {"Statement": "UPDATE orders SET x = 1 WHERE id = 1 AND x = 5"}

    shop.send("ExecuteStatement", **update)
    shop.send("ExecuteTransaction", TransactStatements=[update])
    shop.send("BatchExecuteStatement", Statements=[update, {"Statement": "SELECT"}])

    assert shop.sums()["ConditionalCheckFailedRequests orders"] == 3


def test_invalid_requests_are_counted_for_the_account() -> None:
    shop = Shop()

    shop.send("PutItem", TableName="orders", Item={})
    shop.send("GetItem", TableName="nowhere", Key={"id": {"N": "1"}})

    assert shop.sums() == {"UserErrors": 2}


def test_throttling_is_counted_by_its_reason_and_by_operation() -> None:
    shop = Shop(HOT_DAY)

    for _ in range(1_003):
        shop.put(1, customer="same")

    assert shop.sums()["WriteThrottleEvents orders"] == 3
    assert shop.sums()["WriteKeyRangeThroughputThrottleEvents orders"] == 3
    assert shop.sums()["ThrottledRequests orders PutItem"] == 3
    assert shop.sums()["ConsumedWriteCapacityUnits orders"] == 1_000


def test_a_write_that_moves_in_a_hot_index_is_throttled_once() -> None:
    shop = Shop(HOT_DAY)
    for customer in ("ada", "bob"):
        for _ in range(600):
            shop.put(1, customer=customer)
    before = shop.sums()["ConsumedWriteCapacityUnits orders"]
    for _ in range(600):
        for customer in ("ada", "bob"):
            shop.put(1, customer=customer)

    served = shop.sums()["ConsumedWriteCapacityUnits orders"] - before
    events = [value for name, value in shop.sums().items() if name.startswith("WriteThrottleEv")]
    assert max(events) == shop.sums()["ThrottledRequests orders PutItem"]
    assert served < 1_200


def test_a_cancelled_transaction_is_counted_for_the_tables_of_its_reasons() -> None:
    shop = Shop()
    key = {"id": {"N": "1"}}
    failing = {"TableName": "orders", "Key": key, "ConditionExpression": "attribute_exists(id)"}
    fine = {"TableName": "orders", "Item": {"id": {"N": "2"}}}

    shop.send("TransactWriteItems", TransactItems=[{"ConditionCheck": failing}, {"Put": fine}])

    assert shop.sums() == {
        "ConditionalCheckFailedRequests orders": 1,
        "ConsumedWriteCapacityUnits orders": 4,
        "UserErrors": 1,
    }


def test_a_transaction_with_an_invalid_action_needs_no_units() -> None:
    shop = Shop()
    shop.put(1)
    before = shop.sums()
    updates = [
        {
            "TableName": "orders",
            "Key": {"id": {"N": number}},
            "UpdateExpression": "SET x = missing + :one",
            "ExpressionAttributeValues": {":one": {"N": "1"}},
        }
        for number in "12"
    ]

    shop.send("TransactWriteItems", TransactItems=[{"Update": each} for each in updates])

    assert shop.sums() == before | {"UserErrors": 1}


def test_expired_items_are_counted() -> None:
    shop = Shop()
    shop.send(
        "UpdateTimeToLive",
        TableName="orders",
        TimeToLiveSpecification={"AttributeName": "ends", "Enabled": True},
    )
    shop.send(
        "PutItem",
        TableName="orders",
        Item={"id": {"N": "1"}, "ends": {"N": str(int(shop.time) + 10)}},
    )
    shop.time += 100
    while shop.engine.tend():
        pass

    assert shop.sums()["TimeToLiveDeletedItemCount orders"] == 1


def test_provisioned_capacity_is_a_metric_too() -> None:
    shop = Shop()
    shop.send(
        "UpdateTable",
        TableName="orders",
        BillingMode="PROVISIONED",
        ProvisionedThroughput={"ReadCapacityUnits": 7, "WriteCapacityUnits": 3},
        GlobalSecondaryIndexUpdates=[
            {
                "Update": {
                    "IndexName": "ByCustomer",
                    "ProvisionedThroughput": {"ReadCapacityUnits": 2, "WriteCapacityUnits": 1},
                }
            }
        ],
    )

    assert shop.sums() == {
        "ProvisionedReadCapacityUnits orders": 7,
        "ProvisionedReadCapacityUnits orders ByCustomer": 2,
        "ProvisionedWriteCapacityUnits orders": 3,
        "ProvisionedWriteCapacityUnits orders ByCustomer": 1,
    }


# -- time ------------------------------------------------------------------------------------


def test_values_are_kept_by_the_minute_of_the_engines_clock() -> None:
    shop = Shop()

    shop.put(1)
    shop.time += 60
    shop.put(2)
    shop.put(3)

    points = shop.metric("ConsumedWriteCapacityUnits")["Datapoints"]
    assert [(each["Timestamp"], each["Sum"]) for each in points] == [
        (999_999_960, 1.0),
        (1_000_000_020, 2.0),
    ]


def test_memory_is_bounded_by_three_hours() -> None:
    shop = Shop()

    for number in range(KEPT_MINUTES + 20):
        shop.time += 60
        shop.put(number)

    metric = shop.metric("ConsumedWriteCapacityUnits")
    assert len(metric["Datapoints"]) == KEPT_MINUTES
    assert metric["Total"]["Sum"] == KEPT_MINUTES + 20


# -- heat ------------------------------------------------------------------------------------


def test_the_hottest_keys_are_reported_as_they_are_written() -> None:
    shop = Shop()
    for number, times in ((-12, 3), (7, 5), (0, 1)):
        for n in range(times):
            shop.put(number, customer=f"c{n}")

    heat = shop.engine.answer("DescribeMeters", {})["Heat"]

    assert heat[0]["TableName"] == "orders"
    assert [each["PartitionKey"] for each in heat[0]["HottestKeys"]] == ["7", "-12", "0"]
    assert heat[1]["IndexName"] == "ByCustomer"
    assert heat[1]["HottestKeys"][0]["PartitionKey"] == "c0"


def test_heat_is_of_the_last_two_minutes() -> None:
    shop = Shop()
    shop.put(1)
    shop.time += 180
    shop.put(2)

    heat = shop.engine.answer("DescribeMeters", {})["Heat"]

    assert [each["PartitionKey"] for each in heat[0]["HottestKeys"]] == ["2"]


def test_the_heat_of_a_deleted_table_is_not_that_of_one_with_its_name() -> None:
    shop = Shop()
    shop.put(-12)
    shop.send("DeleteTable", TableName="orders")
    shop.send(
        "CreateTable",
        TableName="orders",
        KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )
    shop.send("PutItem", TableName="orders", Item={"id": {"S": "twelve"}})

    heat = shop.engine.answer("DescribeMeters", {})["Heat"]

    assert heat[0]["HottestKeys"] == [{"PartitionKey": "twelve", "Units": 1.0}]


def test_units_are_counted_by_partition() -> None:
    shop = Shop()
    shop.send("SplitPartition", TableName="orders")
    for number in range(40):
        shop.put(number)

    partitions = shop.engine.answer("DescribeMeters", {})["Heat"][0]["Partitions"]

    assert [each["FirstHash"] for each in partitions] == [0, 1 << 31]
    assert sum(each["WriteUnits"] for each in partitions) == 40
    assert all(each["WriteUnits"] > 5 for each in partitions)


@given(st.lists(st.integers(0, 300), max_size=600), st.integers(200, 400))
def test_a_key_with_more_than_its_share_is_among_the_hottest(others: list[int], hot: int) -> None:
    keys = HotKeys()
    for number in range(max(len(others), hot)):
        if number < len(others):
            keys.add(b"%d" % others[number], 1)
        if number < hot:
            keys.add(b"hot", 1)

    found = dict(keys.hottest())

    assert found[b"hot"] >= hot
    # No count is more than a hundredth of all units too high.
    truth = Counter(b"%d" % each for each in others) + Counter({b"hot": hot})
    assert all(units - truth[key] <= sum(truth.values()) / 100 for key, units in found.items())


# -- fair weather ------------------------------------------------------------------------------


def test_without_weather_there_are_no_meters() -> None:
    with Engine.memory() as engine:
        assert engine.answer("DescribeMeters", {}) == {}


def test_fair_weather_throttles_nothing() -> None:
    shop = Shop(FAIR)

    for _ in range(1_100):
        shop.put(1)

    assert shop.sums()["ConsumedWriteCapacityUnits orders"] == 1_100
    assert len(shop.engine.weather.timeline) == 0 if shop.engine.weather else pytest.fail("fair")
