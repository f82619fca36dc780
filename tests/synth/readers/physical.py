"""The names under which resources exist in an account: two of one kind cannot share one."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

from tests.synth.readers import cloudformation, terraform

from sortkey.synth.cdk.constructs import program_of
from sortkey.synth.cdk.program import FunctionCall, New
from sortkey.synth.cdk.versions import stack_id
from sortkey.synth.model import Stack

_KINDS = {
    "TableName": "table",
    "ManagedPolicyName": "policy",
    "TopicName": "topic",
    "AlarmName": "alarm",
    "DashboardName": "dashboard",
    "BackupVaultName": "vault",
    "BackupPlanName": "plan",
    "RoleName": "role",
    "AliasName": "alias",
    "ParameterName": "parameter",
}
# What runs, and what it uses, by its resource and its property.
_PROGRAMS = {
    "AWS::Lambda::Function": ("function", "FunctionName"),
    "AWS::SQS::Queue": ("queue", "QueueName"),
    "AWS::S3::Bucket": ("bucket", "BucketName"),
    "AWS::Logs::LogGroup": ("log group", "LogGroupName"),
    "AWS::Events::Rule": ("rule", "Name"),
    "AWS::ApiGatewayV2::Api": ("API", "Name"),
}
_CONSTRUCTS = {
    "lambda.Function": ("function", "functionName"),
    "sqs.Queue": ("queue", "queueName"),
    "s3.Bucket": ("bucket", "bucketName"),
    "logs.LogGroup": ("log group", "logGroupName"),
    "events.Rule": ("rule", "ruleName"),
    "apigateway.HttpApi": ("API", "apiName"),
}
_TERRAFORM = {
    "aws_lambda_function": ("function", "function_name"),
    "aws_sqs_queue": ("queue", "name"),
    "aws_s3_bucket": ("bucket", "bucket"),
    "aws_cloudwatch_log_group": ("log group", "name"),
    "aws_cloudwatch_event_rule": ("rule", "name"),
    "aws_apigatewayv2_api": ("API", "name"),
    "aws_dynamodb_table": ("table", "name"),
    "aws_iam_policy": ("policy", "name"),
    "aws_sns_topic": ("topic", "name"),
    "aws_cloudwatch_metric_alarm": ("alarm", "alarm_name"),
    "aws_cloudwatch_dashboard": ("dashboard", "dashboard_name"),
    "aws_backup_vault": ("vault", "name"),
    "aws_backup_plan": ("plan", "name"),
    "aws_iam_role": ("role", "name"),
    "aws_kms_alias": ("alias", "name"),
    "aws_ssm_parameter": ("parameter", "name"),
}

Named = tuple[str, str]


def names_in(target: str, stack: Stack, files: Mapping[str, str]) -> list[Named]:
    """Return the kind and the name of each resource that a target's files deploy."""
    match target:
        case "cloudformation":
            made = cloudformation.template(files["template.yaml"])
            return list(_of_template(made["Resources"].values()))
        case "terraform":
            return list(_of_terraform(files.values()))
        case _:
            # Both languages print one program.
            steps = [s.value for section in program_of(stack).sections for s in section.steps]
            return [("stack", stack_id(stack)), *_of_program(steps)]


def _of_template(resources: Iterable[Mapping[str, Any]]) -> Iterator[Named]:
    for resource in resources:
        said = resource["Properties"]
        if resource["Type"] == "AWS::SSM::Parameter":
            yield "parameter", said["Name"]
        if resource["Type"] in _PROGRAMS:
            kind, name = _PROGRAMS[resource["Type"]]
            yield kind, str(said[name])
        for body in (said, said.get("BackupPlan", {})):
            yield from ((_KINDS[name], body[name]) for name in _KINDS if name in body)


def _of_terraform(texts: Iterable[str]) -> Iterator[Named]:
    for text in texts:
        for kind, (what, name) in _TERRAFORM.items():
            yield from ((what, body[name]) for body in terraform.resources(text, kind))


def _of_program(values: Iterable[Any]) -> Iterator[Named]:
    for value in values:
        match value:
            case New(kind, said) if kind in _CONSTRUCTS:
                what, name = _CONSTRUCTS[kind]
                yield what, str(said[name])
            case New(_, said):
                named = {name[0].upper() + name[1:]: text for name, text in said.items()}
                yield from ((_KINDS[n], cast("str", named[n])) for n in _KINDS if n in named)
            case FunctionCall("alarm", (_, _, str(name), *_)):
                yield "alarm", name
            case _:
                pass
