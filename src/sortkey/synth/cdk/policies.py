"""Policies as CDK makes them: managed, for whoever takes the role."""

from collections.abc import Iterator

from sortkey.synth.cdk.program import Attribute, Joined, New, Step, Value, Variable, said
from sortkey.synth.model import Policy, Resource, Statement
from sortkey.synth.policies import condition_of


def policy_steps(policy: Policy) -> Iterator[Step]:
    """The managed policy of a role."""
    made = New(
        "iam.ManagedPolicy",
        {
            "managedPolicyName": policy.name,
            "description": policy.description,
            "statements": [_statement(statement) for statement in policy.statements],
        },
        policy.id,
    )
    yield Step(made, Variable(policy.id))


def _statement(statement: Statement) -> New:
    return New(
        "iam.PolicyStatement",
        said(
            {
                "sid": statement.sid,
                "actions": list(statement.actions),
                "resources": [_resource(resource) for resource in statement.resources],
                "conditions": condition_of(statement) or None,
            }
        ),
        comment=statement.comment,
    )


def _resource(resource: Resource | str) -> Value:
    if isinstance(resource, str):
        return resource
    table = Variable(resource.table.id)
    index = "" if resource.index is None else f"/index/{resource.index}"
    if resource.region is not None:
        partition, account = Attribute(None, "partition"), Attribute(None, "account")
        here = (f":dynamodb:{resource.region}:", account, ":table/", table.get("tableName"), index)
        return Joined(("arn:", partition, *here))
    arn = table.get("tableArn")
    return Joined((arn, index)) if index else arn
