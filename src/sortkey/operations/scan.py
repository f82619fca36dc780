"""Scan: every record of a kind in the whole table. It reads, and pays for, everything there."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Generic, Self, TypeVar

from sortkey.errors import Refused
from sortkey.expressions.tree import And
from sortkey.operations.kind import Kind
from sortkey.operations.lane import Lane
from sortkey.operations.plan import Step
from sortkey.operations.reading import Reading
from sortkey.operations.walk import Count, Walk

E = TypeVar("E")

MOST_SEGMENTS = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan(Walk[E], Generic[E]):
    """All records of a kind, in no order to rely on."""

    kind: Kind[E]

    def lanes(self) -> tuple[Lane[E], ...]:
        """The one Scan."""
        return (Lane(self.source, self.reading, self.position_names),)

    def where(self, test: Callable[[E], bool]) -> Self:
        """Only records for which this holds. They are read, and paid for, before it is asked."""
        condition = self.kind.condition(test)
        before = self.source.filter
        both = condition if before is None else And((before, condition))
        return replace(self, source=replace(self.source, filter=both))

    def count(self) -> Count:
        """How many there are; they are all read."""
        self.refuse_limited("count() counts everything")
        reading = self.kind.reading_keys(self.position_names, lambda _: True)
        reading = reading.as_long_as(self.reading)
        source = replace(self.source, projection=reading.projection)
        return Count(replace(self, source=source, reading=reading))

    def segments(self, count: int) -> tuple["Scan[E]", ...]:
        """The scan cut into parts that can run at the same time: ``db.all(*scan.segments(4))``."""
        if not 1 <= count <= MOST_SEGMENTS:
            raise Refused(f"a scan has from 1 to {MOST_SEGMENTS:,} segments, not {count}")
        return tuple(self._segment(n, count) for n in range(count))

    def _segment(self, number: int, count: int) -> "Scan[E]":
        members: dict[str, Any] = {"Segment": number, "TotalSegments": count}
        return replace(self, source=replace(self.source, members=members))


def scan(kind: Kind[E]) -> Scan[E]:
    """The scan of one kind of records."""
    return Scan(
        source=Step("Scan", kind.table, (kind.name,)),
        reading=Reading(kind.read, kind.expires, secrets=kind.secrets),
        position_names=kind.key_names,
        primary_names=kind.key_names,
        kind=kind,
    )
