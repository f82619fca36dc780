"""A throttled table behaves as the documented numbers of the service say, within a tenth.

Each test sends more than can be served, second by second, for minutes of a clock that is moved, and
compares what was served with the documented rate. Items of many units make few requests of it.
"""

from functools import partial
from typing import Any
from zlib import crc32

import pytest

from sortkey.engine import Engine
from sortkey.engine.weather import WeatherEvent, scenario
from sortkey.wire.errors import RequestThrottled

MINUTE = 60
ON_DEMAND: dict[str, Any] = {"BillingMode": "PAY_PER_REQUEST"}
BY_STATUS: dict[str, Any] = {
    "IndexName": "ByStatus",
    "KeySchema": [{"AttributeName": "status", "KeyType": "HASH"}],
    "Projection": {"ProjectionType": "KEYS_ONLY"},
}


def provisioned(reads: int, writes: int) -> dict[str, Any]:
    return {"ProvisionedThroughput": {"ReadCapacityUnits": reads, "WriteCapacityUnits": writes}}


class Load:
    """A table in the scenario hot-day, with the numbers of the service."""

    def __init__(self, **settings: Any) -> None:
        self.time = 1_000_000_000.0
        self.engine = Engine.memory(clock=lambda: self.time, weather=scenario("hot-day"))
        names = ("pk", "sk", "status") if "GlobalSecondaryIndexes" in settings else ("pk", "sk")
        self.engine.answer(
            "CreateTable",
            {
                "TableName": "load",
                "KeySchema": [
                    {"AttributeName": "pk", "KeyType": "HASH"},
                    {"AttributeName": "sk", "KeyType": "RANGE"},
                ],
                "AttributeDefinitions": [
                    {"AttributeName": name, "AttributeType": "S"} for name in names
                ],
                **settings,
            },
        )
        self._number = 0

    def write(self, keys: list[str], units: int, **values: str) -> float:
        """Write an item of so many units to the next of these keys; return what was served."""
        self._number += 1
        pk = keys[self._number % len(keys)]
        names = {"pk": pk, "sk": str(self._number % 7), **values, "text": "x" * (units * 1024 - 99)}
        return self._served(
            "PutItem", units, Item={name: {"S": value} for name, value in names.items()}
        )

    def read(self, pk: str, units: int) -> float:
        """Read an item of so many units; return what was served."""
        return self._served(
            "GetItem", units, Key={"pk": {"S": pk}, "sk": {"S": "1"}}, ConsistentRead=True
        )

    def _served(self, operation: str, units: int, **request: Any) -> float:
        try:
            self.engine.answer(operation, {"TableName": "load", **request})
        except RequestThrottled:
            return 0.0
        return float(units)

    def each_second(self, seconds: int, requests: int, send: Any) -> list[float]:
        """Return the units that were served in each second."""
        served: list[float] = []
        for _ in range(seconds):
            served.append(sum(send() for _ in range(requests)))
            self.time += 1
        return served

    @property
    def events(self) -> list[WeatherEvent]:
        assert self.engine.weather is not None
        return list(self.engine.weather.timeline)


def mean(values: list[float]) -> float:
    return sum(values) / len(values)


def tenth(expected: float) -> Any:
    return pytest.approx(expected, rel=0.1)


def test_a_partition_serves_a_thousand_write_units_a_second() -> None:
    load = Load(**ON_DEMAND)

    assert mean(load.each_second(2 * MINUTE, 60, partial(load.write, ["hot"], 25))) == tenth(1000)


def test_a_partition_serves_three_thousand_read_units_a_second() -> None:
    load = Load(**ON_DEMAND)
    for _ in range(7):
        load.write(["hot"], 100)
    load.time += 1

    # An item of 100 KB needs 25 units.
    assert mean(load.each_second(MINUTE, 150, partial(load.read, "hot", 25))) == tenth(3000)


def test_a_burst_uses_what_five_minutes_left_and_then_the_provisioned_rate_is_served() -> None:
    load = Load(**provisioned(10, 100))
    load.time += 3600

    served = load.each_second(2 * MINUTE, 60, partial(load.write, ["a", "b", "c"], 10))

    # 30,000 units of an idle time, at 600 a second beside the 100 that come in.
    burst = next(second for second, units in enumerate(served) if units < 500)
    assert burst == tenth(30_000 / (600 - 100))
    assert mean(served[burst + 1 :]) == tenth(100)


def test_a_burst_is_never_above_the_maximum_of_a_partition() -> None:
    load = Load(**provisioned(10, 900))
    load.time += 3600

    served = load.each_second(MINUTE, 120, partial(load.write, ["hot"], 10))

    assert mean(served) == tenth(1000)
    assert max(served) <= 1100


def test_a_partition_that_is_split_after_five_minutes_serves_twice_as_much() -> None:
    load = Load(**ON_DEMAND)
    # Two keys in the first of the four partitions of a new table.
    names = (f"key{number}" for number in range(1_000))
    keys = [each for each in names if crc32(each.encode()) < 1 << 30][:2]

    served = load.each_second(8 * MINUTE, 25, partial(load.write, keys, 100))

    [split] = [event for event in load.events if event.what == "PartitionSplit"]
    assert split.at - 1_000_000_000 == tenth(5 * MINUTE)
    assert mean(served[: 5 * MINUTE - 1]) == tenth(1000)
    assert mean(served[6 * MINUTE :]) == tenth(2000)


def test_a_table_on_demand_doubles_its_peak_every_half_hour() -> None:
    load = Load(**ON_DEMAND)
    keys = [f"key{number}" for number in range(997)]

    def rate() -> float:
        served = mean(load.each_second(2, 700, partial(load.write, keys, 70)))
        load.time += 30 * MINUTE
        return served

    assert [rate() for _ in range(4)] == [tenth(4_000), tenth(8_000), tenth(16_000), tenth(32_000)]
    # The quota of a table.
    assert rate() == tenth(40_000)


def test_an_index_with_less_capacity_throttles_its_table_to_its_own_rate() -> None:
    index = BY_STATUS | provisioned(100, 20)
    load = Load(**provisioned(1_000, 1_000), GlobalSecondaryIndexes=[index])
    number = iter(range(10**6))

    def move() -> float:
        # One item with another status each time: two writes of the index.
        return load.write([f"key{n}" for n in range(50)], 1, status=f"status{next(number)}")

    load.each_second(MINUTE, 50, move)
    served = load.each_second(2 * MINUTE, 50, move)

    assert mean(served) == tenth(20 / 2)
    assert {event.what for event in load.events} == {"IndexWriteProvisionedThroughputExceeded"}


def test_a_hot_key_of_an_index_throttles_its_table_to_the_rate_of_a_partition() -> None:
    load = Load(
        **ON_DEMAND, GlobalSecondaryIndexes=[BY_STATUS | {"Projection": {"ProjectionType": "ALL"}}]
    )
    keys = [f"key{number}" for number in range(400)]
    number = iter(range(10**6))

    def add() -> float:
        return load.write([f"{keys[next(number) % 400]}-{load.time}"], 40, status="open")

    served = load.each_second(MINUTE, 80, add)

    assert mean(served) == tenth(1000)
    assert {event.what for event in load.events} == {"IndexWriteKeyRangeThroughputExceeded"}


def test_one_seed_has_one_timeline() -> None:
    def timeline() -> list[WeatherEvent]:
        load = Load(**ON_DEMAND)
        load.each_second(6 * MINUTE, 15, partial(load.write, ["a"], 90))
        return load.events

    first = timeline()
    assert first == timeline()
    assert first
