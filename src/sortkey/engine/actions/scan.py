"""Scan: every item of a table or an index, or of one segment of it."""

from typing import Annotated, Any, NotRequired, TypedDict

from sortkey.engine import keys
from sortkey.engine.database import Database
from sortkey.engine.keys import RowKey
from sortkey.engine.pages import RowSelection, answer_page, start_key
from sortkey.engine.parameters import (
    AttributeNames,
    ConditionalOperator,
    ConsumedCapacity,
    LegacyCondition,
    Select,
    placeholders,
)
from sortkey.engine.shapes import NumberRange, ResourceName, TableName
from sortkey.wire.errors import ValidationException
from sortkey.wire.values import AttributeValue


class Scan(TypedDict):
    """The request; its members are in the order in which DynamoDB validates them."""

    TableName: TableName
    IndexName: NotRequired[ResourceName]
    AttributesToGet: NotRequired[AttributeNames]
    Limit: NotRequired[Annotated[int, NumberRange(1)]]
    Select: NotRequired[Select]
    ScanFilter: NotRequired[dict[str, LegacyCondition]]
    ConditionalOperator: NotRequired[ConditionalOperator]
    ExclusiveStartKey: NotRequired[dict[str, AttributeValue]]
    ReturnConsumedCapacity: NotRequired[ConsumedCapacity]
    TotalSegments: NotRequired[Annotated[int, NumberRange(1, 1000000)]]
    Segment: NotRequired[Annotated[int, NumberRange(0, 999999)]]
    ProjectionExpression: NotRequired[str]
    FilterExpression: NotRequired[str]
    ExpressionAttributeNames: NotRequired[dict[str, str]]
    ExpressionAttributeValues: NotRequired[dict[str, AttributeValue]]
    ConsistentRead: NotRequired[bool]


def scan(db: Database, request: Scan) -> dict[str, Any]:
    """Return one page of the table's items, in no useful order."""
    given = placeholders(
        request,
        expressions=("ProjectionExpression", "FilterExpression"),
        old=("AttributesToGet", "ScanFilter", "ConditionalOperator"),
    )
    first, last = _segment(request)
    reading = RowSelection(request, given, "ScanFilter")
    given.refuse_unused()

    table, index = reading.source(db)
    start = start_key(request, table, index)
    if start is None:
        start = RowKey(first, keys.FIRST)
    elif not first <= start.partition < last:
        raise ValidationException(
            "The provided starting key is invalid: Invalid ExclusiveStartKey. Please use "
            "ExclusiveStartKey with correct Segment. "
            f"TotalSegments: {request.get('TotalSegments')} Segment: {request.get('Segment')}"
        )

    statement = (index or table).rows.sql.scan
    return answer_page(
        db, table, index, reading, statement=statement, bounds=(*start, last, reading.limit or -1)
    )


def _segment(request: Scan) -> tuple[bytes, bytes]:
    """Return the partitions to scan."""
    segment = request.get("Segment")
    total = request.get("TotalSegments")
    if total is None and segment is None:
        return keys.FIRST, keys.LAST
    if total is None:
        raise ValidationException(
            "The TotalSegments parameter is required but was not present in the request when "
            "Segment parameter is present"
        )
    if segment is None:
        raise ValidationException(
            "The Segment parameter is required but was not present in the request when parameter "
            "TotalSegments is present"
        )
    if segment >= total:
        raise ValidationException(
            "The Segment parameter is zero-based and must be less than parameter TotalSegments: "
            f"Segment: {segment} is not less than TotalSegments: {total}"
        )
    return keys.segment_bounds(segment, total)
