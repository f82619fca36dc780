"""Delete the rooms of ended calls, until nobody can open them again.

The end of a call makes the deletion of its room due, in the same transaction, so that it happens
whatever fails afterwards. A deletion is not the last one: who was in the room has a token from
LiveKit that is valid for ten more minutes, or one of ours that is valid until the call's limit, and
joining would create the room again. So each deletion makes another one due, when all of these have
expired. Only if there was no room any more, the call is closed.
"""

import logging
from datetime import timedelta
from typing import Protocol

from sortkey import DB, ConditionFailed, NotFound, utc_now
from sortkey_systems.oneonone import calling
from sortkey_systems.oneonone.design import (
    MAX_CALL,
    OpenCall,
    Session,
    close_room,
    recheck_room,
)
from sortkey_systems.oneonone.errors import VideoServerError
from sortkey_systems.oneonone.tokens import LEEWAY

_log = logging.getLogger(__name__)

# LiveKit gives everybody in a room tokens that are valid for this time.
REFRESHED_TOKENS_LAST = timedelta(minutes=10)


class Rooms(Protocol):
    """A video service, as far as the end of a call needs it."""

    def delete_room(self, name: str) -> bool:
        """Delete a room; return whether it existed, or raise `VideoServerError`."""
        ...


def end_call(db: DB, rooms: Rooms, user_id: str, session_id: str) -> Session:
    """End a session, delete its room, and return the session; see `calling.end`.

    If the room cannot be deleted now, a schedule does it.
    """
    session = calling.end(db, user_id, session_id)
    close_now(db, rooms, session)
    return session


def close_now(db: DB, rooms: Rooms, session: Session) -> None:
    """Delete the room of an ended session if that is due; log an error and raise none."""
    if session.end_time is None or session.due_at is None or session.due_at > utc_now():
        return
    try:
        close(db, rooms, OpenCall.model_validate(session, from_attributes=True))
    except VideoServerError as error:
        _log.warning("the room of call %s is not deleted yet: %s", session.session_id, error)


def close(db: DB, rooms: Rooms, call: OpenCall) -> None:
    """Delete the room of an ended call, and close the call or make another deletion due.

    Raises:
        VideoServerError: The room may still be open; its deletion stays due.
    """
    existed = rooms.delete_room(call.room_name)
    moment = utc_now()
    limit = call.deadline or call.start_time + MAX_CALL
    longest_token = REFRESHED_TOKENS_LAST + LEEWAY
    is_closed = not existed and moment >= limit + longest_token
    later = max(moment, limit) + longest_token
    try:
        db(close_room(call) if is_closed else recheck_room(call, later))
    except (ConditionFailed, NotFound):
        # Somebody came in since the call was read, or another request was faster. The call is
        # due when they say.
        return
