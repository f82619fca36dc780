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
from sortkey.synth.cdk.services import setting_value
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
                "statements": [statement_of(statement) for statement in policy.statements],
                "roles": None if principal is None else [principal],
            }
        ),
        policy.id,
    )
    yield ProgramStep(made, Variable(policy.id))


def statement_of(statement: Statement) -> New:
    """Return a statement of a policy."""
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


def _resource(place: Place) -> Value:
    match place:
        case str():
            return place
        case RegionalKey():
            return key_arn(place)
        case Resource():
            return _table_arn(place)
        case QueueResource():
            return Variable(place.id).get("queueArn")
        case BucketResource():
            return Variable(place.id).get("bucketArn")
        case BucketObjects(bucket):
            return Joined((Variable(bucket.id).get("bucketArn"), "/*"))
        case LogStreams(group):
            # It ends in ":*" itself.
            return Variable(group.id).get("logGroupArn")
        case SettingResource():
            return setting_value(place)


def _table_arn(resource: Resource) -> Value:
    table = Variable(resource.table.id)
    suffix = resource.suffix
    if resource.region is not None:
        partition, account = PropertyAccess(None, "partition"), PropertyAccess(None, "account")
        here = (f":dynamodb:{resource.region}:", account, ":table/", table.get("tableName"), suffix)
        return Joined(("arn:", partition, *here))
    arn = table.get("tableArn")
    return Joined((arn, suffix)) if suffix else arn
