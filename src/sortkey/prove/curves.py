"""Curves: the cost of a pattern as data grows along one axis."""

from dataclasses import dataclass
from enum import Enum

from sortkey.prove.variation import Variation


class Axis(Enum):
    """The data that grows while a pattern is measured."""

    OTHERS = "other partitions"
    PARTITION = "the rest of its partition"
    ANSWER = "the answer"


@dataclass(frozen=True, slots=True)
class Point:
    """The cost of one run beside so many more records."""

    records: int
    items: int
    reads: float
    writes: float
    returned: int

    @property
    def units(self) -> float:
        """The units of reads and writes together."""
        return self.reads + self.writes


@dataclass(frozen=True, slots=True)
class Curve:
    """The cost of a pattern along one axis, and the records that grow there.

    With ``bare``, no other records are stored: a call that ends at its first match would otherwise
    not reach these. ``most`` is the number of items that the request itself allows.
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
        """Whether items read or write units still rise at the end; read units are too coarse."""
        before, last = self.points[-2:]
        if self.most is not None and last.items <= self.most:
            return False
        return last.items > before.items or last.writes > before.writes
