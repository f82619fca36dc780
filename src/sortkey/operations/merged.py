"""Merged queries: records that two or more indexes hold, in one order and with one cursor."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Generic, Self, TypeVar

from sortkey.errors import Refused
from sortkey.operations.cursor import digest
from sortkey.operations.lane import Lane
from sortkey.operations.operation import Context
from sortkey.operations.query import KeyWalk
from sortkey.operations.walk import Walk
from sortkey.wire.values import Item

E = TypeVar("E")


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged(Walk[E], Generic[E]):
    """The records of several queries, each once, in the order that ``by`` gives them."""

    queries: tuple[KeyWalk[E], ...]
    by: Callable[[E], Any]

    def lanes(self) -> tuple[Lane[E], ...]:
        """The requests of every query."""
        return tuple(lane for query in self.queries for lane in query.lanes())

    def consistently(self) -> Self:
        """The same, seeing every write that was acknowledged before."""
        return replace(self, queries=tuple(query.consistently() for query in self.queries))

    def with_expired(self) -> Self:
        """The same, and records whose time is over as long as DynamoDB has not removed them."""
        queries = tuple(query.with_expired() for query in self.queries)
        return replace(self, queries=queries, reading=queries[0].reading)

    def place(self, item: Item, record: E) -> Any:  # noqa: ARG002 - shards go by the item
        """Where a record stands among those of all queries."""
        return self.by(record)

    def identity(self, context: Context) -> str:
        """What a cursor of these queries must have been made for."""
        return digest(self.pattern, [{"query": q.identity(context)} for q in self.queries])


def merged(*queries: KeyWalk[E], by: Callable[[E], Any]) -> Merged[E]:
    """The records of several queries in one order, with one cursor that continues them all.

    Each query must give its records in the order of ``by`` already, as its key does; reversed ones
    from the greatest. A record that several queries find is given once. Each may be narrowed with
    select() before.
    """
    if not queries:
        raise Refused("merged() wants the queries to merge")
    first = queries[0]
    if any(query.source.forward != first.source.forward for query in queries):
        raise Refused("merged() wants all queries in one direction: reverse all, or none")
    if any(query.most is not None for query in queries):
        raise Refused("merged() takes no query with a limit(): put it on the whole")
    return Merged(
        source=first.source,
        reading=first.reading,
        position_names=first.position_names,
        primary_names=first.primary_names,
        queries=queries,
        by=by,
    )
