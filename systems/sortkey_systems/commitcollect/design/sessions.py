"""Sessions of signed-in users, which last for 30 days."""

from pydantic import BaseModel
from pydantic.alias_generators import to_camel

from sortkey import TTL, Entity, EpochSeconds, Expected, Op, pattern, refers, transact
from sortkey_systems.commitcollect.design.accounts import UserProfile, has_account
from sortkey_systems.commitcollect.design.tables import CommitCollectSessions, Id


class Session(
    Entity,
    table=CommitCollectSessions,
    stored=to_camel,
    expected=Expected(per_partition=5),
    relations=(refers("user_id", UserProfile),),
    ignore={"SK611": "the session itself identifies the user"},
):
    """A session of a signed-in user."""

    session_id: Id
    user_id: Id
    created_at_utc: EpochSeconds
    expires_at_utc: TTL

    primary = CommitCollectSessions.primary.key("SESSION#{session_id}", "META")
    by_user = CommitCollectSessions.by_user.key(
        "USER#{user_id}", "{created_at_utc:%s}#{session_id}"
    )


class SessionSummary(BaseModel):
    """A session in the list of a user's sessions."""

    session_id: str
    user_id: str
    created_at_utc: EpochSeconds


@pattern("A session by its id", rate="500/s", fresh=True)
def session(session_id: str) -> Op[Session | None]:
    """Return the session, or None if it does not exist or has expired."""
    return Session.get(session_id=session_id).consistently()


@pattern(
    "A user's sessions",
    rate="1/s",
    where=lambda session, user_id: session.user_id == user_id,
    order=lambda session: (session.created_at_utc, session.session_id),
)
def sessions(user_id: str) -> Op[list[SessionSummary]]:
    """Return the oldest first."""
    return Session.query(Session.by_user, user_id=user_id).select(SessionSummary)


@pattern("Create an account and open a session", rate="1/s")
def sign_up(profile: UserProfile, session: Session) -> Op[None]:
    """Create both if the user has no account; one that is being deleted still exists."""
    return transact(profile.create(), session.create())


@pattern("Open a session", rate="2/s")
def open_session(session: Session) -> Op[None]:
    """Create the session if the user has an account that is not being deleted."""
    return transact(session.create(), has_account(session.user_id))


@pattern("End a session", rate="1/s")
def end_session(session_id: str) -> Op[Session | None]:
    """Delete the session; return it if it existed."""
    return Session.delete(session_id=session_id)
