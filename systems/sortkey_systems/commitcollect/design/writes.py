"""Every write of CommitCollect, with the conditions on which it happens.

Where several records must change together it is one transaction. The order of its writes is the
order of the failures that `TransactionFailed` tells.
"""

from datetime import datetime, timedelta
from typing import Annotated

from pydantic import Field

from sortkey import Op, missing, pattern, transact, write_many
from sortkey.operations.delete import Check
from sortkey.operations.put import Put
from sortkey_systems.commitcollect.design import (
    AthleteOwner,
    AuditEvent,
    Award,
    Milestone,
    ModelMeta,
    ModelPart,
    ModelStatus,
    OAuthState,
    OpenSession,
    Outcome,
    Session,
    StravaConnection,
    UserProfile,
    WebhookClaim,
    Workout,
    WorkoutKey,
)

# Longer than the work takes: whoever crashed keeps the next delivery waiting no longer.
LEASE = timedelta(minutes=1)
REMEMBERED = timedelta(days=7)


def _has_account(user_id: str) -> Check[UserProfile]:
    return UserProfile.check(user_id=user_id)


# Signing in.


@pattern("Sign up: the profile, if absent", rate="1/s")
def add_profile(profile: UserProfile) -> Op[UserProfile]:
    """`AlreadyExists` is a log-in."""
    return profile.create()


@pattern("Open a session", rate="2/s")
def open_session(session: Session) -> Op[None]:
    """Only of somebody who has an account: one that is being deleted gets no new session."""
    return transact(session.create(), _has_account(session.user_id))


@pattern("End a session", rate="1/s")
def end_session(session_id: str) -> Op[Session | None]:
    """The session as it was."""
    return Session.delete(session_id=session_id)


# Connecting Strava.


@pattern("A state to come back with", rate="1/s")
def write_state(state: OAuthState) -> Op[OAuthState]:
    """Once for each attempt to connect."""
    return state.create()


@pattern("Consume a state, once", rate="1/s")
def consume_state(state: str, user_id: str, session_id: str) -> Op[OAuthState | None]:
    """Only where it was given to this session; whoever comes second finds none."""
    mine = OAuthState.delete(state=state)
    return mine.where(lambda s: (s.user_id == user_id) & (s.session_id == session_id))


def _claim(connection: StravaConnection) -> Put[AthleteOwner]:
    """The athlete for this user, if nobody has it or this user does."""
    user_id = connection.user_id
    owner = AthleteOwner(
        athlete_id=connection.athlete_id,
        user_id=user_id,
        updated_at_utc=connection.updated_at_utc,
    )
    return owner.put().where(lambda o: missing(o.user_id) | (o.user_id == user_id))


@pattern("Connect Strava for the first time", rate="1/s")
def connect_first(connection: StravaConnection) -> Op[None]:
    """Claim the athlete and store the connection, where there was none."""
    return transact(_claim(connection), connection.create(), _has_account(connection.user_id))


@pattern("Connect the same athlete again", rate="1/min")
def connect_again(connection: StravaConnection) -> Op[None]:
    """New tokens; nothing is released, as that would be two actions on one record."""
    athlete_id = connection.athlete_id
    return transact(
        _claim(connection),
        connection.put().where(lambda c: c.athlete_id == athlete_id),
        _has_account(connection.user_id),
    )


@pattern("Connect another athlete", rate="1/min")
def connect_other(connection: StravaConnection, previous: str) -> Op[None]:
    """Claim the new one, store it in place of the previous one, and release that."""
    user_id = connection.user_id
    return transact(
        _claim(connection),
        connection.put().where(lambda c: c.athlete_id == previous),
        _has_account(user_id),
        AthleteOwner.delete(athlete_id=previous).where(lambda o: o.user_id == user_id),
    )


@pattern("Disconnect Strava", rate="1/min")
def disconnect_athlete(user_id: str, athlete_id: str) -> Op[None]:
    """The connection and the owner record, if it is this user's."""
    return transact(
        StravaConnection.delete(user_id=user_id).where(lambda c: c.athlete_id == athlete_id),
        AthleteOwner.delete(athlete_id=athlete_id).where(lambda o: o.user_id == user_id),
    )


@pattern("Drop a connection whose athlete is somebody else's", rate="1/day")
def drop_foreign(user_id: str, athlete_id: str) -> Op[None]:
    """What an import may have left: the owner record stays with its owner."""
    return transact(
        StravaConnection.delete(user_id=user_id).where(lambda c: c.athlete_id == athlete_id),
        AthleteOwner.check(athlete_id=athlete_id).where(lambda o: o.user_id != user_id),
    )


@pattern("Drop a connection whose athlete is nobody's", rate="1/day")
def drop_unowned(user_id: str, athlete_id: str) -> Op[None]:
    """What an import may have left: there is no owner record to remove."""
    return transact(
        StravaConnection.delete(user_id=user_id).where(lambda c: c.athlete_id == athlete_id),
        AthleteOwner.check(athlete_id=athlete_id).is_absent(),
    )


# Events of Strava.


@pattern("Take an event", rate="20/s")
def take_event(request_id: str) -> Op[WebhookClaim]:
    """Whoever is first processes it; a finished one is returned as it is."""
    return WebhookClaim(request_id=request_id).take(lease=LEASE, keep=REMEMBERED)


@pattern("Give an event back", rate="1/s")
def give_back(claim: WebhookClaim) -> Op[None]:
    """Nothing was done, so that a later delivery need not wait for the lease."""
    return claim.release()


def _still_owned(athlete_id: str, user_id: str) -> Check[AthleteOwner]:
    owner = AthleteOwner.check(athlete_id=athlete_id)
    return owner.where(lambda o: o.user_id == user_id)


@pattern("A workout is created", rate="10/s")
def record_created(claim: WebhookClaim, workout: Workout, athlete_id: str) -> Op[Outcome]:
    """Unless an event of the same second or a later one was there: an update follows its create."""
    at = workout.event_time_utc
    return claim.finish(
        Outcome.APPLIED,
        workout.put().where(lambda w: missing(w.event_time_utc) | (w.event_time_utc < at)),
        _still_owned(athlete_id, workout.user_id),
    )


@pattern("A workout is updated", rate="5/s")
def record_updated(claim: WebhookClaim, workout: Workout, athlete_id: str) -> Op[Outcome]:
    """Unless a later event was there, or a deletion in the same second."""
    at = workout.event_time_utc
    return claim.finish(
        Outcome.APPLIED,
        workout.put().where(
            lambda w: (
                missing(w.event_time_utc)
                | (w.event_time_utc < at)
                | ((w.event_time_utc == at) & (w.is_deleted == False))  # noqa: E712 - a field
            )
        ),
        _still_owned(athlete_id, workout.user_id),
    )


@pattern("A workout is deleted", rate="1/s")
def record_deleted(
    claim: WebhookClaim, user_id: str, activity_id: str, at: datetime, athlete_id: str
) -> Op[Outcome]:
    """Unless a later event was there; what is known stays, and of an unknown one a mark is left."""
    gone = (
        Workout.upsert(user_id=user_id, activity_id=activity_id)
        .set(lambda w: w.event_time_utc)
        .to(at)
        .set(lambda w: w.is_deleted)
        .to(True)
        .set(lambda w: w.deleted_at_utc)
        .to(at)
        .where(lambda w: missing(w.event_time_utc) | (w.event_time_utc <= at))
    )
    return claim.finish(Outcome.APPLIED, gone, _still_owned(athlete_id, user_id))


@pattern(
    "An event that came too late is done",
    rate="1/s",
    ignore={"SK705": "a claim is always finished under a token, so that a retry does it once"},
)
def finish_stale(claim: WebhookClaim) -> Op[Outcome]:
    """A newer event stays newer, so this one needs no second look."""
    return claim.finish(Outcome.STALE)


# Milestones.


@pattern("Create a milestone", rate="10/min")
def add_milestone(milestone: Milestone) -> Op[None]:
    """Only for an account that exists, and an active model with as many parts."""
    parts = milestone.parts_total
    model = ModelMeta.check(model_id=milestone.model_id)
    return transact(
        milestone.create(),
        _has_account(milestone.user_id),
        model.where(lambda m: (m.status == ModelStatus.ACTIVE) & (m.parts_total == parts)),
    )


@pattern("Progress, with the parts that it earns", rate="5/s")
def mint(
    loaded: Milestone, reached: Milestone, awards: Annotated[list[Award], Field(max_length=98)]
) -> Op[None]:
    """The milestone as it was loaded, each award if absent, and an account that still exists."""
    progress = (
        loaded.update()
        .set(lambda m: m.progress_value)
        .to(reached.progress_value)
        .set(lambda m: m.percent_complete)
        .to(reached.percent_complete)
        .set(lambda m: m.parts_earned)
        .to(reached.parts_earned)
        .set(lambda m: m.status)
        .to(reached.status)
    )
    return transact(progress, _has_account(loaded.user_id), *(award.create() for award in awards))


# Models.


@pattern("Publish a model", rate="1/day")
def add_model(
    model: ModelMeta, parts: Annotated[list[ModelPart], Field(max_length=99)]
) -> Op[None]:
    """The model with all its parts, at most a hundred records."""
    return transact(model.create(), *(part.create() for part in parts))


@pattern("Retire a model", rate="1/day")
def retire_model(model_id: str) -> Op[ModelMeta]:
    """No new milestone can choose it; those that did go on."""
    return ModelMeta.update(model_id=model_id).set(lambda m: m.status).to(ModelStatus.RETIRED)


# Audit and the end of an account.


@pattern("Audit", rate="50/s")
def add_audit_event(event: AuditEvent) -> Op[AuditEvent]:
    """Never changed."""
    return event.create()


@pattern("Delete a profile", rate="1/min")
def delete_profile(user_id: str) -> Op[UserProfile | None]:
    """From here on nothing is written for the account, as every write checks it."""
    return UserProfile.delete(user_id=user_id)


@pattern("Remove workouts", rate="1/min")
def delete_workouts(keys: list[WorkoutKey]) -> Op[None]:
    """In batches, with what DynamoDB leaves over sent again."""
    return write_many(Workout.delete(user_id=k.user_id, activity_id=k.activity_id) for k in keys)


@pattern("Remove what was earned", rate="1/min")
def delete_earned(
    awards: Annotated[list[Award], Field(max_length=98)], milestones: list[Milestone]
) -> Op[None]:
    """The only thing that ever removes an award."""
    return write_many(record.erase() for record in (*awards, *milestones))


@pattern("End sessions", rate="1/min")
def end_sessions(sessions: list[OpenSession]) -> Op[None]:
    """All at once."""
    return write_many(Session.delete(session_id=session.session_id) for session in sessions)
