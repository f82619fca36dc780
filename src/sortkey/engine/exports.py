"""Exports: a table as it was at some time, or what changed in a window, as objects in a bucket.

An export is a job in pieces. Each piece reads a page of the past, appends it to an object as a gzip
member of its own, and stores the size that the object has then; after a crash, the piece is done
again from that size. The names of the objects follow from the export. An object is published when
it is large, or has all of a partition; the manifests are published last.
"""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import orjson

from sortkey.engine.changes import index_entry
from sortkey.engine.database import Database
from sortkey.engine.export_filters import ExportFilter
from sortkey.engine.export_objects import (
    ExportLines,
    checksum_names,
    data_key,
    manifest_names,
    object_key,
    summary_manifest,
)
from sortkey.engine.formats.compression import gzip_member
from sortkey.engine.jobs import Job, configured_buckets, end_job, jobs_of, new_job_id, save_job
from sortkey.engine.journal import MICROSECONDS
from sortkey.engine.keys import FIRST, HASH_BYTES, LAST, RowKey
from sortkey.engine.past import Past, PastItem, begin_past, end_past, key_in_text, key_text
from sortkey.engine.storage import StorageError
from sortkey.engine.table import StoredTable
from sortkey.engine.windows import ExportWindow, begin_window
from sortkey.folders.buckets import Digest
from sortkey.wire.limits import MB

# An object is published when it has so many bytes, so that its digest does not hold up writes.
FILE_BYTES = 16 * MB
# An incremental export is charged for at least so much.
_LEAST_BILLED_BYTES = 10 * MB
_MILLISECONDS = 1000

Content = Mapping[str, Any]


# -- the request; the caller is in a transaction --------------------------------------------------


def begin_export(
    db: Database, table: StoredTable, request: Content, times: Mapping[str, float]
) -> Job:
    """Begin to export a table as it was before ``End``, or from ``Start`` up to it; in seconds."""
    overlap = _overlap(db, table, times)
    identifier, began = new_job_id(db, lambda found: _arn(table, found))
    end = round(times["End"] * MICROSECONDS)
    if "Start" in times:
        start = round(times["Start"] * MICROSECONDS)
        source: dict[str, Any] = {
            "Window": begin_window(db, table, start, end),
            "Overlap": overlap,
        }
    else:
        source = {"Past": begin_past(db, table, end)}
    content = {
        "Request": {name: value for name, value in request.items() if name != "ClientToken"},
        "ClientToken": request.get("ClientToken"),
        "TableArn": table.arn,
        "TableId": table.definition["TableId"],
        "Times": times,
        "Ranges": _ranges(table, ExportFilter(table, request.get("FilterSpecification"))),
        "ItemCount": 0,
        "BilledSizeBytes": 0,
    }
    job = Job(_arn(table, identifier), "export", began, None, content | source)
    return save_job(db, job.with_content(Progress=_first_step(job)))


def _arn(table: StoredTable, identifier: str) -> str:
    return f"{table.arn}/export/{identifier}"


def _overlap(db: Database, table: StoredTable, times: Mapping[str, float]) -> int:
    """Return the time up to which full exports have the beginning of a window; 0 if none has it.

    A window may begin at the time of a full export, which has the changes of that second too.
    """
    ends = (
        job.content["Times"]["End"]
        for job in (jobs_of(db, "export") if "Start" in times else ())
        if job.content["TableId"] == table.definition["TableId"]
        and int(job.content["Times"].get("ExportTime", -1)) == times["Start"]
    )
    return round(max(ends, default=0) * MICROSECONDS)


def _ranges(table: StoredTable, wanted: ExportFilter) -> list[list[str]]:
    """Return where each partition begins and ends: all of the table, or that of one key."""
    if wanted.span is not None:
        partition = wanted.span.partition
        return [[partition[:HASH_BYTES].hex(), (partition + b"\0").hex()]]
    firsts = [each.first.to_bytes(HASH_BYTES, "big").hex() for each in table.partitions.all]
    return [list(pair) for pair in zip(firsts, [*firsts[1:], LAST.hex()], strict=True)]


# -- upkeep ---------------------------------------------------------------------------------------


def export_piece(db: Database, job: Job) -> None:
    """Do the next piece of an export.

    Raises:
        StorageError: The file of the database is damaged.
        BucketError: The bucket cannot be written.
    """
    _Export(db, job).work()


def abandon_export(db: Database, job: Job) -> None:
    """Remove what was exported so far, and forget the past."""
    buckets, bucket = configured_buckets(db), job.content["Request"]["S3Bucket"]
    for number in range(job.content["Progress"]["File"] + 1):
        buckets.remove(bucket, data_key(job, number))
    for name in manifest_names():
        buckets.remove(bucket, object_key(job, name))
    with suppress(StorageError):  # the past itself may be damaged
        _end_source(db, job)


def _end_source(db: Database, job: Job) -> None:
    if "Past" in job.content:
        end_past(db, Past(db, job.content["Past"]))
    else:
        ExportWindow(db, job.content["Window"]).end()


def _first_step(job: Job) -> dict[str, Any]:
    """Return the progress of an export that has written nothing."""
    return {
        "Step": "start",
        "Range": 0,
        "After": key_text(_range(job, 0)[0]),
        # The object that is being written: its number, its size and its items.
        "File": 0,
        "Size": 0,
        "Items": 0,
        "ManifestSize": 0,
    }


def _range(job: Job, number: int) -> tuple[RowKey, bytes]:
    first, before = (bytes.fromhex(each) for each in job.content["Ranges"][number])
    return RowKey(first, FIRST), before


class _Export:
    """One piece of an export."""

    def __init__(self, db: Database, job: Job) -> None:
        self._db = db
        self._job = job
        self._buckets = configured_buckets(db)
        self._bucket: str = job.content["Request"]["S3Bucket"]
        self._progress: dict[str, Any] = dict(job.content["Progress"])
        self._counts: dict[str, int] = {
            name: job.content[name] for name in ("ItemCount", "BilledSizeBytes")
        }

    def work(self) -> None:
        """Do the next step, and save the job."""
        match self._progress["Step"]:
            case "start":
                self._buckets.write(self._bucket, object_key(self._job, "_started"), b"")
                self._progress["Step"] = "write"
            case "write":
                self._write()
            case "publish":
                self._publish()
            case _:
                if self._finish():
                    return
        save_job(self._db, self._job.with_content(Progress=self._progress, **self._counts))

    # -- data ---------------------------------------------------------------------------------

    def _write(self) -> None:
        """Append a page to the object that is being written."""
        after = key_in_text(self._progress["After"])
        before = _range(self._job, self._progress["Range"])[1]
        if "Past" in self._job.content:
            page = self._read_past(after, before)
        else:
            page = self._read_window(after, before)
        if page is None:
            return
        lines, end = page
        progress = self._progress
        is_empty = end is None and not progress["Size"]
        member = gzip_member(b"".join(lines)) if lines or is_empty else b""
        key = data_key(self._job, progress["File"])
        if not self._buckets.append(self._bucket, key, progress["Size"], member):
            self._restart()
            return
        progress["Size"] += len(member)
        progress["Items"] += len(lines)
        self._counts["ItemCount"] += len(lines)
        progress["After"] = None if end is None else key_text(end)
        if end is None or progress["Size"] >= FILE_BYTES:
            progress["Step"] = "publish"

    def _read_past(self, after: RowKey, before: bytes) -> tuple[list[bytes], RowKey | None] | None:
        past = Past(self._db, self._job.content["Past"])
        wanted = self._filter(past.table)
        page = past.read(after, before)
        if page is None:
            return None
        items = [item for item in page.items if wanted.has_key(item.key)]
        self._counts["BilledSizeBytes"] += sum(_billed(past.table, item) for item in items)
        shown = ExportLines(self._job, wanted)
        lines = (shown.of_item(item.raw) for item in items)
        return [line for line in lines if line], page.end

    def _read_window(
        self, after: RowKey, before: bytes
    ) -> tuple[list[bytes], RowKey | None] | None:
        window = ExportWindow(self._db, self._job.content["Window"])
        if not window.is_collected:
            self._counts["BilledSizeBytes"] += window.collect()
            self._job = self._job.with_content(Window=window.stored)
            return None
        wanted = self._filter(window.pasts[0].table)
        page = window.read(after, before)
        if page is None:
            return None
        shown = ExportLines(self._job, wanted)
        lines = (shown.of_change(each) for each in page.changes if wanted.has_key(each.key))
        return [line for line in lines if line], page.end

    def _filter(self, table: StoredTable) -> ExportFilter:
        return ExportFilter(table, self._job.content["Request"].get("FilterSpecification"))

    # -- publishing ---------------------------------------------------------------------------

    def _publish(self) -> None:
        """Publish the object that is complete, and note it in the manifest."""
        progress = self._progress
        key = data_key(self._job, progress["File"])
        if not self._buckets.publish(self._bucket, key, progress["Size"]):
            self._restart()
            return
        digest = self._buckets.digest(self._bucket, key)
        entry = {
            "itemCount": progress["Items"],
            "md5Checksum": digest.md5,
            "etag": digest.etag,
            "dataFileS3Key": key,
        }
        line = orjson.dumps(entry, option=orjson.OPT_APPEND_NEWLINE)
        manifest = object_key(self._job, "manifest-files.json")
        if not self._buckets.append(self._bucket, manifest, progress["ManifestSize"], line):
            self._restart()
            return
        progress |= {
            "Step": "write",
            "File": progress["File"] + 1,
            "Size": 0,
            "Items": 0,
            "ManifestSize": progress["ManifestSize"] + len(line),
        }
        if progress["After"] is None:
            progress["Range"] += 1
            if progress["Range"] == len(self._job.content["Ranges"]):
                progress["Step"] = "finish"
            else:
                progress["After"] = key_text(_range(self._job, progress["Range"])[0])

    def _restart(self) -> None:
        """Write all again: an object has less than was written to it, so something was lost."""
        # The objects may be fewer now, since the table has changed.
        for number in range(self._progress["File"] + 1):
            self._buckets.remove(self._bucket, data_key(self._job, number))
        self._progress = _first_step(self._job)
        self._counts["ItemCount"] = 0
        if "Past" in self._job.content:
            self._counts["BilledSizeBytes"] = 0

    def _finish(self) -> bool:
        """Publish the manifests, and end the job; return whether it has ended."""
        manifest = object_key(self._job, "manifest-files.json")
        if not self._buckets.publish(self._bucket, manifest, self._progress["ManifestSize"]):
            self._restart()
            return False
        content = dict(self._job.content)
        if "Window" in content:
            billed = max(content["BilledSizeBytes"], _LEAST_BILLED_BYTES)
            content["BilledSizeBytes"] = billed
        self._write_checksum("manifest-files", self._buckets.digest(self._bucket, manifest))
        job = self._job._replace(content=content, ended=int(self._db.clock() * _MILLISECONDS))
        summary = orjson.dumps(summary_manifest(job), option=orjson.OPT_APPEND_NEWLINE)
        written = self._buckets.write(
            self._bucket, object_key(job, "manifest-summary.json"), summary
        )
        self._write_checksum("manifest-summary", written)
        _end_source(self._db, self._job)
        for member in ("Past", "Progress", "Ranges"):
            content.pop(member, None)
        if "Window" in content:
            content["Window"] = None
        content["Files"] = self._progress["File"]
        end_job(self._db, job._replace(content=content))
        return True

    def _write_checksum(self, manifest: str, digest: Digest) -> None:
        for name in checksum_names(manifest):
            self._buckets.write(self._bucket, object_key(self._job, name), digest.md5.encode())


def _billed(table: StoredTable, item: PastItem) -> int:
    """Return the size of an item in the table and in its local indexes."""
    if not table.local_indexes:
        return item.size
    content = orjson.loads(item.raw)
    entries = (index_entry(index, item.key, content, item.size) for index in table.local_indexes)
    return item.size + sum(entry.size for entry in entries if entry is not None)
