"""Connect and disconnect a Strava account: an athlete has one owner at any time."""

from datetime import timedelta
from secrets import token_urlsafe
from typing import Annotated

from pydantic import AwareDatetime, BaseModel, Field

from sortkey import DB, Done, NotFound, Op, RecordError, TransactionFailed, utc_now
from sortkey_systems.commitcollect.auditing import Trace, audit
from sortkey_systems.commitcollect.design.audit import EventType, Result
from sortkey_systems.commitcollect.design.sessions import Session
from sortkey_systems.commitcollect.design.strava import (
    OAuthState,
    StravaConnection,
    add_state,
    connect_again,
    connect_first,
    connect_other,
    connected_athlete,
    consume_state,
    disconnect_athlete,
    drop_foreign,
    drop_unowned,
)
from sortkey_systems.commitcollect.errors import (
    AccountNotFound,
    AthleteAlreadyConnected,
    StateInvalid,
    raising_bad_input,
)

STATE_LIFETIME = timedelta(seconds=600)
ATTEMPTS = 3


class Grant(BaseModel):
    """The athlete and tokens that Strava returns for a code."""

    athlete_id: str
    access_token: Annotated[str, Field(repr=False)]
    refresh_token: Annotated[str, Field(repr=False)]
    expires_at: AwareDatetime
    scope: str | None = None


def begin_connecting(db: DB, session: Session) -> OAuthState:
    """Store and return a state for Strava to send back."""
    state = OAuthState(
        state=token_urlsafe(),
        user_id=session.user_id,
        session_id=session.session_id,
        expires_at_utc=utc_now() + STATE_LIFETIME,
    )
    try:
        db(add_state(state))
    except TransactionFailed as failed:
        if isinstance(failed.failures[1], RecordError):
            raise AccountNotFound(session.user_id) from None
        raise
    return state


def finish_connecting(db: DB, session: Session, state: str, grant: Grant, trace: Trace) -> None:
    """Consume the state, which is valid once, and connect the athlete."""
    connection = _connection(session.user_id, grant)
    _consume(db, session, state)
    _connect(db, connection, trace)


def _consume(db: DB, session: Session, state: str) -> None:
    def explain(_: Exception) -> None:
        raise StateInvalid("start connecting again") from None

    with raising_bad_input():
        consuming = consume_state(state, session.user_id, session.session_id)
    # Decided, though there is nothing to decide: it happens once, even if its response is lost.
    db.decide(lambda: consuming, on_conflict=explain)


def connect(db: DB, user_id: str, grant: Grant, trace: Trace) -> None:
    """Connect the athlete; it replaces a connected one.

    Raises:
        AthleteAlreadyConnected: Another user owns the athlete; the connection is unchanged.
    """
    _connect(db, _connection(user_id, grant), trace)


def _connection(user_id: str, grant: Grant) -> StravaConnection:
    with raising_bad_input():
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

    def explain(conflict: Exception) -> None:
        match conflict:
            case TransactionFailed(failures=(_, _, RecordError(), *_)):
                raise AccountNotFound(user_id) from None
            case TransactionFailed(failures=(RecordError(), *_)):
                event = EventType.STRAVA_AUTHORIZE
                audit(db, trace, user_id, event, Result.FAILED, athleteId=athlete_id)
                raise AthleteAlreadyConnected(athlete_id) from None
            case _:
                pass

    db.decide(lambda: _connecting(db, connection), attempts=ATTEMPTS, on_conflict=explain)
    audit(db, trace, user_id, EventType.STRAVA_AUTHORIZE, Result.SUCCESS, athleteId=athlete_id)


def _connecting(db: DB, connection: StravaConnection) -> Op[None]:
    """Return the transaction for the athlete that the user has connected now, if any."""
    held = db(connected_athlete(connection.user_id))
    if held is None:
        return connect_first(connection)
    if held.athlete_id == connection.athlete_id:
        return connect_again(connection)
    return connect_other(connection, held.athlete_id)


def disconnect(db: DB, user_id: str, trace: Trace) -> None:
    """Delete the connection and release the athlete; do nothing if there is no connection."""
    drop = disconnect_athlete

    def decide() -> Op[str | None]:
        with raising_bad_input():
            held = db(connected_athlete(user_id))
        if held is None:
            return Done(None)
        return drop(user_id, held.athlete_id).returning(held.athlete_id)

    def look_again(conflict: Exception) -> None:
        # Each of these writes fails if the connection has changed since it was read.
        nonlocal drop
        match conflict:
            case TransactionFailed(failures=(None, NotFound())):
                drop = drop_unowned
            case TransactionFailed(failures=(None, RecordError())):
                drop = drop_foreign
            case _:
                drop = disconnect_athlete

    athlete_id = db.decide(decide, attempts=ATTEMPTS, on_conflict=look_again)
    if athlete_id is not None:
        event = EventType.STRAVA_DEAUTHORIZE
        audit(db, trace, user_id, event, Result.SUCCESS, athleteId=athlete_id)
