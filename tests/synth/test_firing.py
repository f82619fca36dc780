"""Alarms go off by the meters of an engine, and stay quiet otherwise."""

from contextlib import suppress
from dataclasses import replace
from types import ModuleType
from typing import Any

import pytest

from sortkey import Alarms, Entity, Op, Provisioned, Settings, Table, gsi, pattern, transact
from sortkey.design.declaring.design import design_of
from sortkey.engine import Engine
from sortkey.engine.weather import ConnectionReset, Fault, LateReply, scenario
from sortkey.engine.weather.faults import FaultKind
from sortkey.synth.firing import firing
from sortkey.synth.stack import stack_of
from sortkey.wire.errors import ServiceError


class Depot(
    Table,
    name="depot",
    settings=Settings(
        billing=Provisioned(20, 10),
        alarms=Alarms(
            conditional_failures=5, transaction_conflicts=5, user_errors=9, latency_ms=5_000
        ),
    ),
):
    """A table with little capacity."""

    by_place = gsi("GSI1PK", "GSI1SK")


class Parcel(Entity, table=Depot):
    number: int
    place: str
    primary = Depot.primary.key("PARCEL#{number:06d}", "PARCEL")
    at = Depot.by_place.key("PLACE#{place}", "PARCEL#{number:06d}")


@pattern("AP1: a parcel", rate="1/s")
def parcel(number: int) -> Op[Parcel | None]:
    return Parcel.get(number=number)


@pattern("AP2: add a parcel", rate="1/s")
def add_parcel(parcel: Parcel) -> Op[Parcel]:
    return parcel.create()


@pattern("AP3: add two parcels", rate="1/s")
def add_both(one: Parcel, other: Parcel) -> Op[None]:
    return transact(one.create(), other.create())


MODULE = ModuleType("depot")
vars(MODULE).update(table=Depot, parcel=parcel, add_parcel=add_parcel, add_both=add_both)
ALARMS = stack_of(design_of("depot", [MODULE]), "dev").alarms


class Place:
    """An engine with the table, whose clock stands still unless it is moved."""

    def __init__(self, weather: str, *faults: Fault) -> None:
        self.time = 1_000_000_000.0
        found = replace(scenario(weather), faults=faults)
        self.engine = Engine.memory(clock=lambda: self.time, weather=found)
        units = {"ReadCapacityUnits": 20, "WriteCapacityUnits": 10}
        names = ("PK", "SK", "GSI1PK", "GSI1SK")
        self.engine.answer(
            "CreateTable",
            {
                "TableName": "depot",
                "KeySchema": key_of("PK", "SK"),
                "AttributeDefinitions": [
                    {"AttributeName": name, "AttributeType": "S"} for name in names
                ],
                "ProvisionedThroughput": units,
                "GlobalSecondaryIndexes": [
                    {
                        "IndexName": "by_place",
                        "KeySchema": key_of("GSI1PK", "GSI1SK"),
                        "Projection": {"ProjectionType": "ALL"},
                        "ProvisionedThroughput": units,
                    }
                ],
            },
        )

    def send(self, operation: str, **request: Any) -> None:
        with suppress(ServiceError):
            self.engine.answer(operation, {"TableName": "depot", **request})

    def put(self, number: int, *, is_indexed: bool = True, **request: Any) -> None:
        text = f"PARCEL#{number:06d}"
        item = {"PK": text, "SK": "PARCEL"}
        if is_indexed:
            item |= {"GSI1PK": "PLACE#Rome", "GSI1SK": text}
        self.send("PutItem", Item={name: {"S": value} for name, value in item.items()}, **request)

    def get(self, **request: Any) -> None:
        key = {"PK": {"S": "PARCEL#000001"}, "SK": {"S": "PARCEL"}}
        self.send("GetItem", Key=key, **request)

    def query(self) -> None:
        self.send(
            "Query",
            IndexName="by_place",
            KeyConditionExpression="GSI1PK = :place",
            ExpressionAttributeValues={":place": {"S": "PLACE#Rome"}},
        )

    def alarms(self) -> set[str]:
        return {each.name for each in firing(ALARMS, self.engine.answer("DescribeMeters", {}))}


def key_of(*names: str) -> list[dict[str, str]]:
    kinds = ("HASH", "RANGE")
    return [
        {"AttributeName": name, "KeyType": kind} for name, kind in zip(names, kinds, strict=True)
    ]


def test_nothing_goes_off_in_fair_weather() -> None:
    place = Place("fair")
    for number in range(500):
        place.put(number)
        place.get()
        place.time += 1

    assert place.alarms() == set()


def test_throttled_writes_and_reads_set_off_their_alarms() -> None:
    place = Place("hot-day")
    for number in range(30):
        place.put(number, is_indexed=False)

    assert place.alarms() == {"depot-write-throttled"}

    for _ in range(60):
        place.get()

    assert place.alarms() == {"depot-write-throttled", "depot-read-throttled"}


def test_an_index_that_throttles_its_table_is_named() -> None:
    place = Place("hot-day")
    place.send(
        "UpdateTable",
        ProvisionedThroughput={"ReadCapacityUnits": 20, "WriteCapacityUnits": 100},
    )
    place.time += 1
    for number in range(60):
        place.put(number)

    assert place.alarms() == {"depot-by_place-write-throttled"}


def test_provisioned_capacity_that_is_nearly_used_up_sets_off_its_alarm() -> None:
    place = Place("hot-day")
    # Eight of ten units a second, in the table and in its index, for a whole period.
    for number in range(600 * 8):
        place.put(number)
        place.time += 1 / 8

    assert place.alarms() == {"depot-write-consumption", "depot-by_place-write-consumption"}


def test_reads_that_nearly_use_up_the_capacity_set_off_its_alarm() -> None:
    place = Place("hot-day")
    # 17 of twenty units a second, in the table and in its index, for a whole period.
    for _ in range(600 * 17):
        place.get(ConsistentRead=True)
        place.query()
        place.query()
        place.time += 1 / 17

    assert place.alarms() == {"depot-read-consumption", "depot-by_place-read-consumption"}


def test_throttled_reads_of_an_index_set_off_its_alarm() -> None:
    place = Place("hot-day")
    for _ in range(60):
        place.query()

    assert place.alarms() == {"depot-by_place-read-throttled"}


def test_many_failed_conditions_set_off_their_alarm() -> None:
    place = Place("fair")
    for _ in range(5):
        place.put(1, ConditionExpression="attribute_not_exists(PK)")

    assert place.alarms() == set()

    place.put(1, ConditionExpression="attribute_not_exists(PK)")

    assert place.alarms() == {"depot-conditional-failures"}


def test_many_invalid_requests_set_off_the_alarm_of_the_account() -> None:
    place = Place("fair")
    for _ in range(9):
        place.send("GetItem", Key={})

    assert place.alarms() == {"depot-dev-user-errors"}


KEY = {"PK": {"S": "PARCEL#000001"}, "SK": {"S": "PARCEL"}}
REQUESTS: dict[str, tuple[str, dict[str, Any]]] = {
    "get-item": ("GetItem", {"TableName": "depot", "Key": KEY}),
    "put-item": ("PutItem", {"TableName": "depot", "Item": KEY}),
    "transact-write-items": (
        "TransactWriteItems",
        {"TransactItems": [{"Put": {"TableName": "depot", "Item": KEY}}]},
    ),
}


@pytest.mark.parametrize("name", REQUESTS)
@pytest.mark.parametrize("kind", ["error-before", "error-after"])
def test_errors_of_the_service_set_off_the_alarm_of_their_operation(
    kind: FaultKind, name: str
) -> None:
    operation, request = REQUESTS[name]
    place = Place("fair", Fault(kind=kind, share=1.0, operations=(operation,)))
    for other, body in REQUESTS.values():
        if other != operation:
            place.engine.answer(other, body)

    assert place.alarms() == set()

    place.send(operation, **request)

    assert place.alarms() == {f"depot-{name}-system-errors"}


@pytest.mark.parametrize("name", REQUESTS)
def test_late_responses_set_off_the_alarm_of_their_operation(name: str) -> None:
    operation, request = REQUESTS[name]
    fault = Fault(kind="latency", share=1.0, seconds=5.0, operations=(operation,))
    place = Place("fair", fault)
    for other, body in REQUESTS.values():
        if other != operation:
            place.engine.answer(other, body)

    assert place.alarms() == set()

    with pytest.raises(LateReply):
        place.engine.reply_at_once(operation, request)

    assert place.alarms() == {f"depot-{name}-latency"}


def test_every_alarm_is_set_off_by_a_test() -> None:
    by_operation = {
        f"depot-{name}-{what}" for name in REQUESTS for what in ("latency", "system-errors")
    }
    others = {
        "depot-conditional-failures",
        "depot-transaction-conflicts",
        "depot-dev-user-errors",
        *(
            f"depot-{place}{kind}-{what}"
            for place in ("", "by_place-")
            for kind in ("read", "write")
            for what in ("throttled", "consumption")
        ),
    }

    assert {alarm.name for alarm in ALARMS} == by_operation | others


def test_a_lost_response_is_no_error_of_the_service() -> None:
    place = Place("fair", Fault(kind="lost-response", share=1.0, operations=("PutItem",)))
    with pytest.raises(ConnectionReset):
        place.put(1)

    assert place.alarms() == set()


def test_conflicts_of_transactions_set_off_their_alarm() -> None:
    place = Place("slow-transactions")
    text = {"S": "PARCEL#000001"}
    item = {"PK": text, "SK": {"S": "PARCEL"}, "GSI1PK": {"S": "PLACE#Rome"}, "GSI1SK": text}
    write = {"TransactItems": [{"Put": {"TableName": "depot", "Item": item}}]}
    # It returns later, and holds its item until then.
    with pytest.raises(LateReply):
        place.engine.reply_at_once("TransactWriteItems", write)
    for _ in range(4):
        place.put(1)

    assert place.alarms() == set()

    place.put(1)

    assert place.alarms() == {"depot-transaction-conflicts"}


def test_an_alarm_is_silent_again_after_its_period() -> None:
    place = Place("hot-day")
    for number in range(30):
        place.put(number)
    place.time += 600
    place.put(1)

    assert place.alarms() == set()
