"""Lag, explored: every view of a read that causes a result of its own.

`engine/lag.py` has the theory, and what a read that lags may see. ``index_lag`` applies to reads of
global indexes, and ``stale_reads`` to eventually consistent reads of tables and local indexes. Only
the writes of the schedule can be missed: records that were stored before the calls began do not
lag, and nothing lags when ``then`` and the invariant read. At each read that may lag, every version
of every item that the schedule has written is a candidate. Propagation is not a step: the schedule
chooses the response of each read.

Why this is finite and small. Of all candidates, one is explored for each new response:

- A response equal to the current one is not stale.
- A response that was current at some time since the request was ready is left out. The schedule
  that sends this read a little earlier gets the same response without any lag, the read changes
  nothing, and that schedule is explored as well. Only results that lag alone can cause remain:
  a read that misses a write that its caller made, or could know of.
"""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import product
from math import prod
from typing import Any, TypeAlias

from sortkey.engine import Engine
from sortkey.engine.changes import ItemChange, write_of
from sortkey.engine.lag import ItemPlace, ItemWrite, Lagging, Versions
from sortkey.engine.lagging_reads import LaggingReads
from sortkey.engine.table import StoredIndex, StoredTable
from sortkey.engine.transactions import TargetItem
from sortkey.errors import Refused
from sortkey.explore.footprint import touched_items
from sortkey.wire.errors import ServiceError
from sortkey.wire.messages import WRITES, Request
from sortkey.wire.values import Item
from sortkey.wording.prose import counted

MOST_VIEWS = 1_000

# How many of the schedule's writes to each item a read sees; all of them for other items.
ExploredView: TypeAlias = Mapping[ItemPlace, int]
PRESENT: ExploredView = {}

# Without these, whether an item is in the response does not depend on other items.
_PAGING = frozenset({"Limit", "ExclusiveStartKey"})
# The cost of a request also depends on items that a filter left out.
_COST = frozenset({"ConsumedCapacity", "ScannedCount"})


@dataclass(slots=True)
class History:
    """The writes of one schedule, and responses to reads that miss some of them."""

    engine: Engine
    keys: dict[str, tuple[str, ...]]
    lagging: Lagging
    _versions: Versions = field(default_factory=Versions)

    @property
    def writes(self) -> list[ItemWrite]:
        """The writes, the earliest first."""
        return self._versions.writes

    def send(
        self,
        request: Request,
        send: Callable[[Request], dict[str, Any]],
        step: int,
        view: ExploredView,
    ) -> dict[str, Any]:
        """Send a request: a read sees the view, and a write is recorded so reads can miss it."""
        if view:
            with self._as_of(view):
                return send(request)
        if not self.lagging or request.operation not in WRITES:
            return send(request)
        items = [item for item in touched_items(request, self.keys) if item[1]]
        with self._recording(items, step):
            return send(request)

    def has(self, view: ExploredView) -> bool:
        """Return whether this schedule wrote the items of a view, with more versions than seen."""
        return all(len(self._versions.of(place)) > seen for place, seen in view.items())

    def missed(self, view: ExploredView) -> list[ItemWrite]:
        """Return the writes that a read of this view does not see, the earliest first."""
        missed = [w for place, seen in view.items() for w in self._versions.of(place)[seen:]]
        return sorted(missed, key=lambda write: write.at)

    def views(self, request: Request, since: int) -> list[ExploredView]:
        """Return the views in which a read returns a result that no other order can cause.

        ``since`` is the number of earlier writes when the request was ready. Views that miss the
        fewest and latest writes come first.
        """
        tables = self.lagging.tables_of(request)
        places = dict.fromkeys(w.place for w in self.writes if w.table.name in tables)
        if not places:
            return []
        try:
            present = self._answer(request, PRESENT)
        except ServiceError:
            return []
        whole = Request(
            request.operation,
            {member: value for member, value in request.body.items() if member not in _PAGING},
        )
        versions = {place: list(self._distinct(place, whole)) for place in places}
        candidates = _candidates({place: seen for place, seen in versions.items() if seen})
        if not candidates:
            return []
        answers = [present]
        answers += [self._answer(request, self._view_at(n)) for n in range(since, len(self.writes))]
        views: list[ExploredView] = []
        for view in sorted(candidates, key=self._remoteness):
            answer = self._answer(request, view)
            if answer not in answers:
                answers.append(answer)
                views.append(view)
        return views

    def _remoteness(self, view: ExploredView) -> tuple[int, float]:
        steps = [write.at for write in self.missed(view)]
        return len(steps), -sum(steps)

    def _distinct(self, place: ItemPlace, request: Request) -> Iterator[int]:
        """Yield the item's earlier versions; only the latest of those that look the same."""
        answers = [self._answer(request, PRESENT)]
        for seen in reversed(range(len(self._versions.of(place)))):
            answer = self._answer(request, {place: seen})
            if answer not in answers:
                answers.append(answer)
                yield seen

    def _view_at(self, count: int) -> ExploredView:
        """Return the view after the first ``count`` writes, without lag."""
        later = {write.place for write in self.writes[count:]}
        return {
            place: sum(write.place == place for write in self.writes[:count]) for place in later
        }

    def _answer(self, request: Request, view: ExploredView) -> dict[str, Any]:
        with self._as_of(view):
            answer = self.engine.answer(*request)
        return {name: value for name, value in answer.items() if name not in _COST}

    @contextmanager
    def _as_of(self, view: ExploredView) -> Generator[None]:
        """Show earlier versions for the length of a ``with`` block."""

        def choose(_: StoredTable, __: StoredIndex | None, writes: Sequence[ItemWrite]) -> int:
            return view.get(writes[0].place, len(writes))

        present = self.engine._db
        self.engine._db = LaggingReads(present, self._versions, choose)
        try:
            yield
        finally:
            self.engine._db = present

    @contextmanager
    def _recording(self, items: Iterable[tuple[str, Item]], step: int) -> Generator[None]:
        """Record what becomes of these items, each a table and a key, in the ``with`` block."""
        db = self.engine._db
        tables = [(db.table(name), key) for name, key in items]
        targets = [TargetItem(table, table.key_of(key)) for table, key in tables]
        before = [db.get(*target) for target in targets]
        try:
            yield
        finally:
            for target, old in zip(targets, before, strict=True):
                new = db.get(*target)
                after = (None, 0) if new is None else (new.item, new.size)
                write = write_of(ItemChange(*target, old, *after), step)
                if write is not None:
                    self._versions.note(write)


def _candidates(versions: Mapping[ItemPlace, Sequence[int]]) -> list[ExploredView]:
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
