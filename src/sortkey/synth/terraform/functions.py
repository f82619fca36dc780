"""Functions in Terraform: each with its log group and its execution role."""

from collections.abc import Iterator

from sortkey.design.declaring.functions import RUNTIME
from sortkey.synth.model import FunctionResource
from sortkey.synth.terraform import references
from sortkey.synth.terraform.hcl import Expression, HclBlock, block, call, resource
from sortkey.synth.terraform.policies import document_block, policy_name
from sortkey.synth.terraform.services import log_group_block

_TRUST = {
    "Version": "2012-10-17",
    "Statement": [
        {
            "Effect": "Allow",
            "Principal": {"Service": "lambda.amazonaws.com"},
            "Action": "sts:AssumeRole",
        }
    ],
}


def function_blocks(function: FunctionResource) -> Iterator[HclBlock]:
    """Yield a function, its log group, its role, and how failed events are repeated."""
    name = references.function_name(function)
    yield log_group_block(function.logs)
    yield from _role(function)
    yield resource(
        "aws_lambda_function",
        name,
        {
            "function_name": function.name,
            "description": function.description,
            "runtime": RUNTIME,
            "architectures": [function.architecture],
            "handler": function.handler,
            "filename": Expression("var.code"),
            "source_code_hash": Expression("filebase64sha256(var.code)"),
            "role": references.role(function, "arn"),
            "memory_size": function.memory,
            "timeout": function.seconds,
            "reserved_concurrent_executions": function.concurrency,
            # A call before it may log, or read a queue, would fail.
            "depends_on": permissions(function),
        },
        block("tracing_config", {"mode": "Active"}),
        block(
            "logging_config",
            {"log_format": "Text", "log_group": references.log_group(function.logs, "name")},
        ),
        block(
            "environment",
            {"variables": {n: references.value(v) for n, v in function.environment.items()}},
        ),
    )
    if function.retries is not None and function.dead_letters is not None:
        letters = references.queue(function.dead_letters, "arn")
        yield resource(
            "aws_lambda_function_event_invoke_config",
            name,
            {
                "function_name": references.function(function, "function_name"),
                "qualifier": "$LATEST",
                "maximum_retry_attempts": function.retries.attempts,
                "maximum_event_age_in_seconds": function.retries.seconds,
            },
            block("destination_config", {}, block("on_failure", {"destination": letters})),
        )


def permissions(function: FunctionResource) -> list[Expression]:
    """Return the permissions of a function's role, which are resources of their own."""
    own = f"aws_iam_role_policy.{references.role_name(function)}"
    attached = [
        f"aws_iam_role_policy_attachment.{attachment_name(function, policy_name(policy))}"
        for policy in function.policies
    ]
    return [Expression(name) for name in (own, *attached)]


def attachment_name(function: FunctionResource, policy: str) -> str:
    """Return the name of the attachment of a policy to a function's role within the folder."""
    return f"{references.role_name(function)}_{policy}"


def _role(function: FunctionResource) -> Iterator[HclBlock]:
    name = references.role_name(function)
    trust = {"name": function.role, "assume_role_policy": call("jsonencode", _TRUST)}
    yield resource("aws_iam_role", name, trust)
    yield document_block(name, function.statements)
    own = {
        "name": "own",
        "role": references.role(function, "id"),
        "policy": Expression(f"data.aws_iam_policy_document.{name}.json"),
    }
    yield resource("aws_iam_role_policy", name, own)
    for policy in function.policies:
        attached = {
            "role": references.role(function, "name"),
            "policy_arn": Expression(f"aws_iam_policy.{policy_name(policy)}.arn"),
        }
        named = attachment_name(function, policy_name(policy))
        yield resource("aws_iam_role_policy_attachment", named, attached)
