"""The objects of an export: their names, their lines, and the manifests."""

from base64 import b32encode
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any

import orjson

from sortkey.engine.export_filters import ExportFilter
from sortkey.engine.formats import dynamodb_json, ion
from sortkey.engine.jobs import Job
from sortkey.engine.windows import WindowChange

_MILLISECONDS = 1000
_SUFFIXES = {"DYNAMODB_JSON": "json.gz", "ION": "ion.gz"}


# -- names ----------------------------------------------------------------------------------------


def folder_of(prefix: str | None) -> str:
    """Return the beginning of the keys of all objects of exports with an S3Prefix."""
    parent = (prefix or "").rstrip("/")
    return f"{parent}/AWSDynamoDB/" if parent else "AWSDynamoDB/"


def object_key(job: Job, name: str) -> str:
    """Return the key of an object in the folder of an export."""
    folder = folder_of(job.content["Request"].get("S3Prefix"))
    return f"{folder}{job.arn.rpartition('/')[2]}/{name}"


def data_key(job: Job, number: int) -> str:
    """Return the key of a data object; those of incremental exports share a folder."""
    digest = blake2b(f"{job.arn}/{number}".encode(), digest_size=16).digest()
    name = f"{b32encode(digest).decode().rstrip('=').lower()}.{_SUFFIXES[export_format(job)]}"
    if "Window" in job.content:
        return f"{folder_of(job.content['Request'].get('S3Prefix'))}data/{name}"
    return object_key(job, f"data/{name}")


def manifest_names() -> Iterator[str]:
    """Yield the names of the manifests and of their checksums."""
    for manifest in ("manifest-files", "manifest-summary"):
        yield f"{manifest}.json"
        yield from checksum_names(manifest)


def checksum_names(manifest: str) -> list[str]:
    """Return the names of the checksum of a manifest: the documentation has one and the other."""
    return [f"{manifest}.checksum", f"{manifest}.md5"]


# -- lines ----------------------------------------------------------------------------------------


def export_format(job: Job) -> str:
    """Return the ExportFormat of an export."""
    return job.content["Request"].get("ExportFormat", "DYNAMODB_JSON")


def view_type(request: Mapping[str, Any]) -> str:
    """Return the ExportViewType of an incremental export."""
    specification: Mapping[str, Any] = request["IncrementalExportSpecification"]
    return specification.get("ExportViewType", "NEW_AND_OLD_IMAGES")


class ExportLines:
    """The lines of the data objects of an export."""

    def __init__(self, job: Job, wanted: ExportFilter) -> None:
        self._is_ion = export_format(job) == "ION"
        request = job.content["Request"]
        self._has_old = "Window" in job.content and view_type(request) != "NEW_IMAGE"
        self._wanted = wanted
        self._overlap: int = job.content.get("Overlap", 0)

    def of_item(self, raw: bytes) -> bytes:
        """Return the line of an item, or nothing if it does not pass the filter."""
        if not self._wanted.needs_item and not self._is_ion:
            return dynamodb_json.item_line(raw)
        item = orjson.loads(raw)
        if not self._wanted.passes(item):
            return b""
        form = ion if self._is_ion else dynamodb_json
        return form.line({"Item": self._wanted.projected(item)})

    def of_change(self, change: WindowChange) -> bytes:
        """Return the line of a change, or nothing if it is not wanted or nothing is left of it.

        What was inserted and deleted within the window has a line only if a full export, which the
        window continues, may have it.
        """
        images = {
            name: orjson.loads(raw)
            for name, raw in (("OldImage", change.old), ("NewImage", change.new))
            if raw is not None
        }
        if not images and change.began >= self._overlap:
            return b""
        # The filter looks at the latest image.
        if images and not self._wanted.passes(list(images.values())[-1]):
            return b""
        if not self._has_old:
            images.pop("OldImage", None)
        keys = orjson.loads(change.keys)
        shown = {name: self._wanted.projected(item) for name, item in images.items()}
        written = str(change.written)
        if self._is_ion:
            metadata = {"WriteTimestampMicros": {"N": written}}
            record = {"Keys": keys, "Metadata": metadata} | shown
            return ion.line({"Record": {name: {"M": each} for name, each in record.items()}})
        return dynamodb_json.line(
            {"Metadata": {"WriteTimestampMicros": written}, "Keys": keys} | shown
        )


# -- manifests ------------------------------------------------------------------------------------


def summary_manifest(job: Job) -> dict[str, Any]:
    """Return the content of the summary manifest of an export that is complete."""
    content, request = job.content, job.content["Request"]
    is_full = "Window" not in content
    summary: dict[str, Any] = {
        "version": "2020-06-30" if is_full else "2023-08-01",
        "exportArn": job.arn,
        "startTime": _iso(job.began / _MILLISECONDS),
        "endTime": _iso((job.ended or 0) / _MILLISECONDS),
        "tableArn": content["TableArn"],
        "tableId": content["TableId"],
    }
    if is_full:
        summary["exportTime"] = _iso(content["Times"]["ExportTime"])
    else:
        summary["exportFromTime"] = _iso(content["Times"]["Start"])
        summary["exportToTime"] = _iso(content["Times"]["End"])
    summary |= {
        "s3Bucket": request["S3Bucket"],
        "s3Prefix": request.get("S3Prefix"),
        "s3SseAlgorithm": request.get("S3SseAlgorithm", "AES256"),
        "s3SseKmsKeyId": request.get("S3SseKmsKeyId"),
        "manifestFilesS3Key": object_key(job, "manifest-files.json"),
        "billedSizeBytes": content["BilledSizeBytes"],
        "itemCount": content["ItemCount"],
        "outputFormat": export_format(job),
    }
    if not is_full:
        summary["outputView"] = view_type(request)
        summary["exportType"] = "INCREMENTAL_EXPORT"
    return summary


def _iso(seconds: float) -> str:
    shown = datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
    return shown.replace("+00:00", "Z")
