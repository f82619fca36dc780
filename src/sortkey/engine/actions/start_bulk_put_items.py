"""StartBulkPutItems: the items in the objects of a bucket are written to an existing table."""

from typing import Annotated, Any, NotRequired, TypedDict

from sortkey.engine.bulk_puts import begin_bulk_put, input_form
from sortkey.engine.database import Database, bare_name
from sortkey.engine.definitions.bulk_operations import describe_bulk
from sortkey.engine.definitions.descriptions import described_table
from sortkey.engine.definitions.transfers import (
    BucketName,
    BucketOwner,
    ClientToken,
    CompressionType,
    KeyPrefix,
)
from sortkey.engine.formats.fault import MissingExtraError
from sortkey.engine.jobs import Job, configured_buckets, job_with_token, without_token
from sortkey.engine.reports import report_folder
from sortkey.engine.shapes import Length, NumberRange, OneOf, TableName
from sortkey.engine.table import StoredTable
from sortkey.engine.upkeep import finish_unless_tended
from sortkey.folders.buckets import BucketError, refuse_key
from sortkey.wire.errors import (
    IdempotentParameterMismatchException,
    ResourceInUseException,
    ValidationException,
)

# As long as the longest name of a report, within the folder of reports.
_LONGEST_NAME = "01693685827463-2d8752fd/condition-check-failures.json"


class InputS3Configuration(TypedDict):
    """The objects with the items."""

    S3BucketOwner: NotRequired[BucketOwner]
    S3Bucket: BucketName
    S3KeyPrefix: NotRequired[KeyPrefix]
    InputFormat: Annotated[str, OneOf(("DYNAMODB_JSON", "ION"))]
    InputCompressionType: NotRequired[CompressionType]


class OutputS3Configuration(TypedDict):
    """The place of the reports, and which of them are written."""

    S3BucketOwner: NotRequired[BucketOwner]
    S3Bucket: BucketName
    S3KeyPrefix: NotRequired[KeyPrefix]
    S3SseAlgorithm: NotRequired[Annotated[str, OneOf(("AES256", "KMS"))]]
    S3SseKmsKeyId: NotRequired[Annotated[str, Length(1, 2048)]]
    OutputType: Annotated[
        list[Annotated[str, OneOf(("ERROR", "CONDITION_CHECK_FAILURE"))]], Length(1)
    ]


class StartBulkPutItems(TypedDict):
    """The request."""

    ClientToken: NotRequired[ClientToken]
    InputS3Configuration: InputS3Configuration
    OutputS3Configuration: OutputS3Configuration
    TableName: TableName
    MaxWriteRequestUnits: NotRequired[Annotated[int, NumberRange(1024)]]
    PerformanceTier: NotRequired[Annotated[str, OneOf(("STANDARD", "ACCELERATED"))]]


def start_bulk_put_items(db: Database, request: StartBulkPutItems) -> dict[str, Any]:
    """Begin to write the items, each as PutItem would write it."""
    configured_buckets(db)
    try:
        input_form(request).refuse_missing_extra()
    except MissingExtraError as error:
        raise ValidationException(str(error)) from error
    output = request["OutputS3Configuration"]
    if "S3SseKmsKeyId" in output and output.get("S3SseAlgorithm") != "KMS":
        raise ValidationException("S3SseKmsKeyId can only be specified if S3SseAlgorithm is KMS")
    try:
        refuse_key(report_folder(output) + _LONGEST_NAME)
    except BucketError as error:
        raise ValidationException(f"Invalid Request: S3KeyPrefix cannot be used: {error}") from None

    with db.transaction():
        earlier = _earlier(db, request)
        job = earlier or begin_bulk_put(db, _writable_table(db, request["TableName"]), request)
    if earlier is None:
        finish_unless_tended(db)
    return {"BulkOperationDescription": describe_bulk(job)}


def _earlier(db: Database, request: StartBulkPutItems) -> Job | None:
    """Return the operation that the same request began under its token; reject another request."""
    token = request.get("ClientToken")
    job = None if token is None else job_with_token(db, "bulk", token)
    if job is not None and job.content["Request"] != without_token(request):
        raise IdempotentParameterMismatchException(
            "DynamoDB rejected the request because you retried a request with a different payload "
            "but with an idempotent token that was already used."
        )
    return job


def _writable_table(db: Database, name: str) -> StoredTable:
    if db.find_creating(name) is not None:
        raise ResourceInUseException(f"Table is being created: {bare_name(name)}")
    table = described_table(db, name)
    if db.weather is not None and db.weather.changes.status(table.rows.number) == "CREATING":
        raise ResourceInUseException(f"Table is being created: {table.name}")
    for index in table:
        if index.status == "CREATING":
            raise ResourceInUseException(
                f"Table {table.name} is being updated: the index {index.name} is being created"
            )
    return table
