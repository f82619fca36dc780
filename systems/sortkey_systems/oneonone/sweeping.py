"""Settle the calls that nobody ended, and match the users who still wait; for a schedule."""

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from sortkey import DB, Contended, TransactionFailed, Unreadable, utc_now
from sortkey_systems.oneonone.calling import settle
from sortkey_systems.oneonone.design import OpenCall, overdue_calls, session_by_id
from sortkey_systems.oneonone.matching import match

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Sweep:
    """The number of calls that were settled, of calls that were not, and of matches."""

    settled: int
    failed: int
    matched: int


def sweep(db: DB) -> Sweep:
    """Settle all calls past their deadline, then match all waiting users.

    A call that cannot be settled now does not stop the others; the next sweep tries it again.
    """
    settled = failed = matched = 0
    for call in _overdue(db, utc_now()):
        try:
            session = db(session_by_id(call.session_id))
            settled += session is not None and settle(db, session)
        except (Contended, TransactionFailed, Unreadable) as error:
            _log.warning("call %s is not settled: %s", call.session_id, error)
            failed += 1
    while match(db):
        matched += 1
    return Sweep(settled, failed, matched)


def _overdue(db: DB, moment: datetime) -> Iterator[OpenCall]:
    """Yield the open calls past their deadline, a page at a time."""
    cursor: str | None = None
    while True:
        page = db(overdue_calls(moment, cursor))
        yield from page
        cursor = page.cursor
        if cursor is None:
            return
