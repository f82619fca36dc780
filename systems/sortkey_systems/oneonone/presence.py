"""Who is in the room of a call, and when: a log of connections, and what follows from it.

LiveKit reports connections by webhooks, which may come late, twice, in another order or not at all.
So the log is a set of connections, and an event only adds what it knows to one of them: the same
events give the same log, in whatever order they come.

A user may have several connections, after each other or, for a moment, at once: a user who reloads
a page leaves and joins, and a second device replaces the first one, whose departure may be reported
after the new arrival. A call is over when one of its users has left and has not come back within
`GRACE`. It was over when that user left, so nobody pays for the time in which the other one waited.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Annotated, TypeAlias

from pydantic import BaseModel, Field

# LiveKit itself waits for about 15 seconds for a connection that broke to resume before it reports
# that a participant left. This is for those who reload the page, or change the device.
GRACE = timedelta(seconds=30)
# The newest are kept: a record must not grow with a connection that breaks all the time.
MOST_CONNECTIONS = 40


class Connection(BaseModel, frozen=True):
    """A connection of a user to a room; without ``joined``, it was never established."""

    participant: str  # LiveKit's id of the connection
    user_id: str
    joined: datetime | None = None
    left: datetime | None = None

    @property
    def begin(self) -> datetime:
        """When it was established, or failed."""
        begin = self.joined or self.left
        if begin is None:
            raise ValueError(f"nothing is known of connection {self.participant}")
        return begin


Log: TypeAlias = Annotated[tuple[Connection, ...], Field(max_length=MOST_CONNECTIONS)]


def with_connection(log: Iterable[Connection], seen: Connection) -> Log:
    """Return the log with what an event says of a connection, oldest first."""
    known = {connection.participant: connection for connection in log}
    former = known.get(seen.participant, seen)
    known[seen.participant] = seen.model_copy(
        update={
            "joined": min(filter(None, (former.joined, seen.joined)), default=None),
            "left": max(filter(None, (former.left, seen.left)), default=None),
        }
    )
    oldest_first = sorted(known.values(), key=lambda each: (each.begin, each.participant))
    return tuple(oldest_first[-MOST_CONNECTIONS:])


def over_at(
    log: Sequence[Connection], users: Iterable[str], finished: datetime | None
) -> datetime | None:
    """Return when the first of the users left who has not come back in time, or None.

    Of the last departure it is not known yet whether the user comes back. ``finished`` is when
    the room was closed: nobody who joined before is in it.
    """
    departures = (
        _departure([each for each in log if each.user_id == user], finished) for user in users
    )
    return min(filter(None, departures), default=None)


def _departure(own: Sequence[Connection], finished: datetime | None) -> datetime | None:
    joined = sorted((each for each in own if each.joined), key=lambda each: each.begin)
    if not joined:
        # The user tried and may try again.
        return max((each.left for each in own if each.left), default=None)
    here_until = joined[0].begin
    for connection in joined:
        if connection.begin > here_until + GRACE:
            return here_until
        left = connection.left
        if left is None:
            if finished is None or finished <= connection.begin:
                return None
            left = finished
        here_until = max(here_until, left)
    return here_until
