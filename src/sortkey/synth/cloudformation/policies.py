"""Policies in CloudFormation: a managed policy for each role."""

from collections.abc import Iterable
from typing import Any

from sortkey.synth.cloudformation.secrets import key_arn
from sortkey.synth.cloudformation.yaml import Noted, arn, ref, sub, unless_empty
from sortkey.synth.documents import condition_of
from sortkey.synth.model import (
    BucketObjects,
    BucketResource,
    LogStreams,
    Place,
    Policy,
    QueueResource,
    RegionalKey,
    Resource,
    SettingResource,
    Statement,
)


def policy_resource(policy: Policy) -> dict[str, Any]:
    """Return the managed policy of a role."""
    return {
        "Type": "AWS::IAM::ManagedPolicy",
        "Properties": {
            "ManagedPolicyName": policy.name,
            "Description": policy.description,
            "PolicyDocument": document_resource(policy.statements),
            **unless_empty("Roles", [] if policy.principal is None else [policy.principal]),
        },
    }


def document_resource(statements: Iterable[Statement]) -> dict[str, Any]:
    """Return the document of a policy."""
    return {
        "Version": "2012-10-17",
        "Statement": [Noted(s.comment, _statement(s)) for s in statements],
    }


def _statement(statement: Statement) -> dict[str, Any]:
    allowed = {
        "Sid": statement.sid,
        "Effect": "Allow",
        "Action": list(statement.actions),
        "Resource": [_resource(resource) for resource in statement.resources],
    }
    return allowed | ({"Condition": condition_of(statement)} if statement.conditions else {})


def _resource(place: Place) -> Any:
    match place:
        case str():
            return place
        case RegionalKey():
            return key_arn(place)
        case Resource():
            return _table_arn(place)
        case SettingResource():
            return ref(place.id)
        case BucketObjects(bucket):
            return sub(f"${{{bucket.id}.Arn}}/*")
        case LogStreams(group):
            # It ends in ":*" itself.
            return arn(group.id)
        case QueueResource() | BucketResource():
            return arn(place.id)


def _table_arn(resource: Resource) -> Any:
    suffix = resource.suffix
    if resource.region is not None:
        start = f"arn:${{AWS::Partition}}:dynamodb:{resource.region}:${{AWS::AccountId}}:table/"
        return sub(f"{start}${{{resource.table.id}}}{suffix}")
    if not suffix:
        return arn(resource.table.id)
    return sub(f"${{{resource.table.id}.Arn}}{suffix}")
