"""A service whose clock is ahead of its clients', or behind."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from sortkey import DB, TTL, Entity, Table, utc_now
from sortkey.access.transports.embedded import EmbeddedTransport
from sortkey.clock import MovableClock, ahead_of, clock
from sortkey.engine import Engine
from sortkey.engine.weather import Scenario, scenario
from sortkey.wire.errors import (
    InvalidRestoreTimeException,
    ValidationException,
)

START = 1_000_000_000.0
TABLE: dict[str, Any] = {
    "TableName": "orders",
    "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
}


class Service:
    """An engine in this weather, and the time of its clients."""

    def __init__(self, weather: str | None) -> None:
        self.time = START
        found = None if weather is None else scenario(weather)
        self.engine = Engine.memory(clock=lambda: self.time, weather=found)
        self.created = self.answer("CreateTable", **TABLE)["TableDescription"]["CreationDateTime"]

    def answer(self, operation: str, **request: Any) -> dict[str, Any]:
        return self.engine.answer(operation, {"TableName": "orders", **request})

    def put(self, name: str, **values: Any) -> None:
        self.answer("PutItem", Item={"id": {"S": name}, **values})

    @property
    def count(self) -> int:
        while self.engine.tend():
            pass
        return self.answer("Scan", Select="COUNT")["Count"]


AHEAD = {"clock-ahead": 120.0, "clock-behind": -120.0, None: 0.0}


@pytest.mark.parametrize("weather", AHEAD)
def test_the_times_of_the_service_are_its_own(weather: str | None) -> None:
    assert Service(weather).created == START + AHEAD[weather]


@pytest.mark.parametrize("weather", AHEAD)
def test_items_expire_by_the_clock_of_the_service(weather: str | None) -> None:
    service = Service(weather)
    service.answer(
        "UpdateTimeToLive", TimeToLiveSpecification={"AttributeName": "ends", "Enabled": True}
    )
    service.put("a", ends={"N": str(int(START) + 300)})

    service.time += 299 - AHEAD[weather]
    assert service.count == 1
    service.time += 2
    assert service.count == 0


@pytest.mark.parametrize("weather", ["clock-ahead", "clock-behind"])
def test_a_token_is_kept_for_ten_minutes_of_any_clock(weather: str) -> None:
    service = Service(weather)
    put = {"TableName": "orders", "Item": {"id": {"S": "a"}}}
    write = {"TransactItems": [{"Put": put}], "ClientRequestToken": "t"}
    service.engine.answer("TransactWriteItems", write)
    service.answer("DeleteItem", Key={"id": {"S": "a"}})

    service.time += 599
    service.engine.answer("TransactWriteItems", write)
    assert service.count == 0
    service.time += 2
    service.engine.answer("TransactWriteItems", write)
    assert service.count == 1


def test_a_change_can_be_later_than_the_clock_of_its_client() -> None:
    service = Service("clock-ahead")
    enabled = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
    stream = service.answer("UpdateTable", StreamSpecification=enabled)["TableDescription"]
    arn = stream["LatestStreamArn"]
    service.put("a")
    [shard] = service.engine.answer("DescribeStream", {"StreamArn": arn})["StreamDescription"][
        "Shards"
    ]
    begin = {"StreamArn": arn, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
    iterator = service.engine.answer("GetShardIterator", begin)["ShardIterator"]
    [record] = service.engine.answer("GetRecords", {"ShardIterator": iterator})["Records"]

    assert record["dynamodb"]["ApproximateCreationDateTime"] == START + 120


def test_the_present_of_a_client_is_not_yet_restorable_behind() -> None:
    service = Service("clock-behind")
    recovery = {"PointInTimeRecoveryEnabled": True}
    service.answer("UpdateContinuousBackups", PointInTimeRecoverySpecification=recovery)
    service.time += 3600
    request = {
        "SourceTableName": "orders",
        "TargetTableName": "restored",
        "RestoreDateTime": service.time,
    }

    with pytest.raises(InvalidRestoreTimeException):
        service.engine.answer("RestoreTableToPointInTime", request)

    service.engine.answer("RestoreTableToPointInTime", request | {"RestoreDateTime": START + 3000})


def test_events_have_the_time_of_the_service() -> None:
    engine = Engine.memory(
        clock=lambda: START,
        weather=Scenario(name="test", partition_writes=1, clock_ahead_seconds=-7),
    )
    engine.answer("CreateTable", TABLE)
    put = {"TableName": "orders", "Item": {"id": {"S": "a"}}}
    engine.answer("PutItem", put)
    with pytest.raises(Exception, match="Throughput exceeds"):
        engine.answer("PutItem", put)

    assert engine.weather is not None
    assert [event.at for event in engine.weather.timeline] == [START - 7]
    assert engine.answer("DescribeMeters", {})["Time"] == START - 7


# -- clients ------------------------------------------------------------------------------------


class Shop(Table, ttl="expires"):
    """Baskets."""


class Basket(Entity, table=Shop):
    name: str
    expires: TTL | None = None

    primary = Shop.primary.key("BASKET#{name}", "BASKET")


def tend(db: DB) -> None:
    transport = db._transport
    assert isinstance(transport, EmbeddedTransport)
    while transport.engine.tend():
        pass


def test_the_clock_of_the_program_is_as_it_was() -> None:
    with clock(lambda: START):
        db = DB.memory(Shop, weather="clock-ahead")
        db(Basket(name="a", expires=utc_now() + timedelta(seconds=60)).put())

        assert utc_now().timestamp() == START
        # The record has not expired for its writer, but the service has deleted it.
        assert db(Basket.get(name="a")) is not None
        tend(db)
        assert db(Basket.get(name="a")) is None


def test_two_clients_can_have_clocks_of_their_own() -> None:
    """The engine of a server does not follow either."""
    with Engine.memory(clock=lambda: START) as engine:
        engine.answer("CreateTable", TABLE)
        for seconds in (-60, 60):
            with clock(lambda seconds=seconds: START + seconds):
                assert utc_now().timestamp() == START + seconds
                described = engine.answer("DescribeTable", {"TableName": "orders"})
                assert described["Table"]["CreationDateTime"] == START


# -- moving -------------------------------------------------------------------------------------


def test_a_clock_that_is_ahead_can_be_moved_if_the_other_can() -> None:
    base = MovableClock(lambda: START)
    weather = scenario("clock-ahead")
    with Engine.memory(clock=base, weather=weather) as engine:
        assert engine.answer("MoveClock", {"Seconds": 10}) == {"Now": START + 130}
        base.move(5)
        assert engine.answer("DescribeMeters", {})["Time"] == START + 135
        # The clients keep theirs.
        assert base() == START + 5

    with (
        Engine.memory(clock=lambda: START, weather=weather) as engine,
        pytest.raises(ValidationException, match="--movable-clock"),
    ):
        engine.answer("MoveClock", {"Seconds": 10})


def test_an_engine_beside_another_is_ahead_as_much(tmp_path: Path) -> None:
    weather = scenario("clock-ahead")
    with Engine.open(tmp_path / "app.db", clock=lambda: START, weather=weather) as engine:
        beside = engine.beside()
        assert beside.answer("DescribeMeters", {})["Time"] == START + 120
        beside.close()


def test_a_clock_that_is_not_ahead_is_the_same_clock() -> None:
    def base() -> float:
        return START

    assert ahead_of(base, 0) is base
