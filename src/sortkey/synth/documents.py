"""Policies as the JSON that IAM reads, with example ARNs."""

from collections.abc import Iterable
from typing import assert_never

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

# An ARN up to the name of the table, as long as any.
TABLE_ARN = "arn:aws-us-gov:dynamodb:ap-southeast-1:123456789012:table/"
# That of the key of secret fields.
KEY_ARN = "arn:aws:kms:eu-central-1:123456789012:key/mrk-0123456789abcdef0123456789abcdef"
_PLACE = "eu-central-1:123456789012"


def document_of(policy: Policy, arn: str = TABLE_ARN) -> dict[str, object]:
    """Return the policy as JSON for IAM, with this beginning of the ARNs of tables."""
    return document(policy.statements, arn)


def document(statements: Iterable[Statement], arn: str = TABLE_ARN) -> dict[str, object]:
    """Return statements as a policy."""
    return {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Sid": statement.sid,
                "Effect": "Allow",
                "Action": list(statement.actions),
                "Resource": [_arn(resource, arn) for resource in statement.resources],
            }
            | ({"Condition": condition_of(statement)} if statement.conditions else {})
            for statement in statements
        ],
    }


def _arn(place: Place, arn: str) -> str:
    match place:
        case str():
            return place
        case Resource():
            return f"{arn}{place.table.name}{place.suffix}"
        case RegionalKey():
            return KEY_ARN
        case QueueResource():
            return f"arn:aws:sqs:{_PLACE}:{place.name}"
        case BucketResource():
            return bucket_arn(place)
        case BucketObjects(bucket):
            return f"{bucket_arn(bucket)}/*"
        case LogStreams(group):
            return f"arn:aws:logs:{_PLACE}:log-group:{group.name}:*"
        case SettingResource():
            return f"arn:aws:secretsmanager:{_PLACE}:secret:{place.id}-a1b2c3"
        case _:
            assert_never(place)


def bucket_arn(bucket: BucketResource) -> str:
    """Return the ARN of a bucket, whose name ends in the account and the region."""
    return f"arn:aws:s3:::{bucket.name}-123456789012-eu-central-1"


def condition_of(statement: Statement) -> dict[str, dict[str, list[str] | str]]:
    """Return the conditions of a statement by operator and key, as IAM reads them."""
    found: dict[str, dict[str, list[str] | str]] = {}
    for operator, key, values in statement.conditions:
        is_list = operator.startswith("ForAllValues")
        found.setdefault(operator, {})[key] = list(values) if is_list else values[0]
    return found
