"""Match the two users who have waited longest."""

from collections.abc import Iterator
from datetime import datetime
from uuid import uuid4

from sortkey import DB, TransactionFailed, utc_now
from sortkey_systems.oneonone.design import (
    CANDIDATES,
    MAX_WAIT,
    Session,
    User,
    Waiting,
    match_users,
    new_session,
    points_on,
    waiting_users,
)


def match(db: DB, joined: User | None = None) -> Session | None:
    """Match the two users who have waited longest; return None if fewer than two wait.

    Users who were matched, left or joined again since the queue was read are skipped, and those
    without points. The index may not have a user yet who has just ``joined``.
    """
    moment = utc_now()
    first: Waiting | None = None
    for second in _waiting(db, moment, joined):
        if not points_on(second, moment.date()):
            continue
        # A user who leaves and joins again while the queue is read may come on two pages.
        if first is None or first.user_id == second.user_id:
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


def match_with(db: DB, joined: User) -> None:
    """Match the users who have waited longest, until a waiting user is matched too.

    If many wait before, the next call goes on.
    """
    for _ in range(CANDIDATES):
        session = match(db, joined)
        if session is None or session.includes(joined.user_id):
            return


def _waiting(db: DB, moment: datetime, joined: User | None) -> Iterator[Waiting]:
    """Yield the users whose entry is not stale, longest wait first."""
    own = None if joined is None else Waiting.model_validate(joined, from_attributes=True)
    cursor: str | None = None
    while True:
        page = db(waiting_users(moment - MAX_WAIT, cursor))
        for entry in page:
            if own is not None and entry.user_id == own.user_id:
                yield own
                own = None
            else:
                yield entry
        cursor = page.cursor
        if cursor is None:
            break
    if own is not None:
        yield own


def _still_there(failed: TransactionFailed, *pair: Waiting) -> Waiting | None:
    """Return the user of a pair who still waits, or None if neither does."""
    gone = [user for user, failure in zip(pair, failed.failures, strict=False) if failure]
    if not gone:
        raise failed  # the session's own write failed
    return next((user for user in pair if user not in gone), None)
