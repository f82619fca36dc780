"""Meters have CloudWatch's names, and the engine describes them with its own."""

import json
from typing import Any

from tests.local.surroundings import NOW, Clock

from sortkey.clock import MovableClock
from sortkey.engine import Engine
from sortkey.engine.weather import scenario
from sortkey.local.backend import LocalBackend
from sortkey.local.meters import LAMBDA, SQS, LocalMeters
from sortkey.server.metrics import metrics_text

CALLS = {"FunctionName": "notes-dev-read"}
DEPTH = {"QueueName": "notes-dev-events"}


def described(meters: LocalMeters, name: str) -> dict[str, Any]:
    [found] = [metric for metric in meters.described() if metric["MetricName"] == name]
    return found


def test_values_are_kept_by_the_minute() -> None:
    clock = Clock()
    meters = LocalMeters(clock)
    for value in (5, 7):
        meters.add(LAMBDA, "Duration", CALLS, value)
    clock.time += 60
    meters.add(LAMBDA, "Duration", CALLS, 1)

    found = described(meters, "Duration")

    assert (found["Namespace"], found["Dimensions"]) == ("AWS/Lambda", CALLS)
    assert found["Total"] == {"SampleCount": 3, "Sum": 13}
    first, second = found["Datapoints"]
    assert first == {
        "Timestamp": NOW // 60 * 60,
        "SampleCount": 2,
        "Sum": 12,
        "Minimum": 5,
        "Maximum": 7,
    }
    assert second["Timestamp"] == first["Timestamp"] + 60


def test_levels_are_measured_whenever_one_looks() -> None:
    meters = LocalMeters(Clock())
    depths = [3, 4]
    name = "ApproximateNumberOfMessagesVisible"
    meters.sample(lambda: meters.add(SQS, name, DEPTH, depths.pop()))

    assert described(meters, name)["Total"] == {"SampleCount": 1, "Sum": 4}
    assert described(meters, name)["Total"] == {"SampleCount": 2, "Sum": 7}


def backend(clock: Clock, moved: list[float]) -> tuple[LocalBackend, LocalMeters]:
    meters = LocalMeters(clock)
    engine = Engine.memory(weather=scenario("fair"))
    return LocalBackend(engine, meters, lambda: moved.append(clock())), meters


def test_the_engine_describes_all_meters() -> None:
    made, meters = backend(Clock(), [])
    meters.add(LAMBDA, "Invocations", CALLS)

    for each in (made, made.beside()):
        metrics = json.loads(each.reply("DescribeMeters", {}))["Metrics"]
        assert [metric["MetricName"] for metric in metrics] == ["Invocations"]


def test_a_moved_clock_is_noticed() -> None:
    clock = MovableClock(Clock())
    moved: list[float] = []
    engine = Engine.memory(clock=clock)
    made = LocalBackend(engine, LocalMeters(clock), lambda: moved.append(clock()))

    made.reply("MoveClock", {"Seconds": 60})

    assert moved == [NOW + 60]


def test_other_requests_are_the_engines_own() -> None:
    made, _ = backend(Clock(), [])

    assert json.loads(made.reply("ListTables", {})) == {"TableNames": []}
    assert not made.writing
    made.close()


def test_meters_are_text_for_prometheus() -> None:
    made, meters = backend(Clock(), [])
    meters.add(LAMBDA, "Invocations", CALLS)
    meters.add(LAMBDA, "Duration", CALLS, 250)
    meters.add(SQS, "ApproximateNumberOfMessagesVisible", DEPTH, 4)
    meters.add(SQS, "ApproximateNumberOfMessagesVisible", DEPTH, 3)

    assert metrics_text(json.loads(made.reply("DescribeMeters", {}))).splitlines() == [
        "# TYPE lambda_duration_seconds summary",
        'lambda_duration_seconds_sum{function="notes-dev-read"} 0.25',
        'lambda_duration_seconds_count{function="notes-dev-read"} 1',
        "# TYPE lambda_invocations_total counter",
        'lambda_invocations_total{function="notes-dev-read"} 1.0',
        "# TYPE sqs_approximate_number_of_messages_visible gauge",
        'sqs_approximate_number_of_messages_visible{queue="notes-dev-events"} 4',
    ]
