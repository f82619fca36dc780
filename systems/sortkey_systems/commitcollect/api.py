"""CommitCollect over HTTP.

A user sends a token of the identity provider, or the id of a session that was opened with one.
Operations for Strava, editors, auditors, operators and the schedule that finishes deletions require
a token with that role.
"""

import logging
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated

from fastapi import Depends, Path, Query, Request, Response

from sortkey import DB, BadCursor, Contended, Page, ulid, utc_now
from sortkey_systems.api.app import Api, Cursor, Database, Moment
from sortkey_systems.api.callers import Caller
from sortkey_systems.api.identity import Bearer, NotAllowed, RequireRole, SignedIn, known_caller
from sortkey_systems.api.serving import TrialRequest, trials
from sortkey_systems.commitcollect import (
    connecting,
    deleting,
    earning,
    operating,
    publishing,
    signing_in,
)
from sortkey_systems.commitcollect.api_models import (
    AccountResponse,
    DeletionResponse,
    EventRequest,
    EventResponse,
    FinishDeletionsResponse,
    GrantRequest,
    MilestoneRequest,
    MilestoneResponse,
    ModelRequest,
    ModelResponse,
    PlanRequest,
    RoleRequest,
    SessionResponse,
    SignInResponse,
    StateResponse,
)
from sortkey_systems.commitcollect.auditing import Trace
from sortkey_systems.commitcollect.design import (
    accounts,
    audit,
    milestones,
    models,
    sessions,
    strava,
    workouts,
)
from sortkey_systems.commitcollect.design.accounts import UserProfile
from sortkey_systems.commitcollect.design.audit import AuditEvent, EventType
from sortkey_systems.commitcollect.design.milestones import Award, Milestone
from sortkey_systems.commitcollect.design.models import ModelMeta
from sortkey_systems.commitcollect.design.sessions import Session
from sortkey_systems.commitcollect.design.strava import ConnectedAthlete
from sortkey_systems.commitcollect.design.tables import Id, MilestoneId
from sortkey_systems.commitcollect.design.workouts import Sport, Workout
from sortkey_systems.commitcollect.errors import (
    AccountNotFound,
    AthleteAlreadyConnected,
    BadInput,
    DeletionUnderWay,
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

STATUSES: dict[type[Exception], int] = {
    NotSignedIn: 401,
    AccountNotFound: 404,
    MilestoneNotFound: 404,
    ModelUnavailable: 404,
    NotConnected: 404,
    WorkoutNotFound: 404,
    AthleteAlreadyConnected: 409,
    DeletionUnderWay: 409,
    EventInProgress: 409,
    ModelExists: 409,
    ModelIncomplete: 409,
    StateInvalid: 409,
    BadInput: 422,
}
_CORRELATION_ID = re.compile(r"[A-Za-z0-9._:-]{1,128}")
_log = logging.getLogger(__name__)

# The latest time that fits in a key, which has ten digits for the seconds.
LATEST = datetime.fromtimestamp(9_999_999_999, UTC)

api = Api(
    "CommitCollect",
    "Strava activity earns parts of a 3D statue.",
    STATUSES,
    roles=["strava", "editor", "auditor", "operator", "eraser"],
)


def demo_caller(record: object) -> Caller | None:
    """Return a caller for a profile of the generated data, or None for other records."""
    return Caller(record.user_id, record.email) if isinstance(record, UserProfile) else None


def demo_requests(db: DB, callers: Sequence[Caller]) -> list[TrialRequest]:
    """Return requests with which a ride earns parts of a statue."""
    first, second = (caller.user_id for caller in callers[:2])
    held = db(strava.connected_athlete(first))
    *_, newest = db(milestones.milestones(first))
    now = f"{utc_now():%Y-%m-%dT%H:%M:%SZ}"
    ride = {"sport_type": "Ride", "start_date": now, "distance_meters": 25_000}
    event = {
        "aspect": "create",
        "object_id": "42",
        "athlete_id": held and held.athlete_id,
        "event_time": now,
        "activity": ride,
    }
    path = f"/milestones/{newest.milestone_id}"
    return [
        TrialRequest(
            "strava", "POST", "/strava/events", f"a ride of 25 km by {first} is applied", event
        ),
        TrialRequest(first, "POST", f"{path}/recompute", "it has minted the parts 1 and 2"),
        TrialRequest(second, "GET", path, f"404, since the milestone is one of {first}"),
    ]


trial = trials(api, demo_caller, demo_requests)


# The caller.


def _session(db: Database, token: Bearer) -> Session:
    return signing_in.resolve_session(db, token)


def _user(request: Request, db: Database, token: Bearer) -> str:
    # A token of the identity provider contains dots, and the id of a session does not.
    if "." in token:
        return known_caller(request).user_id
    return signing_in.resolve_session(db, token).user_id


async def _traced(request: Request, response: Response) -> Trace:
    """Return the ids of the request: a new one, and the correlation id of the caller, if valid."""
    sent = request.headers.get("x-correlation-id", "")
    trace = Trace(ulid(), sent if _CORRELATION_ID.fullmatch(sent) else "")
    response.headers["x-request-id"] = trace.request_id
    response.headers["x-correlation-id"] = trace.correlation
    return trace


InSession = Annotated[Session, Depends(_session)]
User = Annotated[str, Depends(_user)]
Traced = Annotated[Trace, Depends(_traced)]
Strava = Annotated[Caller, Depends(RequireRole("strava"))]
Editor = Annotated[Caller, Depends(RequireRole("editor"))]
Operator = Annotated[Caller, Depends(RequireRole("operator"))]
Eraser = Annotated[Caller, Depends(RequireRole("eraser"))]
Auditor = Annotated[Caller, Depends(RequireRole("auditor"))]

ActivityId = Annotated[Id, Path(examples=["000100001"])]
OwnMilestone = Annotated[MilestoneId, Path(examples=["01KKZ3D5V1W4ZBT4Y5S1GYQ2M8"])]
ModelId = Annotated[Id, Path(examples=["discobolus"])]
Month = Annotated[str, Path(pattern=r"^[12][0-9]{3}-(0[1-9]|1[0-2])$", examples=["2026-11"])]
Since = Annotated[Moment, Query(examples=["2026-01-01T00:00:00Z"])]
Until = Annotated[Moment, Query(examples=["2026-12-01T00:00:00Z"])]


@api.get("/me", NotSignedIn, AccountNotFound, response=AccountResponse)
def profile(db: Database, user: User) -> UserProfile:
    """Get your account."""
    found = db(accounts.profile(user))
    if found is None or found.deletion_id is not None:
        raise AccountNotFound(user)
    return found


@api.delete("/me", NotSignedIn, Contended, status=200)
def delete_account(db: Database, user: User, trace: Traced) -> DeletionResponse:
    """Delete your account with your workouts, milestones and awards.

    The records are deleted at once, the account some minutes later. You can sign up again then.
    """
    deletion = deleting.delete_account(db, user, trace)
    return DeletionResponse(is_complete=deletion.is_complete, retry_at=deletion.retry_at)


@api.post("/deletions/finish", NotAllowed)
def finish_deletions(db: Database, _caller: Eraser, trace: Traced) -> FinishDeletionsResponse:
    """Finish the deletions that began some minutes ago; call this on a schedule.

    A deletion that fails is logged, and a later request finishes it.
    """
    result = deleting.finish_deletions(db, trace)
    for user_id, error in result.failed.items():
        _log.error("could not finish the deletion of %s", user_id, exc_info=error)
    return FinishDeletionsResponse(finished=len(result.finished), failed=len(result.failed))


@api.put("/accounts/{user_id}/plan", NotAllowed, AccountNotFound, response=AccountResponse)
def change_plan(
    db: Database, caller: Operator, user_id: Id, request: PlanRequest, trace: Traced
) -> UserProfile:
    """Change the plan of an account."""
    return operating.change_plan(db, user_id, request.plan, operator=caller.user_id, trace=trace)


@api.put("/accounts/{user_id}/role", NotAllowed, AccountNotFound, response=AccountResponse)
def change_role(
    db: Database, caller: Operator, user_id: Id, request: RoleRequest, trace: Traced
) -> UserProfile:
    """Change the role of an account."""
    return operating.change_role(db, user_id, request.role, operator=caller.user_id, trace=trace)


# Signing in and out.


@api.post("/sessions", BadInput, DeletionUnderWay, Contended, status=201)
def sign_in(db: Database, caller: SignedIn, trace: Traced) -> SignInResponse:
    """Open a session, and create your account if you have none.

    Send the id of the session as the bearer token of your requests. A session lasts for 30 days.
    """
    opened = signing_in.sign_in(db, caller.user_id, caller.email or "", trace)
    session = opened.session
    return SignInResponse(
        session_id=session.session_id,
        expires_at_utc=session.expires_at_utc,
        is_new=opened.is_new,
    )


@api.get("/sessions", NotSignedIn)
def list_sessions(db: Database, user: User, token: Bearer) -> list[SessionResponse]:
    """List your sessions, oldest first."""
    return [
        SessionResponse(created_at_utc=each.created_at_utc, is_current=each.session_id == token)
        for each in db(sessions.sessions(user))
    ]


@api.delete("/sessions/current", NotSignedIn)
def sign_out(db: Database, session: InSession, trace: Traced) -> None:
    """End the session of this request."""
    signing_in.sign_out(db, session.session_id, trace)


# Strava.


@api.get("/strava", NotSignedIn, NotConnected)
def connected_athlete(db: Database, user: User) -> ConnectedAthlete:
    """Get your connected Strava athlete."""
    held = db(strava.connected_athlete(user))
    if held is None:
        raise NotConnected(user)
    return held


@api.post("/strava/states", NotSignedIn, AccountNotFound, status=201)
def begin_connecting(db: Database, session: InSession) -> StateResponse:
    """Begin to connect Strava in the session of this request.

    Send the state to Strava, which returns it with the user. It is valid for ten minutes.
    """
    begun = connecting.begin_connecting(db, session)
    return StateResponse(state=begun.state, expires_at_utc=begun.expires_at_utc)


@api.post(
    "/strava/grants",
    NotAllowed,
    NotSignedIn,
    BadInput,
    StateInvalid,
    AthleteAlreadyConnected,
    AccountNotFound,
    Contended,
    status=204,
)
def finish_connecting(db: Database, _caller: Strava, request: GrantRequest, trace: Traced) -> None:
    """Connect the athlete that Strava granted to the user of a session.

    Only the service that exchanges codes with Strava calls this: a user cannot name an athlete.
    """
    session = signing_in.resolve_session(db, request.session_id)
    connecting.finish_connecting(db, session, request.state, request.grant(), trace)


@api.delete("/strava", NotSignedIn, Contended)
def disconnect(db: Database, user: User, trace: Traced) -> None:
    """Disconnect your Strava athlete."""
    connecting.disconnect(db, user, trace)


@api.post("/strava/events", NotAllowed, BadInput, EventInProgress, Contended)
def handle_event(
    db: Database, _caller: Strava, request: EventRequest, trace: Traced
) -> EventResponse:
    """Process a delivery of Strava's webhook; a repeated one changes nothing."""
    return EventResponse(outcome=receive(db, request.event(), request.reported(), trace))


# Workouts.


@api.get("/workouts", NotSignedIn, BadCursor)
def recent_workouts(db: Database, user: User, cursor: Cursor = None) -> Page[Workout]:
    """List your workouts, newest first."""
    return db(workouts.recent_workouts(user, cursor))


@api.get("/workouts/{activity_id}", NotSignedIn, WorkoutNotFound)
def workout(db: Database, user: User, activity_id: ActivityId) -> Workout:
    """Get one of your workouts."""
    found = db(workouts.workout(user, activity_id))
    if found is None or found.is_deleted:
        raise WorkoutNotFound(activity_id)
    return found


@api.get("/sports/{sport}/workouts", NotSignedIn)
def workouts_since(db: Database, user: User, sport: Sport, since: Since) -> list[Workout]:
    """List your workouts in a sport since a time, oldest first."""
    return db(workouts.workouts_since(user, sport, since))


# Milestones.


@api.get("/milestones", NotSignedIn)
def list_milestones(db: Database, user: User) -> list[Milestone]:
    """List your milestones, oldest first."""
    return db(milestones.milestones(user))


@api.post("/milestones", NotSignedIn, BadInput, AccountNotFound, ModelUnavailable, status=201)
def create_milestone(db: Database, user: User, request: MilestoneRequest) -> Milestone:
    """Create a milestone: a target that earns the parts of a statue."""
    return earning.create_milestone(
        db,
        user,
        model_id=request.model_id,
        sport=request.sport,
        target_type=request.target_type,
        total_target=request.total_target,
        parts_total=request.parts_total,
        period_start=request.period_start,
    )


@api.get("/milestones/{milestone_id}", NotSignedIn, MilestoneNotFound)
def milestone(db: Database, user: User, milestone_id: OwnMilestone) -> MilestoneResponse:
    """Get one of your milestones with its awards."""
    found = db(milestones.milestone_with_awards(user, milestone_id))
    if found.milestone is None:
        raise MilestoneNotFound(milestone_id)
    return MilestoneResponse(milestone=found.milestone, awards=found.awards)


@api.get("/milestones/{milestone_id}/awards", NotSignedIn, MilestoneNotFound)
def awards(db: Database, user: User, milestone_id: OwnMilestone) -> list[Award]:
    """List the awards of one of your milestones, in part order."""
    earned = db(milestones.awards(user, milestone_id))
    if not earned and db(milestones.milestone(user, milestone_id)) is None:
        raise MilestoneNotFound(milestone_id)
    return earned


@api.post(
    "/milestones/{milestone_id}/recompute",
    NotSignedIn,
    MilestoneNotFound,
    AccountNotFound,
    ModelIncomplete,
    Contended,
)
def recompute(
    db: Database, user: User, milestone_id: OwnMilestone, trace: Traced
) -> earning.RecomputeResult:
    """Count your workouts towards a milestone, and award the parts that it has reached."""
    return earning.recompute(db, user, milestone_id, trace)


# Models.


@api.get("/models", NotSignedIn)
def active_models(db: Database, _user: User) -> list[ModelMeta]:
    """List the statues that a new milestone can choose."""
    return db(models.active_models())


@api.get("/models/{model_id}", NotSignedIn, ModelUnavailable)
def model(db: Database, _user: User, model_id: ModelId) -> ModelResponse:
    """Get a statue with its parts, retired or not."""
    found = db(models.model_with_parts(model_id))
    if found.model is None:
        raise ModelUnavailable(model_id)
    return ModelResponse(model=found.model, parts=found.parts)


@api.post("/models", NotAllowed, ModelExists, status=201)
def publish(db: Database, _caller: Editor, request: ModelRequest) -> ModelMeta:
    """Publish a statue with its parts."""
    published = request.meta()
    publishing.publish(db, published, request.numbered_parts())
    return published


@api.post("/models/{model_id}/retire", NotAllowed, ModelUnavailable)
def retire(db: Database, _caller: Editor, model_id: ModelId) -> ModelMeta:
    """Retire a statue: new milestones cannot choose it."""
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
    """List the events of an account in a time range, oldest first."""
    if until < since:
        raise BadInput("until", "must not be before since")
    return db(audit.audit_of_user(user_id, since, until, cursor))


@api.get("/audit/correlations/{correlation_id}", NotAllowed, BadCursor)
def audit_by_correlation(
    db: Database, _caller: Auditor, correlation_id: Id, cursor: Cursor = None
) -> Page[AuditEvent]:
    """List the events of a correlation id, oldest first; that of a response is in a header."""
    return db(audit.audit_by_correlation(correlation_id, cursor))


@api.get("/audit/types/{event_type}/{month}", NotAllowed, BadCursor)
def audit_by_type(
    db: Database, _caller: Auditor, event_type: EventType, month: Month, cursor: Cursor = None
) -> Page[AuditEvent]:
    """List the events of a type in a month, oldest first."""
    year, number = map(int, month.split("-"))
    return db(audit.audit_by_type(event_type, datetime(year, number, 1, tzinfo=UTC), cursor))
