"""Delete an account with all records of the user.

This does not fit into one transaction. It takes three steps, each of which can be repeated: mark
the account, so that nothing is created or changed for the user any more; delete the user's records;
delete the account. The mark has an id of its own, and each step requires it.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from uuid import uuid4

from sortkey import DB, ConditionFailed, NotFound, RecordError, TransactionFailed
from sortkey_systems.gymcoach.adopting import back_filled_since
from sortkey_systems.gymcoach.crud import add
from sortkey_systems.gymcoach.design.deleting import (
    BATCH,
    DELETED_EMAIL,
    DELETED_NAME,
    ERASURES,
    FinishedDeletion,
    begin_deletion,
    deletions_under_way,
    end_deletion,
    finished_deletion,
    identify_deletion,
)
from sortkey_systems.gymcoach.design.people import UserProfile, user, users
from sortkey_systems.gymcoach.design.table import now_to_the_second
from sortkey_systems.gymcoach.errors import (
    NotBackFilled,
    RecordExists,
    RecordNotFound,
    raising_bad_input,
)

# By then GSI1 has every record that was created before the mark.
SETTLED_AFTER = timedelta(minutes=5)
# What a schedule searches for items that are not back-filled, at most 100 MB in a call.
SEARCHED_PAGES = 100


@dataclass(frozen=True, slots=True)
class FinishedDeletions:
    """The users whose deletion is finished, and the errors of the others."""

    finished: tuple[str, ...]
    failed: Mapping[str, Exception]


@dataclass(frozen=True, slots=True)
class Deletion:
    """The number of deleted records of each entity; call again at ``retry_at``, if it is set.

    ``id`` is the id of the deletion, or None if there was nothing to delete.
    """

    id: str | None
    deleted: Mapping[str, int]
    retry_at: datetime | None = None

    @property
    def is_complete(self) -> bool:
        """Whether everything is deleted, including the account."""
        return self.retry_at is None


@dataclass(frozen=True, slots=True)
class _Mark:
    """The id and the time of a deletion that is under way."""

    id: str
    since: datetime


def delete_user(db: DB, user_id: str, *, settled_after: timedelta = SETTLED_AFTER) -> Deletion:
    """Delete all records of a user now; the account is deleted once the index has settled.

    `finish_deletions`, or calling this again, does that. Both can be called at any time, also
    after a crash and concurrently: they continue the deletion that is under way.
    """
    with raising_bad_input():
        mark = _mark(db, user_id, settled_after)
    if mark is None:
        return Deletion(None, {})  # no account, or another call has just finished the deletion
    retry_at = _settled_at(db, mark, settled_after)
    if now_to_the_second() < retry_at:
        return Deletion(mark.id, sweep(db, user_id, mark.id), retry_at)
    return _finish(db, user_id, mark)


def finish_deletions(db: DB, *, settled_after: timedelta = SETTLED_AFTER) -> FinishedDeletions:
    """Finish every deletion whose index has settled.

    Call this on a schedule, such as every minute. A deletion that fails is reported, the others
    continue, and the next call retries it. All of them fail with `NotBackFilled` while the table
    has items that a deletion would not find.
    """
    until = now_to_the_second() - settled_after
    finished: list[str] = []
    failed: dict[str, Exception] = {}
    try:
        since = back_filled_since(db, pages=SEARCHED_PAGES)
    except NotBackFilled as error:
        failed = {found.user_id: error for found in db.each(deletions_under_way(until))}
        return FinishedDeletions((), failed)
    if since is None or since > until:
        return FinishedDeletions((), {})
    for found in db.each(deletions_under_way(until)):
        try:
            if _finish_found(db, found):
                finished.append(found.user_id)
        except Exception as error:  # noqa: BLE001 - the other deletions continue
            failed[found.user_id] = error
    return FinishedDeletions(tuple(finished), failed)


def end_of(db: DB, deletion_id: str) -> FinishedDeletion:
    """Return the record of a finished deletion."""
    with raising_bad_input():
        query = finished_deletion(deletion_id)
    found = db(query)
    if found is None:
        raise RecordNotFound("FinishedDeletion", deletion_id)
    return found


def _finish_found(db: DB, found: UserProfile) -> bool:
    """Finish a deletion that the index has; return whether anything was deleted.

    The index may still have the mark of an account that was deleted and registered again: records
    are deleted only while the account has this mark.
    """
    mark = _mark_of(found) or _identified(db, found)
    return mark is not None and bool(_finish(db, found.user_id, mark).deleted)


def _identified(db: DB, found: UserProfile) -> _Mark | None:
    """Give an id to a deletion that an earlier version began, and return its mark."""
    if found.deleting_since is None:
        return None
    try:
        return _mark_of(db(identify_deletion(found.user_id, uuid4().hex, found.deleting_since)))
    except (ConditionFailed, NotFound):
        return None  # another call has just identified or finished it


def _settled_at(db: DB, mark: _Mark, settled_after: timedelta) -> datetime:
    """Return the time from which GSI1 has all records of a user who has this mark.

    While that is unknown, return the time to try again.
    """
    since = _back_filled_since(db)
    if since is None:
        return now_to_the_second() + SETTLED_AFTER
    return max(mark.since, since) + settled_after


def _back_filled_since(db: DB) -> datetime | None:
    try:
        return back_filled_since(db)
    except NotBackFilled:
        return None  # finish_deletions reports it to those who can back-fill


def _finish(db: DB, user_id: str, mark: _Mark) -> Deletion:
    deleted = sweep(db, user_id, mark.id)
    end = FinishedDeletion(id=mark.id, began_at=mark.since, finished_at=now_to_the_second())
    try:
        db(end_deletion(user_id, end))
    except TransactionFailed as failed:
        if not isinstance(failed.failures[0], ConditionFailed | NotFound):
            raise
    else:
        deleted[UserProfile.__name__] += 1
    return Deletion(mark.id, deleted)


def sweep(db: DB, user_id: str, deletion_id: str) -> Counter[str]:
    """Delete all records of a user except the account; return the number of each entity.

    Nothing is deleted once the account does not have the mark of this deletion any more.
    """
    deleted: Counter[str] = Counter()
    for erasure in ERASURES:
        keys = db.each(erasure.keys(user_id))
        while batch := list(islice(keys, BATCH)):
            try:
                db(erasure.erase(user_id, deletion_id, batch))
            except TransactionFailed as failed:
                if not isinstance(failed.failures[0], RecordError):
                    raise
                return deleted
            deleted[erasure.entity.__name__] += len(batch)
    return deleted


def _mark(db: DB, user_id: str, settled_after: timedelta) -> _Mark | None:
    """Mark the account and return the mark, or None if there is nothing to delete."""
    new = _Mark(uuid4().hex, now_to_the_second())
    try:
        return _mark_of(db(begin_deletion(user_id, new.id, new.since)))
    except ConditionFailed:
        return _mark_of(db(user(user_id)))
    except NotFound:
        return _mark_missing_account(db, user_id, new, settled_after)


def _mark_missing_account(
    db: DB, user_id: str, new: _Mark, settled_after: timedelta
) -> _Mark | None:
    """Create a marked account for records without one, which an import may have left.

    Without records no mark is needed: nothing is created for a user without an account. That there
    are none is known once the index has settled after the back-fill.
    """
    has_records = any(next(db.each(erasure.keys(user_id)), None) for erasure in ERASURES)
    since = _back_filled_since(db)
    if not has_records and since is not None and since + settled_after <= new.since:
        return None
    marked = UserProfile(
        id=user_id,
        user_id=user_id,
        email=DELETED_EMAIL,
        name=DELETED_NAME,
        deleting_since=new.since,
        deletion_id=new.id,
    )
    try:
        return _mark_of(add(db, users, marked))
    except RecordExists:
        return _mark_of(db(user(user_id)))


def _mark_of(account: UserProfile | None) -> _Mark | None:
    if account is None or account.deletion_id is None or account.deleting_since is None:
        return None
    return _Mark(account.deletion_id, account.deleting_since)
