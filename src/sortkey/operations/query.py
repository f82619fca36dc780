"""Query: the records of one partition, of the table or of an index, in the order of their keys."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, Self, TypeVar

from sortkey.errors import Refused
from sortkey.expressions.tree import And, Condition
from sortkey.operations.cursor import digest
from sortkey.operations.kind import Access, Comparison, Kind
from sortkey.operations.lane import Lane
from sortkey.operations.operation import Context
from sortkey.operations.plan import Step
from sortkey.operations.reading import Reading
from sortkey.operations.walk import Count, Walk
from sortkey.wire.values import Item

E = TypeVar("E")
M = TypeVar("M")
R = TypeVar("R")


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyWalk(Walk[R], Generic[R]):
    """A walk along one partition's keys."""

    access: Access
    condition: Condition | None

    def lanes(self) -> tuple[Lane[R], ...]:
        """One Query, or one for each shard of the key; none where the range is empty."""
        if self.condition is None:
            return ()
        return tuple(
            Lane(replace(self.source, key_condition=condition), self.reading, self.position_names)
            for condition in self.access.shards(self.condition)
        )

    def place(self, item: Item, record: R) -> Any:  # noqa: ARG002 - a merge may go by either
        """Where an item stands in the order of the sort key, which all shards share."""
        return self.access.place(item)

    def reverse(self) -> Self:
        """The same in the opposite order: newest first where the key holds a time."""
        return replace(self, source=replace(self.source, forward=not self.source.forward))

    def consistently(self) -> Self:
        """The same, seeing every write that was acknowledged before."""
        if not self.access.consistent:
            raise Refused(
                f"{self.access.name} is a global index, which cannot be read consistently; "
                "query the table's own key, or a local index"
            )
        return super(KeyWalk, self).consistently()


@dataclass(frozen=True, slots=True, kw_only=True)
class Query(KeyWalk[E], Generic[E]):
    """Records by their key: a range over the next part of the key, a filter over the rest."""

    kind: Kind[E]
    bound: Mapping[str, Any]
    comparison: Comparison | None = None

    def lanes(self) -> tuple[Lane[E], ...]:
        """The same as of any walk, where the index holds whole records."""
        # Not when it is made: select() may follow.
        self.access.refuse_projection(None, self.kind.name)
        return super(Query, self).lanes()

    def ge(self, **field: Any) -> Self:
        """Only records whose next key part is at least this: ``.ge(placed=since)``."""
        return self._compared("ge", field)

    def gt(self, **field: Any) -> Self:
        """Only records whose next key part is greater than this."""
        return self._compared("gt", field)

    def le(self, **field: Any) -> Self:
        """Only records whose next key part is at most this."""
        return self._compared("le", field)

    def lt(self, **field: Any) -> Self:
        """Only records whose next key part is less than this."""
        return self._compared("lt", field)

    def between(self, **field: tuple[Any, Any]) -> Self:
        """Only records whose next key part lies within two bounds, both included."""
        return self._compared("between", field)

    def begins_with(self, **field: str) -> Self:
        """Only records whose next key part, a text, begins with this."""
        return self._compared("begins_with", field)

    def where(self, test: Callable[[E], bool]) -> Self:
        """Only records for which this holds. They are read, and paid for, before it is asked."""
        condition = self.kind.condition(test)
        self.access.refuse_filter(condition)
        before = self.source.filter
        both = condition if before is None else And((before, condition))
        return replace(self, source=replace(self.source, filter=both))

    def select(self, shape: type[M]) -> KeyWalk[M]:
        """The same records with only the fields that a model names, validated as that model."""
        self._refuse_narrowed("select()")
        reading = self.kind.reading_as(shape, self.position_names, self.access.holds)
        reading = reading.as_long_as(self.reading)
        self.access.refuse_projection(reading.projection, self.kind.name)
        return KeyWalk(
            source=replace(self.source, projection=reading.projection),
            reading=reading,
            position_names=self.position_names,
            primary_names=self.primary_names,
            pattern=self.pattern,
            most=self.most,
            access=self.access,
            condition=self.condition,
        )

    def count(self) -> Count:
        """How many there are; they are all read."""
        self.refuse_limited("count() counts everything")
        self._refuse_narrowed("count()")
        reading = self.kind.reading_keys(self.position_names, self.access.holds)
        reading = reading.as_long_as(self.reading)
        return Count(
            KeyWalk(
                source=replace(self.source, projection=reading.projection),
                reading=reading,
                position_names=self.position_names,
                primary_names=self.primary_names,
                access=self.access,
                condition=self.condition,
            )
        )

    def identity(self, context: Context) -> str:
        """What a cursor of this query must have been made for."""
        asked = super(Query, self).identity(context)
        if self.comparison is None or self.access.residue(self.bound, self.comparison) is None:
            return asked
        # The key is coarser than the range, so the request does not tell all of it.
        return digest(asked, [{"range": repr(self.comparison)}])

    def _compared(self, comparison: str, field: Mapping[str, Any]) -> Self:
        if len(field) != 1:
            raise Refused(
                f"{comparison}() wants exactly one field of the key, as {comparison}(f=…)"
            )
        if self.comparison is not None:
            raise Refused(
                f"{self.access.name} is compared twice ({self.comparison[0]}, then {comparison}); "
                "DynamoDB takes one range: use between()"
            )
        [(name, value)] = field.items()
        values = _bounds(name, value) if comparison == "between" else (value,)
        compared: Comparison = (comparison, name, values)
        condition = self.access.condition(self.bound, compared)
        residue = self.access.residue(self.bound, compared)
        reading = self.reading if residue is None else self._narrowed(residue)
        return replace(self, comparison=compared, condition=condition, reading=reading)

    def _refuse_narrowed(self, what: str) -> None:
        if self.comparison is not None and self.access.residue(self.bound, self.comparison):
            raise Refused(
                f"{what} needs a range that the key decides alone, and {self.access.name} keeps "
                f"less of {self.comparison[1]} than the range says: use a coarser bound"
            )

    def _narrowed(self, holds: Callable[[Mapping[str, Any]], bool]) -> Reading[E]:
        """The reading of only the records whose own values are in the range."""
        kind, read = self.kind, self.reading.read

        def read_within(item: Item) -> E | None:
            record = read(item)
            return record if record is not None and holds(kind.values(record)) else None

        return replace(self.reading, read=read_within)


def _bounds(name: str, value: Any) -> tuple[Any, Any]:
    match value:
        case (low, high):
            return low, high
        case _:
            raise Refused(
                f"between() wants two bounds, as in between({name}=(low, high)), not {value!r}"
            )


def query(kind: Kind[E], access: Access, bound: Mapping[str, Any]) -> Query[E]:
    """The query of one kind of records by a key."""
    return Query(
        source=Step("Query", access.table, (kind.name,), index=access.index),
        reading=Reading(kind.read, kind.expires, secrets=kind.secrets),
        position_names=access.position_names,
        primary_names=kind.key_names,
        access=access,
        condition=access.condition(bound, None),
        kind=kind,
        bound=bound,
    )
