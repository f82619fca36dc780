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
local index is stored with its table and lags as the table does. So ``index_lag`` applies to reads
of global indexes, and ``stale_reads`` to eventually consistent reads of tables and local indexes.

How it is explored. Only the writes of the schedule can be missed: records that were stored before
the calls began do not lag, and nothing lags when ``then`` and the invariant read. At each read that
may lag, every version of every item that the schedule has written is a candidate. Since reads may
go back in time and items lag independently, the candidates of one read do not depend on what other
reads saw. So propagation is not a step: the schedule chooses the response of each read.

Why this is finite and small. Of all candidates, one is explored for each new response:

- A response equal to the current one is not stale.
- A response that was current at some time since the request was ready is left out. The schedule
  that sends this read a little earlier gets the same response without any lag, the read changes
  nothing, and that schedule is explored as well. Only results that lag alone can cause remain:
  a read that misses a write that its caller made, or could know of.

One thing is simpler here than in DynamoDB: a Scan of an index sees an item once, in one version.
DynamoDB may show an item that moved within the index at both places, or at neither.
"""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import product
from math import prod
from typing import Any, TypeAlias

from sortkey.engine import Engine
from sortkey.errors import Refused
from sortkey.explore.footprint import Place, place_of, touched_items
from sortkey.wire.errors import ServiceError
from sortkey.wire.messages import WRITES, Request
from sortkey.wire.values import Item
from sortkey.wording.prose import counted

MOST_VIEWS = 1_000

# How many of the schedule's writes to each item a read sees; all of them for other items.
View: TypeAlias = Mapping[Place, int]
PRESENT: View = {}

# Without these, whether an item is in the response does not depend on other items.
_PAGING = frozenset({"Limit", "ExclusiveStartKey"})
# The cost of a request also depends on items that a filter left out.
_COST = frozenset({"ConsumedCapacity", "ScannedCount"})


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
        return self.tables and not read.get("ConsistentRead", False)


@dataclass(frozen=True, slots=True)
class ScheduledWrite:
    """One item's change, at one step of a schedule."""

    step: int
    table: str
    key: Item
    before: Item | None
    after: Item | None


@dataclass(slots=True)
class History:
    """The writes of one schedule, and responses to reads that miss some of them."""

    engine: Engine
    keys: dict[str, tuple[str, ...]]
    lagging: Lagging
    writes: list[ScheduledWrite] = field(default_factory=list[ScheduledWrite])
    _by_item: dict[Place, list[ScheduledWrite]] = field(
        default_factory=dict[Place, list[ScheduledWrite]]
    )

    def send(
        self, request: Request, send: Callable[[Request], dict[str, Any]], step: int, view: View
    ) -> dict[str, Any]:
        """Send a request: a read sees the view, and a write is recorded so reads can miss it."""
        if view:
            with self._as_of(view):
                return send(request)
        if not self.lagging or request.operation not in WRITES:
            return send(request)
        items = [item for item in touched_items(request, self.keys) if item[1]]
        before = [self._stored(table, key) for table, key in items]
        try:
            return send(request)
        finally:
            for (table, key), old in zip(items, before, strict=True):
                self._note(ScheduledWrite(step, table, key, old, self._stored(table, key)))

    def missed(self, view: View) -> list[ScheduledWrite]:
        """Return the writes that a read of this view does not see, the earliest first."""
        missed = [w for place, seen in view.items() for w in self._by_item[place][seen:]]
        return sorted(missed, key=lambda write: write.step)

    def views(self, request: Request, since: int) -> list[View]:
        """Return the views in which a read returns a result that no other order can cause.

        ``since`` is the number of earlier writes when the request was ready. Views that miss the
        fewest and latest writes come first.
        """
        tables = self.lagging.tables_of(request)
        if not any(place[0] in tables for place in self._by_item):
            return []
        try:
            present = self._answer(request, PRESENT)
        except ServiceError:
            return []
        whole = Request(
            request.operation,
            {member: value for member, value in request.body.items() if member not in _PAGING},
        )
        versions = {
            place: list(self._versions(place, whole))
            for place in self._by_item
            if place[0] in tables
        }
        candidates = _candidates({place: seen for place, seen in versions.items() if seen})
        if not candidates:
            return []
        answers = [present]
        answers += [self._answer(request, self._view_at(n)) for n in range(since, len(self.writes))]
        views: list[View] = []
        for view in sorted(candidates, key=self._remoteness):
            answer = self._answer(request, view)
            if answer not in answers:
                answers.append(answer)
                views.append(view)
        return views

    def _remoteness(self, view: View) -> tuple[int, int]:
        steps = [write.step for write in self.missed(view)]
        return len(steps), -sum(steps)

    def _versions(self, place: Place, request: Request) -> Iterator[int]:
        """Yield the item's earlier versions; only the latest of those that look the same."""
        answers = [self._answer(request, PRESENT)]
        for seen in reversed(range(len(self._by_item[place]))):
            answer = self._answer(request, {place: seen})
            if answer not in answers:
                answers.append(answer)
                yield seen

    def _view_at(self, count: int) -> View:
        """Return the view after the first ``count`` writes, without lag."""
        later = {self._place(write) for write in self.writes[count:]}
        return {
            place: sum(self._place(write) == place for write in self.writes[:count])
            for place in later
        }

    def _answer(self, request: Request, view: View) -> dict[str, Any]:
        with self._as_of(view):
            answer = self.engine.answer(*request)
        return {name: value for name, value in answer.items() if name not in _COST}

    @contextmanager
    def _as_of(self, view: View) -> Generator[None]:
        """Store earlier versions for the length of a ``with`` block."""
        for place, seen in view.items():
            write = self._by_item[place][seen]
            self._store(write, write.before)
        try:
            yield
        finally:
            for place in view:
                write = self._by_item[place][-1]
                self._store(write, write.after)

    def _store(self, write: ScheduledWrite, item: Item | None) -> None:
        if item is None:
            self.engine.answer("DeleteItem", {"TableName": write.table, "Key": write.key})
        else:
            self.engine.answer("PutItem", {"TableName": write.table, "Item": item})

    def _stored(self, table: str, key: Item) -> Item | None:
        wanted = {"TableName": table, "Key": key, "ConsistentRead": True}
        return self.engine.answer("GetItem", wanted).get("Item")

    def _note(self, write: ScheduledWrite) -> None:
        if write.before != write.after:
            self.writes.append(write)
            self._by_item.setdefault(self._place(write), []).append(write)

    def _place(self, write: ScheduledWrite) -> Place:
        return place_of(write.table, write.key, self.keys)


def _candidates(versions: Mapping[Place, Sequence[int]]) -> list[View]:
    """Return every combination of the items' versions, except the one without lag."""
    count = prod(len(seen) + 1 for seen in versions.values())
    if count > MOST_VIEWS:
        raise Refused(
            f"a read can miss the writes of {counted(len(versions), 'item')} in {count:,} ways, "
            f"and explore() tries at most {MOST_VIEWS:,}: explore calls that write fewer items of "
            "the table"
        )
    choices = [(None, *seen) for seen in versions.values()]
    views = (
        {place: seen for place, seen in zip(versions, chosen, strict=True) if seen is not None}
        for chosen in product(*choices)
    )
    return [view for view in views if view]
