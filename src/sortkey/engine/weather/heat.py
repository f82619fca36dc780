"""Heat: the capacity of a table or an index, and of each of its partitions.

DynamoDB serves 3,000 read units and 1,000 write units a second from a partition, whatever the table
is allowed: a hot key is throttled in a table that is nearly idle. Adaptive capacity gives a
partition as much of the table's capacity as it needs, so there is no share of a partition to
exhaust, only the table's capacity and the partition's maximum.

A partition that is throttled for minutes is split where its recent requests divide in two halves:
between two partition keys, or between two sort keys of one. It cannot be split for a single item,
within a collection that has a local index, or where sort keys only rise, since all new items would
be in the second half again.
"""

from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, Protocol

from sortkey.engine.keys import FIRST, HASH_BYTES, RowKey
from sortkey.engine.partitions import PartitionMap
from sortkey.engine.weather.buckets import UnitBucket

Kind = Literal["Read", "Write"]
Cause = Literal[
    "KeyRangeThroughput", "ProvisionedThroughput", "AccountLimit", "MaxOnDemandThroughput"
]

# After such a pause, a partition counts as newly throttled.
_PAUSE_SECONDS = 60.0
# The requests that decide where a partition is split.
_REMEMBERED = 256


class Supply(Protocol):
    """A supply of units: a `UnitBucket`, or a capacity that adapts itself."""

    @property
    def rate(self) -> float:
        """The units that can be served in a second."""
        ...

    def admits(self, now: float) -> bool:
        """Return whether a request can be served."""
        ...

    def take(self, units: float) -> None:
        """Take the units of an admitted request."""
        ...


class Limit(NamedTuple):
    """A supply that is shared by all partitions, and the cause to report if it is exhausted."""

    cause: Cause
    supply: Supply


class HotRange:
    """The heat of one partition, which begins with the row ``first``."""

    __slots__ = ("_recent", "_throttled", "first", "supplies")

    def __init__(self, first: RowKey, units: Mapping[Kind, float], now: float) -> None:
        self.first = first
        self.supplies = {kind: UnitBucket(each, now) for kind, each in units.items()}
        self._recent: deque[RowKey] = deque(maxlen=_REMEMBERED)
        # The first and the last time of being throttled, without a longer pause between.
        self._throttled: tuple[float, float] | None = None

    def remember(self, key: RowKey) -> None:
        """Remember a request, to know where the partition could be split."""
        self._recent.append(key)

    def throttled(self, now: float) -> float:
        """Record that a request was throttled, and return for how many seconds they have been."""
        since, until = self._throttled or (now, now)
        if not until <= now <= until + _PAUSE_SECONDS:
            since = now
        self._throttled = (since, now)
        return now - since

    def middle(self, *, splits_collections: bool) -> RowKey | None:
        """Return the first row of the second half, or None if a split would not help."""
        # One after another: items in the order of their requests tell whether sort keys rise.
        recent = [key for key in self._recent if key > self.first]
        by_hash = _halved([RowKey(key.partition[:HASH_BYTES], FIRST) for key in recent])
        if by_hash is not None:
            return by_hash
        if not splits_collections or _rises([key.position for key in recent]):
            return None
        return _halved(recent)


def _halved(keys: Sequence[RowKey]) -> RowKey | None:
    """Return a key that has about half of the keys before it, if they are not all the same."""
    if not keys:
        return None
    ordered = sorted(keys)
    middle = ordered[len(ordered) // 2]
    if middle > ordered[0]:
        return middle
    return next((key for key in ordered if key > middle), None)


def _rises(positions: Sequence[bytes]) -> bool:
    """Return whether each new position is after all earlier ones, with few exceptions."""
    highest = FIRST
    new = higher = 0
    seen: set[bytes] = set()
    for position in positions:
        if position in seen:
            continue
        seen.add(position)
        new += 1
        if position > highest:
            higher += 1
            highest = position
    return new > 1 and higher > 0.9 * new


class Heat:
    """The capacity of one table or index, and what is left of it."""

    def __init__(
        self,
        firsts: Iterable[RowKey],
        limits: dict[Kind, list[Limit]],
        now: float,
        *,
        units: Mapping[Kind, float],
        split_seconds: float,
        splits_collections: bool = True,
    ) -> None:
        self.limits = limits
        # The capacity of a partition.
        self._units = units
        self._split_seconds = split_seconds
        self._splits_collections = splits_collections
        self._partitions = [HotRange(first, units, now) for first in firsts]
        self.firsts = [each.first for each in self._partitions]
        self._map: PartitionMap | None = None

    def exceeded(self, kind: Kind, key: RowKey, now: float) -> list[Cause]:
        """Return why a request for this row must be throttled, if it must."""
        causes: list[Cause] = [
            limit.cause for limit in self.limits.get(kind, ()) if not limit.supply.admits(now)
        ]
        if not self._partition(key).supplies[kind].admits(now):
            causes.append("KeyRangeThroughput")
        return causes

    def take(self, kind: Kind, key: RowKey, units: float) -> None:
        """Take the units of an admitted request."""
        for limit in self.limits.get(kind, ()):
            limit.supply.take(units)
        partition = self._partition(key)
        partition.supplies[kind].take(units)
        partition.remember(key)

    def throttled(self, key: RowKey, now: float) -> RowKey | None:
        """Record a throttled request, and return where to split its partition, if that is due."""
        partition = self._partition(key)
        partition.remember(key)
        seconds = partition.throttled(now)
        if not self._split_seconds or seconds < self._split_seconds:
            return None
        return partition.middle(splits_collections=self._splits_collections)

    def follow(self, partitions: PartitionMap, now: float) -> None:
        """Begin the partitions that the map of the table has, which may have been split since."""
        if partitions is not self._map:
            self._map = partitions
            for each in partitions.all:
                self.split(RowKey(each.first.to_bytes(HASH_BYTES, "big"), FIRST), now)

    def split(self, first: RowKey, now: float) -> None:
        """Begin a partition with this row; both halves begin with their full capacity."""
        at = bisect_right(self.firsts, first)
        before = self._partitions[at - 1].first
        if before != first:
            self._partitions[at - 1 : at] = [
                HotRange(each, self._units, now) for each in (before, first)
            ]
            self.firsts.insert(at, first)

    def _partition(self, key: RowKey) -> HotRange:
        partitions = self._partitions
        if len(partitions) == 1:
            return partitions[0]
        return partitions[bisect_right(self.firsts, key) - 1]
