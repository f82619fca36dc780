"""Schedules, changes and messages that call functions, in Terraform."""

import json
from collections.abc import Iterator

from sortkey.synth.model import ChangeSource, FunctionResource, MessageSource, ScheduleResource
from sortkey.synth.naming import snake
from sortkey.synth.terraform import references
from sortkey.synth.terraform.functions import permissions
from sortkey.synth.terraform.hcl import Expression, HclBlock, block, call, resource
from sortkey.synth.terraform.tables import reference


def schedule_blocks(schedule: ScheduleResource) -> Iterator[HclBlock]:
    """Yield a rule with its target, and the permission to call its function."""
    name = snake(schedule.id)
    yield resource(
        "aws_cloudwatch_event_rule",
        name,
        {
            "name": schedule.name,
            "description": schedule.description,
            "schedule_expression": schedule.expression,
            "state": "ENABLED",
        },
    )
    yield resource(
        "aws_cloudwatch_event_target",
        name,
        {
            "rule": Expression(f"aws_cloudwatch_event_rule.{name}.name"),
            "target_id": "Function",
            "arn": references.function(schedule.function, "arn"),
        },
        block(
            "retry_policy",
            {
                "maximum_retry_attempts": schedule.retries.attempts,
                "maximum_event_age_in_seconds": schedule.retries.seconds,
            },
        ),
        block("dead_letter_config", {"arn": references.queue(schedule.dead_letters, "arn")}),
    )
    source = Expression(f"aws_cloudwatch_event_rule.{name}.arn")
    yield permission_block(name, schedule.function, "events.amazonaws.com", source)


def permission_block(
    name: str, function: FunctionResource, service: str, source: Expression
) -> HclBlock:
    """Return the permission of a service to call a function for one source."""
    return resource(
        "aws_lambda_permission",
        name,
        {
            "action": "lambda:InvokeFunction",
            "function_name": references.function(function, "function_name"),
            "principal": service,
            "source_arn": source,
        },
    )


def change_block(source: ChangeSource) -> HclBlock:
    """Return the stream of a table as the source of events."""
    patterns = [call("jsonencode", json.loads(each), "      ") for each in source.filters]
    filters = [block("filter", {"pattern": pattern}) for pattern in patterns]
    letters = references.queue(source.dead_letters, "arn")
    return resource(
        "aws_lambda_event_source_mapping",
        snake(source.id),
        {
            "function_name": references.function(source.function, "arn"),
            "event_source_arn": reference(source.table, "stream_arn"),
            "starting_position": "TRIM_HORIZON",
            "batch_size": source.batch,
            "function_response_types": ["ReportBatchItemFailures"],
            "bisect_batch_on_function_error": True,
            "maximum_retry_attempts": source.retries,
            "depends_on": permissions(source.function),
        },
        *([block("filter_criteria", {}, *filters)] if filters else []),
        block("destination_config", {}, block("on_failure", {"destination_arn": letters})),
        comment=source.comment,
    )


def message_block(source: MessageSource) -> HclBlock:
    """Return a queue as the source of events."""
    return resource(
        "aws_lambda_event_source_mapping",
        snake(source.id),
        {
            "function_name": references.function(source.function, "arn"),
            "event_source_arn": references.queue(source.queue, "arn"),
            "batch_size": source.batch,
            "maximum_batching_window_in_seconds": source.window_seconds,
            "function_response_types": ["ReportBatchItemFailures"],
            "depends_on": permissions(source.function),
        },
    )
