"""TransactWriteItems: write up to a hundred items of any tables together, or none of them."""

from collections.abc import Mapping
from typing import Annotated, Any, NotRequired, TypedDict

from sortkey.engine.database import Database
from sortkey.engine.named_tables import NamedTable
from sortkey.engine.parameters import CollectionMetrics, ConsumedCapacity, OnConditionFailure
from sortkey.engine.shapes import Length
from sortkey.engine.steps import WriteStep, read_step
from sortkey.engine.tokens import token_of
from sortkey.engine.transacting import write_together
from sortkey.wire.errors import ValidationException
from sortkey.wire.limits import TRANSACTION_ACTIONS
from sortkey.wire.values import AttributeValue


class ConditionCheck(TypedDict):
    """An item that must fulfil a condition."""

    Key: dict[str, AttributeValue]
    TableName: NamedTable
    ConditionExpression: str
    ExpressionAttributeNames: NotRequired[dict[str, str]]
    ExpressionAttributeValues: NotRequired[dict[str, AttributeValue]]
    ReturnValuesOnConditionCheckFailure: NotRequired[OnConditionFailure]


class Put(TypedDict):
    """An item to store."""

    Item: dict[str, AttributeValue]
    TableName: NamedTable
    ConditionExpression: NotRequired[str]
    ExpressionAttributeNames: NotRequired[dict[str, str]]
    ExpressionAttributeValues: NotRequired[dict[str, AttributeValue]]
    ReturnValuesOnConditionCheckFailure: NotRequired[OnConditionFailure]


class Delete(TypedDict):
    """An item to delete."""

    Key: dict[str, AttributeValue]
    TableName: NamedTable
    ConditionExpression: NotRequired[str]
    ExpressionAttributeNames: NotRequired[dict[str, str]]
    ExpressionAttributeValues: NotRequired[dict[str, AttributeValue]]
    ReturnValuesOnConditionCheckFailure: NotRequired[OnConditionFailure]


class Update(TypedDict):
    """An item to change."""

    Key: dict[str, AttributeValue]
    UpdateExpression: str
    TableName: NamedTable
    ConditionExpression: NotRequired[str]
    ExpressionAttributeNames: NotRequired[dict[str, str]]
    ExpressionAttributeValues: NotRequired[dict[str, AttributeValue]]
    ReturnValuesOnConditionCheckFailure: NotRequired[OnConditionFailure]


class TransactWriteItem(TypedDict):
    """One of the four."""

    ConditionCheck: NotRequired[ConditionCheck]
    Put: NotRequired[Put]
    Delete: NotRequired[Delete]
    Update: NotRequired[Update]


class TransactWriteItems(TypedDict):
    """The request; its members are in the order in which DynamoDB validates them."""

    TransactItems: Annotated[list[TransactWriteItem], Length(1, TRANSACTION_ACTIONS)]
    ReturnConsumedCapacity: NotRequired[ConsumedCapacity]
    ReturnItemCollectionMetrics: NotRequired[CollectionMetrics]
    ClientRequestToken: NotRequired[Annotated[str, Length(1, 36)]]


_KINDS = ("ConditionCheck", "Put", "Delete", "Update")


def transact_write_items(db: Database, request: TransactWriteItems) -> dict[str, Any]:
    """Write everything, or raise the reasons; return the metrics that the request asks for."""
    steps = [_read(action) for action in request["TransactItems"]]
    return write_together(db, request, steps, token_of(request))


def _read(action: Mapping[str, Any]) -> WriteStep:
    kinds = [kind for kind in _KINDS if kind in action]
    if not kinds:
        raise ValidationException(
            "Invalid Request: TransactWriteRequest should contain Delete or Put or Update request"
        )
    if len(kinds) > 1:
        raise ValidationException(
            "TransactItems can only contain one of Check, Put, Update or Delete"
        )
    [kind] = kinds
    return read_step(kind, action[kind])
