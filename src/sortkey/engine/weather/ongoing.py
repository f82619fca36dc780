"""Transactions that take time: which items and tokens they hold meanwhile.

A transaction takes effect at once, but its response comes later. Until then another transaction, or
a write, that is about one of its items fails with a conflict. It ends when its response is sent, so
a client that waits for it has no conflict with itself. If nobody waits for the response any longer,
it ends by the engine's clock.
"""

from collections.abc import Hashable, Iterable
from threading import Lock

from sortkey.clock import Clock


class Ongoing:
    """A transaction that is under way: what it holds, and when it began."""

    __slots__ = ("began", "held")

    def __init__(self, held: Iterable[Hashable], began: float) -> None:
        self.held = tuple(held)
        self.began = began


class OngoingTransactions:
    """The items and tokens that transactions hold, for so many seconds each."""

    def __init__(self, seconds: float, clock: Clock) -> None:
        # The time until the response to a transaction is sent.
        self.seconds = seconds
        self._clock = clock
        self._held: dict[Hashable, Ongoing] = {}
        self._lock = Lock()

    def begin(self, held: Iterable[Hashable]) -> Ongoing | None:
        """Hold these from now on; None if transactions take no time."""
        if not self.seconds:
            return None
        began = Ongoing(held, self._clock())
        with self._lock:
            # Their order is that of their beginnings, so the first ones end first.
            ended: list[Hashable] = []
            for each, holder in self._held.items():
                if self._is_under_way(holder):
                    break
                ended.append(each)
            for each in ended:
                del self._held[each]
            for each in began.held:
                self._held.pop(each, None)
                self._held[each] = began
        return began

    def end(self, ongoing: Ongoing | None) -> None:
        """Let a transaction hold nothing any longer."""
        if ongoing is None:
            return
        with self._lock:
            for each in ongoing.held:
                if self._held.get(each) is ongoing:
                    del self._held[each]

    def holds(self, item: Hashable) -> bool:
        """Return whether a transaction holds this."""
        holder = self._held.get(item)
        return holder is not None and self._is_under_way(holder)

    def _is_under_way(self, ongoing: Ongoing) -> bool:
        # A clock that is set back to before the beginning ends it too.
        return ongoing.began <= self._clock() < ongoing.began + self.seconds
