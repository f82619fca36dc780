"""Reading stored items: which items are results, and how they are decoded."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from sortkey.expressions.projection import Projection
from sortkey.operations.revising import revised
from sortkey.operations.secrets import Secrets
from sortkey.wire.values import Item

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Reading(Generic[R]):
    """How an item becomes a result; None if the item is not part of the results."""

    read: Callable[[Item], R | None]
    expires: str | None = None
    projection: Projection | None = None
    # The secrets to decrypt before an item is read.
    secrets: tuple[Secrets, ...] = ()

    def reader(self, now: float) -> Callable[[Item], R | None]:
        """Return a function from an item to a result; None for another kind, or if expired."""
        read, expires = self.read, self.expires
        if expires is None:
            return read
        return lambda item: None if is_expired(item, expires, now) else read(item)

    def as_long_as(self, other: "Reading[Any]") -> "Reading[R]":
        """Include expired records if the other reading does."""
        return self if other.expires is not None else revised(self, expires=None)


def is_expired(item: Item, attribute: str, now: float) -> bool:
    """Return whether the item has expired; DynamoDB may not have deleted it yet."""
    # DynamoDB's own rule: expired once the clock has reached this second.
    moment = item.get(attribute)
    return moment is not None and "N" in moment and float(moment["N"]) <= now
