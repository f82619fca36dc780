"""GymCoach's HTTP API: photos, charts, milestones, strength, measurements, metrics and trends."""

from typing import Annotated, Any

from fastapi import Depends, Response

from sortkey import BadCursor, Page
from sortkey_systems.api.app import Cursor, Database, Operations
from sortkey_systems.api.callers import Caller
from sortkey_systems.api.days import Day
from sortkey_systems.api.identity import NotAllowed, RequireRole, SignedIn
from sortkey_systems.gymcoach import charting
from sortkey_systems.gymcoach.api_models import (
    PathId,
    PathWord,
    QueryDays,
    page_response,
    response_model,
)
from sortkey_systems.gymcoach.api_models_progress import (
    CreateChartRequest,
    CreateMeasurementRequest,
    CreateMetricsRequest,
    CreateMilestoneRequest,
    CreatePhotoRequest,
    CreateStrengthRequest,
    CreateTrendRequest,
    UpdateMeasurementRequest,
    UpdateMetricsRequest,
    UpdateStrengthRequest,
    UpdateTrendRequest,
)
from sortkey_systems.gymcoach.api_records import add_crud_operations, new_record
from sortkey_systems.gymcoach.crud import add, change, find, remove
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
from sortkey_systems.gymcoach.design.table import first_moment
from sortkey_systems.gymcoach.errors import (
    AccountNotFound,
    BadInput,
    RecordChanged,
    RecordExists,
    RecordNotFound,
    raising_bad_input,
)

progress = Operations()

Coach = Annotated[Caller, Depends(RequireRole("coach"))]


class Svg(Response):
    """An SVG image."""

    media_type = "image/svg+xml"


def _s3_key(user_id: str, photo_id: str) -> dict[str, Any]:
    """Return the location of a photo; a caller cannot choose another user's."""
    return {"s3_key": f"user-uploads/{user_id}/{photo_id}"}


add_crud_operations(
    progress,
    "photo",
    progress_photos,
    progress_photos_of_user,
    CreatePhotoRequest,
    derived=_s3_key,
)
add_crud_operations(progress, "chart", progress_charts, progress_charts_of_user, CreateChartRequest)
add_crud_operations(progress, "milestone", milestones, milestones_of_user, CreateMilestoneRequest)


@progress.get("/charts/{chart_id}/picture", BadInput, RecordNotFound)
def chart_picture(db: Database, caller: SignedIn, chart_id: PathId) -> Svg:
    """Get one of your charts as an SVG image."""
    # The image contains text of users, which must never run as a script.
    safe = {"content-security-policy": "default-src 'none'; style-src 'unsafe-inline'"}
    return Svg(charting.picture(db, caller.user_id, chart_id), headers=safe)


# Strength.


@progress.get("/strength", BadInput, BadCursor, response=page_response(StrengthProgress))
def strength(
    db: Database, caller: SignedIn, days: QueryDays, cursor: Cursor = None
) -> Page[StrengthProgress]:
    """List your strength gains, by day."""
    return db(strength_between(caller.user_id, days.first, days.last, cursor))


@progress.get(
    "/strength/{day}/{exercise_id}",
    BadInput,
    RecordNotFound,
    response=response_model(StrengthProgress),
)
def strength_of_day(
    db: Database, caller: SignedIn, day: Day, exercise_id: PathId
) -> StrengthProgress:
    """Get your strength gain in an exercise on a day."""
    return find(db, strength_progress, caller.user_id, exercise_id, day)


@progress.post(
    "/strength",
    BadInput,
    AccountNotFound,
    RecordExists,
    status=201,
    response=response_model(StrengthProgress),
)
def create_strength(
    db: Database, caller: SignedIn, body: CreateStrengthRequest
) -> StrengthProgress:
    """Create a gain in strength that was measured elsewhere."""
    fields = body.model_dump()
    day = fields.pop("day")
    with raising_bad_input():
        gain = StrengthProgress.model_validate(
            {**fields, "user_id": caller.user_id, "measurement_date": first_moment(day)}
        )
    return add(db, strength_progress, gain)


@progress.patch(
    "/strength/{day}/{exercise_id}",
    BadInput,
    AccountNotFound,
    RecordNotFound,
    RecordChanged,
    response=response_model(StrengthProgress),
)
def change_strength(
    *,
    db: Database,
    caller: SignedIn,
    day: Day,
    exercise_id: PathId,
    body: UpdateStrengthRequest,
) -> StrengthProgress:
    """Update some fields of your strength gain in an exercise on a day."""
    found = find(db, strength_progress, caller.user_id, exercise_id, day)
    return change(db, strength_progress, found, **body.sent_fields())


@progress.delete("/strength/{day}/{exercise_id}", BadInput, RecordNotFound, RecordChanged)
def delete_strength(db: Database, caller: SignedIn, day: Day, exercise_id: PathId) -> None:
    """Delete your strength gain in an exercise on a day."""
    found = find(db, strength_progress, caller.user_id, exercise_id, day)
    remove(db, strength_progress, found)


# Measurements.


@progress.get("/measurements", BadInput, BadCursor, response=page_response(BodyMeasurement))
def measurements(
    db: Database, caller: SignedIn, days: QueryDays, cursor: Cursor = None
) -> Page[BodyMeasurement]:
    """List your body measurements, by day."""
    return db(measurements_between(caller.user_id, days.first, days.last, cursor))


@progress.post(
    "/measurements", BadInput, AccountNotFound, status=201, response=response_model(BodyMeasurement)
)
def create_measurement(
    db: Database, caller: SignedIn, body: CreateMeasurementRequest
) -> BodyMeasurement:
    """Create a body measurement."""
    return add(db, body_measurements, new_record(BodyMeasurement, caller.user_id, body))


MEASUREMENT = "/measurements/{day}/{measurement_type}/{measurement_id}"


async def _measurement_key(
    caller: SignedIn, day: Day, measurement_type: PathWord, measurement_id: PathId
) -> tuple[str, Any, str, str]:
    return caller.user_id, day, measurement_type, measurement_id


OwnMeasurement = Annotated[tuple[str, Any, str, str], Depends(_measurement_key)]


@progress.get(MEASUREMENT, BadInput, RecordNotFound, response=response_model(BodyMeasurement))
def measurement(db: Database, key: OwnMeasurement) -> BodyMeasurement:
    """Get one of your body measurements."""
    return find(db, body_measurements, *key)


@progress.patch(
    MEASUREMENT,
    BadInput,
    AccountNotFound,
    RecordNotFound,
    RecordChanged,
    response=response_model(BodyMeasurement),
)
def change_measurement(
    db: Database, key: OwnMeasurement, body: UpdateMeasurementRequest
) -> BodyMeasurement:
    """Update some fields of one of your body measurements."""
    found = find(db, body_measurements, *key)
    return change(db, body_measurements, found, **body.sent_fields())


@progress.delete(MEASUREMENT, BadInput, RecordNotFound)
def delete_measurement(db: Database, key: OwnMeasurement) -> None:
    """Delete one of your body measurements."""
    remove(db, body_measurements, find(db, body_measurements, *key))


# Metrics and trends, which coaches write.


@progress.get("/metrics", BadCursor, response=page_response(ProgressMetrics))
def metrics(db: Database, caller: SignedIn, cursor: Cursor = None) -> Page[ProgressMetrics]:
    """List your metrics by period, newest first."""
    return db(metrics_of_user(caller.user_id, cursor))


@progress.get(
    "/metrics/{period}/{start_date}",
    BadInput,
    RecordNotFound,
    response=response_model(ProgressMetrics),
)
def metrics_of(
    db: Database, caller: SignedIn, period: PathWord, start_date: Day
) -> ProgressMetrics:
    """Get your metrics of the period that starts on a day."""
    return find(db, progress_metrics, caller.user_id, period, start_date)


@progress.post(
    "/users/{user_id}/metrics",
    NotAllowed,
    BadInput,
    AccountNotFound,
    RecordExists,
    status=201,
    response=response_model(ProgressMetrics),
)
def add_metrics(
    db: Database, _coach: Coach, user_id: PathId, body: CreateMetricsRequest
) -> ProgressMetrics:
    """Create the metrics of a user for a period."""
    return add(db, progress_metrics, new_record(ProgressMetrics, user_id, body))


METRICS = "/users/{user_id}/metrics/{period}/{start_date}"


async def _metrics_key(user_id: PathId, period: PathWord, start_date: Day) -> tuple[str, str, Any]:
    return user_id, period, start_date


UsersMetrics = Annotated[tuple[str, str, Any], Depends(_metrics_key)]


@progress.patch(
    METRICS,
    NotAllowed,
    BadInput,
    AccountNotFound,
    RecordNotFound,
    RecordChanged,
    response=response_model(ProgressMetrics),
)
def change_metrics(
    db: Database, _coach: Coach, key: UsersMetrics, body: UpdateMetricsRequest
) -> ProgressMetrics:
    """Update some fields of the metrics of a user for a period."""
    return change(db, progress_metrics, find(db, progress_metrics, *key), **body.sent_fields())


@progress.delete(METRICS, NotAllowed, BadInput, RecordNotFound)
def delete_metrics(db: Database, _coach: Coach, key: UsersMetrics) -> None:
    """Delete the metrics of a user for a period."""
    remove(db, progress_metrics, find(db, progress_metrics, *key))


@progress.get("/trends", BadInput, BadCursor, response=page_response(PerformanceTrend))
def trends(
    db: Database, caller: SignedIn, days: QueryDays, cursor: Cursor = None
) -> Page[PerformanceTrend]:
    """List your performance trends, by the first day of their period."""
    return db(trends_between(caller.user_id, days.first, days.last, cursor))


@progress.get(
    "/trends/{start_date}/{metric_type}/{period}",
    BadInput,
    RecordNotFound,
    response=response_model(PerformanceTrend),
)
def trend(
    db: Database, caller: SignedIn, start_date: Day, metric_type: PathWord, period: PathWord
) -> PerformanceTrend:
    """Get one of your performance trends."""
    return find(db, performance_trends, caller.user_id, start_date, metric_type, period)


@progress.post(
    "/users/{user_id}/trends",
    NotAllowed,
    BadInput,
    AccountNotFound,
    RecordExists,
    status=201,
    response=response_model(PerformanceTrend),
)
def add_trend(
    db: Database, _coach: Coach, user_id: PathId, body: CreateTrendRequest
) -> PerformanceTrend:
    """Create a performance trend of a user."""
    return add(db, performance_trends, new_record(PerformanceTrend, user_id, body))


TREND = "/users/{user_id}/trends/{start_date}/{metric_type}/{period}"


async def _trend_key(
    user_id: PathId, start_date: Day, metric_type: PathWord, period: PathWord
) -> tuple[str, Any, str, str]:
    return user_id, start_date, metric_type, period


UsersTrend = Annotated[tuple[str, Any, str, str], Depends(_trend_key)]


@progress.patch(
    TREND,
    NotAllowed,
    BadInput,
    AccountNotFound,
    RecordNotFound,
    RecordChanged,
    response=response_model(PerformanceTrend),
)
def change_trend(
    db: Database, _coach: Coach, key: UsersTrend, body: UpdateTrendRequest
) -> PerformanceTrend:
    """Update some fields of a performance trend of a user."""
    return change(db, performance_trends, find(db, performance_trends, *key), **body.sent_fields())


@progress.delete(TREND, NotAllowed, BadInput, RecordNotFound)
def delete_trend(db: Database, _coach: Coach, key: UsersTrend) -> None:
    """Delete a performance trend of a user."""
    remove(db, performance_trends, find(db, performance_trends, *key))
