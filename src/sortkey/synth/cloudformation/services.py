"""Log groups, queues and buckets in CloudFormation."""

from collections.abc import Iterator
from typing import Any

from sortkey.design.plans.notation import present
from sortkey.synth.cloudformation.yaml import Noted, arn, ref, sub, unless_empty
from sortkey.synth.model import BucketResource, LogGroupResource, QueueResource

_UPDATING = {"retain": "Retain", "destroy": "Delete"}
# What a failed first deployment made is empty, and would stop the next one.
_DELETING = {"retain": "RetainExceptOnCreate", "destroy": "Delete"}
_INSECURE = {"Bool": {"aws:SecureTransport": "false"}}


def log_group(group: LogGroupResource) -> dict[str, Any]:
    """Return a log group."""
    return {
        "Type": "AWS::Logs::LogGroup",
        "DeletionPolicy": _DELETING[group.removal],
        "UpdateReplacePolicy": _UPDATING[group.removal],
        "Properties": {"LogGroupName": group.name, "RetentionInDays": group.days},
    }


def queue_resources(queue: QueueResource) -> Iterator[tuple[str, Any]]:
    """Yield a queue and its policy."""
    redrive: dict[str, Any] = {}
    if queue.dead_letters is not None:
        target = arn(queue.dead_letters.id)
        redrive = {"deadLetterTargetArn": target, "maxReceiveCount": queue.deliveries}
    properties = {
        "QueueName": queue.name,
        **present({"VisibilityTimeout": queue.invisible_seconds}),
        "MessageRetentionPeriod": queue.retention_seconds,
        **unless_empty("RedrivePolicy", redrive),
        "SqsManagedSseEnabled": True,
    }
    made = {"Type": "AWS::SQS::Queue", "Properties": properties}
    yield queue.id, Noted(queue.comment, made) if queue.comment else made
    policy = {"Queues": [ref(queue.id)], "PolicyDocument": _document(_queue_statements(queue))}
    yield f"{queue.id}Policy", {"Type": "AWS::SQS::QueuePolicy", "Properties": policy}


def _queue_statements(queue: QueueResource) -> Iterator[dict[str, Any]]:
    yield _denied("sqs:*", arn(queue.id))
    for rule in queue.rules:
        yield {
            "Sid": f"EventsOf{rule}",
            "Effect": "Allow",
            "Principal": {"Service": "events.amazonaws.com"},
            "Action": "sqs:SendMessage",
            "Resource": arn(queue.id),
            "Condition": {"ArnEquals": {"aws:SourceArn": arn(rule)}},
        }


def bucket_resources(bucket: BucketResource) -> Iterator[tuple[str, Any]]:
    """Yield a bucket and its policy."""
    rule = {"Id": "Expiry", "Status": "Enabled", "ExpirationInDays": bucket.keep_days}
    blocked = ("BlockPublicAcls", "BlockPublicPolicy", "IgnorePublicAcls", "RestrictPublicBuckets")
    encrypted = {"ServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"}}
    expiry = [] if bucket.keep_days is None else [rule]
    yield (
        bucket.id,
        {
            "Type": "AWS::S3::Bucket",
            "DeletionPolicy": _DELETING[bucket.removal],
            "UpdateReplacePolicy": _UPDATING[bucket.removal],
            "Properties": {
                "BucketName": sub(f"{bucket.name}-${{AWS::AccountId}}-${{AWS::Region}}"),
                "PublicAccessBlockConfiguration": dict.fromkeys(blocked, True),
                "BucketEncryption": {"ServerSideEncryptionConfiguration": [encrypted]},
                **unless_empty("LifecycleConfiguration", unless_empty("Rules", expiry)),
            },
        },
    )
    objects = sub(f"${{{bucket.id}.Arn}}/*")
    document = _document(iter([_denied("s3:*", [arn(bucket.id), objects])]))
    policy = {"Bucket": ref(bucket.id), "PolicyDocument": document}
    yield f"{bucket.id}Policy", {"Type": "AWS::S3::BucketPolicy", "Properties": policy}


def _document(statements: Iterator[dict[str, Any]]) -> dict[str, Any]:
    return {"Version": "2012-10-17", "Statement": list(statements)}


def _denied(actions: str, resource: Any) -> dict[str, Any]:
    return {
        "Sid": "DenyInsecureTransport",
        "Effect": "Deny",
        "Principal": "*",
        "Action": actions,
        "Resource": resource,
        "Condition": _INSECURE,
    }
