"""The end of an account: nothing of it is left.

No transaction is large enough, so it goes in steps that can be taken again: a mark, under which
nothing is created for the user; everything but the account; and the account.
"""

from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice

from sortkey import DB, AlreadyExists, ConditionFailed, NotFound, TransactionFailed, WriteFailed
from sortkey_systems.gymcoach.design.deleting import (
    BATCH,
    NO_EMAIL,
    NO_NAME,
    REMAINS,
    begin_deletion,
    deletions_under_way,
    end_deletion,
)
from sortkey_systems.gymcoach.design.people import UserProfile, user, users
from sortkey_systems.gymcoach.design.table import now_to_the_second
from sortkey_systems.gymcoach.errors import refusing_bad_input

# As long as GSI1 may be behind. What was created just before the mark is found by then.
SETTLED_AFTER = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class Finishing:
    """Whose deletions are finished, and what kept the others from it, by their ids."""

    finished: tuple[str, ...]
    failed: Mapping[str, Exception]


@dataclass(frozen=True, slots=True)
class Deletion:
    """What a call removed, by kind; where it is not done, it is to be called again then."""

    removed: Mapping[str, int]
    again_at: datetime | None = None

    @property
    def is_done(self) -> bool:
        """Whether nothing is left, the account included."""
        return self.again_at is None


def delete_user(db: DB, user_id: str, *, settled_after: timedelta = SETTLED_AFTER) -> Deletion:
    """Remove all that somebody has, at once; the account goes when the index has settled.

    Then it is finished by `finish_deletions`, or by calling this again. That may be at any time,
    also after a crash, and by several at once.
    """
    with refusing_bad_input():
        since = _marked(db, user_id)
    if since is None:
        return Deletion({})  # nobody was there, or somebody else has just finished it
    again_at = since + settled_after
    if now_to_the_second() < again_at:
        return Deletion(sweep(db, user_id, since), again_at)
    return _finished(db, user_id, since)


def finish_deletions(db: DB, *, settled_after: timedelta = SETTLED_AFTER) -> Finishing:
    """Finish every deletion whose index has settled.

    A schedule calls it, such as every minute: whoever leaves does not come back to ask again. One
    that fails is told and hinders no other; the next call takes it up.
    """
    until = now_to_the_second() - settled_after
    finished: list[str] = []
    failed: dict[str, Exception] = {}
    for found in db.each(deletions_under_way(until)):
        assert found.deleting_since is not None  # noqa: S101 - the index has it by that
        try:
            # The index may still show a mark that is gone, with the account that began anew since:
            # only what has this very mark is removed.
            if _finished(db, found.user_id, found.deleting_since).removed:
                finished.append(found.user_id)
        except Exception as error:  # noqa: BLE001 - whatever it is, the others do not wait for it
            failed[found.user_id] = error
    return Finishing(tuple(finished), failed)


def _finished(db: DB, user_id: str, since: datetime) -> Deletion:
    removed = sweep(db, user_id, since)
    with suppress(ConditionFailed, NotFound):  # somebody else has finished it
        db(end_deletion(user_id, since))
        removed[UserProfile.__name__] += 1
    return Deletion(removed)


def sweep(db: DB, user_id: str, since: datetime) -> Counter[str]:
    """Remove everything but the account, while it has this mark; how many there were of each kind.

    Where the account has begun anew meanwhile, nothing of it goes.
    """
    removed: Counter[str] = Counter()
    for remains in REMAINS:
        keys = db.each(remains.keys(user_id))
        while batch := list(islice(keys, BATCH)):
            try:
                db(remains.erase(user_id, since, batch))
            except TransactionFailed as failed:
                if not isinstance(failed.failures[0], WriteFailed):
                    raise
                return removed
            removed[remains.entity.__name__] += len(batch)
    return removed


def _marked(db: DB, user_id: str) -> datetime | None:
    """Since when nothing is created for the user; None where there is nothing to remove."""
    now = now_to_the_second()
    try:
        return db(begin_deletion(user_id, now)).deleting_since
    except ConditionFailed:
        found = db(user(user_id))
        return None if found is None else found.deleting_since
    except NotFound:
        return _marked_nobody(db, user_id, now)


def _marked_nobody(db: DB, user_id: str, now: datetime) -> datetime | None:
    """A mark for an id without an account, where there are records all the same.

    Without an account nothing is created, so that otherwise there is nothing to keep out.
    """
    if not any(next(db.each(remains.keys(user_id)), None) for remains in REMAINS):
        return None
    nobody = UserProfile(
        id=user_id, user_id=user_id, email=NO_EMAIL, name=NO_NAME, deleting_since=now
    )
    try:
        db(users.create(nobody))
    except AlreadyExists:
        found = db(user(user_id))
        return None if found is None else found.deleting_since
    return now
