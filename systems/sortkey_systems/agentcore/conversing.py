"""Conversing: sessions begin, get messages, are named and starred, and go."""

from collections.abc import Callable, Iterable
from typing import TypeVar
from uuid import uuid4

from sortkey import DB, AlreadyExists, Page, TransactionFailed, WriteFailed, utc_now
from sortkey_systems.agentcore.design.sessions import (
    CostRecord,
    DeletedSession,
    Session,
    SessionFacts,
    active_sessions,
    add_session,
    change_session,
    costs_of_session,
    count_message,
    move_session,
    move_to_deleted,
    session_by_id,
)
from sortkey_systems.agentcore.errors import Contended, SessionNotFound, checked

# A session has one owner, who seldom sends two messages at once, and ten by no accident.
ATTEMPTS = 10

R = TypeVar("R")
F = TypeVar("F", bound=SessionFacts)


def start_session(db: DB, user_id: str, title: str) -> Session:
    """A new session, without messages."""
    now = utc_now()
    with checked():
        session = Session(
            user_id=user_id,
            session_id=uuid4().hex,
            title=title,
            created_at=now,
            last_message_at=now,
        )
        starting = add_session(session)
    try:
        return db(starting)
    except AlreadyExists:
        # The id is new, so it is this session, whose first answer was lost.
        return session.model_copy(update={"rev": 1})


def find_session(db: DB, user_id: str, session_id: str) -> Session | DeletedSession:
    """The user's session, deleted or not; somebody else's is not found."""
    with checked():
        found = db(session_by_id(session_id))
        session = (
            # What is deleted stays so, wherever an index that lags behind shows it too.
            _own(found.deleted, user_id)
            or _own(found.active, user_id)
            or _among_newest(db, user_id, session_id)
        )
    if session is None:
        raise SessionNotFound(session_id)
    return session


def session_costs(
    db: DB, user_id: str, session_id: str, after: str | None = None
) -> Page[CostRecord]:
    """A page of what the user's session cost, oldest first, deleted or not."""
    find_session(db, user_id, session_id)
    with checked():
        return db(costs_of_session(session_id, after))


def add_message(db: DB, user_id: str, session_id: str) -> Session:
    """The session with one message more, on top of the user's list."""

    def add(session: Session) -> Session:
        # Clocks differ, and the last message is never earlier than it was.
        at = max(utc_now(), session.last_message_at)
        count = session.message_count + 1
        if at == session.last_message_at:
            db(count_message(session))
            return session.model_copy(update={"message_count": count, "rev": session.rev + 1})
        moved = session.model_copy(update={"last_message_at": at, "message_count": count, "rev": 1})
        db(move_session(session, moved))
        return moved

    return _changed(db, user_id, session_id, add)


def edit_session(
    db: DB,
    user_id: str,
    session_id: str,
    *,
    title: str | None = None,
    starred: bool | None = None,
    tags: Iterable[str] | None = None,
) -> Session:
    """The session with another title, a star or none, or other tags: what is given changes."""
    wanted = None if tags is None else {*tags}

    def edit(session: Session) -> Session:
        change = change_session(
            session,
            session.title if title is None else title,
            session.tags if wanted is None else wanted,
            starred=session.starred if starred is None else starred,
        )
        return db(change)

    return _changed(db, user_id, session_id, edit)


def delete_session(db: DB, user_id: str, session_id: str) -> DeletedSession:
    """The session, among the deleted ones; what it cost stays. Deleted twice, it stays as it is."""

    def delete(session: Session) -> DeletedSession:
        facts = session.model_dump(exclude={"rev"})
        deleted = DeletedSession(deleted_at=utc_now(), **facts)
        db(move_to_deleted(session, deleted))
        return deleted

    try:
        return _changed(db, user_id, session_id, delete)
    except SessionNotFound:
        deleted = _own(db(session_by_id(session_id)).deleted, user_id)
        if deleted is None:
            raise
        return deleted


def _changed(db: DB, user_id: str, session_id: str, change: Callable[[Session], R]) -> R:
    """What a change of the session as it is comes to; whoever was faster is looked at again."""
    with checked():
        session = _by_id(db, user_id, session_id) or _among_newest(db, user_id, session_id)
        for _ in range(ATTEMPTS):
            if session is None:
                raise SessionNotFound(session_id)
            try:
                return change(session)
            except (WriteFailed, TransactionFailed) as failed:
                session = _there_instead(failed) or _moved(db, session)
    raise Contended(f"the session {session_id} is being changed")


def _there_instead(failed: WriteFailed | TransactionFailed) -> Session | None:
    """The session as it is where it was expected; none where it is not there any more."""
    failures = failed.failures if isinstance(failed, TransactionFailed) else [failed]
    refused = [failure for failure in failures if isinstance(failure, WriteFailed)]
    if not refused:
        raise failed
    there = (failure.found(Session) for failure in refused if failure.entity == Session.__name__)
    return next(filter(None, there), None)


def _moved(db: DB, gone: Session) -> Session | None:
    """The session at the place that it has moved to; none where it was deleted.

    Whoever has just moved it has put it on top of the user's list, which is read consistently. The
    index may lag behind, and still show it where it is gone.
    """
    newest = _among_newest(db, gone.user_id, gone.session_id)
    if newest is not None:
        return newest
    shown = _by_id(db, gone.user_id, gone.session_id)
    is_later = shown is not None and shown.last_message_at > gone.last_message_at
    return shown if is_later else None


def _by_id(db: DB, user_id: str, session_id: str) -> Session | None:
    return _own(db(session_by_id(session_id)).active, user_id)


def _among_newest(db: DB, user_id: str, session_id: str) -> Session | None:
    newest = db(active_sessions(user_id))
    return next((session for session in newest if session.session_id == session_id), None)


def _own(found: Iterable[F], user_id: str) -> F | None:
    """The user's, at the later of two places."""
    own = [session for session in found if session.user_id == user_id]
    return max(own, key=lambda session: session.last_message_at, default=None)
