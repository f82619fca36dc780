"""The parts that both kinds of transactions share: their items, and why they fail."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

from sortkey.engine.keys import RowKey
from sortkey.engine.table import StoredTable
from sortkey.wire.errors import (
    ConditionalCheckFailedException,
    DuplicateItemException,
    TransactionCanceledException,
    ValidationException,
)
from sortkey.wire.limits import TRANSACTION_BYTES

FACTOR = 2.0
TOO_LARGE = f"Transaction payload size cannot exceed {TRANSACTION_BYTES} bytes"

# The beginning of DynamoDB's errors about empty key values, in a table or in an index.
_EMPTY_KEY = "One or more parameter values are not valid."

Reason = dict[str, Any]
Action = TypeVar("Action")


class TargetItem(NamedTuple):
    """The item that an action is about."""

    table: StoredTable
    key: RowKey


def reason_for(
    fault: ValidationException | ConditionalCheckFailedException | DuplicateItemException,
) -> Reason:
    """Return why an action cancels its transaction; an empty key value rejects the request."""
    if isinstance(fault, ConditionalCheckFailedException):
        item = {"Item": fault.item} if fault.item else {}
        return {"Code": "ConditionalCheckFailed", **item, "Message": fault.message}
    if isinstance(fault, DuplicateItemException):
        return {"Code": "DuplicateItem", "Message": fault.message}
    if fault.message.startswith(_EMPTY_KEY):
        raise fault
    return {"Code": "ValidationError", "Message": fault.message}


def cancel_if_any(reasons: Sequence[Reason | None]) -> None:
    """Cancel the transaction if one of its actions has a reason to."""
    if any(reasons):
        raise TransactionCanceledException([reason or {"Code": "None"} for reason in reasons])


def targets_of(actions: Sequence[Action], find: Callable[[Action], TargetItem]) -> list[TargetItem]:
    """Return the items that the actions are about, which must differ.

    The first action whose key does not fit its table cancels the transaction; the others are not
    examined.
    """
    found: list[TargetItem] = []
    for action in actions:
        try:
            found.append(find(action))
        except ValidationException as fault:
            left = len(actions) - len(found) - 1
            cancel_if_any([*[None] * len(found), reason_for(fault), *[None] * left])
    if len(set(found)) < len(found):
        raise ValidationException(
            "Transaction request cannot include multiple operations on one item"
        )
    return found
