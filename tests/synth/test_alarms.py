"""Alarms are on metrics that each service has, under dimensions that it keeps them by."""

from typing import Any

import pytest
from tests.synth.outputs import DESIGNS, stack

from sortkey import Alarms, Entity, Op, Settings, Table, pattern
from sortkey.design.declaring.design import design_of
from sortkey.synth.model import Alarm, Metric
from sortkey.synth.stack import stack_of

# "DynamoDB metrics and dimensions", developer guide; the sets under which each is published.
TABLE = {"TableName"}
INDEX = {"TableName", "GlobalSecondaryIndexName"}
OPERATION = {"TableName", "Operation"}
PUBLISHED = {
    "ReadThrottleEvents": [TABLE, INDEX],
    "WriteThrottleEvents": [TABLE, INDEX],
    "ConsumedReadCapacityUnits": [TABLE, INDEX],
    "ConsumedWriteCapacityUnits": [TABLE, INDEX],
    "ProvisionedReadCapacityUnits": [TABLE, INDEX],
    "ProvisionedWriteCapacityUnits": [TABLE, INDEX],
    "SystemErrors": [OPERATION],
    "SuccessfulRequestLatency": [OPERATION],
    "ConditionalCheckFailedRequests": [TABLE],
    "TransactionConflict": [TABLE],
    "UserErrors": [set[str]()],
}
# "Types of metrics for Lambda functions", "Available CloudWatch metrics for Amazon SQS", "Monitor
# CloudWatch metrics for HTTP APIs".
OF_PROGRAMS = {
    "AWS/Lambda": (
        "FunctionName",
        {"Invocations", "Errors", "Throttles", "Duration", "IteratorAge"},
    ),
    "AWS/SQS": (
        "QueueName",
        {"ApproximateNumberOfMessagesVisible", "ApproximateAgeOfOldestMessage"},
    ),
    "AWS/ApiGateway": ("ApiId", {"Count", "4xx", "5xx", "Latency"}),
}
# Every five minutes; all others every minute.
SLOW = {"ProvisionedReadCapacityUnits", "ProvisionedWriteCapacityUnits"}


def metrics(design: str) -> list[Metric]:
    made = stack(design, "prod")
    rows = () if made.dashboard is None else made.dashboard.rows
    return [
        *(metric for alarm in made.alarms for metric in alarm.metrics),
        *(metric for row in rows for graph in row.graphs for metric in graph.metrics),
    ]


@pytest.mark.parametrize("design", DESIGNS)
def test_every_metric_is_published_under_its_dimensions(design: str) -> None:
    for metric in metrics(design):
        if metric.namespace == "AWS/DynamoDB":
            assert set(metric.dimensions) in PUBLISHED[metric.name]
        else:
            dimension, names = OF_PROGRAMS[metric.namespace]
            assert set(metric.dimensions) == {dimension}
            assert metric.name in names


def test_no_metric_is_looked_at_over_less_time_than_it_is_published_in() -> None:
    slow = [m for m in metrics("everything") if m.name in SLOW]

    assert slow
    assert all(metric.period >= 300 for metric in slow)


def alarms(design: str = "everything") -> dict[str, Alarm]:
    return {alarm.name: alarm for alarm in stack(design, "prod").alarms}


@pytest.mark.parametrize("dimension", ["read", "write"])
@pytest.mark.parametrize("place", ["things-prod-things", "things-prod-things-OwnerIndex"])
def test_throttling_is_watched_by_table_and_global_index(place: str, dimension: str) -> None:
    alarm = alarms()[f"{place}-{dimension}-throttled"]

    assert alarm.threshold == 1
    assert [metric.name for metric in alarm.metrics] == [f"{dimension.title()}ThrottleEvents"]


def test_a_local_index_has_no_capacity_of_its_own_to_be_throttled() -> None:
    assert not any("SizeIndex" in name for name in alarms())


def test_errors_and_latency_are_watched_for_each_operation_that_is_used() -> None:
    found = [name for name in alarms() if name.startswith("things-prod-things-")]
    used = {"get-item", "query", "transact-get-items", "transact-write-items", "update-item"}

    for what in ("system-errors", "latency"):
        watched = {
            n[len("things-prod-things-") : -len(what) - 1] for n in found if n.endswith(what)
        }
        assert watched == used | {"put-item", "batch-get-item"}


def test_latency_is_not_watched_where_no_time_is_given() -> None:
    assert not any("latency" in name for name in alarms("shuttle"))


def test_wrong_requests_are_watched_once_for_the_account() -> None:
    [alarm] = [alarm for alarm in alarms().values() if alarm.metrics[0].name == "UserErrors"]

    assert alarm.name == "things-prod-user-errors"
    assert alarm.metrics[0].dimensions == {}


def test_contention_is_watched_where_the_design_can_meet_it() -> None:
    names = alarms()

    assert "things-prod-things-conditional-failures" in names
    assert "things-prod-things-transaction-conflicts" in names
    assert "counters-prod-transaction-conflicts" not in names


@pytest.mark.parametrize("place", ["counters-prod", "counters-prod-CountIndex"])
def test_consumption_is_compared_with_what_is_provisioned(place: str) -> None:
    alarm = alarms()[f"{place}-write-consumption"]

    assert alarm.expression == "100 * m1 / PERIOD(m1) / m2"
    assert [(m.name, m.statistic) for m in alarm.metrics] == [
        ("ConsumedWriteCapacityUnits", "Sum"),
        ("ProvisionedWriteCapacityUnits", "Average"),
    ]
    assert alarm.threshold == 80


def test_news_goes_to_the_topic_that_is_named_or_to_one_that_is_made() -> None:
    named, made = alarms()["counters-prod-read-throttled"], alarms()["things-prod-user-errors"]

    assert named.topic.arn == "arn:aws:sns:eu-central-1:123456789012:ops"
    assert (made.topic.arn, made.topic.name) == (None, "things-prod-alarms")


def test_what_has_no_threshold_is_not_watched() -> None:
    quiet = Alarms(
        user_errors=None,
        conditional_failures=None,
        transaction_conflicts=None,
        notify="arn:aws:sns:eu-central-1:123456789012:ops",
    )

    class Quiet(Table, settings=Settings(alarms=quiet)):
        pass

    class Note(Entity, table=Quiet):
        note_id: str
        primary = Quiet.primary.key("NOTE#{note_id}", "NOTE")

    @pattern("Write a note")
    def write(note: Note) -> Op[Any]:
        return note.put()

    design = design_of("quiet", [])
    with_tables = type(design)(
        "quiet", design.about, (Quiet,), {Quiet: (Note,)}, (), (write,), (), ()
    )

    names = {alarm.name for alarm in stack_of(with_tables, "prod").alarms}

    assert names == {
        "Quiet-read-throttled",
        "Quiet-write-throttled",
        "Quiet-put-item-system-errors",
    }
