"""Alarms, their topics, and the dashboard in Terraform."""

from collections.abc import Iterator
from typing import Any

from sortkey.synth.dashboard import body_of
from sortkey.synth.model import (
    Alarm,
    FunctionResource,
    HttpApiResource,
    Measured,
    Metric,
    QueueResource,
    Stack,
    TableResource,
    Topic,
)
from sortkey.synth.naming import snake
from sortkey.synth.terraform import references
from sortkey.synth.terraform.hcl import Expression, HclBlock, block, call, resource
from sortkey.synth.terraform.tables import reference


def alarm_blocks(stack: Stack) -> Iterator[HclBlock]:
    """Yield the blocks of new topics and of every alarm."""
    for topic in stack.topics:
        if topic.arn is None:
            yield resource("aws_sns_topic", snake(topic.id), {"name": topic.name})
    for alarm in stack.alarms:
        yield _alarm(alarm)


def _alarm(alarm: Alarm) -> HclBlock:
    single = _single(alarm) if alarm.expression is None else {}
    queries = () if alarm.expression is None else _queries(alarm)
    return resource(
        "aws_cloudwatch_metric_alarm",
        snake(alarm.id.removesuffix("Alarm")),
        {
            "alarm_name": alarm.name,
            "alarm_description": alarm.description,
            **single,
            "evaluation_periods": 1,
            "threshold": alarm.threshold,
            "comparison_operator": "GreaterThanOrEqualToThreshold",
            # There is no value if nothing happened.
            "treat_missing_data": "notBreaching",
            "alarm_actions": [topic_arn(alarm.topic)],
        },
        *queries,
    )


def _single(alarm: Alarm) -> dict[str, Any]:
    [metric] = alarm.metrics
    return _metric(metric) | {"statistic": metric.statistic, "period": metric.period}


def _queries(alarm: Alarm) -> Iterator[HclBlock]:
    yield block(
        "metric_query",
        {
            "id": "computed",
            "expression": alarm.expression,
            "label": alarm.description,
            "return_data": True,
        },
    )
    for number, metric in enumerate(alarm.metrics, 1):
        measured = {"stat": metric.statistic, "period": metric.period}
        yield block(
            "metric_query", {"id": f"m{number}"}, block("metric", _metric(metric) | measured)
        )


def _metric(metric: Metric) -> dict[str, Any]:
    dimensions: dict[str, Any] = dict(metric.dimensions)
    if metric.of is not None:
        dimensions[metric.dimension] = _reference(metric.of)
    return {
        "namespace": metric.namespace,
        "metric_name": metric.name,
        "dimensions": dimensions or None,
    }


def _reference(of: Measured) -> Expression:
    """Return what CloudWatch knows a resource by."""
    match of:
        case TableResource():
            return reference(of, "name")
        case FunctionResource():
            return references.function(of, "function_name")
        case QueueResource():
            return references.queue(of, "name")
        case HttpApiResource():
            return references.api(of, "id")


def topic_arn(topic: Topic) -> Expression | str:
    """Return the ARN of a new or an existing topic."""
    return Expression(f"aws_sns_topic.{snake(topic.id)}.arn") if topic.arn is None else topic.arn


def dashboard_blocks(stack: Stack) -> Iterator[HclBlock]:
    """Yield the block of the dashboard, if there is one."""
    dashboard = stack.dashboard
    if dashboard is not None:
        body = body_of(dashboard, Expression("var.region"), lambda api: references.api(api, "id"))
        yield resource(
            "aws_cloudwatch_dashboard",
            "dashboard",
            {"dashboard_name": dashboard.name, "dashboard_body": call("jsonencode", body)},
        )
