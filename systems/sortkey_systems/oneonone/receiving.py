"""Receive events of LiveKit: log who joins and leaves a call, and end it when it is over.

An event changes what is known of a connection, and the end of a call follows from the log; see
`presence`. So events may be repeated, late or in another order. Those of unknown rooms are ignored:
a project of LiveKit can have rooms of other applications.

Times are bounded by the start of the call and by now, so that an event can neither charge for a
time before the call nor for one to come.
"""

import logging
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from sortkey import DB, Contended, Done, Op, utc_now
from sortkey_systems.oneonone.calling import settle
from sortkey_systems.oneonone.closing import Rooms, close_now
from sortkey_systems.oneonone.design import (
    Session,
    log_and_close_again,
    log_ended_call,
    log_open_call,
    session_by_id,
)
from sortkey_systems.oneonone.errors import TryAgain
from sortkey_systems.oneonone.inputs import is_id
from sortkey_systems.oneonone.presence import Connection, with_connection
from sortkey_systems.oneonone.webhooks import Event, Participant

_log = logging.getLogger(__name__)

_ARRIVAL = "participant_joined"
_FINISHED = "room_finished"


class Outcome(StrEnum):
    """The effect of an event."""

    LOGGED = "logged"
    REPEATED = "repeated"
    IGNORED = "ignored"


@dataclass(frozen=True, slots=True)
class Receipt:
    """The answer to an event."""

    outcome: Outcome


@dataclass(frozen=True, slots=True)
class _Log:
    """What is known of the room of a call."""

    connections: tuple[Connection, ...]
    finished: datetime | None


def receive(db: DB, rooms: Rooms, event: Event) -> Receipt:
    """Log an event of a call, and end the call if it is over.

    A user who comes into the room of an ended call is disconnected again.

    Raises:
        TryAgain: Other requests are changing the call.
    """
    if not is_id(event.room.name):
        return Receipt(Outcome.IGNORED)
    outcome = Outcome.IGNORED

    def decide() -> Op[Session | None]:
        nonlocal outcome
        found = db(session_by_id(event.room.name))
        log = None if found is None else _logged(found, event)
        if found is None or log is None:
            outcome = Outcome.IGNORED
            return Done(None)
        if log == _log_of(found):
            outcome = Outcome.REPEATED
            return Done(found)
        outcome = Outcome.LOGGED
        return _write(found, log, is_arrival=event.event == _ARRIVAL)

    try:
        session = db.decide(decide)
        if session is not None and settle(db, session):
            session = db(session_by_id(session.session_id))
        if session is not None:
            close_now(db, rooms, session)
    except Contended as error:
        _log.warning("an event of call %s was not logged: %s", event.room.name, error)
        raise TryAgain("other requests are changing the call: send the event again") from error
    return Receipt(outcome)


def _write(found: Session, log: _Log, *, is_arrival: bool) -> Op[Session]:
    """Return the write of a log that has changed."""
    if found.end_time is None:
        return log_open_call(found, log.connections, log.finished)
    if is_arrival:
        # Another time than the one that a schedule may have read, which then deletes once more.
        now = utc_now()
        due_at = now - timedelta(microseconds=1) if now == found.due_at else now
        return log_and_close_again(found, log.connections, due_at)
    return log_ended_call(found, log.connections, log.finished)


def _log_of(session: Session) -> _Log:
    return _Log(session.connections or (), session.room_finished_at)


def _logged(session: Session, event: Event) -> _Log | None:
    """Return the log with an event, or None if the event is not about who is in the call."""
    log = _log_of(session)
    created = _bounded(session, event.created_at)
    if event.event == _FINISHED:
        return _Log(log.connections, max(created, log.finished or created))
    participant = event.participant
    if participant is None or not is_id(participant.sid):
        return None
    if not session.includes(participant.identity):
        return None  # such as a recorder
    joined = _bounded(session, participant.joined_at or event.created_at)
    match event.event:
        case "participant_joined":
            seen = _connection(participant, joined, None)
        case "participant_left":
            seen = _connection(participant, joined, created)
        case "participant_connection_aborted":
            seen = _connection(participant, None, created)
        case _:
            return None
    return _Log(with_connection(log.connections, seen), log.finished)


def _connection(
    participant: Participant, joined: datetime | None, left: datetime | None
) -> Connection:
    user_id = participant.identity
    return Connection(participant=participant.sid, user_id=user_id, joined=joined, left=left)


def _bounded(session: Session, seconds: int) -> datetime:
    """Return a time that LiveKit reports, within the call so far; now if it reports none."""
    now = utc_now()
    reported = datetime.fromtimestamp(seconds, UTC) if seconds else now
    return max(session.start_time, min(reported, now))
