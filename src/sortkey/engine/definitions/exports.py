"""ExportDescription and ExportSummary: an export as DynamoDB returns it."""

from collections.abc import Mapping
from typing import Any

from sortkey.engine.export_objects import export_format, object_key, view_type
from sortkey.engine.jobs import Job

_MILLISECONDS = 1000
_AS_REQUESTED = ("S3Bucket", "S3BucketOwner", "S3Prefix", "S3SseKmsKeyId")


def export_description(job: Job) -> dict[str, Any]:
    """Return the ExportDescription of an export."""
    content, request = job.content, job.content["Request"]
    description: dict[str, Any] = {
        **export_summary(job),
        "StartTime": job.began / _MILLISECONDS,
        "TableArn": content["TableArn"],
        "TableId": content["TableId"],
        **{name: request[name] for name in _AS_REQUESTED if name in request},
        "S3SseAlgorithm": request.get("S3SseAlgorithm", "AES256"),
        "ExportFormat": export_format(job),
    }
    if content["ClientToken"] is not None:
        description["ClientToken"] = content["ClientToken"]
    if "Window" in content:
        description["IncrementalExportSpecification"] = _window(content["Times"], request)
    else:
        description["ExportTime"] = content["Times"]["ExportTime"]
    if "FilterSpecification" in request:
        description["FilterSpecification"] = request["FilterSpecification"]
    if job.ended is not None:
        description["EndTime"] = job.ended / _MILLISECONDS
        members = ["FailureCode", "FailureMessage"]
        if not job.has_failed:
            members = ["ItemCount", "BilledSizeBytes"]
            description["ExportManifest"] = object_key(job, "manifest-summary.json")
        description |= {name: content[name] for name in members}
    return description


def _window(times: Mapping[str, float], request: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "ExportFromTime": times["Start"],
        "ExportToTime": times["End"],
        "ExportViewType": view_type(request),
    }


def export_summary(job: Job) -> dict[str, Any]:
    """Return the ExportSummary of an export, for a list."""
    status = "IN_PROGRESS"
    if job.ended is not None:
        status = "FAILED" if job.has_failed else "COMPLETED"
    return {
        "ExportArn": job.arn,
        "ExportStatus": status,
        "ExportType": "INCREMENTAL_EXPORT" if "Window" in job.content else "FULL_EXPORT",
    }
