"""Conversing: start, read, edit and delete sessions, and add messages."""

from collections.abc import Callable, Iterable
from typing import TypeVar
from uuid import uuid4

from sortkey import DB, AlreadyExists, Op, Page, RecordError, TransactionFailed, utc_now
from sortkey_systems.agentcore.design.sessions import (
    CostRecord,
    DeletedSession,
    Session,
    SessionDetails,
    active_sessions,
    add_session,
    change_session,
    costs_of_session,
    count_message,
    deleted_sessions,
    move_session,
    move_to_deleted,
    session_by_id,
)
from sortkey_systems.agentcore.errors import SessionNotFound, checked

# A session has one owner, who seldom sends two messages at once, and never ten by accident.
ATTEMPTS = 10

R = TypeVar("R")
F = TypeVar("F", bound=SessionDetails)


def start_session(db: DB, user_id: str, title: str) -> Session:
    """Create a session without messages and return it."""
    now = utc_now()
    with checked():
        session = Session(
            user_id=user_id,
            session_id=uuid4().hex,
            title=title,
            created_at=now,
            last_message_at=now,
        )
        write = add_session(session)
    try:
        return db(write)
    except AlreadyExists:
        # The id is new, so this is a retry whose first response was lost.
        return session.model_copy(update={"rev": 1})


def find_session(db: DB, user_id: str, session_id: str) -> Session | DeletedSession:
    """Return the user's session, active or deleted, or raise `SessionNotFound`."""
    with checked():
        found = db(session_by_id(session_id))
        session = (
            # A deleted session stays deleted, even if a lagging index still shows it as active.
            _own(found.deleted, user_id)
            or _own(found.active, user_id)
            or _among_newest(db, user_id, session_id)
            or _among_deleted(db, user_id, session_id)
        )
    if session is None:
        raise SessionNotFound(session_id)
    return session


def session_costs(
    db: DB, user_id: str, session_id: str, after: str | None = None
) -> Page[CostRecord]:
    """Return a page of the costs of the user's session, oldest first; it may be deleted."""
    find_session(db, user_id, session_id)
    with checked():
        return db(costs_of_session(session_id, after))


def add_message(db: DB, user_id: str, session_id: str) -> Session:
    """Add a message to the session, move it to the top of the user's list, and return it."""

    def add(session: Session) -> Op[Session]:
        # Clocks differ, but last_message_at must never go back.
        at = max(utc_now(), session.last_message_at)
        count = session.message_count + 1
        if at == session.last_message_at:
            counted = {"message_count": count, "rev": session.rev + 1}
            return count_message(session).returning(session.model_copy(update=counted))
        moved = session.model_copy(update={"last_message_at": at, "message_count": count, "rev": 1})
        return move_session(session, moved).returning(moved)

    return _change(db, user_id, session_id, add)


def edit_session(
    db: DB,
    user_id: str,
    session_id: str,
    *,
    title: str | None = None,
    starred: bool | None = None,
    tags: Iterable[str] | None = None,
) -> Session:
    """Change the title, star or tags of the session and return it; None leaves a field as it is."""
    new_tags = None if tags is None else {*tags}

    def edit(session: Session) -> Op[Session]:
        changed = session.model_copy(
            update={
                "title": session.title if title is None else title,
                "tags": session.tags if new_tags is None else new_tags,
                "starred": session.starred if starred is None else starred,
                "rev": session.rev + 1,
            }
        )
        change = change_session(session, changed.title, changed.tags, starred=changed.starred)
        return change.returning(changed)

    return _change(db, user_id, session_id, edit)


def delete_session(db: DB, user_id: str, session_id: str) -> DeletedSession:
    """Delete the session and return it; its costs remain. A second call has no effect."""

    def delete(session: Session) -> Op[DeletedSession]:
        details = session.model_dump(exclude={"rev"})
        deleted = DeletedSession(deleted_at=utc_now(), **details)
        return move_to_deleted(session, deleted).returning(deleted)

    try:
        return _change(db, user_id, session_id, delete)
    except SessionNotFound:
        deleted = _among_deleted(db, user_id, session_id) or _own(
            db(session_by_id(session_id)).deleted, user_id
        )
        if deleted is None:
            raise
        return deleted


def _change(db: DB, user_id: str, session_id: str, change: Callable[[Session], Op[R]]) -> R:
    """Change the session, and retry with its current state if another caller changed it first."""
    with checked():
        session = _by_id(db, user_id, session_id) or _among_newest(db, user_id, session_id)

        def decide() -> Op[R]:
            if session is None:
                raise SessionNotFound(session_id)
            return change(session)

        def look_again(conflict: RecordError | TransactionFailed) -> None:
            nonlocal session
            if session is not None:
                session = _stored_instead(conflict) or _find_moved(db, session)

        return db.decide(decide, attempts=ATTEMPTS, on_conflict=look_again)


def _stored_instead(failed: RecordError | TransactionFailed) -> Session | None:
    """Return the session now stored under the expected key; None if there is none."""
    failures = failed.failures if isinstance(failed, TransactionFailed) else [failed]
    errors = [failure for failure in failures if isinstance(failure, RecordError)]
    if not errors:
        raise failed
    stored = (error.found(Session) for error in errors if error.entity == Session.__name__)
    return next(filter(None, stored), None)


def _find_moved(db: DB, gone: Session) -> Session | None:
    """Return the session under its new key; None if it was deleted.

    The other caller has just moved it to the top of the user's list, which is read with strong
    consistency. The index may lag behind and still show the old key.
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


def _among_deleted(db: DB, user_id: str, session_id: str) -> DeletedSession | None:
    """Return a session that was deleted just now; the index may not show it yet."""
    deleted = db(deleted_sessions(user_id))
    return next((session for session in deleted if session.session_id == session_id), None)


def _own(found: Iterable[F], user_id: str) -> F | None:
    """Return the user's session; of two entries, the one with the later message."""
    own = [session for session in found if session.user_id == user_id]
    return max(own, key=lambda session: session.last_message_at, default=None)
