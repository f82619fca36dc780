"""TransactGetItems: up to a hundred items of any tables, as they are at one moment."""

from typing import Annotated, Any, NamedTuple, NotRequired, TypedDict

import orjson

from sortkey.engine.capacity import read_units
from sortkey.engine.database import Database, EngineItem
from sortkey.engine.named_tables import NamedTable
from sortkey.engine.parameters import ConsumedCapacity, placeholders
from sortkey.engine.promptness import refuse_long
from sortkey.engine.shapes import Length
from sortkey.engine.tally import Tally
from sortkey.engine.transactions import FACTOR, TOO_LARGE, TargetItem, cancel_if_any, targets_of
from sortkey.expressions.projection import Projection
from sortkey.wire.limits import TRANSACTION_ACTIONS, TRANSACTION_BYTES
from sortkey.wire.values import AttributeValue, read_item


class Get(TypedDict):
    """One item to read."""

    Key: dict[str, AttributeValue]
    TableName: NamedTable
    ProjectionExpression: NotRequired[str]
    ExpressionAttributeNames: NotRequired[dict[str, str]]


class TransactGetItem(TypedDict):
    """One action of the transaction."""

    Get: Get


class TransactGetItems(TypedDict):
    """The request; its members are in the order in which DynamoDB validates them."""

    TransactItems: Annotated[list[TransactGetItem], Length(1, TRANSACTION_ACTIONS)]
    ReturnConsumedCapacity: NotRequired[ConsumedCapacity]


class _RequestedItem(NamedTuple):
    request: Get
    projection: Projection | None


def transact_get_items(db: Database, request: TransactGetItems) -> dict[str, Any]:
    """Return one response for each action, in order, without an Item if there is none."""
    readings = [_read(action["Get"]) for action in request["TransactItems"]]

    with db.storage.snapshot():
        tables = {name: db.table(name) for name in (each.request["TableName"] for each in readings)}

        def find(reading: _RequestedItem) -> TargetItem:
            table = tables[reading.request["TableName"]]
            if reading.projection is not None:
                table.refuse_nested_keys(reading.projection.nested_names)
            return TargetItem(table, table.key_of(reading.request["Key"]))

        targets = targets_of(readings, find)
        found = [db.get(table, key) for table, key in targets]

    _refuse_size(found)
    if any(each.projection for each in readings):
        refuse_long(sum(stored.steps for stored in found if stored is not None))
    tally = Tally(request)
    for reading, target, stored in zip(readings, targets, found, strict=True):
        size = 0 if stored is None else stored.size
        usage = tally.usage(target.table, reading.request["TableName"])
        usage.read(FACTOR * read_units(size, consistent=True))
    responses = [
        _response(stored, reading.projection)
        for reading, stored in zip(readings, found, strict=True)
    ]
    return tally.report(split=True) | {"Responses": responses}


def _read(request: Get) -> _RequestedItem:
    given = placeholders(request, expressions=("ProjectionExpression",), old=())
    text = request.get("ProjectionExpression")
    projection = None if text is None else given.projection(text)
    given.refuse_unused()
    read_item(request["Key"])
    return _RequestedItem(request, projection)


def _refuse_size(found: list[EngineItem | None]) -> None:
    """Cancel a transaction whose items are too large together, at the first beyond the limit."""
    total = 0
    for position, stored in enumerate(found):
        total += 0 if stored is None else stored.size
        if total > TRANSACTION_BYTES:
            reason = {"Code": "ValidationError", "Message": TOO_LARGE}
            left = len(found) - position - 1
            cancel_if_any([*[None] * position, reason, *[None] * left])


def _response(stored: EngineItem | None, projection: Projection | None) -> dict[str, Any]:
    if stored is None:
        return {}
    if projection is None:
        return {"Item": orjson.Fragment(stored.raw)}
    return {"Item": projection.apply(stored.item)}
