"""Join and leave the queue, and read the status of a user."""

from dataclasses import dataclass
from datetime import datetime

from sortkey import DB, ConditionFailed, NotFound, utc_now
from sortkey_systems.oneonone.calling import settled, stored_user
from sortkey_systems.oneonone.design import (
    User,
    join_queue,
    join_queue_on_new_day,
    leave_queue,
    points_on,
)
from sortkey_systems.oneonone.errors import NoPointsLeft, UserNotFound
from sortkey_systems.oneonone.inputs import check_id
from sortkey_systems.oneonone.matching import match_with


@dataclass(frozen=True, slots=True)
class Status:
    """The current status of a user, without stale waits and calls."""

    user_id: str
    points_left: int
    waiting_since: datetime | None
    session_id: str | None
    last_session: datetime | None


def status(db: DB, user_id: str) -> Status:
    """Return the user's points, place in the queue and call.

    A call that nobody ended is paid first. A waiting user is matched if a partner is waiting: the
    index may not have had the partner when the user joined.
    """
    check_id(user_id, "user_id")
    user = settled(db, stored_user(db, user_id))
    if user.is_waiting_at(utc_now()):
        match_with(db, user)
        user = stored_user(db, user_id)
    return status_now(user)


def status_now(user: User) -> Status:
    """Return the current status from a user's record."""
    moment = utc_now()
    return Status(
        user_id=user.user_id,
        points_left=points_on(user, moment.date()),
        waiting_since=user.last_queue_entry if user.is_waiting_at(moment) else None,
        session_id=user.current_session if user.is_in_call_at(moment) else None,
        last_session=user.last_session_timestamp,
    )


def join_and_match(db: DB, user_id: str) -> Status:
    """Join the queue, match, and return the status of the user."""
    joined = join(db, user_id)
    if joined.is_waiting_at(utc_now()):
        match_with(db, joined)
    return status_now(stored_user(db, user_id))


def join(db: DB, user_id: str) -> User:
    """Add a user with points left to the queue; a user who waits or is in a call stays there.

    This is one write. The first join of a day takes two: the first one fails because the stored
    points are from an earlier day, and the second one also stores the new points. A call that
    nobody ended is paid first.
    """
    check_id(user_id, "user_id")
    moment = utc_now()
    join_pattern = join_queue
    while True:
        try:
            return db(join_pattern(user_id, moment))
        except NotFound as failed:
            raise UserNotFound(user_id) from failed
        except ConditionFailed as failed:
            found = failed.found(User)
            if found is None:
                raise UserNotFound(user_id) from failed
            user = settled(db, found)
        if user.is_waiting_at(moment) or user.current_session is not None:
            return user
        if not points_on(user, moment.date()):
            raise NoPointsLeft(f"{user_id} has no points left today")
        # The day was different, or the call is paid now: neither happens twice, so the loop ends.
        join_pattern = join_queue_on_new_day if _is_new_day(user, moment) else join_queue


def leave(db: DB, user_id: str) -> User:
    """Remove a user from the queue, whether or not the user is in it."""
    check_id(user_id, "user_id")
    try:
        return settled(db, db(leave_queue(user_id)))
    except NotFound as failed:
        raise UserNotFound(user_id) from failed


def _is_new_day(user: User, moment: datetime) -> bool:
    return user.points_day is None or user.points_day < moment.date()
