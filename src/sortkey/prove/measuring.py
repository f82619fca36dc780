"""Measuring: one call, run beside more and more records."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from sortkey.design.declaring.entity import Entity
from sortkey.design.raw.operation import RawOperation
from sortkey.operations.operation import Operation
from sortkey.operations.plan import Step
from sortkey.operations.walk import Count, PageOf, Walk
from sortkey.prove.curves import Axis, Curve, Point
from sortkey.prove.example import Example
from sortkey.prove.meter import Metered, MeteredRun
from sortkey.prove.variation import Variation

SIZES = (10, 40, 160)
_MOST_PAGE = 250
WALKS = frozenset({"Query", "Scan"})


def counts(operation: Operation[Any]) -> bool:
    """Return whether the answer is one number, which does not grow with the counted records."""
    if isinstance(operation, RawOperation):
        return any(request.select == "COUNT" for request in operation._requests)
    return isinstance(operation, Count)


@dataclass(slots=True)
class Measuring:
    """One call, measured repeatedly."""

    example: Example
    operation: Operation[Any]
    metered: Metered
    _start: bytes = field(init=False, default=b"")
    _bare: bytes = field(init=False, default=b"")

    def __post_init__(self) -> None:
        self.metered.fill(())
        self._bare = self.metered.image()
        stored = self.metered.fill(self.example.records)
        self.metered.store(stored)
        self._start = self.metered.image()

    @property
    def steps(self) -> Sequence[Step]:
        """The steps that the call sends."""
        return self.operation._plan().steps

    @property
    def walks(self) -> list[Step]:
        """The queries and scans of the call."""
        return [step for step in self.steps if step.verb in WALKS]

    @property
    def most(self) -> int | None:
        """The number of items that the requests themselves allow; None if they allow any."""
        if not isinstance(self.operation, RawOperation) or counts(self.operation):
            return None
        limits = [step.limit for step in self.walks]
        return sum(limit for limit in limits if limit) if limits and all(limits) else None

    def run(self) -> MeteredRun:
        """Run and measure the call on the stored records."""
        return self.metered.run(self.operation)

    def run_beside(self, records: Sequence[Entity], *, bare: bool = False) -> MeteredRun:
        """Run the call beside these records; with ``bare``, on them alone."""
        self.metered.restore(self._bare if bare else self._start)
        self.metered.store(records)
        return self.run()

    def point(self, records: int, run: MeteredRun) -> Point:
        """Return the cost of one run."""
        usage = run.usage
        return Point(records, usage.items, usage.read_units, usage.write_units, run.returned)

    def curve(self, axis: Axis, groups: Sequence[Variation], *, bare: bool = False) -> Curve:
        """Return the cost of the call beside more and more records of these groups.

        If the cost rises and should not, the curve has only the groups that raise it.
        """
        mixed = self._curve(axis, groups, bare=bare)
        if axis is Axis.ANSWER or not mixed.rises or len(groups) == 1:
            return mixed
        guilty = [group for group in groups if self._curve(axis, [group], bare=bare).rises]
        return self._curve(axis, guilty, bare=bare) if guilty else mixed

    def _curve(self, axis: Axis, groups: Sequence[Variation], *, bare: bool) -> Curve:
        self.metered.restore(self._bare if bare else self._start)
        points: list[Point] = []
        made = 0
        for size in _sizes(self.operation, axis):
            self.metered.store(records_between(groups, made, size))
            made = size
            points.append(self.point(size, self.run()))
        return Curve(axis, tuple(points), tuple(groups), bare, self.most)


def _sizes(operation: Operation[Any], axis: Axis) -> Sequence[int]:
    """Return how many records are added; more than a page if the answer is paged.

    A call that only reads by key is measured beside fewer, since it walks through none of them.
    """
    if all(step.verb not in WALKS for step in operation._plan().steps):
        return SIZES[:-1]
    page = _limit(operation) if axis is Axis.ANSWER else 0
    return SIZES if page <= SIZES[1] else (page // 2, page * 2, page * 3)


def _limit(operation: Operation[Any]) -> int:
    if isinstance(operation, PageOf):
        return min(operation._size, _MOST_PAGE)
    if isinstance(operation, Walk):
        return min(operation._limit or 0, _MOST_PAGE)
    return 0


def records_between(groups: Sequence[Variation], start: int, end: int) -> Iterator[Entity]:
    """Yield records of these groups in turn, numbered from ``start`` to ``end``."""
    for number in range(start, end):
        record = groups[number % len(groups)].record(number + 1)
        if record is not None:
            yield record
