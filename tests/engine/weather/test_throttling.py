import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

from sortkey.engine import Engine
from sortkey.engine.promptness import TakesLong, prompt_calls
from sortkey.engine.weather import Scenario, scenario
from sortkey.engine.weather.throttling import Throttle
from sortkey.wire.errors import (
    ConditionalCheckFailedException,
    ProvisionedThroughputExceededException,
    RequestLimitExceeded,
    RequestThrottled,
    ThrottlingException,
    TransactionCanceledException,
)

HOT_DAY = scenario("hot-day")
# Hundredths of the documented numbers, so that five minutes of load are few requests.
SMALL = replace(
    HOT_DAY,
    partition_reads=30.0,
    partition_writes=10.0,
    on_demand_reads=120.0,
    on_demand_writes=40.0,
)
ARN = "arn:aws:dynamodb:us-east-1:000000000000:table/Orders"
ON_DEMAND = {"BillingMode": "PAY_PER_REQUEST"}


def provisioned(reads: int, writes: int) -> dict[str, Any]:
    return {"ProvisionedThroughput": {"ReadCapacityUnits": reads, "WriteCapacityUnits": writes}}


class Service:
    """An engine with weather, whose clock stands still unless it is moved."""

    def __init__(self, weather: Scenario | None, **settings: Any) -> None:
        self.time = 1_000_000_000.0
        self.engine = Engine.memory(clock=lambda: self.time, weather=weather)
        self.create(settings)

    def create(self, settings: dict[str, Any]) -> None:
        names = {"pk", "sk"}
        for index in (
            *settings.get("GlobalSecondaryIndexes", ()),
            *settings.get("LocalSecondaryIndexes", ()),
        ):
            names |= {each["AttributeName"] for each in index["KeySchema"]}
        self.engine.answer(
            "CreateTable",
            {
                "TableName": "Orders",
                "KeySchema": key("pk", "sk"),
                "AttributeDefinitions": [
                    {"AttributeName": name, "AttributeType": "S"} for name in sorted(names)
                ],
                **(settings or ON_DEMAND),
            },
        )

    def answer(self, operation: str, **request: Any) -> dict[str, Any]:
        return self.engine.answer(operation, {"TableName": "Orders", **request})

    def put(self, pk: str, sk: str = "1", **values: str) -> None:
        self.answer("PutItem", Item=item(pk, sk, **values))

    def get(self, pk: str, sk: str = "1", *, consistent: bool = True) -> None:
        self.answer("GetItem", Key=item(pk, sk), ConsistentRead=consistent)

    def served(self, requests: int, send: Callable[[int], None]) -> int:
        """Return how many of the requests are served, all in one moment."""
        count = 0
        for number in range(requests):
            try:
                send(number)
            except RequestThrottled:
                continue
            count += 1
        return count

    def served_each_second(
        self, seconds: int, requests: int, send: Callable[[int], None]
    ) -> list[int]:
        counts: list[int] = []
        for second in range(seconds):
            counts.append(self.served(requests, lambda n, s=second: send(s * requests + n)))
            self.time += 1
        return counts

    @property
    def events(self) -> list[str]:
        assert self.engine.weather is not None
        return [event.what for event in self.engine.weather.timeline]


def key(*names: str) -> list[dict[str, str]]:
    return [
        {"AttributeName": name, "KeyType": kind}
        for name, kind in zip(names, ("HASH", "RANGE"), strict=False)
    ]


def item(pk: str, sk: str, **values: str) -> dict[str, Any]:
    return {name: {"S": value} for name, value in {"pk": pk, "sk": sk, **values}.items()}


# -- partitions -----------------------------------------------------------------------------


def test_a_key_is_written_a_thousand_times_a_second() -> None:
    service = Service(HOT_DAY)

    assert service.served_each_second(3, 1_500, lambda n: service.put("a")) == [1000] * 3


def test_a_key_is_read_three_thousand_times_a_second_consistently() -> None:
    service = Service(HOT_DAY)

    assert service.served(3_500, lambda n: service.get("a")) == 3000


def test_an_eventually_consistent_read_needs_half_a_unit() -> None:
    service = Service(HOT_DAY)

    assert service.served(6_500, lambda n: service.get("a", consistent=False)) == 6000


def test_reads_and_writes_have_capacities_of_their_own() -> None:
    service = Service(HOT_DAY)
    service.served(1_200, lambda n: service.put("a"))

    service.get("a")


def test_a_hot_key_does_not_throttle_keys_in_other_partitions() -> None:
    service = Service(HOT_DAY)
    service.served(1_200, lambda n: service.put("hot"))

    others = service.served(100, lambda n: service.put(f"cold{n}"))

    # Four partitions: those of the hot one are throttled too.
    assert 60 <= others <= 90


def test_large_items_need_more_units() -> None:
    service = Service(HOT_DAY)

    assert service.served(30, lambda n: service.put("a", text="x" * 99_000)) == 11


def test_a_table_with_any_capacity_gets_partitions_at_once() -> None:
    # A partition for each 10 units would take hours to make.
    service = Service(SMALL, **provisioned(10**9, 10**9))

    assert service.served(30, lambda n: service.put(str(n))) == 30


def test_a_query_is_charged_to_the_partition_of_its_key() -> None:
    service = Service(SMALL)

    def query(number: int) -> None:
        service.answer(
            "Query",
            KeyConditionExpression="pk = :pk",
            ExpressionAttributeValues={":pk": {"S": "a"}},
            ConsistentRead=True,
        )

    assert service.served(50, query) == 30
    with pytest.raises(ThrottlingException):
        service.get("a")


def test_the_error_names_the_reason_and_the_table() -> None:
    service = Service(SMALL)
    service.served(10, lambda n: service.put("a"))

    with pytest.raises(ThrottlingException) as caught:
        service.put("a")

    assert caught.value.body()["throttlingReasons"] == [
        {"reason": "TableWriteKeyRangeThroughputExceeded", "resource": ARN}
    ]


def test_a_throttled_write_has_no_effect() -> None:
    service = Service(SMALL)
    service.served(10, lambda n: service.put("a"))

    with pytest.raises(ThrottlingException):
        service.put("a", "2")

    assert service.answer("GetItem", Key=item("a", "2")) == {}


def test_a_failed_condition_is_charged() -> None:
    service = Service(SMALL)
    service.put("a")

    def refused(number: int) -> None:
        with pytest.raises(ConditionalCheckFailedException):
            service.answer(
                "PutItem",
                Item=item("a", "1"),
                ConditionExpression="attribute_not_exists(pk)",
            )

    assert [service.served(1, refused) for _ in range(12)] == [1] * 9 + [0] * 3


# -- provisioned capacity -------------------------------------------------------------------


def test_provisioned_capacity_is_served_each_second() -> None:
    service = Service(HOT_DAY, **provisioned(5, 5))

    assert service.served_each_second(4, 20, lambda n: service.put(str(n))) == [5] * 4


def test_unused_capacity_is_kept_for_five_minutes() -> None:
    service = Service(HOT_DAY, **provisioned(5, 2))
    service.time += 10_000

    assert service.served(1_000, lambda n: service.put(str(n))) == 600


def test_a_burst_does_not_exceed_the_capacity_of_a_partition() -> None:
    service = Service(HOT_DAY, **provisioned(5, 900))
    service.time += 10_000

    assert service.served_each_second(2, 2_000, lambda n: service.put("a")) == [1000] * 2


def test_one_key_may_use_more_than_its_share_of_the_capacity_of_a_table() -> None:
    # Two partitions, whose shares would be 7.5 units.
    service = Service(SMALL, **provisioned(60, 15))

    assert service.served_each_second(2, 30, lambda n: service.put("a")) == [10] * 2


def test_provisioned_capacity_has_its_own_error() -> None:
    service = Service(HOT_DAY, **provisioned(1, 1))
    service.put("a")

    with pytest.raises(ProvisionedThroughputExceededException) as caught:
        service.put("b")

    assert caught.value.reasons == [
        {"reason": "TableWriteProvisionedThroughputExceeded", "resource": ARN}
    ]


def test_changed_capacity_applies_from_the_next_second() -> None:
    service = Service(HOT_DAY, **provisioned(1, 1))
    service.answer("UpdateTable", **provisioned(1, 50))

    assert service.served(80, lambda n: service.put(str(n))) == 50


def test_partitions_are_added_for_more_provisioned_capacity() -> None:
    service = Service(SMALL, **provisioned(5, 5))
    service.put("a")
    service.answer("UpdateTable", **provisioned(5, 200))
    service.time += 1

    # Keys are not spread evenly over twenty partitions.
    assert 180 <= service.served(300, lambda n: service.put(str(n))) <= 200


def test_a_change_of_reads_leaves_unused_writes_as_they_are() -> None:
    service = Service(HOT_DAY, **provisioned(5, 2))
    service.time += 300
    service.put("a")
    service.answer("UpdateTable", **provisioned(6, 2))

    assert service.served(1_000, lambda n: service.put(str(n))) == 599


def test_a_debt_is_not_forgiven_by_a_change() -> None:
    service = Service(HOT_DAY, **provisioned(5, 10))
    service.put("a", text="x" * 99_000)
    service.answer("UpdateTable", **provisioned(6, 10))

    assert service.served_each_second(12, 1, lambda n: service.put(str(n)))[:9] == [0] * 9


def test_a_scenario_without_bursts_serves_the_provisioned_capacity() -> None:
    service = Service(replace(HOT_DAY, burst_seconds=0), **provisioned(5, 5))
    service.time += 100

    assert service.served_each_second(3, 20, lambda n: service.put(str(n))) == [5] * 3


# -- on demand ------------------------------------------------------------------------------


def test_an_on_demand_table_begins_with_four_thousand_writes_a_second() -> None:
    service = Service(replace(HOT_DAY, partition_writes=1e9))

    assert service.served(5_000, lambda n: service.put(str(n))) == 4000


def test_an_on_demand_table_serves_twice_its_peak_after_half_an_hour() -> None:
    service = Service(replace(SMALL, partition_writes=1e9))

    def counts() -> int:
        return service.served_each_second(1, 500, lambda n: service.put(str(n)))[0]

    first = counts()
    service.time += 1_790
    before = counts()
    service.time += 20
    after = counts()
    service.time += 2_000

    assert (first, before, after, counts()) == (40, 40, 80, 160)


def test_partitions_are_added_for_a_higher_peak() -> None:
    service = Service(SMALL)

    def second() -> int:
        return service.served_each_second(1, 400, lambda n: service.put(str(n)))[0]

    assert second() == 40
    service.time += 1_810
    assert second() == pytest.approx(80, rel=0.1)
    service.time += 1_810
    assert second() == pytest.approx(160, rel=0.1)


def test_a_table_that_becomes_on_demand_keeps_its_capacity() -> None:
    service = Service(SMALL, **provisioned(5, 200))
    service.put("a")
    service.answer("UpdateTable", BillingMode="PAY_PER_REQUEST")
    service.time += 1

    assert service.served(300, lambda n: service.put(str(n))) == pytest.approx(200, rel=0.1)


def test_the_capacity_on_demand_is_kept_while_a_table_is_provisioned() -> None:
    service = Service(replace(SMALL, partition_writes=1e9))
    service.served_each_second(1, 500, lambda n: service.put(str(n)))
    service.time += 1_810
    service.put("a")
    service.answer("UpdateTable", BillingMode="PROVISIONED", **provisioned(5, 5))
    service.put("a")
    service.answer("UpdateTable", BillingMode="PAY_PER_REQUEST")

    assert service.served(500, lambda n: service.put(str(n))) == 79


def test_a_new_maximum_does_not_take_the_peak_away() -> None:
    service = Service(replace(SMALL, partition_writes=1e9))
    service.served_each_second(1, 500, lambda n: service.put(str(n)))
    service.time += 1_810
    service.put("a")
    service.answer("UpdateTable", OnDemandThroughput={"MaxWriteRequestUnits": 1_000})

    assert service.served(500, lambda n: service.put(str(n))) == 79


def test_a_table_that_is_warmed_serves_that_much_at_once() -> None:
    warm = {"ReadUnitsPerSecond": 12_000, "WriteUnitsPerSecond": 4_000}
    service = Service(SMALL, **ON_DEMAND, WarmThroughput=warm)

    assert service.served(500, lambda n: service.put(str(n))) == 500


def test_a_table_serves_no_more_than_the_quota_of_tables() -> None:
    service = Service(replace(SMALL, partition_writes=1e9, on_demand_writes=1e9))
    large = "x" * 399_000

    served = service.served_each_second(3, 200, lambda n: service.put(str(n), text=large))

    assert sum(served) * 390 == pytest.approx(3 * 40_000, rel=0.1)
    assert set(service.events) == {"TableWriteAccountLimitExceeded"}


def test_a_table_is_not_slower_on_demand_after_a_quiet_time() -> None:
    service = Service(replace(SMALL, partition_writes=1e9))
    service.served_each_second(1, 500, lambda n: service.put(str(n)))
    service.time += 100_000

    assert service.served(500, lambda n: service.put(str(n))) == 80


def test_the_maximum_of_an_on_demand_table_is_kept() -> None:
    service = Service(HOT_DAY, **ON_DEMAND, OnDemandThroughput={"MaxWriteRequestUnits": 7})

    assert service.served(20, lambda n: service.put(str(n))) == 7
    assert set(service.events) == {"TableWriteMaxOnDemandThroughputExceeded"}
    # "Diagnosing throttling", developer guide: nothing is being scaled, and no key is hot.
    with pytest.raises(ThrottlingException, match="exceeds the maximum OnDemandThroughput"):
        service.put("another")


# -- splits ---------------------------------------------------------------------------------


def after_minutes_of_heat(service: Service, send: Callable[[int], None]) -> int:
    """Return how many requests are served in a second after seven minutes of load."""
    return service.served_each_second(420, 25, send)[-1]


def keys_of_one_partition(count: int) -> list[str]:
    """Return keys in the first of the four partitions that a table has on demand."""
    keys = (f"key{number}" for number in range(1_000))
    return [each for each in keys if crc32(each.encode()) < 1 << 30][:count]


def test_a_hot_partition_is_split_between_its_keys() -> None:
    service = Service(SMALL)
    keys = keys_of_one_partition(2)

    assert after_minutes_of_heat(service, lambda n: service.put(keys[n % 2])) == 20
    assert service.events.count("PartitionSplit") == 1


def test_a_split_divides_the_partition_map_of_the_table() -> None:
    service = Service(SMALL)
    one, other = sorted(keys_of_one_partition(2), key=lambda key: crc32(key.encode()))

    after_minutes_of_heat(service, lambda n: service.put(one if n % 2 else other))

    partitions = service.answer("SplitPartition", Partition=0)["Partitions"]
    assert crc32(other.encode()) in [each["FirstHash"] for each in partitions]


def test_a_partition_that_is_split_by_request_serves_twice_as_much() -> None:
    service = Service(SMALL, **provisioned(30, 10))
    # The table has enough left of an idle time; its only partition has not.
    service.time += 1_000

    def second() -> int:
        return service.served_each_second(1, 100, lambda n: service.put(str(n)))[0]

    assert second() == 10
    service.answer("SplitPartition")
    assert second() == 20


def test_a_single_item_is_not_split() -> None:
    service = Service(SMALL)

    assert after_minutes_of_heat(service, lambda n: service.put("a")) == 10
    assert "PartitionSplit" not in service.events


def test_a_collection_is_split_between_its_sort_keys() -> None:
    service = Service(SMALL)

    assert after_minutes_of_heat(service, lambda n: service.put("a", str(n * 7 % 20))) == 20


def test_a_collection_is_not_split_where_sort_keys_only_rise() -> None:
    service = Service(SMALL)

    assert after_minutes_of_heat(service, lambda n: service.put("a", f"{n:09}")) == 10
    assert "PartitionSplit" not in service.events


def test_a_collection_with_a_local_index_is_not_split() -> None:
    local = {
        "IndexName": "ByText",
        "KeySchema": key("pk", "text"),
        "Projection": {"ProjectionType": "KEYS_ONLY"},
    }
    service = Service(SMALL, **ON_DEMAND, LocalSecondaryIndexes=[local])

    assert after_minutes_of_heat(service, lambda n: service.put("a", str(n * 7 % 20))) == 10
    assert "PartitionSplit" not in service.events


def test_a_scenario_can_forbid_splits() -> None:
    service = Service(replace(SMALL, split_seconds=0))

    assert after_minutes_of_heat(service, lambda n: service.put("a", str(n * 7 % 20))) == 10
    assert "PartitionSplit" not in service.events


# -- indexes --------------------------------------------------------------------------------

BY_STATUS = {
    "IndexName": "ByStatus",
    "KeySchema": key("status"),
    "Projection": {"ProjectionType": "ALL"},
}


def test_a_hot_index_throttles_the_writes_of_its_table() -> None:
    service = Service(SMALL, **ON_DEMAND, GlobalSecondaryIndexes=[BY_STATUS])

    assert service.served(30, lambda n: service.put(f"order{n}", status="open")) == 10
    with pytest.raises(ThrottlingException) as caught:
        service.put("another", status="open")
    assert caught.value.reasons == [
        {"reason": "IndexWriteKeyRangeThroughputExceeded", "resource": f"{ARN}/index/ByStatus"}
    ]


def test_a_write_that_does_not_change_an_index_needs_none_of_its_capacity() -> None:
    service = Service(SMALL, **ON_DEMAND, GlobalSecondaryIndexes=[BY_STATUS])
    service.served(30, lambda n: service.put(f"order{n}", status="open"))

    service.time += 1
    service.served(30, lambda n: service.put(f"order{n}", status="open"))
    service.put("without")


def test_a_move_in_an_index_needs_two_writes() -> None:
    service = Service(SMALL, **ON_DEMAND, GlobalSecondaryIndexes=[BY_STATUS])
    for number in range(10):
        service.put(f"order{number}", status="open")
    service.time += 1

    moved = service.served(10, lambda n: service.put(f"order{n}", status="done"))
    service.served(30, lambda n: service.put(f"new{n}", status="done"))

    assert moved == 10
    with pytest.raises(ThrottlingException):
        service.put("order0", status="open")


def test_the_provisioned_capacity_of_an_index_is_its_own() -> None:
    index = BY_STATUS | provisioned(1, 2)
    service = Service(HOT_DAY, **provisioned(100, 100), GlobalSecondaryIndexes=[index])

    assert service.served(10, lambda n: service.put(f"o{n}", status=f"s{n}")) == 2
    with pytest.raises(ProvisionedThroughputExceededException, match="global secondary indexes"):
        service.put("another", status="open")


@pytest.mark.parametrize("where", ["Table", "Index"])
def test_a_hot_partition_of_a_provisioned_table_or_of_its_index(where: str) -> None:
    """The exceptions differ: "Diagnosing throttling", and "GSI throttling", developer guide."""
    units = provisioned(1_000, 1_000)
    service = Service(SMALL, **units, GlobalSecondaryIndexes=[BY_STATUS | units])

    def put(number: int) -> None:
        if where == "Table":
            service.put("a")
        else:
            service.put(str(number), status="open")

    with pytest.raises(RequestThrottled) as caught:
        list(map(put, range(100)))

    is_table = where == "Table"
    expected = ProvisionedThroughputExceededException if is_table else ThrottlingException
    assert type(caught.value) is expected
    [reason] = caught.value.reasons
    assert reason["reason"] == f"{where}WriteKeyRangeThroughputExceeded"


# -- reasons --------------------------------------------------------------------------------

LARGE = replace(
    HOT_DAY, partition_reads=1e9, partition_writes=1e9, on_demand_reads=1e9, on_demand_writes=1e9
)
FEW = {"MaxReadRequestUnits": 3, "MaxWriteRequestUnits": 3}
EXCEPTIONS: dict[str, type[RequestThrottled]] = {
    "KeyRangeThroughput": ThrottlingException,
    "ProvisionedThroughput": ProvisionedThroughputExceededException,
    "AccountLimit": RequestLimitExceeded,
    "MaxOnDemandThroughput": ThrottlingException,
}


def overloaded(where: str, cause: str) -> Service:
    """Return a service whose table or index can serve little, for one cause."""
    of_table, of_index = ({}, FEW) if where == "Index" else (FEW, {})
    index: dict[str, Any] = BY_STATUS | {"OnDemandThroughput": of_index}
    match cause:
        case "KeyRangeThroughput":
            return Service(SMALL, **ON_DEMAND, GlobalSecondaryIndexes=[BY_STATUS])
        case "AccountLimit":
            return Service(LARGE, **ON_DEMAND, GlobalSecondaryIndexes=[BY_STATUS])
        case "MaxOnDemandThroughput":
            table = ON_DEMAND | {"OnDemandThroughput": of_table}
            return Service(LARGE, **table, GlobalSecondaryIndexes=[index])
        case _:
            units = provisioned(3, 3), provisioned(1_000, 1_000)
            table, index = reversed(units) if where == "Index" else units
            return Service(LARGE, **table, GlobalSecondaryIndexes=[BY_STATUS | index])


@pytest.mark.parametrize("cause", EXCEPTIONS)
@pytest.mark.parametrize("kind", ["Read", "Write"])
@pytest.mark.parametrize("where", ["Table", "Index"])
def test_each_reason_has_its_exception_its_resource_and_its_metric(
    where: str, kind: str, cause: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if cause == "AccountLimit":
        monkeypatch.setattr("sortkey.engine.weather.throttling.TABLE_QUOTA", 15.0)
    service = overloaded(where, cause)

    def send(number: int) -> None:
        match where, kind:
            case "Table", "Read":
                service.get("a")
            case "Table", _:
                service.put("a")
            case _, "Read":
                service.answer(
                    "Query",
                    IndexName="ByStatus",
                    KeyConditionExpression="#s = :s",
                    ExpressionAttributeNames={"#s": "status"},
                    ExpressionAttributeValues={":s": {"S": "open"}},
                )
            case _ if cause == "AccountLimit":
                # A move: two writes of the index for one of the table.
                service.put("a", status=str(number))
            case _:
                service.put(str(number), status="open")

    with pytest.raises(RequestThrottled) as caught:
        list(map(send, range(100)))

    arn = ARN if where == "Table" else f"{ARN}/index/ByStatus"
    reason = {"reason": f"{where}{kind}{cause}Exceeded", "resource": arn}
    assert type(caught.value) is EXCEPTIONS[cause]
    assert caught.value.reasons == [reason]
    metrics = service.engine.answer("DescribeMeters", {})["Metrics"]
    [metric] = [each for each in metrics if each["MetricName"] == f"{kind}{cause}ThrottleEvents"]
    index = {} if where == "Table" else {"GlobalSecondaryIndexName": "ByStatus"}
    assert metric["Dimensions"] == {"TableName": "Orders", **index}


# -- several items --------------------------------------------------------------------------


def batch(*numbers: int) -> dict[str, Any]:
    return {"Orders": [{"PutRequest": {"Item": item("a", str(n))}} for n in numbers]}


def test_a_batch_returns_the_items_that_were_not_written() -> None:
    service = Service(SMALL)

    answer = service.engine.answer("BatchWriteItem", {"RequestItems": batch(*range(25))})

    assert answer["UnprocessedItems"] == batch(*range(10, 25))
    assert service.answer("Scan", Select="COUNT")["Count"] == 10


def test_a_batch_fails_if_nothing_is_written() -> None:
    service = Service(SMALL)
    service.served(10, lambda n: service.put("a"))

    with pytest.raises(ThrottlingException):
        service.engine.answer("BatchWriteItem", {"RequestItems": batch(1, 2)})


def test_a_batch_returns_the_keys_that_were_not_read() -> None:
    service = Service(SMALL)
    keys = [item("a", str(number)) for number in range(40)]
    wanted = {"Orders": {"Keys": keys, "ConsistentRead": True}}

    answer = service.engine.answer("BatchGetItem", {"RequestItems": wanted})

    assert answer["UnprocessedKeys"]["Orders"]["Keys"] == keys[30:]


def test_a_batch_fails_if_nothing_is_read() -> None:
    service = Service(SMALL)
    service.served(30, lambda n: service.get("a"))
    wanted = {"Orders": {"Keys": [item("a", "1"), item("a", "2")]}}

    with pytest.raises(ThrottlingException):
        service.engine.answer("BatchGetItem", {"RequestItems": wanted})


def test_a_throttled_transaction_is_cancelled_with_its_reasons() -> None:
    service = Service(SMALL)
    service.served(10, lambda n: service.put("a"))
    actions = [{"Put": {"TableName": "Orders", "Item": item(pk, "2")}} for pk in ("b", "a")]

    with pytest.raises(TransactionCanceledException) as caught:
        service.engine.answer("TransactWriteItems", {"TransactItems": actions})

    assert [reason["Code"] for reason in caught.value.reasons] == ["None", "ThrottlingError"]
    assert service.answer("GetItem", Key=item("b", "2")) == {}


def test_a_transaction_that_exceeds_provisioned_capacity_says_so() -> None:
    service = Service(HOT_DAY, **provisioned(1, 1))
    service.put("a")
    actions = [{"Put": {"TableName": "Orders", "Item": item("a", "2")}}]

    with pytest.raises(TransactionCanceledException) as caught:
        service.engine.answer("TransactWriteItems", {"TransactItems": actions})

    [reason] = caught.value.reasons
    assert reason["Code"] == "ProvisionedThroughputExceeded"
    assert reason["Message"].startswith("The level of configured provisioned throughput for the ta")


def test_a_transaction_needs_twice_the_units() -> None:
    service = Service(SMALL)

    def write(number: int) -> None:
        action = {"Put": {"TableName": "Orders", "Item": item("a", "1")}}
        service.engine.answer("TransactWriteItems", {"TransactItems": [action]})

    assert [service.served(1, write) for _ in range(5)] == [1] * 5
    with pytest.raises(TransactionCanceledException):
        write(6)


def test_a_throttled_statement_of_a_batch_has_an_error_of_its_own() -> None:
    service = Service(SMALL)
    service.served(10, lambda n: service.put("a"))
    statements = [
        {"Statement": f"INSERT INTO Orders VALUE {{'pk': '{pk}', 'sk': '2'}}"} for pk in "ab"
    ]

    answer = service.engine.answer("BatchExecuteStatement", {"Statements": statements})

    throttled, inserted = answer["Responses"]
    assert throttled["Error"]["Code"] == "ThrottlingError"
    assert "Error" not in inserted


# -- an event loop --------------------------------------------------------------------------


def test_a_request_that_an_event_loop_repeats_needs_its_units_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    service = Service(SMALL)
    service.served_each_second(2, 10, lambda n: service.put("a", str(n), text="x" * 440))
    monkeypatch.setattr("sortkey.engine.promptness.MOST_STEPS", 5)

    def query(_number: int) -> None:
        request = {
            "TableName": "Orders",
            "KeyConditionExpression": "pk = :pk",
            "FilterExpression": "contains(#t, :x)",
            "ExpressionAttributeNames": {"#t": "text"},
            "ExpressionAttributeValues": {":pk": {"S": "a"}, ":x": {"S": "y"}},
            "ConsistentRead": True,
        }
        with prompt_calls(), pytest.raises(TakesLong):
            service.engine.reply("Query", request)
        service.engine.reply("Query", request)

    # Each needs three of thirty units.
    assert service.served(20, query) == 10


# -- several engines, several tables --------------------------------------------------------


def test_engines_that_share_weather_take_units_one_after_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = Throttle.excesses
    busy: list[int] = []
    overlaps: list[int] = []

    def slow(self: Throttle, demands: Any, now: float) -> Any:
        overlaps.extend(busy)
        busy.append(1)
        time.sleep(0.01)
        busy.pop()
        return taken(self, demands, now)

    monkeypatch.setattr(Throttle, "excesses", slow)
    with Engine.open(tmp_path / "app.db", weather=HOT_DAY) as engine:
        engine.answer(
            "CreateTable",
            {
                "TableName": "Orders",
                "KeySchema": key("pk"),
                "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
                **ON_DEMAND,
            },
        )
        beside = engine.beside()

        def read(reader: Engine) -> None:
            for _ in range(10):
                reader.answer("GetItem", {"TableName": "Orders", "Key": {"pk": {"S": "a"}}})

        with ThreadPoolExecutor() as threads:
            list(threads.map(read, (engine, beside)))
        beside.close()

    assert overlaps == []


def test_deleted_tables_and_indexes_leave_no_heat_behind() -> None:
    service = Service(SMALL, **ON_DEMAND, GlobalSecondaryIndexes=[BY_STATUS])
    assert service.engine.weather is not None
    # Only memory shows it.
    heats = service.engine.weather._throttle._heats  # noqa: SLF001 - see above
    service.put("a", status="open")
    service.answer(
        "UpdateTable", GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "ByStatus"}}]
    )
    service.put("a")
    assert len(heats) == 1

    service.answer("DeleteTable")

    assert heats == {}


def test_a_new_table_with_the_name_of_another_is_cool() -> None:
    service = Service(SMALL)
    service.served(20, lambda n: service.put("a"))
    service.answer("DeleteTable")
    service.create(ON_DEMAND)

    assert service.served(20, lambda n: service.put("a")) == 10


def test_a_clock_that_is_moved_back_adds_no_units() -> None:
    service = Service(HOT_DAY, **provisioned(5, 5))
    service.time += 1_000
    service.served_each_second(3, 1_100, lambda n: service.put(str(n)))

    service.time -= 500
    assert service.served(10, lambda n: service.put(str(n))) == 0
    service.time += 1
    assert service.served(10, lambda n: service.put(str(n))) == 5


# -- the timeline ---------------------------------------------------------------------------


def test_the_same_requests_have_the_same_weather() -> None:
    def timeline() -> list[Any]:
        service = Service(SMALL, **ON_DEMAND, GlobalSecondaryIndexes=[BY_STATUS])
        for _second in range(320):
            service.served(15, lambda n: service.put(f"o{n % 3}", str(n), status="open"))
            service.time += 1
        assert service.engine.weather is not None
        return list(service.engine.weather.timeline)

    assert timeline() == timeline() != []


def test_an_engine_has_fair_weather_unless_it_is_given() -> None:
    service = Service(None)

    assert service.engine.weather is None
    assert service.served(5_000, lambda n: service.put("a")) == 5_000


def test_a_scenario_without_throttling_serves_everything() -> None:
    service = Service(replace(SMALL, throttling=False))

    assert service.served(50, lambda n: service.put("a")) == 50
