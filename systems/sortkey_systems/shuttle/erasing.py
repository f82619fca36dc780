"""Erase a shop with all its records: 30 days after it was uninstalled, or at once on request.

No transaction is large enough, so the steps can be repeated: mark the shop, so that it accepts no
new records; delete its jobs, so that no worker writes; delete all other records; delete the shop.
"""

from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta

from sortkey import DB, ConditionFailed, NotFound, utc_now
from sortkey_systems.shuttle.design.erasing import (
    erase_jobs,
    erase_other_records,
    erase_shop,
    mark_erasing,
    mark_purging,
    other_records,
    stored_jobs,
    stored_session_ids,
)
from sortkey_systems.shuttle.design.shops import shop_by_domain, shops_due_for_purge
from sortkey_systems.shuttle.errors import NotDueForPurge, ShopNotFound, raising_bad_input
from sortkey_systems.shuttle.former_sessions import FormerSessions
from sortkey_systems.shuttle.signing_in import sign_out

PURGED_AFTER = timedelta(days=30)


def erase(db: DB, domain: str, *, former: FormerSessions | None = None) -> None:
    """Erase the shop with all its records; it is safe to repeat."""
    with raising_bad_input():
        mark = mark_erasing(domain, utc_now())
    try:
        db(mark)
    except NotFound:
        # The shop is deleted last, so only a session that an index missed can be left.
        _end_sessions(db, domain, former)
        return
    _remove(db, domain, former)


def purge(db: DB, domain: str, *, former: FormerSessions | None = None) -> None:
    """Erase a shop that was uninstalled at least 30 days ago and was not reinstalled."""
    with raising_bad_input():
        query = shop_by_domain(domain)
    shop = db(query)
    if shop is None:
        raise ShopNotFound(domain)
    left = shop.uninstalled_at
    if left is None or left > utc_now() - PURGED_AFTER:
        raise NotDueForPurge(domain, left)
    try:
        db(mark_purging(domain, left, utc_now()))
    except (ConditionFailed, NotFound):
        raise NotDueForPurge(domain, None) from None
    _remove(db, domain, former)


def purge_due(db: DB, *, former: FormerSessions | None = None) -> Iterator[str]:
    """Purge every shop that is due; yield the domain of each when it is erased."""
    until, cursor = utc_now() - PURGED_AFTER, None
    while True:
        due = db(shops_due_for_purge(until, cursor))
        for shop in due:
            # The index may be behind: the shop may be erased or reinstalled.
            with suppress(ShopNotFound, NotDueForPurge):
                purge(db, shop.domain, former=former)
                yield shop.domain
        if due.cursor is None:
            return
        cursor = due.cursor


def _remove(db: DB, domain: str, former: FormerSessions | None) -> None:
    db(erase_jobs(db(stored_jobs(domain))))
    rest = db(other_records(domain))
    db(erase_other_records(rest.days, rest.months, rest.schemas, rest.versions, rest.history))
    _end_sessions(db, domain, former)
    # It does not exist if another call has finished or a response was lost, and has no mark if it
    # was installed again since.
    with suppress(NotFound, ConditionFailed):
        db(erase_shop(domain))


def _end_sessions(db: DB, domain: str, former: FormerSessions | None) -> None:
    ids = {found.session_id for found in db(stored_session_ids(domain))}
    if former is not None:
        ids |= {*former.ids_of_shop(domain)}
    for session_id in sorted(ids):
        sign_out(db, session_id, former=former)
