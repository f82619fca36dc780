"""The partition map of a table: ranges of hashes, as DynamoDB divides a table.

Every table has one. It begins with one partition, which is split when it has grown large, or by an
administrative call. The shards of streams and the files of exports follow it. Parallel scans divide
the same hashes evenly, whatever the map is: a split must not move the segments of a scan under way.
"""

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from sortkey.engine.keys import HASH_BYTES

HASHES = 1 << (8 * HASH_BYTES)
# DynamoDB splits a partition that has grown to ten gigabytes.
PARTITION_BYTES = 10 * 1024**3
WHOLE = [[0, None]]


class HashRange(NamedTuple):
    """A range of hashes, and the shard that has its changes while the table is journalled."""

    first: int
    last: int
    shard: int | None


class PartitionMap:
    """The partitions of a table, in the order of their hashes."""

    def __init__(self, stored: Sequence[Sequence[int | None]]) -> None:
        """Take the map as a table's definition has it: the first hash and the shard of each."""
        self._firsts = [first or 0 for first, _ in stored]
        ends = [*self._firsts[1:], HASHES]
        self.all = [
            HashRange(first, end - 1, shard)
            for first, end, (_, shard) in zip(self._firsts, ends, stored, strict=True)
        ]

    def of(self, partition: bytes) -> HashRange:
        """Return the partition that has the rows with this partition key."""
        if len(self.all) == 1:
            return self.all[0]
        return self.all[self.number_of(int.from_bytes(partition[:HASH_BYTES], "big"))]

    def number_of(self, found: int) -> int:
        """Return the number of the partition that has this hash."""
        return bisect_right(self._firsts, found) - 1

    @property
    def widest(self) -> int:
        """The number of the partition with the most hashes."""
        return max(range(len(self.all)), key=lambda at: self.all[at].last - self.all[at].first)

    def can_split(self, number: int) -> bool:
        """Return whether the partition has more than one hash."""
        return self.all[number].first < self.all[number].last

    def split(self, number: int, first: int | None = None) -> "list[list[int | None]]":
        """Return the map, to be stored, in which this partition has been divided.

        The second half begins with the hash ``first``, or in the middle.
        """
        divided: list[list[int | None]] = []
        for at, partition in enumerate(self.all):
            divided.append([partition.first, partition.shard])
            if at == number:
                middle = (partition.first + partition.last + 1) // 2
                divided.append([middle if first is None else first, partition.shard])
        return divided
