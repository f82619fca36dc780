"""Erasing: everything of a shop, when it has been gone for thirty days, or at once on request.

No transaction is large enough, so it goes in steps that can be taken again: a mark, under which
nothing new is written; the jobs, without which no worker writes either; all else; and the shop.
"""

from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta

from sortkey import DB, ConditionFailed, NotFound, utc_now
from sortkey_systems.shuttle.design import (
    belongings,
    shop_by_domain,
    shops_due_for_purge,
    stored_jobs,
    stored_session_ids,
)
from sortkey_systems.shuttle.design.writes import (
    erase_belongings,
    erase_jobs,
    erase_shop,
    mark_erasing,
    mark_purging,
)
from sortkey_systems.shuttle.errors import NotDueForPurge, ShopNotFound, checked
from sortkey_systems.shuttle.former_sessions import FormerSessions
from sortkey_systems.shuttle.signing_in import sign_out

PURGED_AFTER = timedelta(days=30)


def erase(db: DB, domain: str, *, former: FormerSessions | None = None) -> None:
    """Leave nothing of the shop, now; may be repeated, and is done when it returns."""
    with checked():
        mark = mark_erasing(domain, utc_now())
    try:
        db(mark)
    except NotFound:
        # The shop goes last, so only a session may be left, stored before it came.
        _end_sessions(db, domain, former)
        return
    _remove(db, domain, former)


def purge(db: DB, domain: str, *, former: FormerSessions | None = None) -> None:
    """The same for a shop that left thirty days ago or before, and did not come back."""
    with checked():
        asked = shop_by_domain(domain)
    shop = db(asked)
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
    """Purge every shop that is due; the domain of each, once it is gone."""
    until, cursor = utc_now() - PURGED_AFTER, None
    while True:
        due = db(shops_due_for_purge(until, cursor))
        for shop in due:
            # What the index does not know yet: it is gone, or came back.
            with suppress(ShopNotFound, NotDueForPurge):
                purge(db, shop.domain, former=former)
                yield shop.domain
        if due.cursor is None:
            return
        cursor = due.cursor


def _remove(db: DB, domain: str, former: FormerSessions | None) -> None:
    db(erase_jobs(db(stored_jobs(domain))))
    rest = db(belongings(domain))
    db(erase_belongings(rest.days, rest.months, rest.schemas, rest.versions, rest.history))
    _end_sessions(db, domain, former)
    # Not there where another has finished, or where the answer to the same was lost; not marked
    # where it has begun anew since then.
    with suppress(NotFound, ConditionFailed):
        db(erase_shop(domain))


def _end_sessions(db: DB, domain: str, former: FormerSessions | None) -> None:
    ids = {found.session_id for found in db(stored_session_ids(domain))}
    if former is not None:
        ids |= {*former.ids_of_shop(domain)}
    for session_id in sorted(ids):
        sign_out(db, session_id, former=former)
