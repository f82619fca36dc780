"""Signing in and out, and who is asking."""

from dataclasses import dataclass
from datetime import timedelta
from secrets import token_urlsafe

from sortkey import DB, AlreadyExists, NotFound, TransactionFailed, utc_now
from sortkey_systems.commitcollect.auditing import Trace, audit
from sortkey_systems.commitcollect.design import EventType, Result, Session, UserProfile, session
from sortkey_systems.commitcollect.design.writes import add_profile, end_session, open_session
from sortkey_systems.commitcollect.errors import (
    BadInput,
    Contended,
    NotSignedIn,
    refusing_bad_input,
)

SESSION_LASTS = timedelta(days=30)
ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A new session, and whether it is the first of a new account."""

    session: Session
    is_new: bool


def sign_in(db: DB, user_id: str, email: str, trace: Trace) -> SignedIn:
    """Make the account if there is none, and open a session."""
    now = utc_now()
    with refusing_bad_input():
        profile = UserProfile(user_id=user_id, email=email, created_at_utc=now)
        opened = Session(
            session_id=token_urlsafe(),
            user_id=user_id,
            created_at_utc=now,
            expires_at_utc=now + SESSION_LASTS,
        )
    for _ in range(ATTEMPTS):
        is_new = _added(db, profile)
        try:
            db(open_session(opened))
        except TransactionFailed as failed:
            _, account = failed.failures
            if isinstance(account, NotFound):
                continue  # the account was deleted just now, so this is a sign-up
            raise
        event = EventType.AUTH_SIGNUP if is_new else EventType.AUTH_LOGIN
        audit(db, trace, user_id, event, Result.SUCCESS)
        return SignedIn(opened, is_new)
    raise Contended(f"the account {user_id} is being deleted and made again")


def _added(db: DB, profile: UserProfile) -> bool:
    try:
        db(add_profile(profile))
    except AlreadyExists:
        return False
    return True


def resolve_session(db: DB, session_id: str) -> Session:
    """The session that a request comes with; `NotSignedIn` if it is unknown or over."""
    try:
        with refusing_bad_input():
            found = db(session(session_id))
    except BadInput:
        found = None
    if found is None:
        raise NotSignedIn("not signed in")
    return found


def sign_out(db: DB, session_id: str, trace: Trace) -> None:
    """End a session; one that is over already is fine."""
    with refusing_bad_input():
        ended = db(end_session(session_id))
    if ended is not None:
        audit(db, trace, ended.user_id, EventType.AUTH_LOGOUT, Result.SUCCESS)
