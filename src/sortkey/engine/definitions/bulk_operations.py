"""BulkOperationDescription and BulkOperationSummary: a bulk put as DynamoDB returns it."""

from typing import Any

from sortkey.engine.database import bare_name
from sortkey.engine.jobs import Job

_MILLISECONDS = 1000


def bulk_status(job: Job) -> str:
    """Return the BulkOperationStatus."""
    status: str = job.content["Status"]
    return "FAILED" if job.has_failed and status != "CANCELLED" else status


def bulk_summary(job: Job) -> dict[str, Any]:
    """Return the BulkOperationSummary of an operation, for a list."""
    summary: dict[str, Any] = {
        "BulkOperationArn": job.arn,
        "BulkOperationStatus": bulk_status(job),
        "StartTime": job.began / _MILLISECONDS,
    }
    return summary | ({} if job.ended is None else {"EndTime": job.ended / _MILLISECONDS})


def describe_bulk(job: Job) -> dict[str, Any]:
    """Return the BulkOperationDescription of an operation."""
    content = job.content
    request = content["Request"]
    table = bare_name(content["TableArn"])
    description = bulk_summary(job) | {
        "TableDetails": [{"TableName": table, "TableId": content["TableId"]}],
        "InputS3Configuration": request["InputS3Configuration"],
        "OutputS3Configuration": request["OutputS3Configuration"],
        "ProcessedItemCount": content["ProcessedItemCount"],
        "ProcessedInputBytes": content["StoredBytes"],
        "BulkOperationUsage": [_usage(table, content["Usage"])],
        "FailedItemCount": content["ErrorCount"],
        "PerformanceTier": request.get("PerformanceTier", "STANDARD"),
    }
    if content["ClientToken"] is not None:
        description["ClientToken"] = content["ClientToken"]
    for member in ("TotalInputBytes", "FailureCode", "FailureMessage"):
        if member in content:
            description[member] = content[member]
    if "MaxWriteRequestUnits" in request:
        description["MaxWriteRequestUnits"] = request["MaxWriteRequestUnits"]
    return description


def _usage(table: str, usage: dict[str, Any]) -> dict[str, Any]:
    """Return the BulkOperationUsage of the table."""
    found: dict[str, Any] = {
        "TableName": table,
        "BulkPutBytes": usage["Table"],
        "Table": {"BulkPutBytes": usage["Table"]},
    }
    for member in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes"):
        if usage[member]:
            found[member] = {name: {"BulkPutBytes": size} for name, size in usage[member].items()}
            found["BulkPutBytes"] += sum(usage[member].values())
    return found
