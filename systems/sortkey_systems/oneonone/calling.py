"""Calls: admission to the video room, and the end of a call with its payment."""

from dataclasses import dataclass
from datetime import datetime

from sortkey import DB, Done, Op, utc_now
from sortkey_systems.oneonone.design import (
    MAX_CALL,
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
    """Admit a user with points left to the room of their call, until the call ends."""
    session = _session_of(db, user_id, session_id)
    moment, until = utc_now(), session.start_time + MAX_CALL
    if session.end_time is not None or moment >= until:
        raise SessionEnded(f"call {session_id} has ended")
    if not _user(db, user_id).points_on(moment.date()):
        raise NoPointsLeft(f"{user_id} has no points left today")
    return Admission(user_id, session.room_name, until)


def end(db: DB, user_id: str, session_id: str) -> Session:
    """End a session and return it; either user can end it, and both pay once.

    A call that is ended late ends after 15 minutes, the longest duration of a call.
    """

    def decide() -> Op[object]:
        session = _session_of(db, user_id, session_id)
        if session.end_time is not None:
            return Done(session)
        both = _user(db, session.user_a), _user(db, session.user_b)
        moment = min(utc_now(), session.start_time + MAX_CALL)
        return end_session(session, *both, moment)

    db.decide(decide)
    return _session_of(db, user_id, session_id)


def _session_of(db: DB, user_id: str, session_id: str) -> Session:
    check_id(user_id, "user_id")
    check_id(session_id, "session_id")
    session = db(session_by_id(session_id))
    if session is None:
        raise SessionNotFound(session_id)
    if not session.includes(user_id):
        raise NotInSession(f"{user_id} is not in session {session_id}")
    return session


def _user(db: DB, user_id: str) -> User:
    user = db(user_status(user_id))
    if user is None:
        raise UserNotFound(user_id)
    return user
