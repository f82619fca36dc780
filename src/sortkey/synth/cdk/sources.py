"""Schedules, changes and messages that call functions, in CDK."""

from sortkey.design.plans.notation import present
from sortkey.synth.cdk.program import FunctionCall, New, ProgramStep, Struct, Variable
from sortkey.synth.cdk.services import duration
from sortkey.synth.model import ChangeSource, MessageSource, ScheduleResource

_MAPPING = "lambda.CfnEventSourceMapping"


def schedule_step(schedule: ScheduleResource) -> ProgramStep:
    """Return the step of a rule, which permits itself to call its function."""
    called = {
        "deadLetterQueue": Variable(schedule.dead_letters.id),
        "maxEventAge": duration(schedule.retries.seconds),
        "retryAttempts": schedule.retries.attempts,
    }
    target = New("targets.LambdaFunction", called, arguments=(Variable(schedule.function.id),))
    rule = {
        "ruleName": schedule.name,
        "description": schedule.description,
        "schedule": FunctionCall("events.Schedule.expression", (schedule.expression,)),
        "targets": [target],
    }
    return ProgramStep(New("events.Rule", rule, schedule.id))


def change_step(source: ChangeSource) -> ProgramStep:
    """Return the step of the stream of a table as the source of events."""
    filters = [Struct(f"{_MAPPING}.FilterProperty", {"pattern": f}) for f in source.filters]
    criteria = Struct(f"{_MAPPING}.FilterCriteriaProperty", {"filters": filters})
    target = {"destination": Variable(source.dead_letters.id).get("queueArn")}
    failed = Struct(f"{_MAPPING}.OnFailureProperty", target)
    made = {
        "functionName": Variable(source.function.id).get("functionName"),
        "eventSourceArn": Variable(source.table.id).get("tableStreamArn"),
        "startingPosition": "TRIM_HORIZON",
        "batchSize": source.batch,
        "filterCriteria": criteria if filters else None,
        "functionResponseTypes": ["ReportBatchItemFailures"],
        "bisectBatchOnFunctionError": True,
        "maximumRetryAttempts": source.retries,
        "destinationConfig": Struct(f"{_MAPPING}.DestinationConfigProperty", {"onFailure": failed}),
    }
    return ProgramStep(New(_MAPPING, present(made), source.id), comment=source.comment)


def message_step(source: MessageSource) -> ProgramStep:
    """Return the step of a queue as the source of events."""
    made = {
        "functionName": Variable(source.function.id).get("functionName"),
        "eventSourceArn": Variable(source.queue.id).get("queueArn"),
        "batchSize": source.batch,
        "maximumBatchingWindowInSeconds": source.window_seconds,
        "functionResponseTypes": ["ReportBatchItemFailures"],
    }
    return ProgramStep(New(_MAPPING, present(made), source.id))
