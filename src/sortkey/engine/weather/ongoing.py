"""Transactions that take time: which items and tokens they hold meanwhile.

A transaction takes effect at once, but its response comes later. Until then another transaction, or
a write, that is about one of its items fails with a conflict. This is real time and not that of the
engine's clock, since it is the requests of several clients at one time that conflict.
"""

from collections.abc import Hashable, Iterable
from threading import Lock
from time import monotonic

# A response is sent a little after the end, so that a client has no conflict with itself.
_MARGIN_SECONDS = 0.002


class OngoingTransactions:
    """The items and tokens that transactions hold, for so many seconds each."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._held: dict[Hashable, float] = {}
        self._lock = Lock()

    @property
    def delay(self) -> float:
        """The seconds until the response to a transaction is sent."""
        return self._seconds + _MARGIN_SECONDS

    def begin(self, held: Iterable[Hashable]) -> list[Hashable]:
        """Hold these from now on, and return them; nothing if transactions take no time."""
        if not self._seconds:
            return []
        began = list(held)
        now = monotonic()
        with self._lock:
            # All are held equally long, so the first ones end first.
            ended: list[Hashable] = []
            for each, until in self._held.items():
                if until > now:
                    break
                ended.append(each)
            for each in ended:
                del self._held[each]
            self._held |= dict.fromkeys(began, now + self._seconds)
        return began

    def end(self, began: Iterable[Hashable]) -> None:
        """Hold these no longer, since their transaction is not carried out."""
        with self._lock:
            for each in began:
                self._held.pop(each, None)

    def holds(self, item: Hashable) -> bool:
        """Return whether a transaction holds this."""
        return bool(self._held) and self._held.get(item, 0.0) > monotonic()
