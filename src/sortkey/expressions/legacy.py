"""The parameters that expressions replaced, read into the same trees."""

from collections.abc import Mapping, Sequence
from typing import Any

from sortkey.expressions.key_condition import KeyCondition
from sortkey.expressions.tree import Condition, Update


def expected_condition(
    expected: Mapping[str, Any], conditional_operator: str | None = None
) -> Condition:
    """The condition that ``Expected`` states."""
    raise NotImplementedError


def filter_condition(
    conditions: Mapping[str, Any], conditional_operator: str | None = None
) -> Condition:
    """The condition that ``QueryFilter`` or ``ScanFilter`` states."""
    raise NotImplementedError


def attribute_updates(updates: Mapping[str, Any]) -> Update:
    """The update that ``AttributeUpdates`` describes."""
    raise NotImplementedError


def key_condition(
    conditions: Mapping[str, Any], partition: Sequence[str], sort: Sequence[str]
) -> KeyCondition:
    """The key condition that ``KeyConditions`` states."""
    raise NotImplementedError
