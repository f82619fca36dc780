"""Alarms, their topics, and the dashboard in CloudFormation."""

import json
from collections.abc import Iterator
from typing import Any

from sortkey.synth.cloudformation.yaml import Lines, arn, ref
from sortkey.synth.dashboard import body_of
from sortkey.synth.model import Alarm, Dashboard, Measured, Metric, QueueResource, Stack, Topic


def alarm_resources(stack: Stack) -> Iterator[tuple[str, Any]]:
    """Return the resources of new topics, every alarm, and the dashboard."""
    for topic in stack.topics:
        if topic.arn is None:
            yield topic.id, {"Type": "AWS::SNS::Topic", "Properties": {"TopicName": topic.name}}
    for alarm in stack.alarms:
        yield alarm.id, {"Type": "AWS::CloudWatch::Alarm", "Properties": _alarm(alarm)}
    if stack.dashboard is not None:
        yield stack.dashboard.id, _dashboard(stack.dashboard)


def _alarm(alarm: Alarm) -> dict[str, Any]:
    return {
        "AlarmName": alarm.name,
        "AlarmDescription": alarm.description,
        **(_computed(alarm) if alarm.expression else _single(alarm)),
        "EvaluationPeriods": 1,
        "Threshold": alarm.threshold,
        "ComparisonOperator": "GreaterThanOrEqualToThreshold",
        # There is no value if nothing happened.
        "TreatMissingData": "notBreaching",
        "AlarmActions": [_arn(alarm.topic)],
    }


def _single(alarm: Alarm) -> dict[str, Any]:
    [metric] = alarm.metrics
    return {
        **_metric(metric),
        "Statistic": metric.statistic,
        "Period": metric.period,
    }


def _computed(alarm: Alarm) -> dict[str, Any]:
    return {
        "Metrics": [
            {"Id": "computed", "Expression": alarm.expression, "Label": alarm.description},
            *(
                {
                    "Id": f"m{number}",
                    "ReturnData": False,
                    "MetricStat": {
                        "Metric": _metric(metric),
                        "Stat": metric.statistic,
                        "Period": metric.period,
                    },
                }
                for number, metric in enumerate(alarm.metrics, 1)
            ),
        ]
    }


def _metric(metric: Metric) -> dict[str, Any]:
    dimensions = [
        {"Name": name, "Value": _reference(metric.of) if name == metric.dimension else value}
        for name, value in metric.dimensions.items()
    ]
    named = {"Namespace": metric.namespace, "MetricName": metric.name}
    return named | ({"Dimensions": dimensions} if dimensions else {})


def _reference(of: Measured | None) -> Any:
    """Return what CloudWatch knows a resource by; the reference to a queue is its URL."""
    if isinstance(of, QueueResource):
        return arn(of.id, "QueueName")
    return None if of is None else ref(of.id)


def _arn(topic: Topic) -> Any:
    return ref(topic.id) if topic.arn is None else topic.arn


def _dashboard(dashboard: Dashboard) -> dict[str, Any]:
    body = body_of(dashboard, "${AWS::Region}", lambda api: f"${{{api.id}}}")
    return {
        "Type": "AWS::CloudWatch::Dashboard",
        "Properties": {
            "DashboardName": dashboard.name,
            "DashboardBody": Lines(_laid_out(body)),
        },
    }


def _laid_out(body: dict[str, Any]) -> str:
    """Return the body with one widget on each line."""
    widgets = ",\n".join(f"    {json.dumps(widget)}" for widget in body["widgets"])
    return f'{{\n  "widgets": [\n{widgets}\n  ]\n}}'
