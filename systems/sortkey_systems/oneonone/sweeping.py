"""End the calls that are over, match the users who still wait, and delete rooms; for a schedule."""

import logging
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from time import monotonic

from sortkey import DB, Contended, TransactionFailed, Unreadable, utc_now
from sortkey_systems.oneonone.calling import settle
from sortkey_systems.oneonone.closing import Rooms, close
from sortkey_systems.oneonone.design import OpenCall, due_calls, session_by_id
from sortkey_systems.oneonone.errors import VideoServerError, VideoServerUnreachable
from sortkey_systems.oneonone.matching import match

_log = logging.getLogger(__name__)

# The next sweep goes on with the rooms that are left.
CLOSING_LASTS = timedelta(seconds=20)


@dataclass(frozen=True, slots=True)
class Sweep:
    """The number of calls that were ended, of calls that could not be, and of matches.

    ``closed`` is the number of rooms that LiveKit has deleted or does not have, and ``left`` of
    those that the next sweep has to try.
    """

    settled: int
    failed: int
    matched: int
    closed: int
    left: int


def sweep(db: DB, rooms: Rooms) -> Sweep:
    """End all calls that are over, match all waiting users, and delete the rooms of ended calls.

    A call that cannot be ended now does not stop the others, and neither does a room that cannot
    be deleted; the next sweep tries them again. Rooms come last, because LiveKit may be slow.
    """
    settled = failed = matched = 0
    ended: dict[str, OpenCall] = {}
    for call in _due(db, utc_now()):
        if call.end_time is not None:
            ended[call.session_id] = call
            continue
        try:
            over = _ended(db, call)
        except (Contended, TransactionFailed, Unreadable) as error:
            _log.warning("call %s is not settled: %s", call.session_id, error)
            failed += 1
            continue
        if over is not None:
            settled += 1
            ended[call.session_id] = over
    while match(db):
        matched += 1
    closed = _close_all(db, rooms, ended.values())
    return Sweep(settled, failed, matched, closed, len(ended) - closed)


def _due(db: DB, moment: datetime) -> Iterator[OpenCall]:
    """Yield the calls that are due, a page at a time."""
    cursor: str | None = None
    while True:
        page = db(due_calls(moment, cursor))
        yield from page
        cursor = page.cursor
        if cursor is None:
            return


def _ended(db: DB, call: OpenCall) -> OpenCall | None:
    """End a call if it is over, and return it; the index may not have what happened since."""
    session = db(session_by_id(call.session_id))
    if session is None or not settle(db, session):
        return None
    after = db(session_by_id(call.session_id))
    if after is None or after.due_at is None:
        return None
    return OpenCall.model_validate(after, from_attributes=True)


def _close_all(db: DB, rooms: Rooms, calls: Iterable[OpenCall]) -> int:
    """Delete the rooms of ended calls; return the number that LiveKit has deleted."""
    closed = 0
    until = monotonic() + CLOSING_LASTS.total_seconds()
    for call in calls:
        if monotonic() > until:
            _log.warning("the time for deleting rooms is over")
            break
        try:
            close(db, rooms, call)
            closed += 1
        except VideoServerUnreachable as error:
            # Each of the others would wait as long.
            _log.warning("no rooms can be deleted now: %s", error)
            break
        except VideoServerError as error:
            _log.warning("the room of call %s is not deleted: %s", call.session_id, error)
    return closed
