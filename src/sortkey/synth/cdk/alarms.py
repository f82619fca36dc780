"""Alarms, their topics, and the dashboard in CDK."""

from collections.abc import Iterator
from typing import Any

from sortkey.synth.cdk.program import FunctionCall, New, ProgramStep, This, Value, Variable
from sortkey.synth.model import (
    GRID_WIDTH,
    Alarm,
    DashboardRow,
    FunctionResource,
    HttpApiResource,
    Measured,
    Metric,
    QueueResource,
    Stack,
    TableResource,
)


def alarm_steps(stack: Stack) -> Iterator[ProgramStep]:
    """Yield the steps of the topics and of every alarm."""
    for topic in stack.topics:
        made = (
            New("sns.Topic", {"topicName": topic.name}, topic.id)
            if topic.arn is None
            else FunctionCall("sns.Topic.fromTopicArn", (This(), topic.id, topic.arn))
        )
        yield ProgramStep(made, Variable(topic.id))
    for alarm in stack.alarms:
        yield ProgramStep(_alarm(alarm))


def _alarm(alarm: Alarm) -> FunctionCall:
    """Return a call of the program's `alarm` function."""
    watched = _metric(alarm.metrics[0]) if alarm.expression is None else _computed(alarm)
    topic = Variable(alarm.topic.id)
    arguments = (This(), alarm.id, alarm.name, alarm.description, watched, alarm.threshold, topic)
    return FunctionCall("alarm", arguments)


def _computed(alarm: Alarm) -> Value:
    metrics = {f"m{number}": _metric(metric) for number, metric in enumerate(alarm.metrics, 1)}
    return New(
        "cloudwatch.MathExpression",
        {
            "expression": alarm.expression or "",
            "usingMetrics": metrics,
            "label": alarm.description,
            "period": FunctionCall("cdk.Duration.seconds", (alarm.period,)),
        },
    )


def _metric(metric: Metric) -> FunctionCall:
    dimensions: dict[str, Any] = dict(metric.dimensions)
    if metric.of is not None:
        dimensions[metric.dimension] = Variable(metric.of.id).get(_reference(metric.of))
    arguments = (metric.name, metric.statistic, metric.period, dimensions)
    if metric.namespace == "AWS/DynamoDB":
        return FunctionCall("metric", arguments)
    return FunctionCall("serviceMetric", (metric.namespace, *arguments))


def _reference(of: Measured) -> str:
    """Return the attribute by which CloudWatch knows a resource."""
    match of:
        case TableResource():
            return "tableName"
        case FunctionResource():
            return "functionName"
        case QueueResource():
            return "queueName"
        case HttpApiResource():
            return "apiId"


def dashboard_steps(stack: Stack) -> Iterator[ProgramStep]:
    """Yield the step of the dashboard, if there is one."""
    dashboard = stack.dashboard
    if dashboard is not None:
        rows = [widgets for row in dashboard.rows for widgets in _widgets(row)]
        made = {"dashboardName": dashboard.name, "widgets": rows}
        yield ProgramStep(New("cloudwatch.Dashboard", made, dashboard.id))


def _widgets(row: DashboardRow) -> Iterator[list[Value]]:
    """Yield the title of a row, then its graphs as calls of the program's `graph` function."""
    title = {"markdown": f"## {row.title}", "width": GRID_WIDTH, "height": 1}
    yield [New("cloudwatch.TextWidget", title)]
    yield [
        FunctionCall(
            "graph", (graph.title, row.width, [_metric(metric) for metric in graph.metrics])
        )
        for graph in row.graphs
    ]
