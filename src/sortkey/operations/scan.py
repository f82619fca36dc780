"""Scan: every record of a kind. It reads, and pays for, the whole table."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Self, TypeVar

from sortkey.errors import Refused
from sortkey.expressions.tree import And
from sortkey.operations.kind import Kind
from sortkey.operations.lane import Lane
from sortkey.operations.plan import Step
from sortkey.operations.reading import Reading
from sortkey.operations.revising import revised
from sortkey.operations.walk import Count, Walk

E = TypeVar("E")

MOST_SEGMENTS = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan(Walk[E], Generic[E]):
    """All records of an entity, in no particular order."""

    _kind: Kind[E]

    def _lanes(self) -> tuple[Lane[E], ...]:
        """Return one Scan."""
        return (Lane(self._source, self._reading, self._position_names),)

    def where(self, test: Callable[[E], int]) -> Self:
        """Return only records that meet this condition; all are read, and paid for, first."""
        condition = self._kind.condition(test)
        before = self._source.filter
        both = condition if before is None else And((before, condition))
        return revised(self, _source=revised(self._source, filter=both))

    def count(self) -> Count:
        """Count the records; all of them are read."""
        self._refuse_limited("count() counts everything")
        reading = self._kind.reading_keys(self._position_names, lambda _: True)
        reading = reading.as_long_as(self._reading)
        source = revised(self._source, projection=reading.projection)
        return Count(revised(self, _source=source, _reading=reading))

    def segments(self, count: int) -> tuple["Scan[E]", ...]:
        """Split the scan into parts that can run in parallel: ``db.all(*scan.segments(4))``."""
        if not 1 <= count <= MOST_SEGMENTS:
            raise Refused(f"a scan has from 1 to {MOST_SEGMENTS:,} segments, not {count}")
        return tuple(self._segment(n, count) for n in range(count))

    def _segment(self, number: int, count: int) -> "Scan[E]":
        members: dict[str, Any] = {"Segment": number, "TotalSegments": count}
        return revised(self, _source=revised(self._source, members=members))


def scan(kind: Kind[E]) -> Scan[E]:
    """Return the scan of one kind of records."""
    return Scan(
        _source=Step("Scan", kind.table, (kind.name,)),
        _reading=Reading(kind.read, kind.expires, secrets=kind.secrets),
        _position_names=kind.key_names,
        _primary_names=kind.key_names,
        _kind=kind,
    )
