"""Records of a stream as events of Lambda, and the letter about those that nobody could handle."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from sortkey.local.context import ACCOUNT, REGION

_IDENTITY = {"PrincipalId": "principalId", "Type": "type"}


def change_event(records: Sequence[dict[str, Any]], stream: str) -> dict[str, Any]:
    """Return the event of a batch of records, as GetRecords returned them."""
    return {"Records": [_record(record, stream) for record in records]}


def failure_letter(
    records: Sequence[dict[str, Any]],
    *,
    stream: str,
    shard: str,
    function: str,
    tries: int,
    now: float,
) -> dict[str, Any]:
    """Return what Lambda sends to the dead-letter queue about a batch that failed too often."""
    first, last = records[0]["dynamodb"], records[-1]["dynamodb"]
    return {
        "requestContext": {
            "functionArn": f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:{function}",
            "condition": "RetryAttemptsExhausted",
            "approximateInvokeCount": tries,
        },
        "responseContext": {
            "statusCode": 200,
            "executedVersion": "$LATEST",
            "functionError": "Unhandled",
        },
        "version": "1.0",
        "timestamp": iso(now),
        "DDBStreamBatchInfo": {
            "shardId": shard,
            "startSequenceNumber": first["SequenceNumber"],
            "endSequenceNumber": last["SequenceNumber"],
            "approximateArrivalOfFirstRecord": iso(first["ApproximateCreationDateTime"]),
            "approximateArrivalOfLastRecord": iso(last["ApproximateCreationDateTime"]),
            "batchSize": len(records),
            "streamArn": stream,
        },
    }


def iso(time: float) -> str:
    """Return a time as AWS writes it in letters."""
    return datetime.fromtimestamp(time, UTC).isoformat(timespec="milliseconds")[:-6] + "Z"


def _record(record: dict[str, Any], stream: str) -> dict[str, Any]:
    made = {**record, "eventSourceARN": stream}
    if "userIdentity" in record:
        made["userIdentity"] = {
            _IDENTITY.get(name, name): value for name, value in record["userIdentity"].items()
        }
    return made
