"""GetItem: one item by its full primary key."""

from typing import Any, NotRequired, TypedDict

import orjson

from sortkey.engine.capacity import Usage, read_units
from sortkey.engine.database import Database
from sortkey.engine.parameters import AttributeNames, ConsumedCapacity, placeholders, projection_of
from sortkey.engine.shapes import TableName
from sortkey.engine.weather import Demand
from sortkey.wire.values import AttributeValue


class GetItem(TypedDict):
    """The request; its members are in the order in which DynamoDB validates them."""

    TableName: TableName
    Key: dict[str, AttributeValue]
    AttributesToGet: NotRequired[AttributeNames]
    ConsistentRead: NotRequired[bool]
    ReturnConsumedCapacity: NotRequired[ConsumedCapacity]
    ProjectionExpression: NotRequired[str]
    ExpressionAttributeNames: NotRequired[dict[str, str]]


def get_item(db: Database, request: GetItem) -> dict[str, Any]:
    """Return the stored item, or no Item member if there is none."""
    given = placeholders(request, expressions=("ProjectionExpression",), old=("AttributesToGet",))
    projection = projection_of(request, given)
    given.refuse_unused()
    table = db.table(request["TableName"])
    if projection is not None:
        table.refuse_nested_keys(projection.nested_names)
    key = table.key_of(request["Key"])
    stored = db.get(table, key)

    answer: dict[str, Any] = {}
    if stored is not None:
        answer["Item"] = (
            orjson.Fragment(stored.raw) if projection is None else projection.apply(stored.item)
        )
    wanted = request.get("ReturnConsumedCapacity", "NONE")
    if wanted != "NONE" or db.weather is not None:
        # Charged for the whole item, not for the returned part.
        size = 0 if stored is None else stored.size
        units = read_units(size, consistent=request.get("ConsistentRead", False))
        if db.weather is not None:
            db.weather.admit([Demand.read(table, None, key, units)])
        if wanted != "NONE":
            usage = Usage(table, request["TableName"])
            usage.read(units)
            answer["ConsumedCapacity"] = usage.report(wanted)
    return answer
