"""Counterexamples: the smallest records and call that show what is wrong."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sortkey.design.declaring.entity import Entity
from sortkey.wire.messages import Request
from sortkey.wire.values import Item


@dataclass(frozen=True, slots=True)
class Recording:
    """A trial in DynamoDB's own terms: tables, the items in them, and the requests sent."""

    tables: tuple[dict[str, Any], ...]
    items: Mapping[str, tuple[Item, ...]]
    requests: tuple[Request, ...]


@dataclass(frozen=True, slots=True)
class RacedRequests:
    """The interleaved requests of two calls, and the items that they must not leave stored."""

    recording: Recording
    # The caller of each request.
    callers: tuple[str, ...]
    stored: Mapping[str, tuple[Item, ...]]


@dataclass(frozen=True, slots=True)
class WantedItems:
    """The items that should be returned, by their keys, or all items that should be stored.

    Items of other types and expired items are removed from an answer before it is compared.
    """

    keys: tuple[Item, ...] | None = None
    stored: Mapping[str, tuple[Item, ...]] | None = None
    in_order: bool = False
    types: tuple[str, tuple[str, ...]] | None = None
    expires: str | None = None
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class Counterexample:
    """Records, calls on them, and the actual and expected result of the last call.

    ``page`` is the page size in which the answer was read, if it matters. ``items`` has the items
    that DynamoDB itself should have returned or stored, if they are wrong. ``cause`` distinguishes
    the faults of a pattern; ``why`` explains it, and ``change`` says what to write instead.
    """

    subject: str
    message: str
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
