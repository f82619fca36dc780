"""ExportTableToPointInTime: a table at some second, or its changes, as objects in a bucket."""

import re
from typing import Annotated, Any, NotRequired, TypedDict

from sortkey.engine.database import Database
from sortkey.engine.definitions.arns import ACCOUNT
from sortkey.engine.definitions.descriptions import recoverable_table
from sortkey.engine.definitions.exports import export_description
from sortkey.engine.definitions.transfers import BUCKET_NAME, QUICK_BUCKET_NAME
from sortkey.engine.export_filters import ExportFilter, FilterSpecification
from sortkey.engine.export_objects import folder_of
from sortkey.engine.exports import begin_export
from sortkey.engine.jobs import Job, configured_buckets, count_open, job_with_token
from sortkey.engine.journal import MICROSECONDS
from sortkey.engine.recovery import window
from sortkey.engine.shapes import Length, Matches, OneOf
from sortkey.engine.table import StoredTable
from sortkey.engine.upkeep import finish_unless_tended
from sortkey.folders.buckets import BucketError, refuse_key
from sortkey.wire.errors import (
    ExportConflictException,
    InvalidExportTimeException,
    LimitExceededException,
    PointInTimeRecoveryUnavailableException,
    ValidationException,
)

_BUCKET = Matches(f"^{BUCKET_NAME}$", QUICK_BUCKET_NAME)
_AT_ONCE = 300
_SHORTEST_SECONDS, _LONGEST_SECONDS = 15 * 60, 24 * 3600
_TABLE_ARN = re.compile(r"arn:[^:]+:dynamodb:[^:]*:([^:]*):table/[a-zA-Z0-9_.-]+")
# As long as the longest name of an object of an export, within its folder.
_LONGEST_NAME = "01693685827463-2d8752fd/data/abcdefghijklmnopqrstuvwxyz.json.gz"


class IncrementalExportSpecification(TypedDict):
    """The window of an incremental export, and the images in it."""

    ExportFromTime: NotRequired[float]
    ExportToTime: NotRequired[float]
    ExportViewType: NotRequired[Annotated[str, OneOf(("NEW_IMAGE", "NEW_AND_OLD_IMAGES"))]]


class ExportTableToPointInTime(TypedDict):
    """The request."""

    TableArn: Annotated[str, Length(1, 1024)]
    ExportTime: NotRequired[float]
    ClientToken: NotRequired[Annotated[str, Matches(r"^[^\$]+$")]]
    S3Bucket: Annotated[str, Length(0, 255), _BUCKET]
    S3BucketOwner: NotRequired[Annotated[str, Matches("[0-9]{12}")]]
    S3Prefix: NotRequired[Annotated[str, Length(0, 1024)]]
    S3SseAlgorithm: NotRequired[Annotated[str, OneOf(("AES256", "KMS"))]]
    S3SseKmsKeyId: NotRequired[Annotated[str, Length(1, 2048)]]
    ExportFormat: NotRequired[Annotated[str, OneOf(("ION", "DYNAMODB_JSON"))]]
    ExportType: NotRequired[Annotated[str, OneOf(("FULL_EXPORT", "INCREMENTAL_EXPORT"))]]
    IncrementalExportSpecification: NotRequired[IncrementalExportSpecification]
    FilterSpecification: NotRequired[FilterSpecification]


def export_table_to_point_in_time(
    db: Database, request: ExportTableToPointInTime
) -> dict[str, Any]:
    """Begin the export, which is IN_PROGRESS here and COMPLETED or FAILED once it has ended."""
    configured_buckets(db)
    _refuse_request(request)
    with db.transaction():
        earlier = _earlier_request(db, request)
        if earlier is not None:
            return {"ExportDescription": export_description(earlier)}
        table = recoverable_table(db, request["TableArn"])
        if "Recovery" not in table.definition:
            raise PointInTimeRecoveryUnavailableException(
                f"Point in time recovery is not enabled for table '{table.name}'"
            )
        ExportFilter(table, request.get("FilterSpecification"))
        times = _times(db, table, request)
        if count_open(db, "export") >= _AT_ONCE:
            raise LimitExceededException(
                f"Subscriber limit exceeded: Only {_AT_ONCE} export operations can be done "
                "simultaneously"
            )
        description = export_description(begin_export(db, table, request, times))
    finish_unless_tended(db)
    return {"ExportDescription": description}


def _refuse_request(request: ExportTableToPointInTime) -> None:
    arn = _TABLE_ARN.fullmatch(request["TableArn"])
    if arn is None:
        raise ValidationException("Invalid Request: TableArn is not a valid ARN")
    if arn[1] != ACCOUNT:
        raise ValidationException(
            "This action is only supported by accounts that match the resource owner's account."
        )
    is_incremental = request.get("ExportType") == "INCREMENTAL_EXPORT"
    if is_incremental != ("IncrementalExportSpecification" in request):
        raise ValidationException(
            "Invalid Request: IncrementalExportSpecification must be given for an "
            "INCREMENTAL_EXPORT, and for no other"
        )
    if is_incremental and "ExportTime" in request:
        raise ValidationException(
            "Invalid Request: ExportTime cannot be given for an INCREMENTAL_EXPORT"
        )
    try:
        refuse_key(folder_of(request.get("S3Prefix")) + _LONGEST_NAME)
    except BucketError as error:
        raise ValidationException(f"Invalid Request: S3Prefix cannot be used: {error}") from None


def _earlier_request(db: Database, request: ExportTableToPointInTime) -> Job | None:
    """Return the export that was requested with this client token, if there is one."""
    token = request.get("ClientToken")
    earlier = None if token is None else job_with_token(db, "export", token)
    if earlier is not None and {**earlier.content["Request"], "ClientToken": token} != request:
        raise ExportConflictException(
            f"A different export was requested with the client token {token}"
        )
    return earlier


def _times(db: Database, table: StoredTable, request: ExportTableToPointInTime) -> dict[str, float]:
    """Return the times to export, in seconds, which must be within the window of recovery."""
    now = db.storage.timestamp(db.clock())
    earliest = window(table.definition, now).earliest
    specification = request.get("IncrementalExportSpecification")
    if specification is not None:
        return _window_times(specification, earliest, now)
    if "ExportTime" not in request:
        # All that was committed so far.
        return {"ExportTime": now // 1000 / 1000, "End": (now + 1) / MICROSECONDS}
    second = int(request["ExportTime"] // 1)
    # DynamoDB needs some minutes until a change can be exported; here each is at once.
    if not earliest <= second <= now // MICROSECONDS:
        raise InvalidExportTimeException("Export Time is invalid")
    # As a restore does, with all that was committed before the next second.
    return {"ExportTime": second, "End": second + 1}


def _window_times(
    specification: IncrementalExportSpecification, earliest: int, now: int
) -> dict[str, float]:
    if "ExportFromTime" not in specification:
        raise ValidationException("Invalid Request: ExportFromTime must be given")
    start = int(specification["ExportFromTime"] // 1)
    end = int(specification.get("ExportToTime", now / MICROSECONDS) // 1)
    if not _SHORTEST_SECONDS <= end - start <= _LONGEST_SECONDS:
        raise ValidationException(
            "Invalid Request: the time from ExportFromTime to ExportToTime must be at least 15 "
            "minutes and at most 24 hours"
        )
    if start < earliest or end > now // MICROSECONDS:
        raise InvalidExportTimeException("Export Time is invalid")
    return {"Start": start, "End": end}
