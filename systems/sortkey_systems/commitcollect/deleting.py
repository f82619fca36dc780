"""Delete an account with all records of the user except audit events, which expire.

This does not fit into one transaction. It takes three steps, each of which can be repeated: mark
the account, so that nothing is written for the user any more; erase the user's records; erase the
account. Only then can the user sign up again.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from typing import Any, NamedTuple

from sortkey import DB, Done, Op, RecordError, TransactionFailed, Unreadable, ulid, utc_now
from sortkey_systems.commitcollect.adopting import search_sessions
from sortkey_systems.commitcollect.auditing import Trace, audit, audit_event
from sortkey_systems.commitcollect.design.accounts import UserProfile
from sortkey_systems.commitcollect.design.adopting import session_index
from sortkey_systems.commitcollect.design.audit import EventType, Result
from sortkey_systems.commitcollect.design.deleting import (
    AWARD_BATCH,
    BATCH,
    Mark,
    account_mark,
    award_keys,
    begin_deletion,
    begin_deletion_without_account,
    deletions_under_way,
    end_deletion,
    erase_awards,
    erase_connection,
    erase_foreign_connection,
    erase_milestones,
    erase_sessions,
    erase_states,
    erase_unowned_connection,
    erase_unreadable_connection,
    erase_workouts,
    milestone_keys,
    session_keys,
    state_keys,
    workout_keys,
)
from sortkey_systems.commitcollect.design.milestones import Award, Milestone
from sortkey_systems.commitcollect.design.sessions import Session
from sortkey_systems.commitcollect.design.strava import (
    OAuthState,
    StravaConnection,
    athlete_owner,
    connected_athlete,
)
from sortkey_systems.commitcollect.design.workouts import Workout
from sortkey_systems.commitcollect.errors import NotBackFilled, raising_bad_input

ATTEMPTS = 3
# By then the index has every session and state that was stored before.
SETTLED_AFTER = timedelta(minutes=5)


class _Erasure(NamedTuple):
    """The patterns that find and erase a user's records of one entity."""

    entity: type
    keys: Callable[[str], Op[list[Any]]]
    erase: Callable[[Mark, list[Any]], Op[None]]
    batch: int = BATCH


_SESSIONS = _Erasure(Session, session_keys, erase_sessions)
_ERASURES = (
    _Erasure(Workout, workout_keys, erase_workouts),
    _Erasure(Award, award_keys, erase_awards, AWARD_BATCH),
    _Erasure(Milestone, milestone_keys, erase_milestones),
    _SESSIONS,
    _Erasure(OAuthState, state_keys, erase_states),
)


class _MarkGone(Exception):  # noqa: N818 - not an error: another call has finished the deletion
    """The account does not have the mark any more."""


@dataclass(frozen=True, slots=True)
class Deletion:
    """The number of deleted records of each entity; call again at ``retry_at``, if it is set."""

    deleted: Mapping[str, int]
    retry_at: datetime | None = None

    @property
    def is_complete(self) -> bool:
        """Whether everything is deleted, including the account."""
        return self.retry_at is None


@dataclass(frozen=True, slots=True)
class FinishedDeletions:
    """The users whose deletion is finished, and the errors of the others."""

    finished: tuple[str, ...]
    failed: Mapping[str, Exception]


def delete_account(
    db: DB, user_id: str, trace: Trace, *, settled_after: timedelta = SETTLED_AFTER
) -> Deletion:
    """Delete all records of a user now; the account is deleted once the index has settled.

    `finish_deletions`, or calling this again, does that. Both can be called at any time, also
    after a crash and concurrently.
    """
    with raising_bad_input():
        new = Mark(
            user_id=user_id,
            deletion_id=ulid(),
            deletion_correlation_id=trace.correlation,
            deleting_since_utc=utc_now().replace(microsecond=0),
        )
    audit(db, trace, user_id, EventType.ACCOUNT_DELETE, Result.ATTEMPT)
    unrecorded: Result | None = Result.FAILED
    try:
        mark = _mark(db, new, settled_after)
        if mark is None:
            unrecorded = Result.SUCCESS  # there was nothing to delete
            return Deletion({})
        unrecorded = Result.PARTIAL
        deletion = _delete(db, mark, trace, settled_after)
        if deletion.is_complete:
            unrecorded = None  # the transaction that erased the account recorded it
        return deletion
    finally:
        if unrecorded:
            audit(db, trace, user_id, EventType.ACCOUNT_DELETE, unrecorded)


def finish_deletions(
    db: DB, trace: Trace, *, settled_after: timedelta = SETTLED_AFTER
) -> FinishedDeletions:
    """Finish every deletion whose index has settled.

    Call this on a schedule, such as every minute. A deletion that fails is reported, the others
    continue, and the next call retries it. All of them fail with `NotBackFilled` while the table
    has sessions that a deletion would not find.
    """
    finished: list[str] = []
    failed: dict[str, Exception] = {}
    for account in db.each(deletions_under_way(utc_now() - settled_after)):
        try:
            # The index may still have the mark of an account that was deleted and created again:
            # records are deleted only while the account has this mark.
            mark = Mark.model_validate(account.model_dump())
            deletion = _delete(db, mark, trace, settled_after)
            if deletion.is_complete and deletion.deleted:
                finished.append(account.user_id)
            elif not deletion.is_complete and db(session_index()) is None:
                failed[account.user_id] = NotBackFilled()
        except Exception as error:  # noqa: BLE001 - the other deletions continue
            failed[account.user_id] = error
    return FinishedDeletions(tuple(finished), failed)


def _delete(db: DB, mark: Mark, trace: Trace, settled_after: timedelta) -> Deletion:
    deleted: Counter[str] = Counter()
    since, now = _listed_since(db, mark, deleted), utc_now()
    if since is None:
        # Sessions have to be back-filled, so it is unknown when the index will have them all.
        retry_at = now + SETTLED_AFTER
    else:
        retry_at = max(mark.deleting_since_utc, since) + settled_after
    _sweep(db, mark, deleted)
    if now < retry_at:
        return Deletion(deleted, retry_at)
    return _finish(db, mark, trace, deleted)


def _listed_since(db: DB, mark: Mark, deleted: Counter[str]) -> datetime | None:
    """Erase the user's sessions that are not in the index; return since when it has all."""
    search = search_sessions(db, mark.user_id)
    if search.unlisted:
        with suppress(_MarkGone):
            _erase(db, mark, _SESSIONS, iter(search.unlisted), deleted)
        search = search_sessions(db, mark.user_id)
    return search.listed_since


def _mark(db: DB, new: Mark, settled_after: timedelta) -> Mark | None:
    """Mark the account and return the mark that it has, or None if there is nothing to delete."""

    def decide() -> Op[Mark | None]:
        found = db(account_mark(new.user_id))
        if found is None and _is_empty(db, new.user_id, settled_after):
            # No mark is needed: nothing is written for a user without an account.
            return Done(None)
        if found is None:
            return begin_deletion_without_account(new).returning(new)
        if found.deletion_id is None:
            return begin_deletion(new).returning(new)
        return Done(Mark(user_id=new.user_id, **found.model_dump()))

    return db.decide(decide, attempts=ATTEMPTS)


def _is_empty(db: DB, user_id: str, settled_after: timedelta) -> bool:
    """Return whether a user has no records, and the index has settled, so that this is known."""
    try:
        has_connection = db(connected_athlete(user_id)) is not None
    except Unreadable:
        has_connection = True
    has_records = has_connection or any(
        next(db.each(erasure.keys(user_id)), None) for erasure in _ERASURES
    )
    since = search_sessions(db, user_id).listed_since
    return not has_records and since is not None and since + settled_after <= utc_now()


def _sweep(db: DB, mark: Mark, deleted: Counter[str]) -> None:
    """Erase all records of a user except the account, and count those of each entity.

    Nothing is erased once the account does not have this mark any more.
    """
    with suppress(_MarkGone):
        deleted.update(_disconnected(db, mark))
        for erasure in _ERASURES:
            _erase(db, mark, erasure, db.each(erasure.keys(mark.user_id)), deleted)


def _erase(
    db: DB, mark: Mark, erasure: _Erasure, keys: Iterator[Any], deleted: Counter[str]
) -> None:
    """Erase the records with these keys, and count them; raise `_MarkGone` without the mark."""
    # Copies of a record, under both of its keys, have the same fields.
    while batch := list(dict.fromkeys(islice(keys, erasure.batch))):
        try:
            db(erasure.erase(mark, batch))
        except TransactionFailed as failed:
            _expect_mark(failed)
            raise
        deleted[erasure.entity.__name__] += len(batch)


def _disconnected(db: DB, mark: Mark) -> Counter[str]:
    """Erase the connection, and the owner record if it names the user."""

    def decide() -> Op[Counter[str]]:
        try:
            erase = _erase_connection(db, mark)
        except Unreadable:
            erase = erase_unreadable_connection(mark)
        if erase is None:
            return Done(Counter())
        return erase.returning(Counter({StravaConnection.__name__: 1}))

    return db.decide(decide, attempts=ATTEMPTS, on_conflict=_expect_mark)


def _erase_connection(db: DB, mark: Mark) -> Op[None] | None:
    """Return the transaction for the owner of the connected athlete; None without a connection."""
    held = db(connected_athlete(mark.user_id))
    if held is None:
        return None
    owner = db(athlete_owner(held.athlete_id))
    if owner is None:
        return erase_unowned_connection(mark, held.athlete_id)
    is_mine = owner.user_id == mark.user_id
    erase = erase_connection if is_mine else erase_foreign_connection
    return erase(mark, held.athlete_id)


def _expect_mark(conflict: Exception) -> None:
    match conflict:
        case TransactionFailed(failures=(RecordError(), *_)):
            raise _MarkGone from None
        case _:
            pass


def _finish(db: DB, mark: Mark, trace: Trace, deleted: Counter[str]) -> Deletion:
    ended = audit_event(
        Trace(trace.request_id, mark.deletion_correlation_id),
        mark.user_id,
        EventType.ACCOUNT_DELETE,
        Result.SUCCESS,
        event_id=mark.deletion_id,
    )
    try:
        db(end_deletion(mark, ended))
    except TransactionFailed as failed:
        if not isinstance(failed.failures[0], RecordError):
            raise
        return Deletion(deleted)  # another call has finished it
    deleted[UserProfile.__name__] += 1
    return Deletion(deleted)
