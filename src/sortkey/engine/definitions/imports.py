"""ImportTableDescription and ImportSummary: an import as DynamoDB returns it."""

from typing import Any

from sortkey.engine.definitions.arns import ACCOUNT, REGION
from sortkey.engine.jobs import Job

_MILLISECONDS = 1000
_LOG_GROUP = f"arn:aws:logs:{REGION}:{ACCOUNT}:log-group:/aws-dynamodb/imports:*"


def import_summary(job: Job) -> dict[str, Any]:
    """Return the ImportSummary of an import, for a list."""
    request = job.content["Request"]
    summary: dict[str, Any] = {
        "ImportArn": job.arn,
        "ImportStatus": _status(job),
        "TableArn": job.content["TableArn"],
        "S3BucketSource": request["S3BucketSource"],
        "CloudWatchLogGroupArn": _LOG_GROUP,
        "InputFormat": request["InputFormat"],
        "StartTime": job.began / _MILLISECONDS,
    }
    return summary | ({} if job.ended is None else {"EndTime": job.ended / _MILLISECONDS})


def describe_import(job: Job) -> dict[str, Any]:
    """Return the ImportTableDescription of an import."""
    content = job.content
    request = content["Request"]
    description = import_summary(job) | {
        "TableId": content["TableId"],
        "ErrorCount": content["ErrorCount"],
        "InputCompressionType": request.get("InputCompressionType", "NONE"),
        "TableCreationParameters": request["TableCreationParameters"],
        "ProcessedSizeBytes": content["ContentBytes"],
        "ProcessedItemCount": content["ProcessedItemCount"],
        "ImportedItemCount": content["ImportedItemCount"],
    }
    if content["ClientToken"] is not None:
        description["ClientToken"] = content["ClientToken"]
    if "InputFormatOptions" in request:
        description["InputFormatOptions"] = request["InputFormatOptions"]
    if job.has_failed:
        description |= {name: content[name] for name in ("FailureCode", "FailureMessage")}
    return description


def _status(job: Job) -> str:
    if job.ended is None:
        return "IN_PROGRESS"
    return "FAILED" if job.has_failed else "COMPLETED"
