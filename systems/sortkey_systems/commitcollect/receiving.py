"""Process events of Strava: each once, and an older one never replaces a newer one."""

from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import AfterValidator, AwareDatetime, BaseModel, Field

from sortkey import (
    DB,
    ClaimLost,
    ConditionFailed,
    Contended,
    InProgress,
    Op,
    RecordError,
    TransactionFailed,
)
from sortkey_systems.commitcollect.auditing import Trace, audit
from sortkey_systems.commitcollect.design.audit import EventType, Result
from sortkey_systems.commitcollect.design.strava import athlete_owner
from sortkey_systems.commitcollect.design.webhook import (
    Outcome,
    WebhookClaim,
    finish_stale,
    record_created,
    record_deleted,
    record_updated,
    release_event,
    take_event,
)
from sortkey_systems.commitcollect.design.workouts import Workout
from sortkey_systems.commitcollect.errors import (
    BadInput,
    EventInProgress,
    raising_bad_input,
)

ATTEMPTS = 3

StravaId = Annotated[str, Field(pattern=r"^[0-9]{1,20}$")]
Moment = Annotated[AwareDatetime, AfterValidator(lambda moment: moment.replace(microsecond=0))]


class Aspect(StrEnum):
    """The change of an activity."""

    CREATE = "create"
    UPDATE = "update"
    DELETE = "delete"


class StravaEvent(BaseModel):
    """An event as delivered by Strava's webhook."""

    object_type: Literal["activity"] = "activity"
    aspect: Aspect
    object_id: StravaId
    athlete_id: StravaId
    event_time: Moment

    @property
    def request_id(self) -> str:
        """An id of the event, which is the same in every delivery."""
        seconds = int(self.event_time.timestamp())
        return f"{self.object_type}:{self.aspect}:{self.object_id}:{seconds}"


class Activity(BaseModel):
    """An activity as returned by Strava's API."""

    sport_type: Annotated[str, Field(min_length=1)]
    start_date: Moment
    distance_meters: Annotated[Decimal, Field(ge=0)] | None = None
    total_elevation_gain: Annotated[Decimal, Field(ge=0)] | None = None
    name: str | None = None
    moving_time_sec: Annotated[int, Field(ge=0)] | None = None


class DeliveryOutcome(StrEnum):
    """The outcome of a delivery."""

    APPLIED = "applied"
    STALE = "stale"
    REPEATED = "repeated"
    NO_OWNER = "no owner"


_EVENTS = {
    Aspect.CREATE: EventType.STRAVA_ACTIVITY_CREATE,
    Aspect.UPDATE: EventType.STRAVA_ACTIVITY_UPDATE,
    Aspect.DELETE: EventType.STRAVA_ACTIVITY_DELETE,
}


def receive(db: DB, event: StravaEvent, activity: Activity | None, trace: Trace) -> DeliveryOutcome:
    """Process a delivery of an event, with the activity as returned by Strava's API.

    A deletion needs no activity.

    Raises:
        EventInProgress: Another delivery is being processed; deliver the event again.
    """
    known = None if event.aspect is Aspect.DELETE else activity
    if known is None and event.aspect is not Aspect.DELETE:
        raise BadInput("activity", f"is required for an event of type {event.aspect}")
    claim = _taken(db, event)
    if claim.is_finished:
        return DeliveryOutcome.REPEATED
    is_stale = is_closed = False

    def decide() -> Op[tuple[DeliveryOutcome, str]]:
        owner = db(athlete_owner(event.athlete_id))
        if owner is None or is_closed:
            return release_event(claim).returning((DeliveryOutcome.NO_OWNER, ""))
        if is_stale:
            return finish_stale(claim).returning((DeliveryOutcome.STALE, owner.user_id))
        recording = _recording(claim, event, known, owner.user_id)
        return recording.returning((DeliveryOutcome.APPLIED, owner.user_id))

    def look_again(conflict: Exception) -> None:
        nonlocal is_stale, is_closed
        match conflict:
            case TransactionFailed(failures=(_, ConditionFailed(), None, None)):
                is_stale = True
            case TransactionFailed(failures=(_, _, RecordError(), _)):
                pass  # the athlete has another owner now
            case TransactionFailed(failures=(_, _, None, RecordError())):
                is_closed = True  # the owner's account is being deleted
            case _:
                raise conflict

    try:
        with raising_bad_input():
            outcome, user_id = db.decide(decide, attempts=ATTEMPTS, on_conflict=look_again)
    except ClaimLost as lost:
        raise EventInProgress(claim.request_id, None) from lost
    except (BadInput, Contended):
        # Nothing was written: the event can be corrected and delivered again at once.
        db(release_event(claim))
        raise
    if user_id:
        details = {"activityId": event.object_id, "outcome": outcome}
        audit(db, trace, user_id, _EVENTS[event.aspect], Result.SUCCESS, **details)
    return outcome


def _taken(db: DB, event: StravaEvent) -> WebhookClaim:
    try:
        return db(take_event(event.request_id))
    except InProgress as busy:
        raise EventInProgress(event.request_id, busy.until) from busy


def _recording(
    claim: WebhookClaim, event: StravaEvent, activity: Activity | None, user_id: str
) -> Op[Outcome]:
    """Return the transaction that stores the workout, or its deletion if there is no activity.

    It also finishes the claim, and requires that the owner has not changed and has an account.
    """
    at: datetime = event.event_time
    if activity is None:
        return record_deleted(claim, user_id, event.object_id, at, event.athlete_id)
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
    return record(claim, workout, at, event.athlete_id)
