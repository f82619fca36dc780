"""TransactWriteItems: write up to a hundred items of any tables together, or none of them."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NotRequired, TypedDict

from sortkey.engine.changes import make_all
from sortkey.engine.database import Database
from sortkey.engine.named_tables import NamedTable
from sortkey.engine.parameters import CollectionMetrics, ConsumedCapacity, OnConditionFailure
from sortkey.engine.promptness import refuse_long
from sortkey.engine.shapes import Length
from sortkey.engine.steps import WriteStep, charge_replay
from sortkey.engine.tally import Tally, WrittenItem, collections_touched
from sortkey.engine.tokens import is_replay, remember, token_of
from sortkey.engine.transactions import TOO_LARGE, Reason, TargetItem, cancel_if_any, targets_of
from sortkey.wire.errors import ValidationException
from sortkey.wire.limits import TRANSACTION_ACTIONS, TRANSACTION_BYTES
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
    if sum(step.payload for step in steps) > TRANSACTION_BYTES:
        raise ValidationException(TOO_LARGE)

    tally = Tally(request)
    token = token_of(request)
    names: list[str] = [step.request["TableName"] for step in steps]
    with db.transaction():
        tables = {name: db.table(name) for name in names}
        targets = targets_of(steps, lambda step: step.find(tables[step.request["TableName"]]))
        if is_replay(db, token):
            for name, target in zip(names, targets, strict=True):
                charge_replay(db, target, tally.usage(target.table, name))
            return tally.report(split=True)
        cancel_if_any(_planned(db, steps, targets))
        make_all(db, (step.change for step in steps if step.change is not None))
        remember(db, token)
        if tally.is_wanted:
            for name, step, target in zip(names, steps, targets, strict=True):
                step.charge(tally.usage(target.table, name))
        touched = (
            WrittenItem(name, *target, step.item)
            for name, step, target in zip(names, steps, targets, strict=True)
            if step.change is not None
        )
        return tally.report(split=True) | collections_touched(db, request, touched)


def _planned(
    db: Database, steps: Sequence[WriteStep], targets: Sequence[TargetItem]
) -> list[Reason | None]:
    """Prepare every change, and return for each why it may not be made."""
    reasons: list[Reason | None] = []
    work = 0
    for step, target in zip(steps, targets, strict=True):
        reasons.append(step.plan(db, target))
        work += step.work
        refuse_long(work)
    return reasons


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
    return WriteStep(kind, action[kind])
