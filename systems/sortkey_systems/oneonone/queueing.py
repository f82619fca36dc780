"""Queueing: joining and leaving the queue, and what a user is told of it."""

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
    AlreadyTalking,
    AlreadyWaiting,
    NoPointsLeft,
    OneOnOneError,
    UserUnknown,
)
from sortkey_systems.oneonone.inputs import check_id


@dataclass(frozen=True, slots=True)
class Status:
    """A user as of now: of an earlier day no points are spent, and what is stale is left out."""

    user_id: str
    points_left: int
    waiting_since: datetime | None
    session_id: str | None
    last_session: datetime | None


def status(db: DB, user_id: str) -> Status:
    """The user's points, place in the queue and call."""
    check_id(user_id, "user_id")
    user = db(user_status(user_id))
    if user is None:
        raise UserUnknown(user_id)
    return status_now(user)


def status_now(user: User) -> Status:
    """What a user's record says as of now."""
    moment = utc_now()
    return Status(
        user_id=user.user_id,
        points_left=user.points_on(moment.date()),
        waiting_since=user.last_queue_entry if user.waits_at(moment) else None,
        session_id=user.current_session if user.talks_at(moment) else None,
        last_session=user.last_session_timestamp,
    )


def join(db: DB, user_id: str) -> User:
    """Enter the queue, once, with points left and not while in a call.

    One write on most days. The first of a day fails, tells that the points are older, and is
    followed by one that stores the new ones.
    """
    check_id(user_id, "user_id")
    moment = utc_now()
    joining = join_queue
    while True:
        try:
            return db(joining(user_id, moment))
        except NotFound as failed:
            raise UserUnknown(user_id) from failed
        except ConditionFailed as failed:
            user = failed.found(User)
            if user is None:
                raise UserUnknown(user_id) from failed
            if refusal := _refusal(user, moment):
                raise refusal from failed
            # Nothing but the day stood in the way, and a day never comes back: this ends.
            joining = join_queue_on_new_day if _is_of_before(user, moment) else join_queue


def leave(db: DB, user_id: str) -> User:
    """Be in the queue no longer; who does not wait leaves it all the same."""
    check_id(user_id, "user_id")
    try:
        return db(leave_queue(user_id))
    except NotFound as failed:
        raise UserUnknown(user_id) from failed


def _is_of_before(user: User, moment: datetime) -> bool:
    return user.points_day is None or user.points_day < moment.date()


def _refusal(user: User, moment: datetime) -> OneOnOneError | None:
    if user.waits_at(moment):
        return AlreadyWaiting(f"{user.user_id} waits since {user.last_queue_entry}")
    if user.talks_at(moment):
        return AlreadyTalking(f"{user.user_id} is in the call {user.current_session}")
    if not user.points_on(moment.date()):
        return NoPointsLeft(f"{user.user_id} has spent all points of today")
    return None
