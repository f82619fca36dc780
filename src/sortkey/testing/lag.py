"""Lag: reads that do not see the latest writes.

What DynamoDB allows. A write is acknowledged once the table has it. A global index receives it
later, and so does each further copy of the table; an eventually consistent read may be answered by
any copy. Such a read therefore sees, of each item, a state that the item once had. It never sees a
state that was not committed, and never half of a change to an item. Nothing more is promised:

- *Items lag apart.* A read may see a later write to one item without an earlier write to another,
  and one item of a transaction without the others.
- *Reads may go back.* The next read may be answered by a copy that is further behind.
- *The index and the table lag apart.* A read of one says nothing about the other.

What never lags: writes and their conditions, transactions, reads with ``ConsistentRead``. A local
index is stored with its table and lags as the table does. So ``index_lag`` concerns reads of global
indexes, and ``stale_reads`` the eventually consistent reads of tables and their local indexes.

How it is explored. Only the writes of the schedule may be missed: what was stored before the calls
began is settled, and so is everything before ``then`` and the invariant read. At each read that may
lag, every version of every item that the schedule has written is a candidate. Since reads may go
back and items lag apart, the candidates of one read do not depend on what other reads saw. So
propagation is no step of its own: the schedule chooses, read by read, which answer is given.

Why this is finite and small. Of all candidates, one is explored for each answer that is new:

- An answer equal to the present one is not stale.
- An answer that was the present one since the request was ready to be sent is left out. The
  schedule that sends this read a little earlier gets the same answer without any lag, the read
  changes nothing, and that schedule is explored as well. What remains is what only lag can cause:
  a read that misses a write which its caller made, or has reason to know of.

One thing is simpler here than in DynamoDB: a Scan of an index meets an item once, in one version,
where DynamoDB may show an item that moved within the index at both places, or at neither.
"""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import product
from math import prod
from typing import Any, TypeAlias

from sortkey.engine import Engine
from sortkey.errors import Refused
from sortkey.testing.footprint import Place, place_of, touched_items
from sortkey.wire.errors import ServiceError
from sortkey.wire.messages import WRITES, Request
from sortkey.wire.values import Item

MOST_VIEWS = 1_000

# How many of the schedule's writes to an item a read sees; all of them where the item is not named.
View: TypeAlias = Mapping[Place, int]
PRESENT: View = {}

# What limits a page; without it each item is in the answer, or not, whatever the others do.
_PAGING = frozenset({"Limit", "ExclusiveStartKey"})
# What an answer says of its cost, which also depends on items that a filter left out.
_COST = frozenset({"ConsumedCapacity", "ScannedCount"})


@dataclass(frozen=True, slots=True)
class Lagging:
    """Which reads may be stale: those of global indexes, of tables, of both or of none."""

    indexes: bool = False
    tables: bool = False
    local_indexes: frozenset[tuple[str, str]] = frozenset()

    def __bool__(self) -> bool:
        return self.indexes or self.tables

    def tables_of(self, request: Request) -> frozenset[str]:
        """Return the tables of which this read may see an earlier state."""
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
class Write:
    """One item's change, at one step of a schedule."""

    step: int
    table: str
    key: Item
    before: Item | None
    after: Item | None


@dataclass(slots=True)
class History:
    """What the calls of one schedule have written, and answers as of before some of it."""

    engine: Engine
    keys: dict[str, tuple[str, ...]]
    lagging: Lagging
    writes: list[Write] = field(default_factory=list[Write])
    _by_item: dict[Place, list[Write]] = field(default_factory=dict[Place, list[Write]])

    def send(
        self, request: Request, send: Callable[[Request], dict[str, Any]], step: int, view: View
    ) -> dict[str, Any]:
        """Send a request: a read as of the view, a write so that later reads may miss it."""
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
                self._note(Write(step, table, key, old, self._stored(table, key)))

    def missed(self, view: View) -> list[Write]:
        """Return the writes that a read as of this view does not see, the earliest first."""
        missed = [w for place, seen in view.items() for w in self._by_item[place][seen:]]
        return sorted(missed, key=lambda write: write.step)

    def views(self, request: Request, since: int) -> list[View]:
        """Return the views in which a read gives an answer that no other order can give.

        ``since`` is the number of writes that had been made when the request was ready. The views
        that miss the fewest writes, and the latest, come first.
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
        """The item's earlier versions, of those that this read cannot tell apart the latest."""
        answers = [self._answer(request, PRESENT)]
        for seen in reversed(range(len(self._by_item[place]))):
            answer = self._answer(request, {place: seen})
            if answer not in answers:
                answers.append(answer)
                yield seen

    def _view_at(self, count: int) -> View:
        """What everybody saw after so many writes."""
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

    def _store(self, write: Write, item: Item | None) -> None:
        if item is None:
            self.engine.answer("DeleteItem", {"TableName": write.table, "Key": write.key})
        else:
            self.engine.answer("PutItem", {"TableName": write.table, "Item": item})

    def _stored(self, table: str, key: Item) -> Item | None:
        wanted = {"TableName": table, "Key": key, "ConsistentRead": True}
        return self.engine.answer("GetItem", wanted).get("Item")

    def _note(self, write: Write) -> None:
        if write.before != write.after:
            self.writes.append(write)
            self._by_item.setdefault(self._place(write), []).append(write)

    def _place(self, write: Write) -> Place:
        return place_of(write.table, write.key, self.keys)


def _candidates(versions: Mapping[Place, Sequence[int]]) -> list[View]:
    """Every combination of the items' versions, without the one in which all are present."""
    count = prod(len(seen) + 1 for seen in versions.values())
    if count > MOST_VIEWS:
        raise Refused(
            f"a read may miss the writes of {len(versions)} items in {count:,} ways, and explore() "
            f"tries at most {MOST_VIEWS:,}: explore calls that write fewer items of the table"
        )
    choices = [(None, *seen) for seen in versions.values()]
    views = (
        {place: seen for place, seen in zip(versions, chosen, strict=True) if seen is not None}
        for chosen in product(*choices)
    )
    return [view for view in views if view]
