"""Strava connections: each athlete belongs to one user, and each user has one athlete."""

from typing import Annotated

from pydantic import BaseModel
from pydantic.alias_generators import to_camel

from sortkey import (
    TTL,
    Entity,
    EpochSeconds,
    Expected,
    Op,
    Put,
    accepts_plaintext,
    invariant,
    missing,
    pattern,
    refers,
    secret,
    transact,
)
from sortkey_systems.commitcollect.design.accounts import UserProfile, has_account
from sortkey_systems.commitcollect.design.tables import (
    CommitCollect,
    CommitCollectSessions,
    Id,
    NumericId,
)


class StravaConnection(
    Entity, table=CommitCollect, stored=to_camel, relations=(refers("user_id", UserProfile),)
):
    """A user's Strava account, with the tokens to read it; a user has at most one."""

    user_id: Id
    athlete_id: NumericId
    # Tokens that were stored before this design are in plain text until they are back-filled.
    access_token: Annotated[str, secret, accepts_plaintext]
    refresh_token: Annotated[str, secret, accepts_plaintext]
    # When the access token expires; the record stays.
    expires_at_utc: EpochSeconds
    updated_at_utc: EpochSeconds | None = None
    scope: str | None = None

    primary = CommitCollect.primary.key("USER#{user_id}", "STRAVA#CONNECTION")


class AthleteOwner(
    Entity,
    table=CommitCollect,
    stored=to_camel,
    relations=(refers("user_id", UserProfile),),
    ignore={"SK611": "it identifies the user of an athlete, and only the server reads it"},
):
    """The owner of a Strava athlete; there is only one, since the athlete is the whole key."""

    athlete_id: NumericId
    user_id: Id
    updated_at_utc: EpochSeconds | None = None

    primary = CommitCollect.primary.key("STRAVA#ATHLETE#{athlete_id}", "OWNER")


class OAuthState(
    Entity,
    table=CommitCollectSessions,
    stored=to_camel,
    expected=Expected(per_partition=2),
    ignore={"SK611": "Strava returns only the state; the condition checks the user"},
):
    """A value that Strava sends back with the user; it is valid once, for ten minutes."""

    state: Id
    user_id: Id
    session_id: Id
    expires_at_utc: TTL

    primary = CommitCollectSessions.primary.key("STATE#{state}", "META")
    by_user = CommitCollectSessions.by_user.key("USER#{user_id}#STATES", "{state}")


class ConnectedAthlete(BaseModel):
    """A connection without its tokens."""

    athlete_id: str


@pattern("A user's connection", rate="10/s")
def connection(user_id: str) -> Op[StravaConnection | None]:
    """Return the connection with its tokens, for calls to Strava."""
    return StravaConnection.get(user_id=user_id)


@pattern("A user's connected athlete", rate="1/s", fresh=True)
def connected_athlete(user_id: str) -> Op[ConnectedAthlete | None]:
    """Read the connection consistently and without its tokens, to replace or delete it."""
    return StravaConnection.get(user_id=user_id).consistently().select(ConnectedAthlete)


@pattern("The owner of an athlete", rate="100/s", fresh=True)
def athlete_owner(athlete_id: str) -> Op[AthleteOwner | None]:
    """Return the owner, or None if no user has connected the athlete."""
    return AthleteOwner.get(athlete_id=athlete_id).consistently()


@pattern("Store a state", rate="1/s")
def add_state(state: OAuthState) -> Op[None]:
    """Store a new state if the user has an account that is not being deleted."""
    return transact(state.create(), has_account(state.user_id))


@pattern("Consume a state", rate="1/s")
def consume_state(state: str, user_id: str, session_id: str) -> Op[OAuthState | None]:
    """Delete the state if it belongs to this session, so that it can be used only once."""
    mine = OAuthState.delete(state=state)
    return mine.where(lambda s: (s.user_id == user_id) & (s.session_id == session_id))


def _claim(connection: StravaConnection) -> Put[AthleteOwner]:
    """Make this user the owner of the athlete, unless another user is."""
    user_id = connection.user_id
    owner = AthleteOwner(
        athlete_id=connection.athlete_id,
        user_id=user_id,
        updated_at_utc=connection.updated_at_utc,
    )
    return owner.put().where(lambda o: missing(o.user_id) | (o.user_id == user_id))


@pattern("Connect Strava for the first time", rate="1/s")
def connect_first(connection: StravaConnection) -> Op[None]:
    """Claim the athlete and store the connection, if the user has none."""
    return transact(_claim(connection), connection.create(), has_account(connection.user_id))


@pattern("Connect the same athlete again", rate="1/min")
def connect_again(connection: StravaConnection) -> Op[None]:
    """Store new tokens; nothing is released, since that would be a second action on one record."""
    athlete_id = connection.athlete_id
    return transact(
        _claim(connection),
        connection.put().where(lambda c: c.athlete_id == athlete_id),
        has_account(connection.user_id),
    )


@pattern("Connect another athlete", rate="1/min")
def connect_other(connection: StravaConnection, previous: str) -> Op[None]:
    """Claim the new athlete, replace the connection, and release the previous athlete."""
    user_id = connection.user_id
    return transact(
        _claim(connection),
        connection.put().where(lambda c: c.athlete_id == previous),
        has_account(user_id),
        AthleteOwner.delete(athlete_id=previous).where(lambda o: o.user_id == user_id),
    )


@pattern("Disconnect Strava", rate="1/min")
def disconnect_athlete(user_id: str, athlete_id: str) -> Op[None]:
    """Delete the connection and the owner record, if it names this user."""
    return transact(
        StravaConnection.delete(user_id=user_id).where(lambda c: c.athlete_id == athlete_id),
        AthleteOwner.delete(athlete_id=athlete_id).where(lambda o: o.user_id == user_id),
    )


@pattern("Delete a connection whose athlete belongs to another user", rate="1/day")
def drop_foreign(user_id: str, athlete_id: str) -> Op[None]:
    """Delete a connection that an import may have left; the owner record stays."""
    return transact(
        StravaConnection.delete(user_id=user_id).where(lambda c: c.athlete_id == athlete_id),
        AthleteOwner.check(athlete_id=athlete_id).where(lambda o: o.user_id != user_id),
    )


@pattern("Delete a connection whose athlete has no owner", rate="1/day")
def drop_unowned(user_id: str, athlete_id: str) -> Op[None]:
    """Delete a connection that an import may have left without an owner record."""
    return transact(
        StravaConnection.delete(user_id=user_id).where(lambda c: c.athlete_id == athlete_id),
        AthleteOwner.check(athlete_id=athlete_id).is_absent(),
    )


@invariant("An athlete's owner is connected to it")
def owner_is_connected(owner: AthleteOwner, connections: list[StravaConnection]) -> bool:
    """An owner without a connection would block the athlete for all other users."""
    return any(
        held.user_id == owner.user_id and held.athlete_id == owner.athlete_id
        for held in connections
    )


@invariant("A user who is connected to an athlete owns it")
def connection_is_owned(connection: StravaConnection, owners: list[AthleteOwner]) -> bool:
    """Since an athlete has one owner, no other user can be connected to it."""
    return any(
        owner.athlete_id == connection.athlete_id and owner.user_id == connection.user_id
        for owner in owners
    )
