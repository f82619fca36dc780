"""Connecting a Strava account, and letting go of it: an athlete has one owner at any time."""

from datetime import timedelta
from secrets import token_urlsafe
from typing import Annotated

from pydantic import AwareDatetime, BaseModel, Field

from sortkey import DB, NotFound, Op, TransactionFailed, WriteFailed, utc_now
from sortkey_systems.commitcollect.auditing import Trace, audit
from sortkey_systems.commitcollect.design import (
    EventType,
    OAuthState,
    Result,
    Session,
    StravaConnection,
    held_athlete,
)
from sortkey_systems.commitcollect.design.writes import (
    connect_again,
    connect_first,
    connect_other,
    consume_state,
    disconnect_athlete,
    drop_foreign,
    drop_unowned,
    write_state,
)
from sortkey_systems.commitcollect.errors import (
    AccountGone,
    AthleteAlreadyConnected,
    Contended,
    StateInvalid,
    refusing_bad_input,
)

STATE_LASTS = timedelta(seconds=600)
ATTEMPTS = 3


class Grant(BaseModel):
    """What Strava gives for a code: whose account it is, and the tokens to read it."""

    athlete_id: str
    access_token: Annotated[str, Field(repr=False)]
    refresh_token: Annotated[str, Field(repr=False)]
    expires_at: AwareDatetime
    scope: str | None = None


def begin_connecting(db: DB, session: Session) -> OAuthState:
    """A state for Strava to send back."""
    state = OAuthState(
        state=token_urlsafe(),
        user_id=session.user_id,
        session_id=session.session_id,
        expires_at_utc=utc_now() + STATE_LASTS,
    )
    return db(write_state(state))


def finish_connecting(db: DB, session: Session, state: str, grant: Grant, trace: Trace) -> None:
    """Consume the state, once, and connect the athlete."""
    connection = _connection(session.user_id, grant)
    try:
        with refusing_bad_input():
            db(consume_state(state, session.user_id, session.session_id))
    except WriteFailed:
        raise StateInvalid("start connecting again") from None
    _connect(db, connection, trace)


def connect(db: DB, user_id: str, grant: Grant, trace: Trace) -> None:
    """Connect the athlete, in place of another if there was one.

    `AthleteAlreadyConnected` where somebody else owns it; then nothing was written.
    """
    _connect(db, _connection(user_id, grant), trace)


def _connection(user_id: str, grant: Grant) -> StravaConnection:
    with refusing_bad_input():
        return StravaConnection(
            user_id=user_id,
            athlete_id=grant.athlete_id,
            access_token=grant.access_token,
            refresh_token=grant.refresh_token,
            expires_at_utc=grant.expires_at,
            updated_at_utc=utc_now(),
            scope=grant.scope,
        )


def _connect(db: DB, connection: StravaConnection, trace: Trace) -> None:
    user_id, athlete_id = connection.user_id, connection.athlete_id
    for _ in range(ATTEMPTS):
        try:
            db(_connecting(db, connection))
        except TransactionFailed as failed:
            claimed, _connected, account, *_ = failed.failures
            if isinstance(account, NotFound):
                raise AccountGone(user_id) from None
            if isinstance(claimed, WriteFailed):
                audit(
                    db,
                    trace,
                    user_id,
                    EventType.STRAVA_AUTHORIZE,
                    Result.FAILED,
                    athleteId=athlete_id,
                )
                raise AthleteAlreadyConnected(athlete_id) from None
            continue  # the connection is not the one that was read
        audit(db, trace, user_id, EventType.STRAVA_AUTHORIZE, Result.SUCCESS, athleteId=athlete_id)
        return
    raise Contended(f"the connection of {user_id} is being changed")


def _connecting(db: DB, connection: StravaConnection) -> Op[None]:
    """The transaction that fits the athlete that the user holds now."""
    held = db(held_athlete(connection.user_id))
    if held is None:
        return connect_first(connection)
    if held.athlete_id == connection.athlete_id:
        return connect_again(connection)
    return connect_other(connection, held.athlete_id)


def disconnect(db: DB, user_id: str, trace: Trace) -> None:
    """Remove the connection and free the athlete; not connected is fine."""
    for _ in range(ATTEMPTS):
        with refusing_bad_input():
            held = db(held_athlete(user_id))
        if held is None:
            return
        try:
            _let_go(db, user_id, held.athlete_id)
        except TransactionFailed:
            continue  # the connection is not the one that was read
        athlete_id = held.athlete_id
        audit(
            db, trace, user_id, EventType.STRAVA_DEAUTHORIZE, Result.SUCCESS, athleteId=athlete_id
        )
        return
    raise Contended(f"the connection of {user_id} is being changed")


def _let_go(db: DB, user_id: str, athlete_id: str) -> None:
    try:
        db(disconnect_athlete(user_id, athlete_id))
    except TransactionFailed as failed:
        _, owned = failed.failures
        # Each is refused by itself where the connection is not the one that was read.
        drop = drop_unowned if isinstance(owned, NotFound) else drop_foreign
        db(drop(user_id, athlete_id))
