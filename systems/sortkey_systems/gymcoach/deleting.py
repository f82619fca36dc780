"""Delete an account with all records of the user.

This does not fit into one transaction. It takes three steps, each of which can be repeated: mark
the account, so that nothing is created for the user any more; delete the user's records; delete
the account.
"""

from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice

from sortkey import DB, AlreadyExists, ConditionFailed, NotFound, RecordError, TransactionFailed
from sortkey_systems.gymcoach.design.deleting import (
    BATCH,
    DELETED_EMAIL,
    DELETED_NAME,
    ERASURES,
    begin_deletion,
    deletions_under_way,
    end_deletion,
)
from sortkey_systems.gymcoach.design.people import UserProfile, user, users
from sortkey_systems.gymcoach.design.table import now_to_the_second
from sortkey_systems.gymcoach.errors import raising_bad_input

# By then GSI1 has every record that was created before the mark.
SETTLED_AFTER = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class FinishedDeletions:
    """The users whose deletion is finished, and the errors of the others."""

    finished: tuple[str, ...]
    failed: Mapping[str, Exception]


@dataclass(frozen=True, slots=True)
class Deletion:
    """The number of deleted records of each entity; call again at ``retry_at``, if it is set."""

    deleted: Mapping[str, int]
    retry_at: datetime | None = None

    @property
    def is_complete(self) -> bool:
        """Whether everything is deleted, including the account."""
        return self.retry_at is None


def delete_user(db: DB, user_id: str, *, settled_after: timedelta = SETTLED_AFTER) -> Deletion:
    """Delete all records of a user now; the account is deleted once the index has settled.

    `finish_deletions`, or calling this again, does that. Both can be called at any time, also
    after a crash and concurrently.
    """
    with raising_bad_input():
        since = _mark(db, user_id)
    if since is None:
        return Deletion({})  # no account, or another call has just finished the deletion
    retry_at = since + settled_after
    if now_to_the_second() < retry_at:
        return Deletion(sweep(db, user_id, since), retry_at)
    return _finish(db, user_id, since)


def finish_deletions(db: DB, *, settled_after: timedelta = SETTLED_AFTER) -> FinishedDeletions:
    """Finish every deletion whose index has settled.

    Call this on a schedule, such as every minute. A deletion that fails is reported, the others
    continue, and the next call retries it.
    """
    until = now_to_the_second() - settled_after
    finished: list[str] = []
    failed: dict[str, Exception] = {}
    for found in db.each(deletions_under_way(until)):
        assert found.deleting_since is not None  # noqa: S101 - it is a key of the index
        try:
            # The index may still have the mark of an account that was deleted and registered again:
            # records are deleted only while the account has this mark.
            if _finish(db, found.user_id, found.deleting_since).deleted:
                finished.append(found.user_id)
        except Exception as error:  # noqa: BLE001 - the other deletions continue
            failed[found.user_id] = error
    return FinishedDeletions(tuple(finished), failed)


def _finish(db: DB, user_id: str, since: datetime) -> Deletion:
    deleted = sweep(db, user_id, since)
    with suppress(ConditionFailed, NotFound):  # another call has finished it
        db(end_deletion(user_id, since))
        deleted[UserProfile.__name__] += 1
    return Deletion(deleted)


def sweep(db: DB, user_id: str, since: datetime) -> Counter[str]:
    """Delete all records of a user except the account; return the number of each entity.

    Nothing is deleted once the account does not have this mark any more.
    """
    deleted: Counter[str] = Counter()
    for erasure in ERASURES:
        keys = db.each(erasure.keys(user_id))
        while batch := list(islice(keys, BATCH)):
            try:
                db(erasure.erase(user_id, since, batch))
            except TransactionFailed as failed:
                if not isinstance(failed.failures[0], RecordError):
                    raise
                return deleted
            deleted[erasure.entity.__name__] += len(batch)
    return deleted


def _mark(db: DB, user_id: str) -> datetime | None:
    """Mark the account and return the time of the mark, or None if there is nothing to delete."""
    now = now_to_the_second()
    try:
        return db(begin_deletion(user_id, now)).deleting_since
    except ConditionFailed:
        found = db(user(user_id))
        return None if found is None else found.deleting_since
    except NotFound:
        return _mark_missing_account(db, user_id, now)


def _mark_missing_account(db: DB, user_id: str, now: datetime) -> datetime | None:
    """Create a marked account for records without one, which an import may have left.

    Without records no mark is needed: nothing is created for a user without an account.
    """
    if not any(next(db.each(erasure.keys(user_id)), None) for erasure in ERASURES):
        return None
    marked = UserProfile(
        id=user_id, user_id=user_id, email=DELETED_EMAIL, name=DELETED_NAME, deleting_since=now
    )
    try:
        db(users.create(marked))
    except AlreadyExists:
        found = db(user(user_id))
        return None if found is None else found.deleting_since
    return now
