"""Counterexamples: the smallest records and call that show what is wrong."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sortkey.design.entity import Entity
from sortkey.wire.messages import Request
from sortkey.wire.values import Item


@dataclass(frozen=True, slots=True)
class Recording:
    """A trial in DynamoDB's own terms: tables, the items in them, and what was sent then."""

    tables: tuple[dict[str, Any], ...]
    items: Mapping[str, tuple[Item, ...]]
    requests: tuple[Request, ...]


@dataclass(frozen=True, slots=True)
class Raced:
    """The requests of two calls in the order in which they meet, and what must not come of it."""

    recording: Recording
    # Whose request each of them is.
    callers: tuple[str, ...]
    stored: Mapping[str, tuple[Item, ...]]


@dataclass(frozen=True, slots=True)
class WantedItems:
    """The items that should come back, by their keys; or all that should be stored then.

    Items of another type, and those that have expired, are left out of an answer before that.
    """

    keys: tuple[Item, ...] | None = None
    stored: Mapping[str, tuple[Item, ...]] | None = None
    in_order: bool = False
    types: tuple[str, tuple[str, ...]] | None = None
    expires: str | None = None
    most: int | None = None


@dataclass(frozen=True, slots=True)
class Counterexample:
    """Records, calls on them, and what the last of these came to instead of what it should.

    ``page`` is the size of the pages in which the answer was read, where it matters. ``items`` is
    what DynamoDB itself should have answered, where that is what is wrong. ``cause`` tells one
    fault of a pattern from another; ``why`` explains it, and ``change`` says what to write instead.
    """

    subject: str
    told: str
    records: tuple[Entity, ...]
    calls: tuple[Mapping[str, Any], ...]
    wanted: Any
    found: Any
    recording: Recording
    page: int | None = None
    items: WantedItems | None = None
    cause: str = ""
    why: str = ""
    change: str = ""
