from sortkey.engine import Engine
from sortkey.engine.weather import scenario
from sortkey.wire.errors import RequestThrottled


def write_often(engine: Engine, times: int) -> None:
    engine.answer(
        "CreateTable",
        {
            "TableName": "orders",
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
            "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
            "BillingMode": "PAY_PER_REQUEST",
        },
    )
    for _ in range(times):
        try:
            engine.answer("PutItem", {"TableName": "orders", "Item": {"pk": {"S": "a"}}})
        except RequestThrottled:
            continue


# -- behaviour ------------------------------------------------------------------------------


def test_the_scenario_and_its_events_are_described() -> None:
    with Engine.memory(clock=lambda: 1e9, weather=scenario("small-partitions")) as engine:
        write_often(engine, 101)
        described = engine.answer("DescribeWeather", {})

    assert described["Scenario"]["partition_writes"] == 100.0
    assert described["Events"] == [
        {
            "at": 1e9,
            "request": 102,
            "operation": "PutItem",
            "what": "TableWriteKeyRangeThroughputExceeded",
            "resource": "arn:aws:dynamodb:us-east-1:000000000000:table/orders",
        }
    ]


def test_fair_weather_has_no_description() -> None:
    with Engine.memory() as engine:
        write_often(engine, 2)

        assert engine.answer("DescribeWeather", {}) == {}
