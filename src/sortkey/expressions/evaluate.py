"""Whether a condition holds for an item."""

from sortkey.expressions.tree import Condition
from sortkey.wire.values import Item


def holds(condition: Condition, item: Item) -> bool:
    """Whether the condition is true of the item, which is empty where there is none."""
    raise NotImplementedError


def condition_names(condition: Condition) -> frozenset[str]:
    """The top-level attributes that the condition looks at."""
    raise NotImplementedError
