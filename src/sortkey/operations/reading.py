"""How stored items become results: of which kind, in which shape, and only while they live."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from sortkey.expressions.projection import Projection
from sortkey.operations.secrets import Secrets
from sortkey.wire.values import Item

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Reading(Generic[R]):
    """What to ask of each item, and what to make of it; None where it is not wanted."""

    read: Callable[[Item], R | None]
    expires: str | None = None
    projection: Projection | None = None
    # What must be opened in an item before it is read.
    secrets: tuple[Secrets, ...] = ()

    def reader(self, now: float) -> Callable[[Item], R | None]:
        """What makes a result of an item, unless it is of another kind or past its time."""
        read, expires = self.read, self.expires
        if expires is None:
            return read
        return lambda item: None if is_expired(item, expires, now) else read(item)

    def as_long_as(self, other: "Reading[Any]") -> "Reading[R]":
        """The same, with expired records where the other reading has them."""
        return self if other.expires is not None else replace(self, expires=None)


def is_expired(item: Item, attribute: str, now: float) -> bool:
    """Whether the item's time is over, though DynamoDB may not have removed it yet."""
    # Exact to the second, as DynamoDB's own rule is: expired once the clock has reached it.
    moment = item.get(attribute)
    return moment is not None and "N" in moment and float(moment["N"]) <= now
