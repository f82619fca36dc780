"""Calls: admission to the video room, and the end of a call with its payment."""

from dataclasses import dataclass
from datetime import datetime

from sortkey import DB, ConditionFailed, Done, Op, TransactionFailed, utc_now
from sortkey_systems.oneonone.design import (
    Session,
    User,
    end_session,
    leave_lost_call,
    points_on,
    session_by_id,
    user_status,
)
from sortkey_systems.oneonone.errors import (
    NoPointsLeft,
    NotInSession,
    SessionEnded,
    SessionNotFound,
    UserNotFound,
)
from sortkey_systems.oneonone.inputs import check_id


@dataclass(frozen=True, slots=True)
class Admission:
    """The data for a token of a video room: the user, the room and the time limit."""

    user_id: str
    room_name: str
    until: datetime


def admit(db: DB, user_id: str, session_id: str) -> Admission:
    """Admit a user with points left to the room of their call, until the points run out.

    Until then a user who has left may come back, but not for long: see `presence`.
    """
    session = _session_of(db, user_id, session_id)
    moment = utc_now()
    if settle(db, session) or session.end_time is not None:
        raise SessionEnded(f"call {session_id} has ended")
    if not points_on(stored_user(db, user_id), moment.date()):
        raise NoPointsLeft(f"{user_id} has no points left today")
    return Admission(user_id, session.room_name, session.limit)


def end(db: DB, user_id: str, session_id: str) -> Session:
    """End a session and return it; either user can end it, and both pay once.

    A call that is ended late ended at its deadline, when the points of one of them ran out, or
    when one of them left.
    """
    _end(db, _session_of(db, user_id, session_id))
    return _session_of(db, user_id, session_id)


def settle(db: DB, session: Session) -> bool:
    """End a call that is over; return whether it was open and over.

    It is over after its deadline, or when a user has left and has not come back.
    """
    if session.end_time is not None or utc_now() < session.ends_by:
        return False
    _end(db, session)
    return True


def settled(db: DB, user: User) -> User:
    """Return the user's record, after the payment of a call that nobody ended."""
    session_id = user.current_session
    if session_id is None or user.is_in_call_at(utc_now()):
        return user
    session = db(session_by_id(session_id))
    if session is None:
        _leave_lost_call(db, user.user_id, session_id)
    else:
        settle(db, session)
    return stored_user(db, user.user_id)


def _end(db: DB, session: Session) -> None:
    def decide() -> Op[object]:
        found = db(session_by_id(session.session_id))
        if found is None or found.end_time is not None:
            return Done(None)
        first, second = db(user_status(found.user_a)), db(user_status(found.user_b))
        return end_session(found, first, second, utc_now())

    db.decide(decide)


def _leave_lost_call(db: DB, user_id: str, session_id: str) -> None:
    try:
        db(leave_lost_call(user_id, session_id))
    except TransactionFailed as failed:
        # Another request was faster.
        if not isinstance(failed.failures[0], ConditionFailed):
            raise


def _session_of(db: DB, user_id: str, session_id: str) -> Session:
    check_id(user_id, "user_id")
    check_id(session_id, "session_id")
    session = db(session_by_id(session_id))
    if session is None:
        raise SessionNotFound(session_id)
    if not session.includes(user_id):
        raise NotInSession(f"{user_id} is not in session {session_id}")
    return session


def stored_user(db: DB, user_id: str) -> User:
    """Return the user's record, or raise `UserNotFound`."""
    user = db(user_status(user_id))
    if user is None:
        raise UserNotFound(user_id)
    return user
