"""Functions in CloudFormation: each with its log group and its execution role."""

from collections.abc import Iterator
from typing import Any

from sortkey.design.declaring.functions import RUNTIME
from sortkey.synth.cloudformation.policies import document_resource
from sortkey.synth.cloudformation.services import log_group
from sortkey.synth.cloudformation.yaml import arn, ref, unless_empty
from sortkey.synth.model import EnvironmentValue, FunctionResource


def function_resources(function: FunctionResource) -> Iterator[tuple[str, Any]]:
    """Yield a function, its log group, its role, and how failed events are repeated."""
    yield function.logs.id, log_group(function.logs)
    yield function.role_id, _role(function)
    yield function.id, {"Type": "AWS::Lambda::Function", "Properties": _properties(function)}
    if function.retries is not None and function.dead_letters is not None:
        properties = {
            "FunctionName": ref(function.id),
            "Qualifier": "$LATEST",
            "MaximumRetryAttempts": function.retries.attempts,
            "MaximumEventAgeInSeconds": function.retries.seconds,
            "DestinationConfig": {"OnFailure": {"Destination": arn(function.dead_letters.id)}},
        }
        retried = {"Type": "AWS::Lambda::EventInvokeConfig", "Properties": properties}
        yield f"{function.id}Retries", retried


def _role(function: FunctionResource) -> dict[str, Any]:
    trust = {
        "Effect": "Allow",
        "Principal": {"Service": "lambda.amazonaws.com"},
        "Action": "sts:AssumeRole",
    }
    own = {"PolicyName": "own", "PolicyDocument": document_resource(function.statements)}
    return {
        "Type": "AWS::IAM::Role",
        "Properties": {
            "RoleName": function.role,
            "AssumeRolePolicyDocument": {"Version": "2012-10-17", "Statement": [trust]},
            **unless_empty("ManagedPolicyArns", [ref(one.id) for one in function.policies]),
            "Policies": [own],
        },
    }


def _properties(function: FunctionResource) -> dict[str, Any]:
    return {
        "FunctionName": function.name,
        "Description": function.description,
        "Runtime": RUNTIME,
        "Architectures": [function.architecture],
        "Handler": function.handler,
        "Code": {"S3Bucket": ref("CodeBucket"), "S3Key": ref("CodeKey")},
        "Role": arn(function.role_id),
        "MemorySize": function.memory,
        "Timeout": function.seconds,
        **unless_empty("ReservedConcurrentExecutions", function.concurrency),
        "TracingConfig": {"Mode": "Active"},
        "LoggingConfig": {"LogGroup": ref(function.logs.id)},
        "Environment": {
            "Variables": {name: _value(value) for name, value in function.environment.items()}
        },
    }


def _value(value: EnvironmentValue) -> Any:
    # The reference to a queue is its URL, that to a bucket its name.
    return value if isinstance(value, str) else ref(value.id)
