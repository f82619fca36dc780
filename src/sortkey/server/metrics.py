"""The meters in the text format of Prometheus."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

CONTENT_TYPE = b"text/plain; version=0.0.4; charset=utf-8"
_LABELS = {
    "ApiId": "api",
    "FunctionName": "function",
    "GlobalSecondaryIndexName": "index",
    "Operation": "operation",
    "QueueName": "queue",
    "TableName": "table",
}
_PREFIXES = {"AWS/ApiGateway": "apigateway_", "AWS/Lambda": "lambda_", "AWS/SQS": "sqs_"}
# Prometheus counts in seconds, CloudWatch in milliseconds.
_DURATIONS = frozenset({"Duration", "Latency", "SuccessfulRequestLatency"})
# Values that are measured, and mean nothing when they are added up.
_LEVELS = ("Approximate", "IteratorAge", "OnlineIndex", "Provisioned")
_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})
_WORD = re.compile(r"(?<=[a-z])(?=[A-Z])")


def metrics_text(meters: Mapping[str, Any]) -> str:
    """Return the metrics of a DescribeMeters response as text."""
    return "\n".join([*_lines(meters["Metrics"]), ""])


def _lines(metrics: list[dict[str, Any]]) -> Iterator[str]:
    latest = ("", "")
    for metric in sorted(metrics, key=lambda each: (each.get("Namespace", ""), each["MetricName"])):
        name: str = metric["MetricName"]
        this = metric.get("Namespace", ""), name
        is_new, latest = this != latest, this
        labels = _labels(metric["Dimensions"])
        base = _PREFIXES.get(this[0], "dynamodb_") + _WORD.sub("_", name).lower()
        total = metric["Total"]
        if name in _DURATIONS:
            base += "_seconds"
            if is_new:
                yield f"# TYPE {base} summary"
            yield f"{base}_sum{labels} {total['Sum'] / 1000}"
            yield f"{base}_count{labels} {total['SampleCount']}"
        elif name.startswith(_LEVELS):
            if is_new:
                yield f"# TYPE {base} gauge"
            yield f"{base}{labels} {metric['Datapoints'][-1]['Maximum']}"
        else:
            if is_new:
                yield f"# TYPE {base}_total counter"
            yield f"{base}_total{labels} {total['Sum']}"


def _labels(dimensions: Mapping[str, str]) -> str:
    if not dimensions:
        return ""
    # A request that the weather fails first may name a table that no table can have.
    shown = {_LABELS[name]: value.translate(_ESCAPES) for name, value in dimensions.items()}
    return "{" + ",".join(f'{label}="{value}"' for label, value in shown.items()) + "}"
