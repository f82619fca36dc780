"""Query: the items of one partition of a table or an index, in order."""

from typing import Any, NotRequired, TypedDict

from sortkey.engine.database import Database
from sortkey.engine.key_conditions import checked_key_condition, refuse_key_filter
from sortkey.engine.keys import RowKey, Span
from sortkey.engine.pages import RowSelection, answer_page, start_key
from sortkey.engine.parameters import (
    AttributeNames,
    ConditionalOperator,
    ConsumedCapacity,
    LegacyCondition,
    Select,
    placeholders,
)
from sortkey.engine.shapes import ResourceName, TableName
from sortkey.engine.table import StoredIndex, StoredTable
from sortkey.expressions import legacy
from sortkey.expressions.key_condition import KeyCondition, read_key_condition
from sortkey.expressions.tree import Condition
from sortkey.wire.errors import ValidationException
from sortkey.wire.values import AttributeValue


class Query(TypedDict):
    """The request; its members are in the order in which DynamoDB validates them."""

    TableName: TableName
    IndexName: NotRequired[ResourceName]
    Select: NotRequired[Select]
    AttributesToGet: NotRequired[AttributeNames]
    Limit: NotRequired[int]
    ConsistentRead: NotRequired[bool]
    KeyConditions: NotRequired[dict[str, LegacyCondition]]
    QueryFilter: NotRequired[dict[str, LegacyCondition]]
    ConditionalOperator: NotRequired[ConditionalOperator]
    ScanIndexForward: NotRequired[bool]
    ExclusiveStartKey: NotRequired[dict[str, AttributeValue]]
    ReturnConsumedCapacity: NotRequired[ConsumedCapacity]
    ProjectionExpression: NotRequired[str]
    FilterExpression: NotRequired[str]
    KeyConditionExpression: NotRequired[str]
    ExpressionAttributeNames: NotRequired[dict[str, str]]
    ExpressionAttributeValues: NotRequired[dict[str, AttributeValue]]


def query(db: Database, request: Query) -> dict[str, Any]:
    """Return one page of the items that fulfil the key condition."""
    if request.get("Limit", 1) < 1:
        # The message differs from that of a Scan, since DynamoDB validates a Query by newer code.
        raise ValidationException(
            "1 validation error detected: Value at 'Limit' failed to satisfy constraint: "
            "Member must have value greater than or equal to 1"
        )
    old = ["AttributesToGet", "QueryFilter", "ConditionalOperator", "KeyConditions"]
    if "KeyConditionExpression" not in request:
        # The only legacy parameter that is allowed with a filter or projection expression.
        old.remove("KeyConditions")
    given = placeholders(
        request,
        expressions=("ProjectionExpression", "FilterExpression", "KeyConditionExpression"),
        old=old,
    )
    text = request.get("KeyConditionExpression")
    if text is None and "KeyConditions" not in request:
        raise ValidationException(
            "Either the KeyConditions or KeyConditionExpression parameter must be specified in "
            "the request."
        )
    stated = None if text is None else given.condition(text, "KeyConditionExpression")
    reading = RowSelection(request, given, "QueryFilter")
    given.refuse_unused()

    table, index = reading.source(db)
    condition = _key_condition(request, stated, index or table)
    start = start_key(request, table, index)
    refuse_key_filter(reading.filter, (index or table).rows, reading.filter_member)
    if start is not None and index is None and table.sort is None:
        _refuse_start_of_one(request)
    forward = request.get("ScanIndexForward", True)
    span = (index or table).span(condition)
    if start is not None:
        span = _continued(span, start, condition, forward=forward)

    sql = (index or table).rows.sql
    statement = sql.forward if forward else sql.backward
    answer = answer_page(
        db, table, index, reading, statement=statement, bounds=(*span, reading.limit or -1)
    )
    if index is None and table.sort is None:
        answer.pop("LastEvaluatedKey", None)  # after the only item there is nothing to continue
    return answer


def _key_condition(
    request: Query, stated: Condition | None, source: StoredTable | StoredIndex
) -> KeyCondition:
    """Return the key condition of the request, whose values must have the types of the key."""
    partition = [attribute.name for attribute in source.rows.partition]
    sort = [attribute.name for attribute in source.rows.sort]
    if stated is not None:
        condition = read_key_condition(stated, partition, sort)
    else:
        condition = legacy.key_condition(request.get("KeyConditions", {}), partition, sort)
    return checked_key_condition(condition, source.rows)


def _refuse_start_of_one(request: Query) -> None:
    """Reject a start key if a partition has one item only, since nothing follows it."""
    shown = ", ".join(
        f"{name}=AttributeValue: {{{kind}:{raw}}}"
        for name, value in request.get("ExclusiveStartKey", {}).items()
        for kind, raw in value.items()
    )
    raise ValidationException(
        f"The provided exclusive start key is invalid: ExclusiveStartKey: {{{shown}}}"
    )


def _continued(span: Span, start: RowKey, condition: KeyCondition, *, forward: bool) -> Span:
    """Return the rest of the span after the end of the previous page."""
    inside = span.first <= start.position < span.last
    ranged = condition.last is not None or bool(condition.equal)
    if start.partition != span.partition:
        raise ValidationException(
            "The query can return at most one row and cannot be restarted"
            if ranged and inside
            else "The provided starting key is outside query boundaries based on provided "
            "conditions"
        )
    if not inside:
        raise ValidationException(
            "The provided starting key does not match the range key predicate"
        )
    if forward:
        return Span(span.partition, start.position + b"\x00", span.last)
    return Span(span.partition, span.first, start.position)
