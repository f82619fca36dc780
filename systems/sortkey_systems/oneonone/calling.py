"""Calling: who may enter a session's room, and what its end costs."""

from dataclasses import dataclass
from datetime import datetime

from sortkey import DB, TransactionFailed, WriteFailed, utc_now
from sortkey_systems.oneonone.design import (
    LONGEST_CALL,
    Session,
    User,
    end_session,
    session_by_id,
    user_status,
)
from sortkey_systems.oneonone.errors import (
    NoPointsLeft,
    NotInSession,
    SessionEnded,
    SessionUnknown,
    UserUnknown,
)
from sortkey_systems.oneonone.inputs import check_id


@dataclass(frozen=True, slots=True)
class Admission:
    """What a token for the room is made from: who may enter which room, and until when."""

    user_id: str
    room_name: str
    until: datetime


def admit(db: DB, user_id: str, session_id: str) -> Admission:
    """The right to enter the room: of one's own call, while it lasts, with points left."""
    session = _session_of(db, user_id, session_id)
    moment, until = utc_now(), session.start_time + LONGEST_CALL
    if session.end_time is not None or moment >= until:
        raise SessionEnded(f"the call {session_id} is over")
    if not _user(db, user_id).points_on(moment.date()):
        raise NoPointsLeft(f"{user_id} has spent all points of today")
    return Admission(user_id, session.room_name, until)


def end(db: DB, user_id: str, session_id: str) -> Session:
    """The session, ended: now or before, by either of the two, and paid by both once.

    A call lasts 15 minutes at most, so one that is ended late has ended then.
    """
    while True:
        session = _session_of(db, user_id, session_id)
        if session.end_time is not None:
            return session
        both = _user(db, session.user_a), _user(db, session.user_b)
        moment = min(utc_now(), session.start_time + LONGEST_CALL)
        try:
            db(end_session(session, *both, moment))
        except TransactionFailed as failed:
            if not any(isinstance(failure, WriteFailed) for failure in failed.failures):
                raise
            # Somebody ended it, or the points have changed: look again.


def _session_of(db: DB, user_id: str, session_id: str) -> Session:
    check_id(user_id, "user_id")
    check_id(session_id, "session_id")
    session = db(session_by_id(session_id))
    if session is None:
        raise SessionUnknown(session_id)
    if not session.includes(user_id):
        raise NotInSession(f"{user_id} is not in the session {session_id}")
    return session


def _user(db: DB, user_id: str) -> User:
    user = db(user_status(user_id))
    if user is None:
        raise UserUnknown(user_id)
    return user
