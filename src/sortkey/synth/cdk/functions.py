"""Functions in CDK: each with its log group and its execution role."""

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from sortkey.design.declaring.functions import RUNTIME
from sortkey.design.declaring.roles import Architecture
from sortkey.design.plans.notation import present
from sortkey.synth.cdk.policies import statement_of
from sortkey.synth.cdk.program import (
    FunctionCall,
    LibraryConstant,
    New,
    ProgramStep,
    Struct,
    This,
    Variable,
)
from sortkey.synth.cdk.services import duration, log_group_step, value_of
from sortkey.synth.model import FunctionResource, QueueResource, RetryPolicy
from sortkey.synth.programs.permissions import TRACING

_ARCHITECTURES: Mapping[Architecture, str] = MappingProxyType(
    {"arm64": "ARM_64", "x86_64": "X86_64"}
)
# Of python3.13, PYTHON_3_13.
_RUNTIME = re.sub(r"(?<=[a-z])(?=\d)|\.", "_", RUNTIME).upper()
_CODE = Variable("Code")


def code_step() -> ProgramStep:
    """Return the step of the code of all functions."""
    return ProgramStep(FunctionCall("asset", (This(),)), _CODE)


def function_steps(function: FunctionResource) -> Iterator[ProgramStep]:
    """Yield the steps of a function, its log group, its role, and how failed events are repeated.

    The CDK would grant more to its role if it knew of queues and streams.
    """
    role = Variable(function.role_id)
    variable = Variable(function.id)
    yield log_group_step(function.logs)
    yield ProgramStep(_role(function), role)
    architecture = _ARCHITECTURES[function.architecture]
    made = {
        "functionName": function.name,
        "description": function.description,
        "runtime": LibraryConstant(f"lambda.Runtime.{_RUNTIME}"),
        "architecture": LibraryConstant(f"lambda.Architecture.{architecture}"),
        "handler": function.handler,
        "code": _CODE,
        "role": role,
        "memorySize": function.memory,
        "timeout": duration(function.seconds),
        "reservedConcurrentExecutions": function.concurrency,
        "tracing": LibraryConstant("lambda.Tracing.ACTIVE"),
        "logGroup": Variable(function.logs.id),
        "environment": {name: value_of(value) for name, value in function.environment.items()},
    }
    yield ProgramStep(New("lambda.Function", present(made), function.id), variable)
    if function.retries is not None and function.dead_letters is not None:
        yield _retries(variable, function.retries, function.dead_letters)


def _role(function: FunctionResource) -> New:
    # The CDK itself grants what tracing needs.
    own = [statement_of(s) for s in function.statements if s.sid != TRACING]
    made = {
        "roleName": function.role,
        "assumedBy": New("iam.ServicePrincipal", {}, arguments=("lambda.amazonaws.com",)),
        "managedPolicies": [Variable(policy.id) for policy in function.policies] or None,
        "inlinePolicies": {"own": New("iam.PolicyDocument", {"statements": own})},
    }
    return New("iam.Role", present(made), function.role_id)


def _retries(variable: Variable, retries: RetryPolicy, letters: QueueResource) -> ProgramStep:
    kind = "lambda.CfnEventInvokeConfig"
    target = {"destination": Variable(letters.id).get("queueArn")}
    failed = Struct(f"{kind}.OnFailureProperty", target)
    properties = {
        "functionName": variable.get("functionName"),
        "qualifier": "$LATEST",
        "maximumRetryAttempts": retries.attempts,
        "maximumEventAgeInSeconds": retries.seconds,
        "destinationConfig": Struct(f"{kind}.DestinationConfigProperty", {"onFailure": failed}),
    }
    return ProgramStep(New(kind, properties, f"{variable.id}Retries"))
