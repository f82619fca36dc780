"""Whether an alarm of the stack would go off, by the meters of an engine.

An alarm looks at the values of a period: of one metric, or of a formula over several. Periods begin
at multiples of their length, as in CloudWatch; the one under way is looked at, and the one before.
A period without values is not a reason to alarm, as in the templates.

Meters without a namespace are DynamoDB's. An API is known by its name, in place of the id that API
Gateway gives it. A datapoint has the sum of its values and their number, and the largest of them if
an alarm looks at that.
"""

import ast
from collections.abc import Iterable, Mapping
from typing import Any

from sortkey.synth.model import Alarm, Metric


def firing(alarms: Iterable[Alarm], meters: Mapping[str, Any]) -> list[Alarm]:
    """Return the alarms that a response to DescribeMeters sets off."""
    return [
        alarm
        for alarm in alarms
        if any(_is_firing(alarm, meters, ago) for ago in (0, alarm.period))
    ]


def _is_firing(alarm: Alarm, meters: Mapping[str, Any], ago: int) -> bool:
    """Return whether an alarm goes off in the period that began up to so many seconds ago."""
    begin = (meters["Time"] - ago) // alarm.period * alarm.period
    values: dict[str, float] = {}
    for number, metric in enumerate(alarm.metrics, 1):
        value = _statistic(metric, meters, begin)
        if value is None:
            return False
        values[f"m{number}"] = value
    if alarm.expression is None:
        return values["m1"] >= alarm.threshold
    formula = ast.parse(alarm.expression, mode="eval").body
    return _evaluated(formula, values, alarm) >= alarm.threshold


def _statistic(metric: Metric, meters: Mapping[str, Any], begin: float) -> float | None:
    """Return the statistic of a metric in a period, or None if it has no values."""
    points = [
        point
        for each in meters["Metrics"]
        if each["MetricName"] == metric.name
        and each.get("Namespace", "AWS/DynamoDB") == metric.namespace
        and each["Dimensions"] == metric.dimensions
        for point in each["Datapoints"]
        if begin <= point["Timestamp"] < begin + metric.period
    ]
    if not points:
        return None
    if metric.statistic == "Maximum":
        largest: float = max(point["Maximum"] for point in points)
        return largest
    total: float = sum(point["Sum"] for point in points)
    return total if metric.statistic == "Sum" else total / sum(p["SampleCount"] for p in points)


def _evaluated(formula: ast.expr, values: Mapping[str, float], alarm: Alarm) -> float:
    """Return the value of a formula of CloudWatch's metric math, as far as `synth` writes any."""
    match formula:
        case ast.BinOp(op=ast.Mult()):
            return _evaluated(formula.left, values, alarm) * _evaluated(
                formula.right, values, alarm
            )
        case ast.BinOp(op=ast.Div()):
            return _evaluated(formula.left, values, alarm) / _evaluated(
                formula.right, values, alarm
            )
        case ast.Call(func=ast.Name(id="PERIOD")):
            return float(alarm.period)
        case ast.Name():
            return values[formula.id]
        case ast.Constant(value=int() | float() as value):
            return value
        case _:
            raise NotImplementedError(ast.unparse(formula))
