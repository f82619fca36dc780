"""Policies in CloudFormation: a managed policy for each role."""

from typing import Any

from sortkey.synth.cloudformation.secrets import key_arn
from sortkey.synth.cloudformation.yaml import Noted, arn, sub, unless_empty
from sortkey.synth.model import Place, Policy, RegionalKey, Statement
from sortkey.synth.policies import condition_of


def policy_resource(policy: Policy) -> dict[str, Any]:
    """Return the managed policy of a role."""
    return {
        "Type": "AWS::IAM::ManagedPolicy",
        "Properties": {
            "ManagedPolicyName": policy.name,
            "Description": policy.description,
            "PolicyDocument": {
                "Version": "2012-10-17",
                "Statement": [Noted(s.comment, _statement(s)) for s in policy.statements],
            },
            **unless_empty("Roles", [] if policy.principal is None else [policy.principal]),
        },
    }


def _statement(statement: Statement) -> dict[str, Any]:
    allowed = {
        "Sid": statement.sid,
        "Effect": "Allow",
        "Action": list(statement.actions),
        "Resource": [_resource(resource) for resource in statement.resources],
    }
    return allowed | ({"Condition": condition_of(statement)} if statement.conditions else {})


def _resource(resource: Place) -> Any:
    if isinstance(resource, RegionalKey):
        return key_arn(resource)
    if isinstance(resource, str):
        return resource
    suffix = resource.suffix
    if resource.region is not None:
        start = f"arn:${{AWS::Partition}}:dynamodb:{resource.region}:${{AWS::AccountId}}:table/"
        return sub(f"{start}${{{resource.table.id}}}{suffix}")
    if not suffix:
        return arn(resource.table.id)
    return sub(f"${{{resource.table.id}.Arn}}{suffix}")
