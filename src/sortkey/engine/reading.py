"""Jobs that read the objects of a bucket: their next page, and their progress.

The progress of a job is in its content: the place in the objects, the sizes up to there, and how
many records were processed and were wrong.
"""

from typing import Any, NotRequired, TypedDict

from sortkey.engine.changes import ItemChange
from sortkey.engine.database import Database
from sortkey.engine.formats.fault import MissingExtraError
from sortkey.engine.formats.records import InputForm
from sortkey.engine.jobs import Job, JobFailed, configured_buckets
from sortkey.engine.parameters import placeholders
from sortkey.engine.shapes import Shape
from sortkey.engine.sources import START, BucketSource, SourcePage, SourcePlace, SourceRecord
from sortkey.engine.table import StoredTable
from sortkey.engine.writes import refuse_unless
from sortkey.folders.buckets import BucketError
from sortkey.wire.errors import ValidationException
from sortkey.wire.limits import ITEM_BYTES
from sortkey.wire.values import TOO_LARGE, AttributeValue, read_item

_MOST_OBJECTS = 50_000
_WITH_OLD = {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}

# The progress of a job that has not begun.
NO_PROGRESS: dict[str, Any] = {
    "StoredBytes": 0,
    "ContentBytes": 0,
    "FinishedBytes": [0, 0],
    "ProcessedItemCount": 0,
    "ErrorCount": 0,
}


# -- pages ----------------------------------------------------------------------------------------


def prepare_page(db: Database, job: Job, bucket: str, prefix: str, form: InputForm) -> None:
    """Read the next page of a job; the caller is not in a transaction.

    Raises:
        BucketError: The bucket or an object cannot be used.
        JobFailed: There are too many objects, or the form cannot be read here.
    """
    source = db.sources.get(job.arn)
    if source is None:
        db.close_sources()
        source = BucketSource(configured_buckets(db), bucket, prefix, form)
        db.sources[job.arn] = source
    try:
        if "Place" not in job.content:
            survey = source.survey()
            if not survey.objects:
                raise BucketError("NoSuchKey", f"The specified key does not exist: {prefix}")
            if survey.objects > _MOST_OBJECTS:
                raise JobFailed("TooManyObjects", f"There are more than {_MOST_OBJECTS} objects")
        source.read(_place(job))
    except MissingExtraError as error:
        raise JobFailed("MissingExtra", str(error)) from error


def prepared_page(db: Database, job: Job) -> SourcePage | None:
    """Return the next page of a job, or None if it was not read, or another process was faster."""
    source = db.sources.get(job.arn)
    page = None if source is None else source.page
    return page if page is not None and page.start == _place(job) else None


def forget_source(db: Database, job: Job) -> None:
    """Close the objects of a job that has ended."""
    source = db.sources.pop(job.arn, None)
    if source is not None:
        source.close()


def _place(job: Job) -> SourcePlace:
    return SourcePlace(*job.content["Place"]) if "Place" in job.content else START


def after_page(db: Database, job: Job, page: SourcePage, errors: int) -> Job:
    """Return the job with its progress after a page that had so many errors."""
    if page.end is None:
        return job
    content = job.content
    survey = db.sources[job.arn].surveyed
    total = content.get("TotalInputBytes") if survey is None else survey.size
    stored, unpacked = content["FinishedBytes"]
    sizes = [stored + page.stored_bytes, unpacked + page.content_bytes]
    return job.with_content(
        Place=list(page.end),
        TotalInputBytes=total,
        StoredBytes=sizes[0],
        ContentBytes=sizes[1],
        FinishedBytes=sizes if page.end.number is None else content["FinishedBytes"],
        ProcessedItemCount=content["ProcessedItemCount"] + len(page.records),
        ErrorCount=content["ErrorCount"] + errors,
    )


def pointer(bucket: str, record: SourceRecord) -> dict[str, Any]:
    """Return where a record is, as DynamoDB writes it into its reports."""
    return {"bucket": bucket, "key": record.key, "itemIndex": record.number}


# -- records --------------------------------------------------------------------------------------


class ItemRecord(TypedDict):
    """A record of an import; other members have no effect."""

    Item: dict[str, AttributeValue]


class PutRecord(ItemRecord):
    """A record of a bulk put: members of PutItem."""

    ConditionExpression: NotRequired[str]
    ExpressionAttributeNames: NotRequired[dict[str, str]]
    ExpressionAttributeValues: NotRequired[dict[str, AttributeValue]]


_ITEM_RECORD = Shape(ItemRecord)
_PUT_RECORD = Shape(PutRecord)


def planned_put(
    db: Database, table: StoredTable, found: SourceRecord, *, has_condition: bool
) -> ItemChange:
    """Return the change that stores the item of a record; the caller is in a transaction.

    Raises:
        ConditionalCheckFailedException: The condition of the record is not met.
        ServiceError: The record is not an item of the table.
    """
    if found.record is None:
        raise ValidationException(found.fault)
    try:
        record = (_PUT_RECORD if has_condition else _ITEM_RECORD).read(found.record)
        item, size = read_item(record["Item"])
        if size > ITEM_BYTES:
            raise ValidationException(TOO_LARGE)
        given = placeholders(record, expressions=("ConditionExpression",), old=())
        text = record.get("ConditionExpression")
        condition = None if text is None else given.condition(text)
        given.refuse_unused()
        key = table.key_in(item)
    except UnicodeEncodeError as error:
        raise ValidationException(f"A text is not valid Unicode: {error}") from error
    needs_before = condition is not None or table.needs_before
    before = (db.get if needs_before else db.measure)(table, key)
    refuse_unless(condition, before, _WITH_OLD)
    return ItemChange(table, key, before, item, size)
