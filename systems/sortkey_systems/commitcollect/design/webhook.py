"""Webhook events of Strava: each is applied once, and an older one never replaces a newer one."""

from datetime import datetime, timedelta
from enum import StrEnum

from pydantic.alias_generators import to_camel

from sortkey import Check, Claim, Op, missing, not_, pattern, value_of
from sortkey_systems.commitcollect.design.accounts import has_account
from sortkey_systems.commitcollect.design.strava import AthleteOwner
from sortkey_systems.commitcollect.design.tables import CommitCollectIdempotency, Id
from sortkey_systems.commitcollect.design.workouts import Workout

# Longer than the work takes. After a crash, the next delivery waits no longer than this.
LEASE = timedelta(minutes=1)


KEPT_FOR = timedelta(days=7)


class Outcome(StrEnum):
    """The result of processing an event."""

    APPLIED = "applied"
    STALE = "stale"  # a newer event was already applied


class WebhookClaim(Claim[Outcome], table=CommitCollectIdempotency, stored=to_camel):
    """The claim on an event of Strava, by the id of the event (not of the delivery)."""

    request_id: Id

    primary = CommitCollectIdempotency.primary.key("IDEMPOTENCY#{request_id}", "META")


@pattern("The claim on an event", rate="1/min", fresh=True)
def claim_by_id(request_id: str) -> Op[WebhookClaim | None]:
    """Return the claim, which shows whether the event is in progress or done."""
    return WebhookClaim.get(request_id=request_id).consistently()


@pattern("Claim an event", rate="20/s")
def take_event(request_id: str) -> Op[WebhookClaim]:
    """Take the claim, or return a finished claim unchanged."""
    return WebhookClaim(request_id=request_id).take(lease=LEASE, keep=KEPT_FOR)


@pattern("Release an event", rate="1/s")
def release_event(claim: WebhookClaim) -> Op[None]:
    """Release an unprocessed event, so that a later delivery does not wait for the lease."""
    return claim.release()


def _still_owned(athlete_id: str, user_id: str) -> Check[AthleteOwner]:
    owner = AthleteOwner.check(athlete_id=athlete_id)
    return owner.where(lambda o: o.user_id == user_id)


@pattern("Record a created workout", rate="10/s")
def record_created(
    claim: WebhookClaim, workout: Workout, at: datetime, athlete_id: str
) -> Op[Outcome]:
    """Store it unless an event of the same second (an update) or a later one was applied."""
    return claim.finish(
        Outcome.APPLIED,
        workout.put().where(
            lambda w: missing(w.event_time_utc) | (value_of(w.event_time_utc) < at)
        ),
        _still_owned(athlete_id, workout.user_id),
        has_account(workout.user_id),
    )


@pattern("Record an updated workout", rate="5/s")
def record_updated(
    claim: WebhookClaim, workout: Workout, at: datetime, athlete_id: str
) -> Op[Outcome]:
    """Store it unless a later event, or a deletion in the same second, was applied."""
    return claim.finish(
        Outcome.APPLIED,
        workout.put().where(
            lambda w: (
                missing(w.event_time_utc)
                | (value_of(w.event_time_utc) < at)
                | ((w.event_time_utc == at) & not_(w.is_deleted))
            )
        ),
        _still_owned(athlete_id, workout.user_id),
        has_account(workout.user_id),
    )


@pattern("Record a deleted workout", rate="1/s")
def record_deleted(
    claim: WebhookClaim, user_id: str, activity_id: str, at: datetime, athlete_id: str
) -> Op[Outcome]:
    """Mark it as deleted unless a later event was applied; an unknown workout gets a tombstone."""
    tombstone = (
        Workout.upsert(user_id=user_id, activity_id=activity_id)
        .set(event_time_utc=at, is_deleted=True, deleted_at_utc=at)
        .where(lambda w: missing(w.event_time_utc) | (value_of(w.event_time_utc) <= at))
    )
    return claim.finish(
        Outcome.APPLIED, tombstone, _still_owned(athlete_id, user_id), has_account(user_id)
    )


@pattern(
    "Finish a stale event",
    rate="1/s",
    ignore={"SK705": "a claim is always finished with a token, so that a retry counts once"},
)
def finish_stale(claim: WebhookClaim) -> Op[Outcome]:
    """Finish the claim without a write: a newer event was applied."""
    return claim.finish(Outcome.STALE)
