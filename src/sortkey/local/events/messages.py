"""Messages of a queue as events of SQS."""

from collections.abc import Sequence
from hashlib import md5
from typing import Any

from sortkey.folders.queues import Message
from sortkey.local.context import ACCOUNT, REGION


def queue_arn(name: str) -> str:
    """Return the ARN of a queue by its deployed name."""
    return f"arn:aws:sqs:{REGION}:{ACCOUNT}:{name}"


def message_event(messages: Sequence[Message], queue: str, now: float) -> dict[str, Any]:
    """Return the event of a batch of messages from a queue."""
    return {"Records": [_record(message, queue, now) for message in messages]}


def _record(message: Message, queue: str, now: float) -> dict[str, Any]:
    return {
        "messageId": message.id,
        "receiptHandle": message.receipt,
        "body": message.text,
        "attributes": {
            "ApproximateReceiveCount": str(message.deliveries),
            "SentTimestamp": str(message.sent),
            "SenderId": ACCOUNT,
            "ApproximateFirstReceiveTimestamp": str(int(now * 1000)),
        },
        "messageAttributes": {},
        "md5OfBody": md5(message.text.encode(), usedforsecurity=False).hexdigest(),
        "eventSource": "aws:sqs",
        "eventSourceARN": queue_arn(queue),
        "awsRegion": REGION,
    }
