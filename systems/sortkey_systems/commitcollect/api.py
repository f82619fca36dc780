"""CommitCollect over HTTP: what somebody did and earned, and what others do for it.

A person shows a token of the identity provider, or the session that was opened with one. What is
done by Strava, an editor or an auditor is for a token with that role.
"""

from datetime import UTC, datetime
from typing import Annotated

from fastapi import Depends, Path, Query, Request, Response

from sortkey import BadCursor, Page
from sortkey_systems.api.app import Api, Cursor, Database, Moment
from sortkey_systems.api.identity import Bearer, Caller, Having, NotAllowed, SignedIn
from sortkey_systems.api.serving import trials
from sortkey_systems.commitcollect import (
    connecting,
    deleting,
    design,
    milestones,
    publishing,
    signing_in,
)
from sortkey_systems.commitcollect.api_models import (
    BegunConnection,
    GivenEvent,
    GivenGrant,
    GivenMilestone,
    GivenModel,
    Handled,
    MilestoneReached,
    Model,
    OpenedSession,
    RunningSession,
)
from sortkey_systems.commitcollect.auditing import Trace
from sortkey_systems.commitcollect.design import (
    AuditEvent,
    Award,
    EventType,
    HeldAthlete,
    Id,
    Milestone,
    ModelMeta,
    Session,
    Sport,
    Ulid,
    UserProfile,
    Workout,
)
from sortkey_systems.commitcollect.errors import (
    AccountGone,
    AthleteAlreadyConnected,
    BadInput,
    Contended,
    EventInProgress,
    MilestoneNotFound,
    ModelExists,
    ModelIncomplete,
    ModelUnavailable,
    NotConnected,
    NotSignedIn,
    StateInvalid,
    WorkoutNotFound,
)
from sortkey_systems.commitcollect.receiving import receive
from sortkey_systems.commitcollect.ulid import new_ulid

STATUSES: dict[type[Exception], int] = {
    NotSignedIn: 401,
    AccountGone: 404,
    MilestoneNotFound: 404,
    ModelUnavailable: 404,
    NotConnected: 404,
    WorkoutNotFound: 404,
    AthleteAlreadyConnected: 409,
    Contended: 409,
    EventInProgress: 409,
    ModelExists: 409,
    ModelIncomplete: 409,
    StateInvalid: 409,
    BadInput: 422,
}
# The last that a key can hold, which has ten digits for its seconds.
LATEST = datetime.fromtimestamp(9_999_999_999, UTC)

api = Api(
    "CommitCollect",
    "Strava activity earns parts of a 3D statue.",
    STATUSES,
    roles=["strava", "editor", "auditor"],
)


def someone(record: object) -> Caller | None:
    """Whom a record of the generated data signs in."""
    return Caller(record.user_id, record.email) if isinstance(record, UserProfile) else None


trial = trials(api, someone)


# Whose request it is.


def _session(db: Database, token: Bearer) -> Session:
    return signing_in.resolve_session(db, token)


def _user(request: Request, db: Database, token: Bearer) -> str:
    # What the identity provider signs has dots in it, and the id of a session has none.
    if "." in token:
        return request.app.state.tokens.read(token).user_id
    return signing_in.resolve_session(db, token).user_id


async def _traced(response: Response) -> Trace:
    trace = Trace(new_ulid())
    response.headers["x-request-id"] = trace.request_id
    return trace


InSession = Annotated[Session, Depends(_session)]
User = Annotated[str, Depends(_user)]
Traced = Annotated[Trace, Depends(_traced)]
Strava = Annotated[Caller, Depends(Having("strava"))]
Editor = Annotated[Caller, Depends(Having("editor"))]
Auditor = Annotated[Caller, Depends(Having("auditor"))]

ActivityId = Annotated[Id, Path(examples=["000100001"])]
MilestoneId = Annotated[Ulid, Path(examples=["01KKZ3D5V1W4ZBT4Y5S1GYQ2M8"])]
ModelId = Annotated[Id, Path(examples=["discobolus"])]
Month = Annotated[str, Path(pattern=r"^[12][0-9]{3}-(0[1-9]|1[0-2])$", examples=["2031-03"])]
Since = Annotated[Moment, Query(examples=["2031-03-01T00:00:00Z"])]
Until = Annotated[Moment, Query(examples=["2031-04-01T00:00:00Z"])]


@api.get("/me", NotSignedIn, AccountGone)
def profile(db: Database, user: User) -> UserProfile:
    """Your account."""
    found = db(design.profile(user))
    if found is None:
        raise AccountGone(user)
    return found


@api.delete("/me", NotSignedIn, Contended)
def delete_account(db: Database, user: User, trace: Traced) -> None:
    """Delete your account, with all that you did and earned."""
    deleting.delete_account(db, user, trace)


# Signing in and out.


@api.post("/sessions", BadInput, Contended, status=201)
def sign_in(db: Database, caller: SignedIn, trace: Traced) -> OpenedSession:
    """Open a session, and an account if you have none.

    Its id is then the bearer token of your requests. It lasts for thirty days, unless you end it.
    """
    opened = signing_in.sign_in(db, caller.user_id, caller.email or "", trace)
    session = opened.session
    return OpenedSession(
        session_id=session.session_id,
        expires_at_utc=session.expires_at_utc,
        is_new=opened.is_new,
    )


@api.get("/sessions", NotSignedIn)
def sessions(db: Database, user: User, token: Bearer) -> list[RunningSession]:
    """Where you are signed in, the oldest first."""
    return [
        RunningSession(created_at_utc=each.created_at_utc, is_this=each.session_id == token)
        for each in db(design.sessions(user))
    ]


@api.delete("/sessions/this", NotSignedIn)
def sign_out(db: Database, session: InSession, trace: Traced) -> None:
    """End the session that you show."""
    signing_in.sign_out(db, session.session_id, trace)


# Strava.


@api.get("/strava", NotSignedIn, NotConnected)
def connected_athlete(db: Database, user: User) -> HeldAthlete:
    """The Strava athlete that you have connected."""
    held = db(design.held_athlete(user))
    if held is None:
        raise NotConnected(user)
    return held


@api.post("/strava/states", NotSignedIn, status=201)
def begin_connecting(db: Database, session: InSession) -> BegunConnection:
    """Begin to connect Strava, in the session that you show.

    The state goes with you to Strava, and has to come back with you within ten minutes.
    """
    begun = connecting.begin_connecting(db, session)
    return BegunConnection(state=begun.state, expires_at_utc=begun.expires_at_utc)


@api.post(
    "/strava/grants",
    NotAllowed,
    NotSignedIn,
    BadInput,
    StateInvalid,
    AthleteAlreadyConnected,
    AccountGone,
    Contended,
    status=204,
)
def finish_connecting(db: Database, _caller: Strava, given: GivenGrant, trace: Traced) -> None:
    """Connect the athlete that Strava has granted to whoever came back.

    Whoever exchanges codes with Strava tells this: an athlete is never connected because a
    person says so.
    """
    session = signing_in.resolve_session(db, given.session_id)
    connecting.finish_connecting(db, session, given.state, given.grant(), trace)


@api.delete("/strava", NotSignedIn, Contended)
def disconnect(db: Database, user: User, trace: Traced) -> None:
    """Let go of your Strava athlete."""
    connecting.disconnect(db, user, trace)


@api.post("/strava/events", NotAllowed, BadInput, EventInProgress, Contended)
def handle_event(db: Database, _caller: Strava, given: GivenEvent, trace: Traced) -> Handled:
    """Take a delivery of Strava's webhook, which changes nothing if it is repeated."""
    return Handled(handling=receive(db, given.event(), given.told(), trace))


# Workouts.


@api.get("/workouts", NotSignedIn, BadCursor)
def recent_workouts(db: Database, user: User, cursor: Cursor = None) -> Page[Workout]:
    """Your workouts, newest first."""
    return db(design.recent_workouts(user, cursor))


@api.get("/workouts/{activity_id}", NotSignedIn, WorkoutNotFound)
def workout(db: Database, user: User, activity_id: ActivityId) -> Workout:
    """One of your workouts."""
    found = db(design.workout(user, activity_id))
    if found is None or found.is_deleted:
        raise WorkoutNotFound(activity_id)
    return found


@api.get("/sports/{sport}/workouts", NotSignedIn)
def workouts_since(db: Database, user: User, sport: Sport, since: Since) -> list[Workout]:
    """Your workouts of a sport since a moment, oldest first."""
    return db(design.workouts_since(user, sport, since))


# Milestones.


@api.get("/milestones", NotSignedIn)
def list_milestones(db: Database, user: User) -> list[Milestone]:
    """Your milestones, oldest first."""
    return db(design.milestones(user))


@api.post("/milestones", NotSignedIn, BadInput, AccountGone, ModelUnavailable, status=201)
def create_milestone(db: Database, user: User, given: GivenMilestone) -> Milestone:
    """Set a target for a statue."""
    return milestones.create_milestone(
        db,
        user,
        model_id=given.model_id,
        sport=given.sport,
        target_type=given.target_type,
        total_target=given.total_target,
        parts_total=given.parts_total,
        period_start=given.period_start,
    )


@api.get("/milestones/{milestone_id}", NotSignedIn, MilestoneNotFound)
def milestone(db: Database, user: User, milestone_id: MilestoneId) -> MilestoneReached:
    """One of your milestones, with what it has earned."""
    found = db(design.milestone_with_awards(user, milestone_id))
    if found.milestone is None:
        raise MilestoneNotFound(milestone_id)
    return MilestoneReached(milestone=found.milestone, awards=found.awards)


@api.get("/milestones/{milestone_id}/awards", NotSignedIn, MilestoneNotFound)
def awards(db: Database, user: User, milestone_id: MilestoneId) -> list[Award]:
    """The parts that one of your milestones has earned, in part order."""
    earned = db(design.awards(user, milestone_id))
    if not earned and db(design.milestone(user, milestone_id)) is None:
        raise MilestoneNotFound(milestone_id)
    return earned


@api.post(
    "/milestones/{milestone_id}/recompute",
    NotSignedIn,
    MilestoneNotFound,
    AccountGone,
    ModelIncomplete,
    Contended,
)
def recompute(
    db: Database, user: User, milestone_id: MilestoneId, trace: Traced
) -> milestones.Recomputed:
    """Count what you did towards a milestone, and earn the parts that it is worth."""
    return milestones.recompute(db, user, milestone_id, trace)


# Models.


@api.get("/models", NotSignedIn)
def active_models(db: Database, _user: User) -> list[ModelMeta]:
    """The statues that a new milestone can choose."""
    return db(design.active_models())


@api.get("/models/{model_id}", NotSignedIn, ModelUnavailable)
def model(db: Database, _user: User, model_id: ModelId) -> Model:
    """A statue with its parts, retired or not."""
    found = db(design.model_with_parts(model_id))
    if found.model is None:
        raise ModelUnavailable(model_id)
    return Model(model=found.model, parts=found.parts)


@api.post("/models", NotAllowed, ModelExists, status=201)
def publish(db: Database, _caller: Editor, given: GivenModel) -> ModelMeta:
    """Publish a statue with its parts."""
    published = given.meta()
    publishing.publish(db, published, given.numbered())
    return published


@api.post("/models/{model_id}/retire", NotAllowed, ModelUnavailable)
def retire(db: Database, _caller: Editor, model_id: ModelId) -> ModelMeta:
    """Offer a statue to no new milestone."""
    return publishing.retire(db, model_id)


# Audit.


@api.get("/audit/users/{user_id}", NotAllowed, BadInput, BadCursor)
def audit_of_user(
    *,
    db: Database,
    _caller: Auditor,
    user_id: Id,
    since: Since,
    until: Until = LATEST,
    cursor: Cursor = None,
) -> Page[AuditEvent]:
    """What happened with an account between two moments, oldest first."""
    if until < since:
        raise BadInput("until", "it comes before since")
    return db(design.audit_of_user(user_id, since, until, cursor))


@api.get("/audit/correlations/{correlation_id}", NotAllowed, BadCursor)
def audit_by_correlation(
    db: Database, _caller: Auditor, correlation_id: Id, cursor: Cursor = None
) -> Page[AuditEvent]:
    """What one request led to, which `x-request-id` named in its answer; oldest first."""
    return db(design.audit_by_correlation(correlation_id, cursor))


@api.get("/audit/types/{event_type}/{month}", NotAllowed, BadCursor)
def audit_by_type(
    db: Database, _caller: Auditor, event_type: EventType, month: Month, cursor: Cursor = None
) -> Page[AuditEvent]:
    """What happened of one kind in a month, oldest first."""
    year, number = map(int, month.split("-"))
    return db(design.audit_by_type(event_type, datetime(year, number, 1, tzinfo=UTC), cursor))
