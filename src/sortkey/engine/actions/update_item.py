"""UpdateItem: change some attributes of an item, or create the item with them."""

from collections.abc import Mapping
from typing import Any, NotRequired, TypedDict

from sortkey.engine.changes import ItemChange, make_one
from sortkey.engine.database import Database
from sortkey.engine.parameters import (
    AttributeValueUpdate,
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
from sortkey.engine.updates import Revision, update_of
from sortkey.engine.writes import refuse_write_unless, whole, written
from sortkey.wire.values import AttributeValue


class UpdateItem(TypedDict):
    """The request; its members are in the order in which DynamoDB validates them."""

    TableName: TableName
    Key: dict[str, AttributeValue]
    AttributeUpdates: NotRequired[dict[str, AttributeValueUpdate]]
    Expected: NotRequired[dict[str, ExpectedAttributeValue]]
    ReturnValues: NotRequired[ReturnValues]
    ReturnConsumedCapacity: NotRequired[ConsumedCapacity]
    ReturnItemCollectionMetrics: NotRequired[CollectionMetrics]
    ConditionalOperator: NotRequired[ConditionalOperator]
    UpdateExpression: NotRequired[str]
    ConditionExpression: NotRequired[str]
    ExpressionAttributeNames: NotRequired[dict[str, str]]
    ExpressionAttributeValues: NotRequired[dict[str, AttributeValue]]
    ReturnValuesOnConditionCheckFailure: NotRequired[OnConditionFailure]


def update_item(db: Database, request: UpdateItem) -> dict[str, Any]:
    """Update the item, and return the requested part of it, before or after the update."""
    given = placeholders(
        request,
        expressions=("UpdateExpression", "ConditionExpression"),
        old=("AttributeUpdates", "Expected", "ConditionalOperator"),
    )
    update = update_of(request, given)
    condition = condition_of(request, given)
    given.refuse_unused()

    with db.transaction():
        table = db.table(request["TableName"])
        key = table.key_of(request["Key"])
        if update is not None:
            table.refuse_key_changes(update.targets)
            table.refuse_nested_keys(update.nested_names)
        before = db.get(table, key)
        refuse_write_unless(db, condition, TargetItem(table, key), before, request)
        revision = Revision(table, key, request["Key"], before, update)
        make_one(db, revision.change)
        return _returned(request, revision) | written(db, request, revision.change)


def _returned(request: Mapping[str, Any], revision: Revision) -> dict[str, Any]:
    change: ItemChange = revision.change
    match request.get("ReturnValues", "NONE"):
        case "ALL_OLD":
            return whole(change.before)
        case "ALL_NEW":
            return {"Attributes": change.after} if change.after else {}
        case "UPDATED_OLD":
            old = revision.updated_old()
            return {"Attributes": old} if old else {}
        case "UPDATED_NEW":
            new = revision.updated_new()
            return {"Attributes": new} if new else {}
        case _:
            return {}
