"""Lag: reads that do not see the latest writes.

What DynamoDB allows. A write is acknowledged once the table has it. A global index receives it
later, and so do other copies of the table; any copy may serve an eventually consistent read. Such a
read therefore sees each item in a state that the item once had. It never sees a state that was not
committed, and never half of a change to an item. DynamoDB promises nothing more:

- *Items lag independently.* A read may see a later write to one item without an earlier write to
  another, and one item of a transaction without the others.
- *Reads may go back in time.* The next read may be served by a copy that is further behind.
- *The index and the table lag independently.* A read of one says nothing about the other.

These never lag: writes and their conditions, transactions, and reads with ``ConsistentRead``. A
local index is stored with its table and lags as the table does.

How it is modelled. `Versions` has the writes that a read may miss. A view says of each item how
many of them the read sees: the item is then in the state before the first write that it misses.
Since reads may go back in time and items lag independently, the views of one read do not depend on
what other reads saw. So nothing has to be propagated: each read chooses its view, and
`LaggingReads` shows the items as they are in it. `explore` tries every view that makes a
difference; the weather chooses one by chance, of the states that each item had within the lag.

One thing is simpler here than in DynamoDB: a read of an index sees an item once, in one version.
DynamoDB may show an item that moved within the index at both places, or at neither.
"""

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any, NamedTuple, TypeAlias

import orjson

from sortkey.engine.keys import RowKey
from sortkey.engine.table import StoredIndex, StoredTable
from sortkey.wire.messages import Request
from sortkey.wire.values import Item


class ItemPlace(NamedTuple):
    """An item: the number of its table's rows, and its key."""

    number: int
    key: RowKey


class ItemState(NamedTuple):
    """An item as JSON, and its size."""

    raw: bytes
    size: int


@dataclass(eq=False, slots=True)
class ItemWrite:
    """A change to one item, and its time: that of the clock, or its step in a schedule."""

    at: float
    table: StoredTable
    key: RowKey
    before: ItemState | None
    after: ItemState | None
    # The item's rows before and after, by the number of each table and index that changes.
    rows: Mapping[int, Sequence[RowKey]]
    # The storage whose open transaction has made the change; None once it is committed.
    open_in: object | None = None

    @property
    def place(self) -> ItemPlace:
        """The item."""
        return ItemPlace(self.table.rows.number, self.key)

    @property
    def primary(self) -> Item:
        """The item's primary key."""
        state = self.after or self.before
        return {} if state is None else self.table.key_attributes(orjson.loads(state.raw))


# Chooses how many of these writes to an item a read sees; the index is one that is global, or None.
View: TypeAlias = Callable[[StoredTable, StoredIndex | None, Sequence[ItemWrite]], int]


@dataclass(frozen=True, slots=True)
class Lagging:
    """The reads that may be stale: those of global indexes, of tables, of both or of none."""

    indexes: bool = False
    tables: bool = False
    local_indexes: frozenset[tuple[str, str]] = frozenset()

    def __bool__(self) -> bool:
        return self.indexes or self.tables

    def tables_of(self, request: Request) -> frozenset[str]:
        """Return the tables whose earlier state this read may see."""
        operation, body = request
        if operation == "BatchGetItem":
            wanted: dict[str, Any] = body["RequestItems"]
            return frozenset(name for name, part in wanted.items() if self._may_lag(part))
        if operation not in {"GetItem", "Query", "Scan"}:
            return frozenset()
        table: str = body["TableName"]
        index = body.get("IndexName")
        if index is None or (table, index) in self.local_indexes:
            return frozenset({table} if self._may_lag(body) else ())
        return frozenset({table} if self.indexes else ())

    def _may_lag(self, read: Mapping[str, Any]) -> bool:
        return self.tables and is_eventual(read)


def is_eventual(read: Mapping[str, Any]) -> bool:
    """Return whether a read, or a part of one, may be served by any copy."""
    return not read.get("ConsistentRead", False)


class Versions:
    """The writes that reads may miss, found by item and by the partitions that they change."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._writes: deque[ItemWrite] = deque()
        self._by_item: dict[ItemPlace, deque[ItemWrite]] = {}
        # By the number of a table or an index, then by partition.
        self._by_partition: dict[int, dict[bytes, deque[ItemWrite]]] = {}
        self._open: dict[object, list[ItemWrite]] = {}

    # -- writing ------------------------------------------------------------------------------

    def note(self, write: ItemWrite) -> None:
        """Record a write; while it is open, only its own storage can find it."""
        with self._lock:
            self._writes.append(write)
            self._by_item.setdefault(write.place, deque()).append(write)
            for number, partition in _partitions(write):
                partitions = self._by_partition.setdefault(number, {})
                partitions.setdefault(partition, deque()).append(write)
            if write.open_in is not None:
                self._open.setdefault(write.open_in, []).append(write)

    def commit(self, storage: object) -> None:
        """Let every reader know the writes of the transaction that this storage has committed."""
        with self._lock:
            for write in self._open.pop(storage, ()):
                write.open_in = None

    def roll_back(self, storage: object) -> None:
        """Forget the writes of the transaction that this storage has rolled back."""
        with self._lock:
            for write in self._open.pop(storage, ()):
                self._writes.remove(write)
                self._forget(write)

    def forget_outside(self, oldest: float, latest: float) -> None:
        """Forget writes that were made at the oldest time or before it, or after the latest."""
        with self._lock:
            while self._writes and not oldest < self._writes[0].at <= latest:
                write = self._writes.popleft()
                self._forget(write)
                if write.open_in is not None:
                    self._open[write.open_in].remove(write)

    def clear(self) -> None:
        """Forget all writes."""
        with self._lock:
            self._writes.clear()
            self._by_item.clear()
            self._by_partition.clear()
            self._open.clear()

    def _forget(self, write: ItemWrite) -> None:
        _take(self._by_item, write.place, write)
        for number, partition in _partitions(write):
            partitions = self._by_partition[number]
            _take(partitions, partition, write)
            if not partitions:
                del self._by_partition[number]

    # -- reading ------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self._writes)

    @property
    def writes(self) -> list[ItemWrite]:
        """All writes, the earliest first."""
        return list(self._writes)

    def of(self, place: ItemPlace, reader: object = None) -> list[ItemWrite]:
        """Return the writes to an item that are committed, or open in the reader's own storage."""
        with self._lock:
            return [
                write
                for write in self._by_item.get(place, ())
                if write.open_in is None or write.open_in is reader
            ]

    def in_partition(self, number: int, partition: bytes) -> list[ItemPlace]:
        """Return the items that were written in a partition of a table or an index, in order."""
        with self._lock:
            return _places(self._by_partition.get(number, {}).get(partition, ()))

    def in_partitions(self, number: int, first: bytes, last: bytes) -> list[ItemPlace]:
        """Return the items that were written in the partitions from the first up to the last."""
        with self._lock:
            return _places(
                write
                for partition, writes in self._by_partition.get(number, {}).items()
                if first <= partition < last
                for write in writes
            )


def _partitions(write: ItemWrite) -> list[tuple[int, bytes]]:
    """Return the partitions that a write changes, each after the number of its rows."""
    return [
        (number, partition)
        for number, keys in write.rows.items()
        for partition in dict.fromkeys(key.partition for key in keys)
    ]


def _places(writes: Iterable[ItemWrite]) -> list[ItemPlace]:
    return sorted({write.place for write in writes})


def _take(filed: dict[Any, deque[ItemWrite]], name: object, write: ItemWrite) -> None:
    """Remove a write from where it is filed; it is the first one, unless it is rolled back."""
    writes = filed[name]
    writes.remove(write)
    if not writes:
        del filed[name]
