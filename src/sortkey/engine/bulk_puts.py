"""Bulk puts: the items in the objects of a bucket are written to a table, page by page.

Each page of records is a transaction, in which every item is written as PutItem would write it,
and which also stores the place after it. Before that, the records that were not written are
appended to the reports; what a crash leaves there beyond the stored size is dropped.
"""

from collections.abc import Mapping
from contextlib import suppress
from copy import deepcopy
from typing import Any

from sortkey.engine.changes import ItemChange, make_recorded
from sortkey.engine.database import Database
from sortkey.engine.formats.records import InputForm
from sortkey.engine.jobs import (
    Job,
    JobFailed,
    JobSteps,
    end_job,
    failed,
    find_job,
    new_job_id,
    save_job,
    without_token,
)
from sortkey.engine.reading import (
    NO_PROGRESS,
    after_page,
    forget_source,
    planned_put,
    prepare_page,
    prepared_page,
)
from sortkey.engine.reports import NO_REPORTS, Reports, publish_reports, refuse_missing_output
from sortkey.engine.table import StoredTable
from sortkey.folders.buckets import BucketError
from sortkey.wire.errors import (
    ConditionalCheckFailedException,
    ResourceNotFoundException,
    ServiceError,
)

CANCELLING = "CANCELLING"


def begin_bulk_put(db: Database, table: StoredTable, request: Mapping[str, Any]) -> Job:
    """Begin to write to a table; the caller is in a transaction."""

    def arn_of(number: str) -> str:
        return f"{table.arn}/bulk-operation/{number}"

    number, began = new_job_id(db, arn_of)
    content = NO_PROGRESS | {
        "Request": without_token(request),
        "ClientToken": request.get("ClientToken"),
        "TableArn": table.arn,
        "TableId": table.definition["TableId"],
        "Status": "IN_PROGRESS",
        "Usage": {
            "Table": 0,
            "LocalSecondaryIndexes": {each.name: 0 for each in table if not each.is_global},
            "GlobalSecondaryIndexes": {each.name: 0 for each in table if each.is_global},
        },
        "Reports": NO_REPORTS,
    }
    return save_job(db, Job(arn_of(number), "bulk", began, None, content))


def cancel_bulk_put(db: Database, job: Job) -> Job:
    """Let upkeep stop the operation; the caller is in a transaction."""
    return save_job(db, job.with_content(Status=CANCELLING))


def bulk_operation(db: Database, arn: str) -> Job:
    """Return the bulk operation with this ARN, or raise DynamoDB's error."""
    job = find_job(db, arn)
    if job is None or job.kind != "bulk":
        raise ResourceNotFoundException(f"Bulk operation not found: {arn}")
    return job


def input_form(request: Mapping[str, Any]) -> InputForm:
    """Return the form of the objects that a StartBulkPutItems request describes."""
    configuration = request["InputS3Configuration"]
    return InputForm(
        configuration["InputFormat"], configuration.get("InputCompressionType", "NONE")
    )


def _prepare(db: Database, job: Job) -> None:
    if job.content["Status"] == CANCELLING:
        return
    request = job.content["Request"]
    configuration = request["InputS3Configuration"]
    prefix = configuration.get("S3KeyPrefix", "")
    refuse_missing_output(db, job)
    prepare_page(db, job, configuration["S3Bucket"], prefix, input_form(request))


def _put_page(db: Database, job: Job) -> None:
    """Write the next page of records, or end the operation after the last."""
    if job.content["Status"] == CANCELLING:
        _end(db, job, "CANCELLED")
        return
    page = prepared_page(db, job)
    if page is None:
        return
    table = db.find(job.content["TableArn"])
    if table is None or table.definition["TableId"] != job.content["TableId"]:
        raise JobFailed("TableNotFound", f"The table {job.content['TableArn']} does not exist")
    reports, usage = Reports(job), _Usage(job)
    for record in page.records:
        try:
            change = planned_put(db, table, record, has_condition=True)
        except ConditionalCheckFailedException as error:
            reports.add_condition_failure(record, error.item)
        except ServiceError as error:
            reports.add_error(record, error.message)
        else:
            make_recorded(db, change)
            usage.add(change)
    after = after_page(db, job, page, reports.errors).with_content(Usage=usage.content)
    try:
        written = after.with_content(Reports=reports.append(db))
    except BucketError as error:
        # The items are written.
        _abandon(db, after)
        end_job(db, failed(after, error))
        return
    if page.end is not None:
        save_job(db, written)
    else:
        has_errors = bool(written.content["ErrorCount"])
        _end(db, written, "COMPLETED_WITH_ERRORS" if has_errors else "COMPLETED")


class _Usage:
    """The bytes that were written to the table and to each index."""

    def __init__(self, job: Job) -> None:
        self.content = deepcopy(job.content["Usage"])

    def add(self, change: ItemChange) -> None:
        self.content["Table"] += change.size
        for each in change.indexes:
            kind = "GlobalSecondaryIndexes" if each.index.is_global else "LocalSecondaryIndexes"
            sizes, name = self.content[kind], each.index.name
            written = max(entry.size for entry in (each.before, each.after) if entry is not None)
            sizes[name] = sizes.get(name, 0) + written


def _end(db: Database, job: Job, status: str) -> None:
    ended = job.with_content(Status=status)
    if status == "CANCELLED":
        ended = ended.with_content(
            FailureCode="Cancelled", FailureMessage="CancelBulkOperation was called"
        )
    publish_reports(db, ended)
    forget_source(db, job)
    end_job(db, ended)


def _abandon(db: Database, job: Job) -> None:
    """Let the reports appear as far as they are written."""
    forget_source(db, job)
    with suppress(BucketError):
        publish_reports(db, job.with_content(Status="FAILED"))


BULK_STEPS = JobSteps(_put_page, _abandon, _prepare)
