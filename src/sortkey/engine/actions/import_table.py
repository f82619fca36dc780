"""ImportTable: a new table with the items in the objects of a bucket."""

from typing import Annotated, Any, NotRequired, TypedDict

from sortkey.engine.database import Database
from sortkey.engine.definitions.imports import describe_import
from sortkey.engine.definitions.new import refuse_new_table
from sortkey.engine.definitions.shapes import (
    AttributeDefinition,
    BillingMode,
    GlobalSecondaryIndex,
    NewTableName,
    OnDemandThroughput,
    ProvisionedThroughput,
    SSESpecification,
    TableKeySchema,
)
from sortkey.engine.definitions.transfers import ClientToken, CompressionType, S3BucketSource
from sortkey.engine.definitions.vectors import VectorIndex, refuse_vector_indexes
from sortkey.engine.formats.fault import MissingExtraError
from sortkey.engine.imports import begin_import, input_form
from sortkey.engine.jobs import Job, configured_buckets, count_open, job_with_token, without_token
from sortkey.engine.shapes import Length, Matches, OneOf
from sortkey.engine.upkeep import finish_unless_tended
from sortkey.wire.errors import (
    ImportConflictException,
    LimitExceededException,
    ResourceInUseException,
    ValidationException,
)

_AT_ONCE = 50


class CsvOptions(TypedDict):
    """How to read CSV."""

    Delimiter: NotRequired[Annotated[str, Length(1, 1), Matches(r"[,;:|\t ]")]]
    HeaderList: NotRequired[
        Annotated[
            list[Annotated[str, Length(1, 65536), Matches(r"[\x20-\x21\x23-\x2B\x2D-\x7E]*")]],
            Length(1, 255),
        ]
    ]


class InputFormatOptions(TypedDict):
    """How to read the format; only CSV has options."""

    Csv: NotRequired[CsvOptions]


class TableCreationParameters(TypedDict):
    """The new table."""

    TableName: NewTableName
    AttributeDefinitions: list[AttributeDefinition]
    KeySchema: TableKeySchema
    BillingMode: NotRequired[BillingMode]
    ProvisionedThroughput: NotRequired[ProvisionedThroughput]
    OnDemandThroughput: NotRequired[OnDemandThroughput]
    SSESpecification: NotRequired[SSESpecification]
    GlobalSecondaryIndexes: NotRequired[list[GlobalSecondaryIndex]]
    VectorIndexes: NotRequired[list[VectorIndex]]


class ImportTable(TypedDict):
    """The request."""

    ClientToken: NotRequired[ClientToken]
    S3BucketSource: S3BucketSource
    InputFormat: Annotated[str, OneOf(("DYNAMODB_JSON", "ION", "CSV"))]
    InputFormatOptions: NotRequired[InputFormatOptions]
    InputCompressionType: NotRequired[CompressionType]
    TableCreationParameters: TableCreationParameters


def import_table(db: Database, request: ImportTable) -> dict[str, Any]:
    """Begin the import; the table is CREATING until it is complete."""
    configured_buckets(db)
    parameters = request["TableCreationParameters"]
    refuse_vector_indexes(parameters.get("VectorIndexes", ()))
    refuse_new_table(parameters)
    form = input_form(request)
    if form.header is not None and len(set(form.header)) < len(form.header):
        raise ValidationException("HeaderList has a name twice")
    try:
        form.refuse_missing_extra()
    except MissingExtraError as error:
        raise ValidationException(str(error)) from error

    with db.transaction():
        earlier = _earlier(db, request)
        job = earlier or _begin(db, request, parameters["TableName"])
    if earlier is None:
        finish_unless_tended(db)
    return {"ImportTableDescription": describe_import(job)}


def _earlier(db: Database, request: ImportTable) -> Job | None:
    """Return the import that the same request began under its token; reject another request."""
    token = request.get("ClientToken")
    job = None if token is None else job_with_token(db, "import", token)
    if job is not None and job.content["Request"] != without_token(request):
        raise ImportConflictException(
            "There was a conflict when importing from the specified S3 source: another import "
            f"has the client token {token}"
        )
    return job


def _begin(db: Database, request: ImportTable, name: str) -> Job:
    if db.weather is not None:
        db.weather.changes.refuse_deleted(name)
    if db.find(name) is not None:
        raise ResourceInUseException(f"Table already exists: {name}")
    if db.find_creating(name) is not None:
        raise ResourceInUseException(f"Table is being used: {name}")
    if count_open(db, "import") >= _AT_ONCE:
        raise LimitExceededException(
            f"Subscriber limit exceeded: Only {_AT_ONCE} import operations can be done "
            "simultaneously"
        )
    return begin_import(db, request)
