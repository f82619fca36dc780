"""Query: the records of one partition, of the table or of an index, in the order of their keys."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Self, TypeVar

from sortkey.errors import Refused
from sortkey.expressions.tree import And, Condition
from sortkey.operations.cursor import digest
from sortkey.operations.kind import Access, Comparison, Kind
from sortkey.operations.lane import Lane
from sortkey.operations.operation import Context
from sortkey.operations.reading import Reading
from sortkey.operations.revising import revised
from sortkey.operations.walk import Count, Walk
from sortkey.wire.values import Item

E = TypeVar("E")
M = TypeVar("M")
R = TypeVar("R")


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyWalk(Walk[R], Generic[R]):
    """A walk along one partition's keys."""

    _access: Access
    _conditions: tuple[Condition, ...]

    def _lanes(self) -> tuple[Lane[R], ...]:
        """Return one Query, or one for each shard of the key; none if the range is empty."""
        source, reading, names = self._source, self._reading, self._position_names
        steps = (revised(source, key_condition=condition) for condition in self._conditions)
        return tuple(Lane(step, reading, names) for step in steps)

    def _place(self, item: Item, record: R) -> Any:  # noqa: ARG002 - a merge may go by either
        """Return the place of an item in the order of the sort key, which all shards share."""
        return self._access.place(item)

    def reverse(self) -> Self:
        """Reverse the order: newest first if the key contains a time."""
        return revised(self, _source=revised(self._source, forward=not self._source.forward))

    def consistently(self) -> Self:
        """Use strongly consistent reads."""
        if not self._access.consistent:
            raise Refused(
                f"{self._access.name} is a global index, which has no consistent reads: "
                "query the table's primary key, or a local index"
            )
        return super(KeyWalk, self).consistently()


@dataclass(frozen=True, slots=True, kw_only=True)
class Query(KeyWalk[E], Generic[E]):
    """A query by key, with an optional range on the next part of the key, and a filter."""

    _kind: Kind[E]
    _bound: Mapping[str, Any]
    _comparison: Comparison | None = None
    _unreadable: str | None = None

    def _lanes(self) -> tuple[Lane[E], ...]:
        """Return the lanes, if the index has whole records."""
        # Not refused earlier, because select() may follow.
        if self._unreadable is not None:
            raise Refused(self._unreadable)
        return super(Query, self)._lanes()

    def ge(self, **field: Any) -> Self:
        """Return only records whose next key part is at least this: ``.ge(placed=since)``."""
        return self._compared("ge", field)

    def gt(self, **field: Any) -> Self:
        """Return only records whose next key part is greater than this."""
        return self._compared("gt", field)

    def le(self, **field: Any) -> Self:
        """Return only records whose next key part is at most this."""
        return self._compared("le", field)

    def lt(self, **field: Any) -> Self:
        """Return only records whose next key part is less than this."""
        return self._compared("lt", field)

    def between(self, **field: tuple[Any, Any]) -> Self:
        """Return only records whose next key part is between two bounds, both included."""
        return self._compared("between", field)

    def begins_with(self, **field: str) -> Self:
        """Return only records whose next key part begins with this string."""
        return self._compared("begins_with", field)

    def where(self, test: Callable[[E], int]) -> Self:
        """Return only records that meet this condition; all are read, and paid for, first."""
        condition = self._kind.condition(test)
        self._access.refuse_filter(condition)
        before = self._source.filter
        both = condition if before is None else And((before, condition))
        return revised(self, _source=revised(self._source, filter=both))

    def select(self, shape: type[M]) -> KeyWalk[M]:
        """Read only the fields that a model has, and return the records as that model."""
        self._refuse_narrowed("select()")
        reading = self._kind.reading_as(shape, self._position_names, self._access.holds)
        reading = reading.as_long_as(self._reading)
        if reading.projection is not None:
            self._access.refuse_projection(reading.projection)
        elif self._unreadable is not None:
            raise Refused(self._unreadable)
        return KeyWalk(
            _source=revised(self._source, projection=reading.projection),
            _reading=reading,
            _position_names=self._position_names,
            _primary_names=self._primary_names,
            _pattern=self._pattern,
            _limit=self._limit,
            _access=self._access,
            _conditions=self._conditions,
        )

    def count(self) -> Count:
        """Count the records; all of them are read."""
        self._refuse_limited("count() counts everything")
        self._refuse_narrowed("count()")
        reading = self._kind.reading_keys(self._position_names, self._access.holds)
        reading = reading.as_long_as(self._reading)
        return Count(
            KeyWalk(
                _source=revised(self._source, projection=reading.projection),
                _reading=reading,
                _position_names=self._position_names,
                _primary_names=self._primary_names,
                _access=self._access,
                _conditions=self._conditions,
            )
        )

    def _identity(self, context: Context) -> str:
        """Return the digest that a cursor of this query must have."""
        own = super(Query, self)._identity(context)
        if self._comparison is None or self._access.residue(self._bound, self._comparison) is None:
            return own
        # The key is coarser than the range, so the request does not contain all of it.
        return digest(own, [{"range": repr(self._comparison)}])

    def _compared(self, comparison: str, field: Mapping[str, Any]) -> Self:
        if len(field) != 1:
            raise Refused(
                f"{comparison}() needs exactly one field of the key: {comparison}(field=…)"
            )
        if self._comparison is not None:
            raise Refused(
                f"the query of {self._access.name} has two ranges, {self._comparison[0]} and "
                f"{comparison}, and DynamoDB allows one: use between()"
            )
        [(name, value)] = field.items()
        values = _bounds(name, value) if comparison == "between" else (value,)
        compared: Comparison = (comparison, name, values)
        condition = self._access.condition(self._bound, compared)
        residue = self._access.residue(self._bound, compared)
        reading = self._reading if residue is None else self._narrowed(residue)
        return revised(
            self,
            _comparison=compared,
            _conditions=self._access.shards(condition),
            _reading=reading,
        )

    def _refuse_narrowed(self, what: str) -> None:
        if self._comparison is not None and self._access.residue(self._bound, self._comparison):
            raise Refused(
                f"{what} needs a range that the key alone can decide, and {self._access.name} "
                f"stores {self._comparison[1]} less precisely than the range: use a coarser bound"
            )

    def _narrowed(self, holds: Callable[[Mapping[str, Any]], bool]) -> Reading[E]:
        """Return a reading of only the records whose own values are in the range."""
        kind, read = self._kind, self._reading.read

        def read_within(item: Item) -> E | None:
            record = read(item)
            return record if record is not None and holds(kind.values(record)) else None

        return revised(self._reading, read=read_within)


def _bounds(name: str, value: Any) -> tuple[Any, Any]:
    match value:
        case (low, high):
            return low, high
        case _:
            raise Refused(
                f"between() needs two bounds, as in between({name}=(low, high)), not {value!r}"
            )
