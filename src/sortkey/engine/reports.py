"""The reports of a bulk put: objects with the records that were not written, and a manifest.

A report grows with each page, under a name of its own, and appears when the operation ends.
"""

from collections.abc import Mapping
from typing import Any

from sortkey.engine.database import Database
from sortkey.engine.formats import dynamodb_json
from sortkey.engine.jobs import Job, configured_buckets
from sortkey.engine.reading import pointer
from sortkey.engine.sources import SourceRecord
from sortkey.folders.buckets import BucketError, Buckets
from sortkey.wire.values import Item

_ERROR = "ERROR"
_CONDITION = "CONDITION_CHECK_FAILURE"
_FILES = {_ERROR: "errors.json", _CONDITION: "condition-check-failures.json"}

# Of each report, its number of lines and its size.
NO_REPORTS: dict[str, list[int]] = {_ERROR: [0, 0], _CONDITION: [0, 0]}


class Reports:
    """The lines that a page of an operation adds to its reports."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._bucket: str = job.content["Request"]["InputS3Configuration"]["S3Bucket"]
        self._wanted: list[str] = job.content["Request"]["OutputS3Configuration"]["OutputType"]
        self._lines: dict[str, list[bytes]] = {kind: [] for kind in _FILES}
        self.errors = 0

    def add_error(self, record: SourceRecord, message: str) -> None:
        """Report a record that is not an item of the table."""
        self.errors += 1
        self._add(_ERROR, record, {"errorMessages": [message]})

    def add_condition_failure(self, record: SourceRecord, existing: Item | None) -> None:
        """Report an item whose condition is not met, with the existing item, if there is one."""
        content: dict[str, Any] = {"Item": (record.record or {}).get("Item")}
        if existing is not None:
            content["ExistingItem"] = existing
        self._add(_CONDITION, record, content)

    def _add(self, kind: str, record: SourceRecord, content: dict[str, Any]) -> None:
        if kind in self._wanted:
            line = {"itemS3Pointer": pointer(self._bucket, record), **content}
            self._lines[kind].append(dynamodb_json.line(line))

    def append(self, db: Database) -> dict[str, list[int]]:
        """Append the lines to the reports, and return the new counts and sizes of these."""
        buckets, written = configured_buckets(db), dict(self._job.content["Reports"])
        for kind, lines in self._lines.items():
            count, size = written[kind]
            if lines:
                content = b"".join(lines)
                if not buckets.append(*_place_of(self._job, _FILES[kind]), size, content):
                    raise _lost()
                written[kind] = [count + len(lines), size + len(content)]
        return written


def _lost() -> BucketError:
    return BucketError("NoSuchKey", "A part of the report has disappeared")


def report_folder(configuration: Mapping[str, Any]) -> str:
    """Return the folder of the reports that an OutputS3Configuration names, with its slash."""
    prefix: str = configuration.get("S3KeyPrefix", "").removesuffix("/")
    return f"{prefix}/AWSDynamoDB/" if prefix else "AWSDynamoDB/"


def refuse_missing_output(db: Database, job: Job) -> None:
    """Raise an error if there is no bucket for the reports."""
    bucket, _ = _place_of(job, "")
    configured_buckets(db).refuse_missing(bucket)


def publish_reports(db: Database, job: Job) -> None:
    """Let the reports of an operation appear, and then its manifest."""
    buckets = configured_buckets(db)
    files: list[dict[str, Any]] = []
    for kind, (count, size) in job.content["Reports"].items():
        bucket, key = _place_of(job, _FILES[kind])
        # After a crash, it may be there already.
        if count and not _exists(buckets, bucket, key):
            buckets.append(bucket, key, size, b"")
            if not buckets.publish(bucket, key, size):
                raise _lost()
        if count:
            files.append({"outputType": kind, "itemCount": count, "s3Key": key})
    manifest = {
        "bulkOperationArn": job.arn,
        "tableArn": job.content["TableArn"],
        "bulkOperationStatus": job.content["Status"],
        "processedItemCount": job.content["ProcessedItemCount"],
        "failedItemCount": job.content["ErrorCount"],
        "outputFiles": files,
    }
    buckets.write(*_place_of(job, "manifest.json"), dynamodb_json.line(manifest))


def report_of_items(job: Job) -> tuple[str, str] | None:
    """Return the bucket and the key of the report that has items, or None if there is none."""
    count, _ = job.content["Reports"][_CONDITION]
    return _place_of(job, _FILES[_CONDITION]) if count else None


def _place_of(job: Job, name: str) -> tuple[str, str]:
    """Return the bucket and the key of an object that the operation writes."""
    configuration = job.content["Request"]["OutputS3Configuration"]
    number = job.arn.rpartition("/")[2]
    return configuration["S3Bucket"], f"{report_folder(configuration)}{number}/{name}"


def _exists(buckets: Buckets, bucket: str, key: str) -> bool:
    try:
        with buckets.open(bucket, key):
            return True
    except BucketError as error:
        if error.code != "NoSuchKey":
            raise
    return False
