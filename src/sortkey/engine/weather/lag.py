"""Lag by chance: which of its latest states each read sees of each item.

A read that may lag chooses, for each item that was written within the lag, one of the states that
the item had since then; each is as likely. One seed decides the choices of all reads by their
order: the dice of a read are its own, and a read that is repeated because it was not prompt throws
the same ones again.
"""

import random
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from itertools import count
from threading import Lock
from typing import Any, cast

from sortkey.clock import Clock
from sortkey.engine.lag import ItemWrite, Versions, View, is_eventual
from sortkey.engine.promptness import NotPrompt
from sortkey.engine.table import StoredIndex, StoredTable

# Of the statements, only a SELECT reads what may lag.
_MAY_LAG = frozenset(
    {"GetItem", "BatchGetItem", "Query", "Scan", "ExecuteStatement", "BatchExecuteStatement"}
)


class WeatherLag:
    """The lag of global indexes, and of tables with their local indexes, in seconds."""

    def __init__(self, index_seconds: float, table_seconds: float, seed: int, clock: Clock) -> None:
        self.versions = Versions()
        self._index_seconds = index_seconds
        self._table_seconds = table_seconds
        self._seed = seed
        self._clock = clock
        self._lock = Lock()
        self._numbers = count(1)
        # The numbers of reads that are to be repeated.
        self._again: list[int] = []

    def concerns(self, operation: str, body: Any) -> bool:
        """Return whether a request may lag, and was not made when nothing was written lately."""
        if operation not in _MAY_LAG or not isinstance(body, dict):
            return False
        self._forget_old()
        return len(self.versions) > 0 and is_eventual(cast("dict[str, Any]", body))

    def record(self, write: ItemWrite) -> None:
        """Record a write, so that reads can miss it."""
        self._forget_old()
        self.versions.note(write)

    @contextmanager
    def view(self) -> Generator[View]:
        """Provide the view of one read, which is the ``with`` block."""
        number: int | None = None
        dice: random.Random | None = None
        now = self._clock()

        def choose(
            _table: StoredTable, index: StoredIndex | None, writes: Sequence[ItemWrite]
        ) -> int:
            nonlocal number, dice
            seconds = self._table_seconds if index is None else self._index_seconds
            first = len(writes)
            while first and now - writes[first - 1].at < seconds:
                first -= 1
            if first == len(writes):
                return first
            if dice is None:
                number = self._next_number()
                dice = random.Random(f"{self._seed} lag {number}")  # noqa: S311 - no secret
            return dice.randint(first, len(writes))

        try:
            yield choose
        except NotPrompt:
            if number is not None:
                with self._lock:
                    self._again.append(number)
            raise

    def _next_number(self) -> int:
        with self._lock:
            return self._again.pop() if self._again else next(self._numbers)

    def _forget_old(self) -> None:
        now = self._clock()
        # A clock that was set back leaves writes behind that were made after it.
        self.versions.forget_outside(now - max(self._index_seconds, self._table_seconds), now)
