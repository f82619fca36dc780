"""Match the two users who have waited longest."""

from collections.abc import Iterator
from datetime import datetime
from uuid import uuid4

from sortkey import DB, TransactionFailed, utc_now
from sortkey_systems.oneonone.design import (
    MAX_WAIT,
    Session,
    Waiting,
    match_users,
    new_session,
    waiting_users,
)
from sortkey_systems.oneonone.queueing import Status, join, status


def join_and_match(db: DB, user_id: str) -> Status:
    """Join the queue, match, and return the status of the user."""
    join(db, user_id)
    match(db)
    return status(db, user_id)


def match(db: DB) -> Session | None:
    """Match the two users who have waited longest; return None if fewer than two wait.

    Users who were matched, left or joined again since the queue was read are skipped.
    """
    moment = utc_now()
    first: Waiting | None = None
    for second in _waiting(db, moment):
        if first is None:
            first = second
            continue
        session_id = uuid4().hex
        try:
            db(match_users(first, second, session_id, moment))
        except TransactionFailed as failed:
            first = _still_there(failed, first, second)
            continue
        return new_session(first, second, session_id, moment)
    return None


def _waiting(db: DB, moment: datetime) -> Iterator[Waiting]:
    """Yield the users whose entry is not stale, longest wait first."""
    cursor: str | None = None
    while True:
        page = db(waiting_users(moment - MAX_WAIT, cursor))
        yield from page
        cursor = page.cursor
        if cursor is None:
            return


def _still_there(failed: TransactionFailed, *pair: Waiting) -> Waiting | None:
    """Return the user of a pair who still waits, or None if neither does."""
    gone = [user for user, failure in zip(pair, failed.failures, strict=False) if failure]
    if not gone:
        raise failed  # the session's own write failed
    return next((user for user in pair if user not in gone), None)
