"""Curves: what a pattern uses while data grows along one axis."""

from dataclasses import dataclass
from enum import Enum

from sortkey.prove.variation import Variation


class Axis(Enum):
    """What grows while a pattern is measured."""

    OTHERS = "other partitions"
    PARTITION = "the rest of its partition"
    ANSWER = "the answer"


@dataclass(frozen=True, slots=True)
class Point:
    """What one run used, beside so many more records."""

    records: int
    items: int
    reads: float
    writes: float
    returned: int


@dataclass(frozen=True, slots=True)
class Curve:
    """What a pattern uses along one axis, and the records that grow there.

    ``bare`` says that nothing else is stored: a call that ends at its first match would otherwise
    not reach them. ``most`` is the number of items that the request itself allows.
    """

    axis: Axis
    points: tuple[Point, ...]
    groups: tuple[Variation, ...]
    bare: bool = False
    most: int | None = None

    @property
    def entities(self) -> tuple[str, ...]:
        """The names of the entities whose records grow."""
        return tuple(dict.fromkeys(group.kind.name for group in self.groups))

    @property
    def rises(self) -> bool:
        """Whether the cost still rises at the end; a unit is too coarse to see each record."""
        before, last = self.points[-2:]
        if self.most is not None and last.items <= self.most:
            return False
        return last.items > before.items or last.writes > before.writes

    @property
    def slope(self) -> float:
        """The units that each further record costs, at the end."""
        before, last = self.points[-2:]
        units = last.reads + last.writes - before.reads - before.writes
        return units / (last.records - before.records)
