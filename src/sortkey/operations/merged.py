"""Merged queries: the records of several queries, in one order and with one cursor."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Self, TypeVar

from sortkey.errors import Refused
from sortkey.operations.cursor import digest
from sortkey.operations.lane import Lane
from sortkey.operations.operation import Context
from sortkey.operations.query import KeyWalk
from sortkey.operations.revising import revised
from sortkey.operations.walk import Walk
from sortkey.wire.values import Item

E = TypeVar("E")


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged(Walk[E], Generic[E]):
    """The records of several queries, each once, in the order of ``by``."""

    _queries: tuple[KeyWalk[E], ...]
    by: Callable[[E], Any]

    def _lanes(self) -> tuple[Lane[E], ...]:
        """Return the lanes of every query."""
        return tuple(lane for query in self._queries for lane in query._lanes())

    def consistently(self) -> Self:
        """Use strongly consistent reads."""
        return revised(self, _queries=tuple(query.consistently() for query in self._queries))

    def with_expired(self) -> Self:
        """Include expired records that DynamoDB has not deleted yet."""
        queries = tuple(query.with_expired() for query in self._queries)
        return revised(self, _queries=queries, _reading=queries[0]._reading)

    def _place(self, item: Item, record: E) -> Any:  # noqa: ARG002 - shards go by the item
        """Return the place of a record in the order of all queries."""
        return self.by(record)

    def _identity(self, context: Context) -> str:
        """Return the digest that a cursor of these queries must have."""
        return digest(self._pattern, [{"query": q._identity(context)} for q in self._queries])


def merged(*queries: KeyWalk[E], by: Callable[[E], Any]) -> Merged[E]:
    """Merge the records of several queries in one order, with one cursor for all of them.

    The key of each query must already sort its records in the order of ``by``, or in descending
    order if the queries are reversed. A record that several queries find is returned once. Use
    select() on each query to read fewer fields.
    """
    if not queries:
        raise Refused("merged() needs at least one query")
    first = queries[0]
    if any(query._source.forward != first._source.forward for query in queries):
        raise Refused("merged() needs all queries in one direction: reverse all of them, or none")
    if any(query._limit is not None for query in queries):
        raise Refused("merged() takes no query with a limit(): use merged(...).limit()")
    return Merged(
        _source=first._source,
        _reading=first._reading,
        _position_names=first._position_names,
        _primary_names=first._primary_names,
        _queries=queries,
        by=by,
    )
