"""Log groups, queues and buckets in Terraform."""

from collections.abc import Iterator
from typing import Any

from sortkey.synth.model import BucketResource, LogGroupResource, QueueResource
from sortkey.synth.naming import snake
from sortkey.synth.terraform import references
from sortkey.synth.terraform.hcl import Expression, HclBlock, block, call, resource


def log_group_block(group: LogGroupResource) -> HclBlock:
    """Return a log group."""
    return resource(
        "aws_cloudwatch_log_group",
        snake(group.id),
        {
            "name": group.name,
            "retention_in_days": group.days,
            # Removed from Terraform's state with the folder, but not from CloudWatch.
            "skip_destroy": True if group.removal == "retain" else None,
        },
    )


def queue_blocks(queue: QueueResource) -> Iterator[HclBlock]:
    """Yield a queue and its policy."""
    name = references.queue_name(queue)
    redrive = None
    if queue.dead_letters is not None:
        target = references.queue(queue.dead_letters, "arn")
        moved = {"deadLetterTargetArn": target, "maxReceiveCount": queue.deliveries}
        redrive = call("jsonencode", moved)
    yield resource(
        "aws_sqs_queue",
        name,
        {
            "name": queue.name,
            "visibility_timeout_seconds": queue.invisible_seconds,
            "message_retention_seconds": queue.retention_seconds,
            "sqs_managed_sse_enabled": True,
            "redrive_policy": redrive,
        },
        comment=queue.comment,
    )
    policy = _document(_queue_statements(queue))
    attached = {"queue_url": references.queue(queue, "url"), "policy": policy}
    yield resource("aws_sqs_queue_policy", name, attached)


def _queue_statements(queue: QueueResource) -> Iterator[dict[str, Any]]:
    arn = references.queue(queue, "arn")
    yield _denied("sqs:*", arn)
    for rule in queue.rules:
        source = Expression(f"aws_cloudwatch_event_rule.{snake(rule)}.arn")
        yield {
            "Sid": f"EventsOf{rule}",
            "Effect": "Allow",
            "Principal": {"Service": "events.amazonaws.com"},
            "Action": "sqs:SendMessage",
            "Resource": arn,
            "Condition": {"ArnEquals": {"aws:SourceArn": source}},
        }


def bucket_blocks(bucket: BucketResource) -> Iterator[HclBlock]:
    """Yield a bucket, and everything that keeps it private."""
    name = references.bucket_name(bucket)
    own = {"bucket": references.bucket(bucket, "id")}
    is_kept = bucket.removal == "retain"
    place = "${data.aws_caller_identity.current.account_id}-${var.region}"
    kept = (block("lifecycle", {"prevent_destroy": True}),) if is_kept else ()
    yield resource(
        "aws_s3_bucket",
        name,
        {
            "bucket": Expression(f'"{bucket.name}-{place}"'),
            "force_destroy": None if is_kept else True,
        },
        *kept,
    )
    blocked = (
        *("block_public_acls", "block_public_policy"),
        *("ignore_public_acls", "restrict_public_buckets"),
    )
    yield resource("aws_s3_bucket_public_access_block", name, own | dict.fromkeys(blocked, True))
    default = block("apply_server_side_encryption_by_default", {"sse_algorithm": "AES256"})
    yield resource(
        "aws_s3_bucket_server_side_encryption_configuration", name, own, block("rule", {}, default)
    )
    if bucket.keep_days is not None:
        rule = block(
            "rule",
            {"id": "Expiry", "status": "Enabled"},
            block("filter", {}),
            block("expiration", {"days": bucket.keep_days}),
        )
        yield resource("aws_s3_bucket_lifecycle_configuration", name, own, rule)
    arn = references.bucket(bucket, "arn")
    objects = Expression(f'"${{{arn.text}}}/*"')
    policy = _document(iter([_denied("s3:*", [arn, objects])]))
    # S3 refuses two changes of one bucket at the same time.
    after = Expression(f"[aws_s3_bucket_public_access_block.{name}]")
    yield resource("aws_s3_bucket_policy", name, own | {"policy": policy, "depends_on": after})


def _document(statements: Iterator[dict[str, Any]]) -> Expression:
    return call("jsonencode", {"Version": "2012-10-17", "Statement": list(statements)})


def _denied(actions: str, resources: Any) -> dict[str, Any]:
    return {
        "Sid": "DenyInsecureTransport",
        "Effect": "Deny",
        "Principal": "*",
        "Action": actions,
        "Resource": resources,
        "Condition": {"Bool": {"aws:SecureTransport": "false"}},
    }
