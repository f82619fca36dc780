"""The FilterSpecification of an export: which items are exported, and what of them."""

from collections.abc import Mapping
from typing import Any, NotRequired, TypedDict

from sortkey.engine.key_conditions import checked_key_condition, refuse_key_filter
from sortkey.engine.keys import RowKey, Span
from sortkey.engine.parameters import placeholders
from sortkey.engine.table import StoredTable
from sortkey.expressions.evaluate import holds
from sortkey.expressions.key_condition import read_key_condition
from sortkey.expressions.projection import Projection
from sortkey.expressions.tree import Condition
from sortkey.wire.errors import ValidationException
from sortkey.wire.limits import EXPORT_NAME_BYTES, EXPORT_VALUE_BYTES
from sortkey.wire.values import AttributeValue, Item, read_value

_EXPRESSIONS = ("ProjectionExpression", "FilterExpression", "KeyConditionExpression")


class FilterSpecification(TypedDict):
    """The criteria of a filtered export."""

    FilterExpression: NotRequired[str]
    ProjectionExpression: NotRequired[str]
    KeyConditionExpression: NotRequired[str]
    ExpressionAttributeNames: NotRequired[dict[str, str]]
    ExpressionAttributeValues: NotRequired[dict[str, AttributeValue]]


class ExportFilter:
    """A FilterSpecification that was read; without one, all of each item is exported."""

    def __init__(self, table: StoredTable, specification: Mapping[str, Any] | None) -> None:
        """Read the specification.

        Raises:
            ValidationException: It is not valid for this table.
        """
        self.span: Span | None = None
        self.projection: Projection | None = None
        self._filter: Condition | None = None
        if specification is not None:
            self._read(table, specification)

    def _read(self, table: StoredTable, specification: Mapping[str, Any]) -> None:
        if not any(name in specification for name in _EXPRESSIONS):
            raise ValidationException(
                "FilterSpecification must have a KeyConditionExpression, a FilterExpression or a "
                "ProjectionExpression"
            )
        _refuse_large(specification)
        given = placeholders(specification, expressions=_EXPRESSIONS, old=())
        text = specification.get("KeyConditionExpression")
        stated = None if text is None else given.condition(text, "KeyConditionExpression")
        text = specification.get("FilterExpression")
        self._filter = None if text is None else given.condition(text, "FilterExpression")
        text = specification.get("ProjectionExpression")
        self.projection = None if text is None else given.projection(text)
        given.refuse_unused()
        if self.projection is not None:
            table.refuse_nested_keys(self.projection.nested_names)
        if stated is not None:
            rows = table.rows
            names = [[each.name for each in part] for part in (rows.partition, rows.sort)]
            condition = checked_key_condition(read_key_condition(stated, *names), rows)
            refuse_key_filter(self._filter, rows)
            self.span = table.span(condition)

    @property
    def needs_item(self) -> bool:
        """Whether the attributes of an item are looked at."""
        return self._filter is not None or self.projection is not None

    def has_key(self, key: RowKey) -> bool:
        """Return whether a key fulfils the key condition."""
        span = self.span
        return span is None or (
            key.partition == span.partition and span.first <= key.position < span.last
        )

    def passes(self, item: Item) -> bool:
        """Return whether an item passes the filter expression."""
        return self._filter is None or holds(self._filter, item)

    def projected(self, item: Item) -> Item:
        """Return the attributes of an item that are exported."""
        return item if self.projection is None else self.projection.apply(item)


def _refuse_large(specification: Mapping[str, Any]) -> None:
    for key, name in specification.get("ExpressionAttributeNames", {}).items():
        if len(name.encode()) > EXPORT_NAME_BYTES:
            raise ValidationException(
                "ExpressionAttributeNames contains invalid value: Attribute name is too large, "
                f"must be less than {EXPORT_NAME_BYTES + 1} bytes for key {key}"
            )
    for key, value in specification.get("ExpressionAttributeValues", {}).items():
        if read_value(value)[1] > EXPORT_VALUE_BYTES:
            raise ValidationException(
                "ExpressionAttributeValues contains invalid value: Attribute value is too large, "
                f"must be at most {EXPORT_VALUE_BYTES} bytes for key {key}"
            )
