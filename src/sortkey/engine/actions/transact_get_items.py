"""TransactGetItems: up to a hundred items of any tables, as they are at one moment."""

from typing import Annotated, Any, NotRequired, TypedDict

from sortkey.engine.database import Database
from sortkey.engine.named_tables import NamedTable
from sortkey.engine.parameters import ConsumedCapacity, placeholders
from sortkey.engine.shapes import Length
from sortkey.engine.table import StoredTable
from sortkey.engine.transacting import RequestedItem, read_together
from sortkey.engine.transactions import TargetItem
from sortkey.wire.limits import TRANSACTION_ACTIONS
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


def transact_get_items(db: Database, request: TransactGetItems) -> dict[str, Any]:
    """Return one response for each action, in order, without an Item if there is none."""
    return read_together(db, request, [_read(action["Get"]) for action in request["TransactItems"]])


def _read(request: Get) -> RequestedItem:
    given = placeholders(request, expressions=("ProjectionExpression",), old=())
    text = request.get("ProjectionExpression")
    projection = None if text is None else given.projection(text)
    given.refuse_unused()
    key = request["Key"]
    read_item(key)

    def find(table: StoredTable) -> TargetItem:
        return TargetItem(table, table.key_of(key))

    return RequestedItem(request["TableName"], projection, find)
