"""Policies in CDK: a managed policy for each role."""

from collections.abc import Iterator

from sortkey.design.plans.notation import present
from sortkey.synth.cdk.program import (
    FunctionCall,
    Joined,
    New,
    ProgramStep,
    PropertyAccess,
    This,
    Value,
    Variable,
)
from sortkey.synth.cdk.secrets import key_arn
from sortkey.synth.model import Place, Policy, RegionalKey, Statement
from sortkey.synth.policies import condition_of


def policy_steps(policy: Policy) -> Iterator[ProgramStep]:
    """Yield the step of a role's managed policy."""
    principal = None
    if policy.principal is not None:
        principal = Variable(f"{policy.id}Role")
        found = (This(), principal.id, policy.principal)
        yield ProgramStep(FunctionCall("iam.Role.fromRoleName", found), principal)
    made = New(
        "iam.ManagedPolicy",
        present(
            {
                "managedPolicyName": policy.name,
                "description": policy.description,
                "statements": [_statement(statement) for statement in policy.statements],
                "roles": None if principal is None else [principal],
            }
        ),
        policy.id,
    )
    yield ProgramStep(made, Variable(policy.id))


def _statement(statement: Statement) -> New:
    return New(
        "iam.PolicyStatement",
        present(
            {
                "sid": statement.sid,
                "actions": list(statement.actions),
                "resources": [_resource(resource) for resource in statement.resources],
                "conditions": condition_of(statement) or None,
            }
        ),
        comment=statement.comment,
    )


def _resource(resource: Place) -> Value:
    if isinstance(resource, RegionalKey):
        return key_arn(resource)
    if isinstance(resource, str):
        return resource
    table = Variable(resource.table.id)
    suffix = resource.suffix
    if resource.region is not None:
        partition, account = PropertyAccess(None, "partition"), PropertyAccess(None, "account")
        here = (f":dynamodb:{resource.region}:", account, ":table/", table.get("tableName"), suffix)
        return Joined(("arn:", partition, *here))
    arn = table.get("tableArn")
    return Joined((arn, suffix)) if suffix else arn
