"""Imports: a new table is filled with the items in the objects of a bucket, page by page.

Each page of records is a transaction that also stores the place after it. Until the last page, the
table is CREATING, and no other request finds it. A record that is not an item of the table is
logged and counted, and the import goes on; it has failed in the end, and the table stays. If not
even the first object can be read, there is no table.
"""

import logging
from collections.abc import Mapping
from typing import Any

import orjson

from sortkey.engine.database import Database
from sortkey.engine.definitions.new import new_table
from sortkey.engine.formats.records import InputForm
from sortkey.engine.jobs import (
    Job,
    JobFailed,
    JobSteps,
    end_job,
    new_job_id,
    save_job,
    without_token,
)
from sortkey.engine.reading import (
    NO_PROGRESS,
    after_page,
    forget_source,
    planned_put,
    pointer,
    prepare_page,
    prepared_page,
)
from sortkey.engine.rows import drop_rows, make_all_rows
from sortkey.engine.sources import SourceRecord
from sortkey.engine.table import StoredTable
from sortkey.wire.errors import ServiceError

# The messages are those that DynamoDB writes to CloudWatch.
_log = logging.getLogger(__name__)

_INVALID_ITEMS = (
    "Some of the items failed validation checks and were not imported. Please check CloudWatch "
    "error logs for more details."
)


def begin_import(db: Database, request: Mapping[str, Any]) -> Job:
    """Create the table, to be filled; the caller is in a transaction."""
    definition = new_table(request["TableCreationParameters"], round(db.clock(), 3))

    def arn_of(number: str) -> str:
        return f"{definition['TableArn']}/import/{number}"

    number, began = new_job_id(db, arn_of)
    rows = make_all_rows(db, definition)
    if db.weather is not None:
        db.weather.changes.begin(rows, "CREATING")
    db.save(rows, definition | {"Import": arn_of(number)})
    content = NO_PROGRESS | {
        "Request": without_token(request),
        "ClientToken": request.get("ClientToken"),
        "TableArn": definition["TableArn"],
        "TableId": definition["TableId"],
        "ImportedItemCount": 0,
    }
    return save_job(db, Job(arn_of(number), "import", began, None, content))


def input_form(request: Mapping[str, Any]) -> InputForm:
    """Return the form of the objects that an ImportTable request describes."""
    csv = request.get("InputFormatOptions", {}).get("Csv", {})
    keys = request["TableCreationParameters"]["AttributeDefinitions"]
    return InputForm(
        request["InputFormat"],
        request.get("InputCompressionType", "NONE"),
        csv.get("Delimiter", ","),
        csv.get("HeaderList"),
        {each["AttributeName"]: each["AttributeType"] for each in keys},
    )


def _prepare(db: Database, job: Job) -> None:
    request = job.content["Request"]
    source = request["S3BucketSource"]
    prefix = source.get("S3KeyPrefix", "")
    prepare_page(db, job, source["S3Bucket"], prefix, input_form(request))


def _import_page(db: Database, job: Job) -> None:
    """Import the next page of records, or end the import after the last."""
    page = prepared_page(db, job)
    if page is None:
        return
    table = _table_of(db, job)
    if table is None:
        raise JobFailed("TableNotFound", f"The table {job.content['TableArn']} does not exist")
    errors = sum(not _import_record(db, table, job, record) for record in page.records)
    imported = len(page.records) - errors
    after = after_page(db, job, page, errors).with_content(
        ImportedItemCount=job.content["ImportedItemCount"] + imported
    )
    if page.end is not None:
        save_job(db, after)
        return
    _open_table(db, table)
    forget_source(db, job)
    if after.content["ErrorCount"]:
        after = after.with_content(FailureCode="ItemValidationError", FailureMessage=_INVALID_ITEMS)
    end_job(db, after)


def _import_record(db: Database, table: StoredTable, job: Job, record: SourceRecord) -> bool:
    """Store the item of a record, or log what is wrong with it; return whether it was stored."""
    try:
        change = planned_put(db, table, record, has_condition=False)
    except ServiceError as error:
        # If the transaction is not committed, it is logged again: better twice than never.
        bucket = job.content["Request"]["S3BucketSource"]["S3Bucket"]
        message = {
            "itemS3Pointer": pointer(bucket, record),
            "importArn": job.arn,
            "errorMessages": [error.message],
        }
        _log.warning("%s", orjson.dumps(message).decode())
        return False
    change.make(db)
    return True


def _table_of(db: Database, job: Job) -> StoredTable | None:
    table = db.find_creating(job.content["TableArn"])
    return table if table is not None and table.definition.get("Import") == job.arn else None


def _open_table(db: Database, table: StoredTable) -> None:
    """Make the table ACTIVE."""
    definition = {name: value for name, value in table.definition.items() if name != "Import"}
    db.save(table.rows.number, definition)


def _abandon(db: Database, job: Job) -> None:
    """Keep the table if its import had begun; otherwise, drop it."""
    forget_source(db, job)
    table = _table_of(db, job)
    if table is None:
        return
    if "Place" in job.content:
        _open_table(db, table)
        return
    db.forget(table.name)
    for rows in (table.rows, *(index.rows for index in table)):
        drop_rows(db, rows)


IMPORT_STEPS = JobSteps(_import_page, _abandon, _prepare)
