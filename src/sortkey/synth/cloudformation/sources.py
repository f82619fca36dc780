"""Schedules, changes and messages that call functions, in CloudFormation."""

from collections.abc import Iterator
from typing import Any

from sortkey.synth.cloudformation.yaml import arn, ref, unless_empty
from sortkey.synth.model import ChangeSource, MessageSource, ScheduleResource


def schedule_resources(schedule: ScheduleResource) -> Iterator[tuple[str, Any]]:
    """Yield a rule, and the permission to call its function."""
    target = {
        "Id": "Function",
        "Arn": arn(schedule.function.id),
        "RetryPolicy": {
            "MaximumRetryAttempts": schedule.retries.attempts,
            "MaximumEventAgeInSeconds": schedule.retries.seconds,
        },
        "DeadLetterConfig": {"Arn": arn(schedule.dead_letters.id)},
    }
    rule = {
        "Name": schedule.name,
        "Description": schedule.description,
        "ScheduleExpression": schedule.expression,
        "State": "ENABLED",
        "Targets": [target],
    }
    yield schedule.id, {"Type": "AWS::Events::Rule", "Properties": rule}
    yield (
        f"{schedule.id}Permission",
        permission(schedule.function.id, "events.amazonaws.com", arn(schedule.id)),
    )


def permission(function: str, service: str, source: Any) -> dict[str, Any]:
    """Return the permission of a service to call a function for one source."""
    return {
        "Type": "AWS::Lambda::Permission",
        "Properties": {
            "Action": "lambda:InvokeFunction",
            "FunctionName": arn(function),
            "Principal": service,
            "SourceArn": source,
        },
    }


def change_source(source: ChangeSource) -> dict[str, Any]:
    """Return the stream of a table as the source of events."""
    filters = [{"Pattern": pattern} for pattern in source.filters]
    return {
        "Type": "AWS::Lambda::EventSourceMapping",
        "Properties": {
            "FunctionName": ref(source.function.id),
            "EventSourceArn": arn(source.table.id, "StreamArn"),
            "StartingPosition": "TRIM_HORIZON",
            "BatchSize": source.batch,
            **unless_empty("FilterCriteria", unless_empty("Filters", filters)),
            "FunctionResponseTypes": ["ReportBatchItemFailures"],
            "BisectBatchOnFunctionError": True,
            "MaximumRetryAttempts": source.retries,
            "DestinationConfig": {"OnFailure": {"Destination": arn(source.dead_letters.id)}},
        },
    }


def message_source(source: MessageSource) -> dict[str, Any]:
    """Return a queue as the source of events."""
    return {
        "Type": "AWS::Lambda::EventSourceMapping",
        "Properties": {
            "FunctionName": ref(source.function.id),
            "EventSourceArn": arn(source.queue.id),
            "BatchSize": source.batch,
            **unless_empty("MaximumBatchingWindowInSeconds", source.window_seconds),
            "FunctionResponseTypes": ["ReportBatchItemFailures"],
        },
    }
