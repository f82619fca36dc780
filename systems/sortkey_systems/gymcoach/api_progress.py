"""GymCoach over HTTP: photos, charts, milestones, strength, measurements, metrics and trends."""

from typing import Annotated, Any

from fastapi import Depends, Response

from sortkey import BadCursor, Page
from sortkey_systems.api.app import Cursor, Database, Day, Operations
from sortkey_systems.api.identity import Caller, Having, NotAllowed, SignedIn
from sortkey_systems.gymcoach import charting
from sortkey_systems.gymcoach.api_models import (
    ChangedMeasurement,
    NewChart,
    NewMeasurement,
    NewMetrics,
    NewMilestone,
    NewPhoto,
    NewTrend,
    OnDays,
    PathId,
    PathWord,
    page_of,
    told,
)
from sortkey_systems.gymcoach.api_records import keep, new_record
from sortkey_systems.gymcoach.design.progress import (
    BodyMeasurement,
    PerformanceTrend,
    ProgressMetrics,
    StrengthProgress,
    body_measurements,
    measurements_between,
    metrics_of_user,
    milestones,
    milestones_of_user,
    performance_trends,
    progress_charts,
    progress_charts_of_user,
    progress_metrics,
    progress_photos,
    progress_photos_of_user,
    strength_between,
    strength_progress,
    trends_between,
)
from sortkey_systems.gymcoach.errors import (
    AccountGone,
    AlreadyThere,
    BadInput,
    ChangedMeanwhile,
    NotThere,
)
from sortkey_systems.gymcoach.keeping import add, change, find, remove

progress = Operations()

Coach = Annotated[Caller, Depends(Having("coach"))]


class Svg(Response):
    """A picture."""

    media_type = "image/svg+xml"


def _stored_at(user_id: str, photo_id: str) -> dict[str, Any]:
    """Where a photo is kept: nobody names the place of somebody else's."""
    return {"s3_key": f"user-uploads/{user_id}/{photo_id}"}


keep(
    progress,
    "photo",
    progress_photos,
    progress_photos_of_user,
    NewPhoto,
    derived=_stored_at,
)
keep(progress, "chart", progress_charts, progress_charts_of_user, NewChart)
keep(progress, "milestone", milestones, milestones_of_user, NewMilestone)


@progress.get("/charts/{chart_id}/picture", BadInput, NotThere)
def chart_picture(db: Database, caller: SignedIn, chart_id: PathId) -> Svg:
    """One of your charts as a picture."""
    # What is drawn has words of people in it, which run nowhere as a page.
    safe = {"content-security-policy": "default-src 'none'; style-src 'unsafe-inline'"}
    return Svg(charting.picture(db, caller.user_id, chart_id), headers=safe)


# Strength.


@progress.get("/strength", BadInput, BadCursor, answer=page_of(StrengthProgress))
def strength(
    db: Database, caller: SignedIn, on: OnDays, cursor: Cursor = None
) -> Page[StrengthProgress]:
    """How your strength rose from the first to the last day."""
    return db(strength_between(caller.user_id, on.first, on.last, cursor))


@progress.get("/strength/{day}/{exercise_id}", BadInput, NotThere, answer=told(StrengthProgress))
def strength_of_day(
    db: Database, caller: SignedIn, day: Day, exercise_id: PathId
) -> StrengthProgress:
    """How your strength in an exercise rose on a day."""
    return find(db, strength_progress, caller.user_id, exercise_id, day)


# Measurements.


@progress.get("/measurements", BadInput, BadCursor, answer=page_of(BodyMeasurement))
def measurements(
    db: Database, caller: SignedIn, on: OnDays, cursor: Cursor = None
) -> Page[BodyMeasurement]:
    """What you have measured from the first to the last day."""
    return db(measurements_between(caller.user_id, on.first, on.last, cursor))


@progress.post("/measurements", BadInput, AccountGone, status=201, answer=told(BodyMeasurement))
def measure(db: Database, caller: SignedIn, given: NewMeasurement) -> BodyMeasurement:
    """Keep something that you have measured."""
    return add(db, body_measurements, new_record(BodyMeasurement, caller.user_id, given))


MEASUREMENT = "/measurements/{day}/{measurement_type}/{measurement_id}"


async def _measurement_key(
    caller: SignedIn, day: Day, measurement_type: PathWord, measurement_id: PathId
) -> tuple[str, Any, str, str]:
    return caller.user_id, day, measurement_type, measurement_id


OwnMeasurement = Annotated[tuple[str, Any, str, str], Depends(_measurement_key)]


@progress.get(MEASUREMENT, BadInput, NotThere, answer=told(BodyMeasurement))
def measurement(db: Database, key: OwnMeasurement) -> BodyMeasurement:
    """One of your measurements."""
    return find(db, body_measurements, *key)


@progress.patch(MEASUREMENT, BadInput, NotThere, ChangedMeanwhile, answer=told(BodyMeasurement))
def change_measurement(
    db: Database, key: OwnMeasurement, given: ChangedMeasurement
) -> BodyMeasurement:
    """Correct one of your measurements: what is left out stays as it is."""
    found = find(db, body_measurements, *key)
    return change(db, body_measurements, found, **given.chosen())


@progress.delete(MEASUREMENT, BadInput, NotThere)
def delete_measurement(db: Database, key: OwnMeasurement) -> None:
    """Delete one of your measurements."""
    remove(db, body_measurements, find(db, body_measurements, *key))


# Metrics and trends, which whoever analyses workouts writes.


@progress.get("/metrics", BadCursor, answer=page_of(ProgressMetrics))
def metrics(db: Database, caller: SignedIn, cursor: Cursor = None) -> Page[ProgressMetrics]:
    """What your weeks, months and years came to, period by period, newest first."""
    return db(metrics_of_user(caller.user_id, cursor))


@progress.get("/metrics/{period}/{start_date}", BadInput, NotThere, answer=told(ProgressMetrics))
def metrics_of(
    db: Database, caller: SignedIn, period: PathWord, start_date: Day
) -> ProgressMetrics:
    """What one of your periods came to, by its first day."""
    return find(db, progress_metrics, caller.user_id, period, start_date)


@progress.post(
    "/users/{user_id}/metrics",
    NotAllowed,
    BadInput,
    AccountGone,
    AlreadyThere,
    status=201,
    answer=told(ProgressMetrics),
)
def add_metrics(db: Database, _coach: Coach, user_id: PathId, given: NewMetrics) -> ProgressMetrics:
    """Say what a period of somebody came to."""
    return add(db, progress_metrics, new_record(ProgressMetrics, user_id, given))


@progress.get("/trends", BadInput, BadCursor, answer=page_of(PerformanceTrend))
def trends(
    db: Database, caller: SignedIn, on: OnDays, cursor: Cursor = None
) -> Page[PerformanceTrend]:
    """Where you are going, of periods that begin from the first to the last day."""
    return db(trends_between(caller.user_id, on.first, on.last, cursor))


@progress.get(
    "/trends/{start_date}/{metric_type}/{period}",
    BadInput,
    NotThere,
    answer=told(PerformanceTrend),
)
def trend(
    db: Database, caller: SignedIn, start_date: Day, metric_type: PathWord, period: PathWord
) -> PerformanceTrend:
    """Where you are going in one metric and period."""
    return find(db, performance_trends, caller.user_id, start_date, metric_type, period)


@progress.post(
    "/users/{user_id}/trends",
    NotAllowed,
    BadInput,
    AccountGone,
    AlreadyThere,
    status=201,
    answer=told(PerformanceTrend),
)
def add_trend(db: Database, _coach: Coach, user_id: PathId, given: NewTrend) -> PerformanceTrend:
    """Say where somebody is going."""
    return add(db, performance_trends, new_record(PerformanceTrend, user_id, given))
