"""Key conditions, checked against the key that they are about."""

from sortkey.engine.keys import KeyAttribute
from sortkey.engine.table import Rows, checked_key_bytes
from sortkey.expressions.evaluate import condition_names
from sortkey.expressions.key_condition import KeyCondition
from sortkey.expressions.tree import Condition
from sortkey.wire.errors import ValidationException
from sortkey.wire.limits import PARTITION_KEY_BYTES, SORT_KEY_BYTES
from sortkey.wire.values import AttributeValue


def checked_key_condition(condition: KeyCondition, rows: Rows) -> KeyCondition:
    """Return the key condition, whose values must have the types of the key."""
    for attribute, value in zip(rows.partition, condition.partition, strict=True):
        _refuse_value(attribute, value, PARTITION_KEY_BYTES)
    for attribute, value in zip(rows.sort, condition.equal, strict=False):
        _refuse_value(attribute, value, SORT_KEY_BYTES)
    if condition.last is not None:
        attribute = rows.sort[len(condition.equal)]
        for value in condition.last[1]:
            _refuse_value(attribute, value, SORT_KEY_BYTES)
    return condition


def _refuse_value(attribute: KeyAttribute, value: AttributeValue, most: int) -> None:
    """Reject a value that no item could have as this part of its key."""
    name, kind = attribute
    if kind not in value:
        raise ValidationException(
            "One or more parameter values were invalid: Condition parameter type does not match "
            "schema type"
        )
    checked_key_bytes(name, kind, value[kind], most)


def refuse_key_filter(
    condition: Condition | None, rows: Rows, member: str = "Filter Expression"
) -> None:
    """Reject a filter on key attributes beside a key condition."""
    if condition is None:
        return
    names = condition_names(condition)
    for name in rows.names:
        if name in names:
            raise ValidationException(
                f"{member} can only contain non-primary key attributes: "
                f"Primary key attribute: {name}"
            )
