from typing import Any

import pytest

from sortkey.cli.text.top import top_text
from sortkey.engine import Engine
from sortkey.engine.weather import scenario
from sortkey.wire.errors import ThrottlingException

ENDPOINT = "http://127.0.0.1:8000"


def shop(*names: str) -> Engine:
    engine = Engine.memory(clock=lambda: 1e9, weather=scenario("small-partitions"))
    for name in names or ("orders",):
        create(engine, name)
    return engine


def create(engine: Engine, name: str) -> None:
    engine.answer(
        "CreateTable",
        {
            "TableName": name,
            "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
            "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
            "BillingMode": "PAY_PER_REQUEST",
        },
    )


def put(engine: Engine, order: str, times: int = 1) -> None:
    for _ in range(times):
        engine.answer("PutItem", {"TableName": "orders", "Item": {"id": {"S": order}}})


def meters(engine: Engine) -> dict[str, Any]:
    return engine.answer("DescribeMeters", {})


def screen(engine: Engine, before: dict[str, Any], fired: list[str] | None = None) -> list[str]:
    return top_text(ENDPOINT, before, meters(engine), 2.0, fired).splitlines()


def test_rates_are_computed_from_two_samples() -> None:
    engine = shop()
    put(engine, "ORDER#1", 10)
    before = meters(engine)
    put(engine, "ORDER#1", 60)

    lines = screen(engine, before)

    assert lines[0].split() == [
        *(ENDPOINT, "weather", "small-partitions,", "2001-09-09", "01:46:40", "UTC")
    ]
    assert "orders                                            30" in lines
    [operation] = [line for line in lines if line.startswith("PutItem")]
    assert operation.split()[:3] == ["PutItem", "orders", "30"]


def test_an_operation_that_only_fails_is_shown() -> None:
    engine = shop()
    put(engine, "ORDER#1", 100)
    before = meters(engine)
    for _ in range(4):
        with pytest.raises(ThrottlingException):
            put(engine, "ORDER#1")

    [operation] = [line for line in screen(engine, before) if line.startswith("PutItem")]

    assert operation.split() == ["PutItem", "orders", "2.0"]


def test_rates_are_not_negative_after_the_server_was_started_again() -> None:
    before = shop()
    put(before, "ORDER#1", 50)
    engine = shop()
    put(engine, "ORDER#1", 20)

    lines = screen(engine, meters(before))

    assert "orders                                            10" in lines


def test_the_hottest_keys_have_their_share_of_the_table() -> None:
    engine = shop()
    put(engine, "ORDER#1", 3)
    put(engine, "ORDER#2")

    lines = screen(engine, meters(engine))

    assert "ORDER#1                              3.0  75% of orders" in lines


def test_a_long_or_unprintable_key_stays_within_its_column() -> None:
    engine = shop()
    put(engine, "\x1b[2J" + "x" * 100)

    [line] = [line for line in screen(engine, meters(engine)) if "% of orders" in line]

    assert line.startswith("?[2Jxxxxxxxxxxxxxxxxxxxxx... ")


def test_partitions_are_shown_if_a_table_has_several() -> None:
    engine = shop()
    engine.answer("SplitPartition", {"TableName": "orders"})
    for number in range(20):
        put(engine, f"ORDER#{number}")

    lines = screen(engine, meters(engine))

    assert any(line.startswith("from 50.0% of the hashes") for line in lines)


def test_alarms_that_would_go_off_are_named() -> None:
    engine = shop()

    assert "No alarm." in screen(engine, meters(engine), [])
    assert screen(engine, meters(engine), ["orders-throttled"])[-2:] == [
        "1 alarm:",
        "  orders-throttled",
    ]


def test_every_line_fits_into_80_columns() -> None:
    engine = shop()
    before = meters(engine)
    put(engine, "ORDER#" + "7" * 300, 90)

    assert max(map(len, screen(engine, before))) <= 80


def test_a_long_name_of_a_table_is_cut() -> None:
    name = "o" * 200
    engine = shop(name)
    engine.answer("PutItem", {"TableName": name, "Item": {"id": {"S": "1"}}})

    assert max(map(len, screen(engine, meters(engine)))) <= 80


def test_an_unused_server_says_so() -> None:
    with Engine.memory(weather=scenario("fair")) as engine:
        assert "No table has been used yet." in screen(engine, meters(engine))


def test_a_low_screen_leaves_out_idle_tables() -> None:
    engine = shop("orders", *(f"idle-{number:02d}" for number in range(30)))
    before = meters(engine)
    put(engine, "ORDER#1", 20)

    def low(height: int) -> list[str]:
        return top_text(
            ENDPOINT, before, meters(engine), 2.0, ["a", "b"], height=height
        ).splitlines()

    assert len(low(100)) == len(screen(engine, before, ["a", "b"])) > 30
    fitting = low(24)
    assert fitting[3:5] == [
        "orders                                            10",
        "30 without requests",
    ]
    assert fitting[-2:] == ["  a", "  b"]
    cut = low(8)
    assert len(cut) == 8
    assert cut[-1] == "8 more lines; `sortkey top --once` prints them all."


def test_the_index_of_a_long_table_is_shown() -> None:
    sample = meters(shop())
    partition = {"FirstHash": 0, "ReadUnits": 4.0, "WriteUnits": 0.0}
    sample["Heat"] = [
        {
            "TableName": "agentcore-dev-sessions-metadata",
            "IndexName": index,
            "Partitions": [partition],
            "HottestKeys": [{"PartitionKey": "USER#1", "Units": 4.0}],
        }
        for index in ("UserTimestampIndex", "I" * 40)
    ]

    lines = top_text(ENDPOINT, sample, sample, 2.0).splitlines()

    assert [line.partition(" of ")[2] for line in lines[-2:]] == [
        "agentc.../UserTimestampIndex",
        "agentcore-dev-sessions-me...",
    ]


def metric(name: str, dimensions: dict[str, str], total: float, count: int = 1) -> dict[str, Any]:
    return {
        "MetricName": name,
        "Dimensions": dimensions,
        "Total": {"Sum": total, "SampleCount": count},
        "Datapoints": [{"Maximum": total}],
    }


def test_functions_and_queues_of_a_run_are_shown() -> None:
    engine = shop()
    function, queue = {"FunctionName": "notes-dev-read"}, {"QueueName": "notes-dev-events"}
    before, after = meters(engine), meters(engine)
    before["Metrics"] += [metric("Invocations", function, 2), metric("Duration", function, 10, 2)]
    after["Metrics"] += [
        metric("Invocations", function, 6),
        metric("Duration", function, 50, 6),
        metric("Errors", function, 2),
        metric("ApproximateNumberOfMessagesVisible", queue, 3),
        metric("ApproximateAgeOfOldestMessage", queue, 90),
    ]

    lines = top_text(ENDPOINT, before, after, 2.0).splitlines()

    begin = next(number for number, line in enumerate(lines) if line.startswith("FUNCTION"))
    assert [" ".join(line.split()) for line in lines[begin : begin + 5]] == [
        "FUNCTION calls/s mean ms failed/s throttled/s",
        "notes-dev-read 2.0 10 1.0",
        "",
        "QUEUE visible invisible oldest s",
        "notes-dev-events 3.0 90",
    ]
