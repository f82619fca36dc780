"""Sign in and out, and find the session of a request."""

from dataclasses import dataclass
from datetime import timedelta
from secrets import token_urlsafe

from sortkey import DB, Op, utc_now
from sortkey_systems.commitcollect.auditing import Trace, audit
from sortkey_systems.commitcollect.design.accounts import UserProfile, profile
from sortkey_systems.commitcollect.design.audit import EventType, Result
from sortkey_systems.commitcollect.design.sessions import (
    Session,
    end_session,
    open_session,
    session,
    sign_up,
)
from sortkey_systems.commitcollect.errors import (
    BadInput,
    DeletionUnderWay,
    NotSignedIn,
    raising_bad_input,
)

SESSION_LIFETIME = timedelta(days=30)
ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class SignInResult:
    """A new session, and whether its account is new."""

    session: Session
    is_new: bool


def sign_in(db: DB, user_id: str, email: str, trace: Trace) -> SignInResult:
    """Create the account if there is none, and open a session.

    Raises:
        DeletionUnderWay: The account is being deleted.
    """
    now = utc_now()
    with raising_bad_input():
        new = UserProfile(user_id=user_id, email=email, created_at_utc=now)
        opened = Session(
            session_id=token_urlsafe(),
            user_id=user_id,
            created_at_utc=now,
            expires_at_utc=now + SESSION_LIFETIME,
        )

    def decide() -> Op[bool]:
        found = db(profile(user_id))
        if found is None:
            return sign_up(new, opened).returning(True)
        if found.deletion_id is not None:
            raise DeletionUnderWay(user_id)
        return open_session(opened).returning(False)

    is_new = db.decide(decide, attempts=ATTEMPTS)
    audit(
        db,
        trace,
        user_id,
        EventType.AUTH_SIGNUP if is_new else EventType.AUTH_LOGIN,
        Result.SUCCESS,
    )
    return SignInResult(opened, is_new)


def resolve_session(db: DB, session_id: str) -> Session:
    """Return the session with this id; raise `NotSignedIn` if it is unknown or has ended."""
    try:
        with raising_bad_input():
            found = db(session(session_id))
    except BadInput:
        found = None
    if found is None:
        raise NotSignedIn("not signed in")
    return found


def sign_out(db: DB, session_id: str, trace: Trace) -> None:
    """End a session; do nothing if it has already ended."""
    with raising_bad_input():
        ended = db(end_session(session_id))
    if ended is not None:
        audit(db, trace, ended.user_id, EventType.AUTH_LOGOUT, Result.SUCCESS)
