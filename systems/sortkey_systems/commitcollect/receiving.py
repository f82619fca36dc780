"""Events of Strava: each is processed once, and an older one never overwrites a newer one."""

from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import AfterValidator, AwareDatetime, BaseModel, Field

from sortkey import (
    DB,
    ClaimLost,
    ConditionFailed,
    InProgress,
    Op,
    TransactionFailed,
)
from sortkey_systems.commitcollect.auditing import Trace, audit
from sortkey_systems.commitcollect.design import (
    EventType,
    Outcome,
    Result,
    WebhookClaim,
    Workout,
    athlete_owner,
)
from sortkey_systems.commitcollect.design.writes import (
    finish_stale,
    give_back,
    record_created,
    record_deleted,
    record_updated,
    take_event,
)
from sortkey_systems.commitcollect.errors import (
    BadInput,
    Contended,
    EventInProgress,
    refusing_bad_input,
)

ATTEMPTS = 3

StravaId = Annotated[str, Field(pattern=r"^[0-9]{1,20}$")]
Moment = Annotated[AwareDatetime, AfterValidator(lambda moment: moment.replace(microsecond=0))]


class Aspect(StrEnum):
    """What happened to an activity."""

    CREATE = "create"
    UPDATE = "update"
    DELETE = "delete"


class StravaEvent(BaseModel):
    """An event as Strava's webhook tells it."""

    object_type: Literal["activity"] = "activity"
    aspect: Aspect
    object_id: StravaId
    athlete_id: StravaId
    event_time: Moment

    @property
    def request_id(self) -> str:
        """The event's own id: a second delivery of it has the same."""
        seconds = int(self.event_time.timestamp())
        return f"{self.object_type}:{self.aspect}:{self.object_id}:{seconds}"


class Activity(BaseModel):
    """An activity as Strava's API tells it."""

    sport_type: Annotated[str, Field(min_length=1)]
    start_date: Moment
    distance_meters: Annotated[Decimal, Field(ge=0)] | None = None
    total_elevation_gain: Annotated[Decimal, Field(ge=0)] | None = None
    name: str | None = None
    moving_time_sec: Annotated[int, Field(ge=0)] | None = None


class Handling(StrEnum):
    """What became of a delivery."""

    APPLIED = "applied"
    STALE = "stale"
    REPEATED = "repeated"
    NO_OWNER = "no owner"


_EVENTS = {
    Aspect.CREATE: EventType.STRAVA_ACTIVITY_CREATE,
    Aspect.UPDATE: EventType.STRAVA_ACTIVITY_UPDATE,
    Aspect.DELETE: EventType.STRAVA_ACTIVITY_DELETE,
}


def receive(db: DB, event: StravaEvent, activity: Activity | None, trace: Trace) -> Handling:
    """Process one delivery; `EventInProgress` where another one is at it, so that it comes again.

    ``activity`` is what Strava's API says of it, which a deletion does not need.
    """
    told = None if event.aspect is Aspect.DELETE else activity
    if told is None and event.aspect is not Aspect.DELETE:
        raise BadInput("activity", f"an event of type {event.aspect} needs the activity")
    claim = _taken(db, event)
    if claim.is_finished:
        return Handling.REPEATED
    for _ in range(ATTEMPTS):
        owner = db(athlete_owner(event.athlete_id))
        if owner is None:
            db(give_back(claim))
            return Handling.NO_OWNER
        handled = _recorded(db, claim, _recording(claim, event, told, owner.user_id))
        if handled is not None:
            audit(
                db,
                trace,
                owner.user_id,
                _EVENTS[event.aspect],
                Result.SUCCESS,
                activityId=event.object_id,
                handling=handled,
            )
            return handled
    raise Contended(f"the athlete {event.athlete_id} keeps changing hands")


def _taken(db: DB, event: StravaEvent) -> WebhookClaim:
    try:
        return db(take_event(event.request_id))
    except InProgress as busy:
        raise EventInProgress(event.request_id, busy.until) from busy


def _recorded(db: DB, claim: WebhookClaim, recording: Op[Outcome]) -> Handling | None:
    """What became of it, or None where the athlete was another's by then."""
    try:
        try:
            db(recording)
        except TransactionFailed as failed:
            _, written, owned = failed.failures
            if owned is not None:
                return None
            if not isinstance(written, ConditionFailed):
                raise
            db(finish_stale(claim))
            return Handling.STALE
    except ClaimLost as lost:
        raise EventInProgress(claim.request_id, None) from lost
    return Handling.APPLIED


def _recording(
    claim: WebhookClaim, event: StravaEvent, activity: Activity | None, user_id: str
) -> Op[Outcome]:
    """The transaction of the workout, the claim, and the owner that must still be the same.

    Without an activity it is a deletion.
    """
    at: datetime = event.event_time
    if activity is None:
        return record_deleted(claim, user_id, event.object_id, at, event.athlete_id)
    with refusing_bad_input():
        workout = Workout(
            user_id=user_id,
            activity_id=event.object_id,
            sport_type=activity.sport_type.upper(),
            start_date_utc=activity.start_date,
            event_time_utc=at,
            distance_meters=activity.distance_meters,
            total_elevation_gain=activity.total_elevation_gain,
            activity_name=activity.name,
            moving_time_sec=activity.moving_time_sec,
        )
    record = record_created if event.aspect is Aspect.CREATE else record_updated
    return record(claim, workout, event.athlete_id)
