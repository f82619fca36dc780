"""DeleteItem: delete the item with a key, if there is one."""

from typing import Any, NotRequired, TypedDict

from sortkey.engine.changes import delete_change, make_one
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
from sortkey.wire.values import AttributeValue


class DeleteItem(TypedDict):
    """The request; its members are in the order in which DynamoDB validates them."""

    TableName: TableName
    Key: dict[str, AttributeValue]
    Expected: NotRequired[dict[str, ExpectedAttributeValue]]
    ReturnValues: NotRequired[ReturnValues]
    ReturnConsumedCapacity: NotRequired[ConsumedCapacity]
    ReturnItemCollectionMetrics: NotRequired[CollectionMetrics]
    ConditionalOperator: NotRequired[ConditionalOperator]
    ConditionExpression: NotRequired[str]
    ExpressionAttributeNames: NotRequired[dict[str, str]]
    ExpressionAttributeValues: NotRequired[dict[str, AttributeValue]]
    ReturnValuesOnConditionCheckFailure: NotRequired[OnConditionFailure]


def delete_item(db: Database, request: DeleteItem) -> dict[str, Any]:
    """Delete the item, and return the requested part of it; a missing item is not an error."""
    given = placeholders(
        request,
        expressions=("ConditionExpression",),
        old=("Expected", "ConditionalOperator"),
    )
    returns = request.get("ReturnValues", "NONE")
    if returns not in {"NONE", "ALL_OLD"}:
        raise ValidationException("ReturnValues can only be ALL_OLD or NONE")
    condition = condition_of(request, given)
    given.refuse_unused()

    with db.transaction():
        table = db.table(request["TableName"])
        key = table.key_of(request["Key"])
        before = db.get(table, key)
        refuse_write_unless(db, condition, TargetItem(table, key), before, request)
        change = delete_change(table, key, before)
        make_one(db, change)
        answer = whole(before) if returns == "ALL_OLD" else {}
        return answer | written(db, request, change)
