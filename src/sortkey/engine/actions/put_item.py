"""PutItem: store a whole item, replacing any item with its key."""

from typing import Any, NotRequired, TypedDict

from sortkey.engine.changes import ItemChange, make_one
from sortkey.engine.database import Database
from sortkey.engine.parameters import (
    CollectionMetrics,
    ConditionalOperator,
    ConsumedCapacity,
    ExpectedAttributeValue,
    OnConditionFailure,
    ReturnValues,
    condition_of,
    placeholders,
)
from sortkey.engine.shapes import TableName
from sortkey.engine.transactions import TargetItem
from sortkey.engine.writes import refuse_write_unless, whole, written
from sortkey.wire.errors import ValidationException
from sortkey.wire.limits import ITEM_BYTES
from sortkey.wire.values import TOO_LARGE, AttributeValue, read_item


class PutItem(TypedDict):
    """The request; its members are in the order in which DynamoDB validates them."""

    TableName: TableName
    Item: dict[str, AttributeValue]
    Expected: NotRequired[dict[str, ExpectedAttributeValue]]
    ReturnValues: NotRequired[ReturnValues]
    ReturnConsumedCapacity: NotRequired[ConsumedCapacity]
    ReturnItemCollectionMetrics: NotRequired[CollectionMetrics]
    ConditionalOperator: NotRequired[ConditionalOperator]
    ConditionExpression: NotRequired[str]
    ExpressionAttributeNames: NotRequired[dict[str, str]]
    ExpressionAttributeValues: NotRequired[dict[str, AttributeValue]]
    ReturnValuesOnConditionCheckFailure: NotRequired[OnConditionFailure]


def put_item(db: Database, request: PutItem) -> dict[str, Any]:
    """Store the item, and return the requested part of the one before it."""
    given = placeholders(
        request,
        expressions=("ConditionExpression",),
        old=("Expected", "ConditionalOperator"),
    )
    item, size = read_item(request["Item"])
    returns = request.get("ReturnValues", "NONE")
    if returns not in {"NONE", "ALL_OLD"}:
        raise ValidationException("ReturnValues can only be ALL_OLD or NONE")
    if size > ITEM_BYTES:
        raise ValidationException(TOO_LARGE)
    condition = condition_of(request, given)
    given.refuse_unused()

    with db.transaction():
        table = db.table(request["TableName"])
        key = table.key_in(item)
        if condition is None and returns == "NONE" and not table.needs_before:
            before = db.measure(table, key)
        else:
            before = db.get(table, key)
        refuse_write_unless(db, condition, TargetItem(table, key), before, request)
        change = ItemChange(table, key, before, item, size)
        make_one(db, change)
        answer = whole(before) if returns == "ALL_OLD" else {}
        return answer | written(db, request, change)
