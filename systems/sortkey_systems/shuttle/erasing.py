"""Erase a shop with all its records: 30 days after it was uninstalled, or at once on request.

No transaction is large enough, so an erasure has an id and takes several: mark the shop with the
id, so that it accepts no writes; retain its usage of the month and its suspension under a hash;
delete its records; delete the shop and record the end. Each deletion checks the mark. So every step
can be repeated, another call continues a half-done erasure, and a slow call deletes nothing of a
shop that was installed again.

Sessions are found through an index, which may miss one that was stored just before the mark. So the
shop stays marked until the index has settled, and cannot be installed before. A session that an
earlier application has stored may be in the index only after the back-fill. So an erasure also
searches the table, until a search of all shops has found no such session and the index has settled
since.
"""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from pydantic import BaseModel

from sortkey import (
    DB,
    AlreadyExists,
    Done,
    Entity,
    NotFound,
    Op,
    Page,
    RecordError,
    TransactionFailed,
    Unreadable,
    ulid,
    utc_now,
)
from sortkey_systems.shuttle.design.erasing import (
    BATCH,
    SESSION_BATCH,
    SESSION_PREFIX,
    DayKey,
    Erasure,
    HistoryKey,
    MonthKey,
    OtherRecords,
    SchemaKey,
    SessionIndex,
    StoredSession,
    VersionKey,
    begin_erasure,
    begin_purge,
    begin_without_shop,
    day_keys,
    end_erasure,
    erase_days,
    erase_expired_sessions,
    erase_history,
    erase_jobs,
    erase_months,
    erase_schemas,
    erase_sessions,
    erase_versions,
    erasure_by_id,
    erasures_under_way,
    history_keys,
    mark_session_index,
    month_keys,
    other_records,
    retain_suspension,
    retain_usage,
    schema_key,
    searched_sessions,
    session_index,
    stored_jobs,
    stored_session_ids,
    version_keys,
)
from sortkey_systems.shuttle.design.retaining import RetainedSuspension
from sortkey_systems.shuttle.design.sessions import SignedOut
from sortkey_systems.shuttle.design.shops import (
    BillingStatus,
    Shop,
    shop_by_domain,
    shops_due_for_purge,
)
from sortkey_systems.shuttle.errors import NotDueForPurge, ShopNotFound, raising_bad_input
from sortkey_systems.shuttle.former_sessions import FormerSessions
from sortkey_systems.shuttle.retaining import hash_of, usage_to_retain
from sortkey_systems.shuttle.signing_in import SIGNED_OUT_KEPT_FOR

_log = logging.getLogger(__name__)

PURGED_AFTER = timedelta(days=30)
# By then the index has every session that was stored before the shop was marked or uninstalled.
SETTLED_AFTER = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class Progress:
    """An erasure; call again at ``retry_at``, if it is set. Without an id, there was nothing."""

    erasure_id: str | None = None
    retry_at: datetime | None = None

    @property
    def is_complete(self) -> bool:
        """Whether everything is deleted, including the shop."""
        return self.retry_at is None


@dataclass(frozen=True, slots=True)
class FinishedErasures:
    """The ids of the erasures that have ended, and the errors of those that have not."""

    finished: tuple[str, ...]
    failed: Mapping[str, Exception]


def erase(db: DB, domain: str, *, former: FormerSessions | None = None) -> Progress:
    """Erase the records of a shop now; the shop itself follows once the index has settled.

    `finish_erasures`, or calling this again, does that. Both can be called at any time, also after
    a crash and concurrently.
    """
    with raising_bad_input():
        shop_by_domain(domain)
    erasure_id = db.decide(lambda: _beginning(db, domain, former))
    return Progress() if erasure_id is None else _continue(db, domain, erasure_id, former)


def purge(db: DB, domain: str, *, former: FormerSessions | None = None) -> Progress:
    """Erase a shop that was uninstalled at least 30 days ago and was not reinstalled."""
    with raising_bad_input():
        shop_by_domain(domain)

    def decide() -> Op[str]:
        shop = db(shop_by_domain(domain))
        if shop is None:
            raise ShopNotFound(domain)
        if shop.erasure_id is not None:
            return Done(shop.erasure_id)
        left = shop.uninstalled_at
        if left is None or left > utc_now() - PURGED_AFTER:
            raise NotDueForPurge(domain, left)
        erasure = _new_erasure(domain)
        return begin_purge(domain, left, erasure).returning(erasure.erasure_id)

    return _continue(db, domain, db.decide(decide), former)


def purge_due(db: DB, *, former: FormerSessions | None = None) -> Iterator[str]:
    """Purge every shop that is due; yield the domain of each when it is erased."""
    until, cursor = utc_now() - PURGED_AFTER, None
    while True:
        due = db(shops_due_for_purge(until, cursor))
        for shop in due:
            # The index may be behind: the shop may be erased or reinstalled.
            with suppress(ShopNotFound, NotDueForPurge):
                if purge(db, shop.domain, former=former).is_complete:
                    yield shop.domain
        if due.cursor is None:
            return
        cursor = due.cursor


def finish_erasures(db: DB, *, former: FormerSessions | None = None) -> FinishedErasures:
    """Continue every erasure under way, and end those whose index has settled.

    Call this on a schedule, such as every minute. An erasure that fails is reported, the others
    continue, and the next call retries it.
    """
    finished: list[str] = []
    failed: dict[str, Exception] = {}
    cursor = None
    while True:
        under_way = db(erasures_under_way(cursor))
        for erasure in under_way:
            assert erasure.domain is not None  # noqa: S101 - it is a key of the index
            try:
                # Nothing is deleted if the index is behind and the erasure has ended.
                if _continue(db, erasure.domain, erasure.erasure_id, former).is_complete:
                    finished.append(erasure.erasure_id)
            except Exception as error:  # noqa: BLE001 - the other erasures continue
                failed[erasure.erasure_id] = error
        if under_way.cursor is None:
            return FinishedErasures(tuple(finished), failed)
        cursor = under_way.cursor


def _new_erasure(domain: str) -> Erasure:
    hash_of(domain)  # raises an error now if its key is missing, before the shop is marked
    now = utc_now()
    return Erasure(erasure_id=ulid(now), domain=domain, started_at=now)


def _beginning(db: DB, domain: str, former: FormerSessions | None) -> Op[str | None]:
    """Return the write that marks the shop, or the id of its mark, or None for no records."""
    shop, erasure = db(shop_by_domain(domain)), _new_erasure(domain)
    if shop is None:
        if not _has_records(db, domain, former):
            return Done(None)
        return begin_without_shop(domain, erasure).returning(erasure.erasure_id)
    if shop.erasure_id is not None:
        return Done(shop.erasure_id)
    return begin_erasure(domain, erasure).returning(erasure.erasure_id)


def _has_records(db: DB, domain: str, former: FormerSessions | None) -> bool:
    lists_all = _lists_all(db)
    return bool(
        _session_ids(db, domain, former)
        or any(keys for _, keys in _records(db, domain, _rest(db, domain)))
        or (not lists_all and _searched_ids(db, domain))
    )


class _Ended(Exception):  # noqa: N818 - a signal, not an error
    """The shop does not have the mark of this erasure any more: another call has ended it."""


def _continue(db: DB, domain: str, erasure_id: str, former: FormerSessions | None) -> Progress:
    shop = db(shop_by_domain(domain))
    if shop is None or shop.erasure_id != erasure_id or shop.erasing_since is None:
        return Progress(erasure_id)
    # No session is stored for an uninstalled shop, but one may be moved from the former store.
    last_session = shop.uninstalled_at if former is None else None
    retry_at = (last_session or shop.erasing_since) + SETTLED_AFTER
    # Found out before the index is read: afterwards, it may just have settled.
    can_end = retry_at <= utc_now()
    lists_all = can_end and _lists_all(db)
    try:
        # Nothing is written for the shop since it was marked.
        rest = _rest(db, domain)
        _retain(db, shop, erasure_id, rest)
        for erase_keys, keys in _records(db, domain, rest):
            for first in range(0, len(keys), BATCH):
                _while_marked(db, erase_keys(domain, erasure_id, [*keys[first : first + BATCH]]))
        _end_sessions(db, domain, erasure_id, _session_ids(db, domain, former), former)
        if not can_end:
            return Progress(erasure_id, retry_at)
        if not lists_all:
            _end_sessions(db, domain, erasure_id, _searched_ids(db, domain), former)
        _end(db, domain, erasure_id)
    except _Ended:
        pass
    return Progress(erasure_id)


def _while_marked(db: DB, write: Op[None]) -> None:
    """Send a transaction that begins with a check of the mark."""
    try:
        db(write)
    except TransactionFailed as failed:
        if isinstance(failed.failures[0], RecordError):
            raise _Ended from None
        raise


def _retain(db: DB, shop: Shop, erasure_id: str, rest: OtherRecords | None) -> None:
    """Store the usage of the month and the suspension, before any record is deleted."""
    domain = shop.domain
    if shop.is_suspended or shop.billing_status is BillingStatus.SUSPENDED:
        suspension = RetainedSuspension(digest=hash_of(domain))
        _while_marked(db, retain_suspension(domain, erasure_id, suspension))
    usage = rest and usage_to_retain(domain, rest.days, rest.months, utc_now())
    if usage is None:
        return
    try:
        _while_marked(db, retain_usage(domain, erasure_id, usage))
    except TransactionFailed as failed:
        # An earlier call has stored it, and may have deleted some of the usage since.
        if not isinstance(failed.failures[1], AlreadyExists):
            raise


Eraser = Callable[[str, str, list[Any]], Op[None]]


def _rest(db: DB, domain: str) -> OtherRecords | None:
    """Return the records other than jobs and sessions; None if one of them cannot be read."""
    try:
        return db(other_records(domain))
    except Unreadable as error:
        _log.warning("only keys are read to erase a shop, and its usage is not kept: %s", error)
        return None


def _records(
    db: DB, domain: str, rest: OtherRecords | None
) -> list[tuple[Eraser, Sequence[BaseModel]]]:
    """Return the keys of the records other than sessions, with the pattern that erases them."""
    jobs = (erase_jobs, db(stored_jobs(domain)))
    if rest is None:
        schema = db(schema_key(domain))
        return [
            jobs,
            (erase_days, db(day_keys(domain))),
            (erase_months, db(month_keys(domain))),
            (erase_schemas, [] if schema is None else [schema]),
            (erase_versions, db(version_keys(domain))),
            (erase_history, db(history_keys(domain))),
        ]
    return [
        jobs,
        (erase_days, _keys(DayKey, rest.days)),
        (erase_months, _keys(MonthKey, rest.months)),
        (erase_schemas, _keys(SchemaKey, rest.schemas)),
        (erase_versions, _keys(VersionKey, rest.versions)),
        (erase_history, _keys(HistoryKey, rest.history)),
    ]


def _keys(key: type[BaseModel], records: Sequence[Entity]) -> list[BaseModel]:
    return [key.model_validate(record, from_attributes=True) for record in records]


def _session_ids(db: DB, domain: str, former: FormerSessions | None) -> list[str]:
    ids = {found.session_id for found in db(stored_session_ids(domain))}
    return sorted(ids if former is None else ids | {*former.ids_of_shop(domain)})


def _lists_all(db: DB) -> bool:
    """Return whether the index has every session that was stored without its keys."""
    index = db(session_index())
    return index is not None and index.checked_at + SETTLED_AFTER <= utc_now()


def _searched_ids(db: DB, domain: str) -> list[str]:
    """Return the ids of all sessions of the shop, in the index or not.

    A search that finds no session without keys of the index is recorded.
    """
    found = list(_searched(db, domain))
    if all("isCopied" in item for item in found) and db(session_index()) is None:
        db(mark_session_index(SessionIndex(checked_at=utc_now())))
    own = (item["PK"] for item in found if item.get("shop") == domain)
    return sorted(key.removeprefix(SESSION_PREFIX) for key in own)


def _searched(db: DB, domain: str) -> Iterator[dict[str, Any]]:
    first: Any = searched_sessions(domain)
    page: Page[dict[str, Any]] = db(first)
    yield from page.items
    while page.cursor is not None:
        page = db(first.after(page.cursor))
        yield from page.items


def _end_sessions(
    db: DB, domain: str, erasure_id: str, ids: Sequence[str], former: FormerSessions | None
) -> None:
    for first in range(0, len(ids), SESSION_BATCH):
        batch = ids[first : first + SESSION_BATCH]
        marks: list[SignedOut] = []
        if former is not None:
            # First in the former store, so that its row is not copied later. A move that has
            # already read the row finds the mark.
            for session_id in batch:
                former.delete(session_id)
            until = utc_now() + SIGNED_OUT_KEPT_FOR
            marks = [SignedOut(session_id=name, expires_at=until) for name in batch]
        _end_batch(db, domain, erasure_id, batch, marks)


def _end_batch(
    db: DB, domain: str, erasure_id: str, batch: Sequence[str], marks: list[SignedOut]
) -> None:
    ids, gone = set(batch), set[str]()
    while ids:
        own = [StoredSession(session_id=name) for name in sorted(ids)]
        kept = [mark for mark in marks if mark.session_id in ids]
        try:
            _while_marked(db, erase_sessions(domain, erasure_id, own, kept))
            break
        except TransactionFailed as failed:
            outcomes = zip(sorted(ids), failed.failures[1:], strict=False)
            refused = {name: why for name, why in outcomes if isinstance(why, RecordError)}
            if not refused:
                raise
        # The index may be behind: a session may have ended, and another shop may have its id now.
        gone |= {name for name, why in refused.items() if isinstance(why, NotFound)}
        ids -= refused.keys()
    if gone:
        own = [StoredSession(session_id=name) for name in sorted(gone)]
        kept = [mark for mark in marks if mark.session_id in gone]
        _while_marked(db, erase_expired_sessions(domain, erasure_id, own, kept))


def _end(db: DB, domain: str, erasure_id: str) -> None:
    erasure = db(erasure_by_id(erasure_id))
    assert erasure is not None  # noqa: S101 - it is created with the mark
    _while_marked(db, end_erasure(domain, erasure, utc_now()))
