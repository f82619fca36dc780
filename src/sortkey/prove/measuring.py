"""Measuring: one call, run beside more and more records."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from sortkey.design.entity import Entity
from sortkey.design.raw.operation import RawOperation
from sortkey.operations.operation import Operation
from sortkey.operations.plan import Step
from sortkey.operations.walk import Count, PageOf, Walk
from sortkey.prove.curves import Axis, Curve, Point
from sortkey.prove.example import Example
from sortkey.prove.meter import Metered, Run
from sortkey.prove.variation import Variation

SIZES = (10, 40, 160)
_MOST_PAGE = 250
WALKS = frozenset({"Query", "Scan"})


def counts(operation: Operation[Any]) -> bool:
    """Whether the answer is one number, which does not grow with what is counted."""
    if isinstance(operation, RawOperation):
        return any(request.select == "COUNT" for request in operation.requests)
    return isinstance(operation, Count)


@dataclass(slots=True)
class Measuring:
    """One call, measured again and again."""

    example: Example
    operation: Operation[Any]
    metered: Metered
    _start: bytes = field(init=False, default=b"")
    _bare: bytes = field(init=False, default=b"")

    def __post_init__(self) -> None:
        self.metered.begin(())
        self._bare = self.metered.image()
        stored = self.metered.begin(self.example.records)
        self.metered.store(stored)
        self._start = self.metered.image()

    @property
    def steps(self) -> Sequence[Step]:
        """What the call sends."""
        return self.operation.plan().steps

    @property
    def walks(self) -> list[Step]:
        """The steps that go through records, each with what it may read."""
        return [step for step in self.steps if step.verb in WALKS]

    @property
    def most(self) -> int | None:
        """The number of items that the requests themselves allow; None where they allow any."""
        if not isinstance(self.operation, RawOperation) or counts(self.operation):
            return None
        limits = [step.limit for step in self.walks]
        return sum(limit for limit in limits if limit) if limits and all(limits) else None

    def run(self) -> Run:
        """What the call comes to with what is stored now."""
        return self.metered.run(self.operation)

    def run_beside(self, records: Sequence[Entity], *, bare: bool = False) -> Run:
        """What the call comes to beside these records; with ``bare``, on them alone."""
        self.metered.back(self._bare if bare else self._start)
        self.metered.store(records)
        return self.run()

    def point(self, records: int, run: Run) -> Point:
        """What one run used."""
        usage = run.usage
        return Point(records, usage.items, usage.read_units, usage.write_units, run.returned)

    def curve(self, axis: Axis, groups: Sequence[Variation], *, bare: bool = False) -> Curve:
        """What the call uses beside more and more records of these groups.

        Where they cost something that they should not, only those that do are shown.
        """
        mixed = self._curve(axis, groups, bare=bare)
        if axis is Axis.ANSWER or not mixed.rises or len(groups) == 1:
            return mixed
        guilty = [group for group in groups if self._curve(axis, [group], bare=bare).rises]
        return self._curve(axis, guilty, bare=bare) if guilty else mixed

    def _curve(self, axis: Axis, groups: Sequence[Variation], *, bare: bool) -> Curve:
        self.metered.back(self._bare if bare else self._start)
        points: list[Point] = []
        made = 0
        for size in _sizes(self.operation, axis):
            self.metered.store(some(groups, made, size))
            made = size
            points.append(self.point(size, self.run()))
        return Curve(axis, tuple(points), tuple(groups), bare, self.most)


def _sizes(operation: Operation[Any], axis: Axis) -> Sequence[int]:
    """How many records are added; more than a page, where the answer comes in pages.

    What is read by key alone is measured beside fewer: it goes through none of them.
    """
    if all(step.verb not in WALKS for step in operation.plan().steps):
        return SIZES[:-1]
    page = _limit(operation) if axis is Axis.ANSWER else 0
    return SIZES if page <= SIZES[1] else (page // 2, page * 2, page * 3)


def _limit(operation: Operation[Any]) -> int:
    if isinstance(operation, PageOf):
        return min(operation.size, _MOST_PAGE)
    if isinstance(operation, Walk):
        return min(operation.most or 0, _MOST_PAGE)
    return 0


def some(groups: Sequence[Variation], start: int, end: int) -> Iterator[Entity]:
    """The records of these groups by turns, from one number to another."""
    for number in range(start, end):
        record = groups[number % len(groups)].record(number + 1)
        if record is not None:
            yield record
