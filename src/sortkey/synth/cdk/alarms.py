"""Alarms, the topic that they go to, and the dashboard, as CDK makes them."""

from collections.abc import Iterator
from typing import Any

from sortkey.synth.cdk.program import Call, New, Step, This, Value, Variable
from sortkey.synth.model import GRID_WIDTH, Alarm, Metric, Row, Stack


def alarm_steps(stack: Stack) -> Iterator[Step]:
    """The topics, and every alarm."""
    for topic in stack.topics:
        made = (
            New("sns.Topic", {"topicName": topic.name}, topic.id)
            if topic.arn is None
            else Call("sns.Topic.fromTopicArn", (This(), topic.id, topic.arn))
        )
        yield Step(made, Variable(topic.id))
    for alarm in stack.alarms:
        yield Step(_alarm(alarm))


def _alarm(alarm: Alarm) -> Call:
    """A call of the function that every program has beside its class."""
    watched = _metric(alarm.metrics[0]) if alarm.expression is None else _computed(alarm)
    topic = Variable(alarm.topic.id)
    arguments = (This(), alarm.id, alarm.name, alarm.description, watched, alarm.threshold, topic)
    return Call("alarm", arguments)


def _computed(alarm: Alarm) -> Value:
    metrics = {f"m{number}": _metric(metric) for number, metric in enumerate(alarm.metrics, 1)}
    return New(
        "cloudwatch.MathExpression",
        {
            "expression": alarm.expression or "",
            "usingMetrics": metrics,
            "label": alarm.description,
            "period": Call("cdk.Duration.seconds", (alarm.period,)),
        },
    )


def _metric(metric: Metric) -> Call:
    dimensions: dict[str, Any] = dict(metric.dimensions)
    if metric.table is not None:
        dimensions["TableName"] = Variable(metric.table.id).get("tableName")
    return Call("metric", (metric.name, metric.statistic, metric.period, dimensions))


def dashboard_steps(stack: Stack) -> Iterator[Step]:
    """The dashboard, where there is one."""
    dashboard = stack.dashboard
    if dashboard is not None:
        rows = [widgets for row in dashboard.rows for widgets in _widgets(row)]
        made = {"dashboardName": dashboard.name, "widgets": rows}
        yield Step(New("cloudwatch.Dashboard", made, dashboard.id))


def _widgets(row: Row) -> Iterator[list[Value]]:
    """The row's title, and below it its graphs, by a function that every program has."""
    title = {"markdown": f"## {row.title}", "width": GRID_WIDTH, "height": 1}
    yield [New("cloudwatch.TextWidget", title)]
    yield [
        Call("graph", (graph.title, row.width, [_metric(metric) for metric in graph.metrics]))
        for graph in row.graphs
    ]
