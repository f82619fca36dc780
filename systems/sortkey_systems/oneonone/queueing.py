"""Join and leave the queue, and read the status of a user."""

from dataclasses import dataclass
from datetime import datetime

from sortkey import DB, ConditionFailed, NotFound, utc_now
from sortkey_systems.oneonone.design import (
    User,
    join_queue,
    join_queue_on_new_day,
    leave_queue,
    user_status,
)
from sortkey_systems.oneonone.errors import (
    AlreadyInCall,
    AlreadyWaiting,
    NoPointsLeft,
    OneOnOneError,
    UserNotFound,
)
from sortkey_systems.oneonone.inputs import check_id


@dataclass(frozen=True, slots=True)
class Status:
    """The current status of a user, without stale waits and calls."""

    user_id: str
    points_left: int
    waiting_since: datetime | None
    session_id: str | None
    last_session: datetime | None


def status(db: DB, user_id: str) -> Status:
    """Return the user's points, place in the queue and call."""
    check_id(user_id, "user_id")
    user = db(user_status(user_id))
    if user is None:
        raise UserNotFound(user_id)
    return status_now(user)


def status_now(user: User) -> Status:
    """Return the current status from a user's record."""
    moment = utc_now()
    return Status(
        user_id=user.user_id,
        points_left=user.points_on(moment.date()),
        waiting_since=user.last_queue_entry if user.is_waiting_at(moment) else None,
        session_id=user.current_session if user.is_in_call_at(moment) else None,
        last_session=user.last_session_timestamp,
    )


def join(db: DB, user_id: str) -> User:
    """Add a user with points left, who is neither waiting nor in a call, to the queue.

    This is one write. The first join of a day takes two: the first one fails because the stored
    points are from an earlier day, and the second one also stores the new points.
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
            user = failed.found(User)
            if user is None:
                raise UserNotFound(user_id) from failed
            if error := _error(user, moment):
                raise error from failed
            # Only the day was different, and days only increase, so the loop ends.
            join_pattern = join_queue_on_new_day if _is_new_day(user, moment) else join_queue


def leave(db: DB, user_id: str) -> User:
    """Remove a user from the queue, whether or not the user is in it."""
    check_id(user_id, "user_id")
    try:
        return db(leave_queue(user_id))
    except NotFound as failed:
        raise UserNotFound(user_id) from failed


def _is_new_day(user: User, moment: datetime) -> bool:
    return user.points_day is None or user.points_day < moment.date()


def _error(user: User, moment: datetime) -> OneOnOneError | None:
    if user.is_waiting_at(moment):
        return AlreadyWaiting(f"{user.user_id} has been waiting since {user.last_queue_entry}")
    if user.is_in_call_at(moment):
        return AlreadyInCall(f"{user.user_id} is in call {user.current_session}")
    if not user.points_on(moment.date()):
        return NoPointsLeft(f"{user.user_id} has no points left today")
    return None
