"""The open connections: when the server gives one up, and which one makes room for another.

No timer runs for a connection. Each one notes when its client last did something, by a clock that
moves about twice a second, and all are looked at once a second. Only the client can be late: a
request that is being answered is never given up, and the clock leaves out the time in which the
server itself did not run.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

# Bounds what clients can make a worker hold, however many files it may open.
MOST_CONNECTIONS = 10_000
_SWEEP_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Patience:
    """How many seconds a client may take.

    Args:
        head: From the connection, or from the first byte of a later request, to the last header.
        body: Between two pieces of a body.
        request: From the first byte of a request to its last.
        unread: Between two pieces of the replies, if the client does not read them.
        idle: Between two requests.
    """

    head: float = 10.0
    body: float = 30.0
    request: float = 300.0
    unread: float = 60.0
    idle: float = 600.0


class HeldConnection(Protocol):
    """A connection, as far as its place on the server is concerned."""

    @property
    def since(self) -> float:
        """When the client last did something that earns it more time."""
        ...

    @property
    def is_evictable(self) -> bool:
        """Whether it can be closed: it is open, and none of its requests is being answered."""
        ...

    @property
    def has_asked(self) -> bool:
        """Whether the client has ever sent a whole request."""
        ...

    @property
    def has_unsent(self) -> bool:
        """Whether a reply is not sent completely."""
        ...

    def deadline(self) -> float:
        """Return when the client's time is over."""
        ...

    def expire(self) -> None:
        """Give the client up, as its time is over."""
        ...

    def evict(self) -> None:
        """Close the connection to make room for another."""
        ...

    def close(self) -> None:
        """Accept no further request, and close when all replies are sent."""
        ...

    def abort(self) -> None:
        """Close at once."""
        ...


class OpenConnections(set[HeldConnection]):
    """The open connections of a worker, at most ``most``."""

    def __init__(
        self,
        patience: Patience = Patience(),  # noqa: B008 - it cannot change
        most: int = MOST_CONNECTIONS,
    ) -> None:
        super().__init__()
        self.patience = patience
        self.now = 0.0
        self.left: Callable[[], None] = lambda: None
        self._most = most
        self._next_sweep = 0.0
        # Those that make room next, the first one last. An entry is void if its client has done
        # something since; the others stay the oldest.
        self._oldest: list[tuple[float, HeldConnection]] = []

    def add(self, element: HeldConnection) -> None:
        """Take a connection; if there are too many, close the one that was idle longest."""
        if len(self) >= self._most and not self._make_room():
            self._oldest = self._ordered()
            if not self._make_room():
                element.evict()
        super().add(element)

    def discard(self, element: object) -> None:
        """Forget a connection."""
        super().discard(element)
        self.left()

    def tick(self, elapsed: float) -> None:
        """Move the clock, and give up the clients whose time is over."""
        # More has passed only if the server did not run. What clients sent meanwhile is not read
        # yet, so the time is not theirs.
        self.now += min(elapsed, _SWEEP_SECONDS)
        if self.now < self._next_sweep:
            return
        self._next_sweep = self.now + _SWEEP_SECONDS
        for connection in [held for held in self if held.deadline() <= self.now]:
            connection.expire()

    def _make_room(self) -> bool:
        while self._oldest:
            since, connection = self._oldest.pop()
            if connection.is_evictable and connection.since == since:
                connection.evict()
                return True
        return False

    def _ordered(self) -> list[tuple[float, HeldConnection]]:
        """Return those that can make room: first those that have never sent a whole request.

        Those with unsent replies make room only if no other can.
        """
        evictable = [held for held in self if held.is_evictable]
        idle = [held for held in evictable if not held.has_unsent]
        chosen = [held for held in idle if not held.has_asked] or idle or evictable
        chosen.sort(key=lambda held: held.since, reverse=True)
        return [(held.since, held) for held in chosen]
