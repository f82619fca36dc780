"""Matching: the two who have waited longest get a session."""

from collections.abc import Iterator
from datetime import datetime
from uuid import uuid4

from sortkey import DB, TransactionFailed, utc_now
from sortkey_systems.oneonone.design import (
    LONGEST_WAIT,
    Session,
    Waiting,
    match_users,
    new_session,
    waiting_users,
)
from sortkey_systems.oneonone.queueing import Status, join, status


def join_and_match(db: DB, user_id: str) -> Status:
    """Wait, unless a partner is there already."""
    join(db, user_id)
    match(db)
    return status(db, user_id)


def match(db: DB) -> Session | None:
    """A session of the two who have waited longest, or None where fewer than two wait.

    Whoever was matched, left or came back since the queue was read is passed over.
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
    """Everybody whose entry is not stale, from who has waited longest."""
    cursor: str | None = None
    while True:
        page = db(waiting_users(moment - LONGEST_WAIT, cursor))
        yield from page
        cursor = page.cursor
        if cursor is None:
            return


def _still_there(failed: TransactionFailed, *pair: Waiting) -> Waiting | None:
    """Who of a pair still waits, where the other does not."""
    met = [person for person, failure in zip(pair, failed.failures, strict=False) if failure]
    if not met:
        raise failed  # it was about the session
    return next((person for person in pair if person not in met), None)
