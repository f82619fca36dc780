"""What runs is watched where a table is, and notifies the same topic."""

from dataclasses import replace

import pytest
from tests.synth.outputs import DESIGNS, stack

from sortkey import load_design
from sortkey.synth.firing import firing
from sortkey.synth.model import Alarm
from sortkey.synth.stack import stack_of


def alarms() -> dict[str, Alarm]:
    return {
        alarm.name: alarm
        for alarm in stack("programs", "prod").alarms
        if alarm.metrics[0].namespace != "AWS/DynamoDB"
    }


OLDEST, VISIBLE = "ApproximateAgeOfOldestMessage", "ApproximateNumberOfMessagesVisible"
# The functions, with 80 % of their timeouts in milliseconds.
SLOW = {"orders": 8_000, "pack": 16_000, "watch": 8_000, "nightly": 240_000}
LETTERS = (
    *("parcels-dead-letters", "mails-dead-letters"),
    *("watch-failed-events", "nightly-failed-events"),
)


def test_functions_queues_and_apis_are_watched() -> None:
    watched: dict[str, tuple[str, str, int]] = {}
    for name, alarm in alarms().items():
        [metric] = alarm.metrics
        watched[name.removeprefix("shop-prod-")] = (metric.name, metric.statistic, alarm.threshold)

    assert watched == {
        **{f"{name}-errors": ("Errors", "Sum", 1) for name in SLOW},
        **{f"{name}-throttles": ("Throttles", "Sum", 1) for name in SLOW},
        **{f"{name}-duration": ("Duration", "Maximum", most) for name, most in SLOW.items()},
        "watch-iterator-age": ("IteratorAge", "Maximum", 900_000),
        # Twice as long as a message is invisible while a call may work on it.
        "parcels-age": (OLDEST, "Maximum", 1_440),
        "mails-age": (OLDEST, "Maximum", 900),
        **{f"{name}-messages": (VISIBLE, "Maximum", 1) for name in LETTERS},
        **{f"{name}-server-errors": ("5xx", "Sum", 1) for name in ("api", "admin", "hooks")},
    }


def test_they_notify_the_topic_of_the_tables_in_their_period() -> None:
    assert {alarm.topic.name for alarm in alarms().values()} == {"shop-prod-alarms"}
    assert {alarm.period for alarm in alarms().values()} == {60}


def test_where_no_table_is_watched_nothing_is() -> None:
    design = load_design(DESIGNS["programs"])
    tables = tuple(t for t in design.tables if t.definition.settings.alarms is None)
    quiet = [f for f in design.functions if f.name in {"pack", "nightly"}]
    roles = tuple({id(f.role): f.role for f in quiet}.values())
    patterns = tuple(p for role in roles for p in role.patterns)

    made = stack_of(
        replace(design, tables=tables, functions=tuple(quiet), roles=roles, patterns=patterns),
        "prod",
    )

    assert made.programs.functions
    assert made.alarms == ()


@pytest.mark.parametrize(("largest", "expected"), [(239_999, []), (240_000, ["nightly-duration"])])
def test_an_alarm_on_the_largest_value_fires_by_the_meters(
    largest: int, expected: list[str]
) -> None:
    point = {"Timestamp": 0, "Sum": 500_000, "SampleCount": 3, "Maximum": largest}
    meters = {
        "Time": 30,
        "Metrics": [
            {
                "Namespace": "AWS/Lambda",
                "MetricName": "Duration",
                "Dimensions": {"FunctionName": "shop-prod-nightly"},
                "Datapoints": [point],
            }
        ],
    }

    fired = [alarm.name for alarm in firing(alarms().values(), meters)]

    assert fired == [f"shop-prod-{name}" for name in expected]
