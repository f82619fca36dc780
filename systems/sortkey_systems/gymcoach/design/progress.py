"""Progress: photos, metrics, strength, measurements, charts, milestones and trends."""

import datetime as dt
from datetime import date
from decimal import ROUND_HALF_UP, Decimal, localcontext
from typing import Annotated, Literal, Self

from pydantic import BaseModel, Field, model_validator
from pydantic.alias_generators import to_camel

from sortkey import Entity, Expected, Op, Page, Version, exists, not_, pattern, refers
from sortkey_systems.gymcoach.design.people import UserProfile, has_account
from sortkey_systems.gymcoach.design.records import Records, of_user
from sortkey_systems.gymcoach.design.table import (
    PAGE,
    Amount,
    CreatedAt,
    GymCoach,
    Id,
    Measure,
    Moment,
    Owner,
    Percentage,
    Share,
    Slug,
    Text,
    Title,
    UpdatedAt,
    Url,
    Word,
    first_moment,
    last_moment,
    stamped,
)
from sortkey_systems.gymcoach.design.training import Exercise, WorkoutSession

_HUNDREDTH = Decimal("0.01")
_ALMOST = Decimal("99.99")


def percent(part: Decimal, whole: Decimal) -> Decimal:
    """Return ``part`` as a percentage of ``whole``, rounded to 0.01; of zero it is 0."""
    if not whole:
        return Decimal(0)
    # Numbers have 38 digits; fewer than 60 here could round a value just below 0.005 up.
    with localcontext(prec=60):
        return (part * 100 / whole).quantize(_HUNDREDTH, ROUND_HALF_UP)


class ProgressPhoto(
    Entity,
    table=GymCoach,
    stored=to_camel,
    expected=Expected(count=2_000_000, per_partition=20, size_bytes=500),
    relations=(refers("user_id", UserProfile), refers("workout_session_id", WorkoutSession)),
):
    """The location of a user's photo."""

    id: Id
    user_id: Owner
    workout_session_id: Id | None = None
    photo_type: Word
    photo_url: Url
    s3_key: Annotated[str, Field(min_length=1, max_length=1_024)]
    taken_at: Moment
    notes: Text | None = None
    created_at: CreatedAt = stamped()

    primary = GymCoach.primary.key("PROGRESS_PHOTOS", "PHOTO#{id}")
    by_user = GymCoach.by_user.key(
        "USER#{user_id}", "PROGRESS_PHOTO#{taken_at:%Y-%m-%dT%H:%M:%SZ}#{id}"
    )


class ProgressMetrics(
    Entity,
    table=GymCoach,
    stored=to_camel,
    identity=("user_id", "period", "start_date"),
    expected=Expected(count=2_000_000, per_partition=20, size_bytes=500),
    relations=(refers("user_id", UserProfile),),
):
    """The metrics of a week, a month or a year."""

    user_id: Owner
    period: Slug
    start_date: date
    end_date: date
    strength_gains: dict[Id, Decimal] = Field(default_factory=dict[str, Decimal])
    volume_increase: Decimal
    consistency_score: Share
    improvement_areas: list[Word] = Field(default_factory=list[str])
    recommendations: list[Text] = Field(default_factory=list[str])
    created_at: CreatedAt = stamped()

    # The first day was appended: the period is "month", so each month overwrote the previous one.
    primary = GymCoach.primary.key(
        "PROGRESS_METRICS",
        "METRICS#{user_id}#{period}#{start_date}",
        earlier="METRICS#{user_id}#{period}",
    )


class StrengthProgress(
    Entity,
    table=GymCoach,
    stored=to_camel,
    identity=("user_id", "exercise_id"),
    expected=Expected(count=10_000_000, per_partition=100, size_bytes=400),
    relations=(
        refers("user_id", UserProfile),
        refers("exercise_id", Exercise),
    ),
    ignore={
        "SK140": "there is one record for each day, which a second workout of the day updates",
        "SK710": "the sort key begins with the user, and no pattern reads by exercise",
    },
):
    """The increase of a user's best weight in an exercise on a day."""

    user_id: Owner
    exercise_id: Id
    exercise_name: Title
    current_max_weight: Amount
    previous_max_weight: Amount
    # Both are derived from the weights; an increase from 0 is 100 %.
    weight_increase: Decimal = Decimal(0)
    percentage_increase: Decimal = Decimal(0)
    period: Word
    measurement_date: Moment
    trend: Literal["increasing", "stable", "decreasing"]
    # Added: the increase is derived from both weights, which two writers may change.
    version: Version = 0

    # The exercise was appended: two exercises of one day had the same key.
    primary = GymCoach.primary.key(
        "STRENGTH_PROGRESS",
        "USER#{user_id}#{measurement_date:%Y-%m-%d}#{exercise_id}",
        earlier="USER#{user_id}#{measurement_date:%Y-%m-%d}",
    )

    @model_validator(mode="after")
    def _derive(self) -> Self:
        self.weight_increase = self.current_max_weight - self.previous_max_weight
        whole = self.previous_max_weight or self.current_max_weight
        self.percentage_increase = percent(self.weight_increase, whole)
        return self


class BodyMeasurement(
    Entity,
    table=GymCoach,
    stored=to_camel,
    identity=("user_id", "measurement_type", "id"),
    expected=Expected(count=5_000_000, per_partition=50, size_bytes=300),
    relations=(refers("user_id", UserProfile),),
):
    """A body measurement."""

    id: Id
    user_id: Owner
    measurement_type: Slug
    value: Measure
    unit: Word
    measured_at: Moment
    notes: Text | None = None

    # Type and id were appended: weight and waist of one day had the same key.
    primary = GymCoach.primary.key(
        "BODY_MEASUREMENTS",
        "USER#{user_id}#{measured_at:%Y-%m-%d}#{measurement_type}#{id}",
        earlier="USER#{user_id}#{measured_at:%Y-%m-%d}",
    )


class ChartPoint(BaseModel):
    """A value of a chart."""

    x_value: Annotated[str, Field(min_length=1, max_length=64)]
    y_value: Decimal
    label: Annotated[str, Field(max_length=200)] | None = None


class ProgressChart(
    Entity,
    table=GymCoach,
    stored=to_camel,
    expected=Expected(count=300_000, per_partition=3, size_bytes=3_000),
    relations=(refers("user_id", UserProfile),),
):
    """A chart with its values; `charting` draws it."""

    chart_id: Id
    user_id: Owner
    chart_type: Word
    title: Title
    description: Text | None = None
    data_points: Annotated[list[ChartPoint], Field(max_length=1_000)] = Field(
        default_factory=list[ChartPoint]
    )
    x_axis_label: Annotated[str, Field(max_length=100)]
    y_axis_label: Annotated[str, Field(max_length=100)]
    created_at: CreatedAt = stamped()
    updated_at: UpdatedAt = stamped()

    primary = GymCoach.primary.key("PROGRESS_CHARTS", "CHART#{chart_id}")
    by_user = GymCoach.by_user.key(
        "USER#{user_id}", "PROGRESS_CHART#{created_at:%Y-%m-%dT%H:%M:%SZ}#{chart_id}"
    )


class Milestone(
    Entity,
    table=GymCoach,
    stored=to_camel,
    expected=Expected(count=1_000_000, per_partition=10, size_bytes=500),
    relations=(refers("user_id", UserProfile), refers("exercise_id", Exercise)),
):
    """A target of a user; once achieved, it stays achieved."""

    id: Id
    user_id: Owner
    milestone_type: Word
    title: Title
    description: Text | None = None
    # Added: the exercise whose best weight updates it, if any.
    exercise_id: Id | None = None
    target_value: Annotated[Decimal, Field(gt=0)]
    current_value: Measure = Decimal(0)
    # Derived from both values; below 100 % until the milestone is achieved.
    progress_percentage: Percentage = Decimal(0)
    achieved: bool = False
    target_date: Moment | None = None
    # Added: a workout may update it while the user changes its target.
    version: Version = 0
    created_at: CreatedAt = stamped()

    primary = GymCoach.primary.key("MILESTONES", "MILESTONE#{id}")
    by_user = GymCoach.by_user.key(
        "USER#{user_id}", "MILESTONE#{created_at:%Y-%m-%dT%H:%M:%SZ}#{id}"
    )

    @model_validator(mode="after")
    def _derive(self) -> Self:
        self.achieved = self.achieved or self.current_value >= self.target_value
        self.progress_percentage = Decimal(100) if self.achieved else self._share_reached()
        return self

    def _share_reached(self) -> Decimal:
        return min(percent(self.current_value, self.target_value), _ALMOST)


class TrendPoint(BaseModel):
    """A value of a trend."""

    date: dt.date
    value: Decimal
    context: Word | None = None


class PerformanceTrend(
    Entity,
    table=GymCoach,
    stored=to_camel,
    identity=("user_id", "start_date", "metric_type", "period"),
    expected=Expected(count=2_000_000, per_partition=20, size_bytes=1_000),
    relations=(refers("user_id", UserProfile),),
):
    """The trend of a metric."""

    user_id: Owner
    metric_type: Slug
    period: Slug
    start_date: date
    end_date: date
    trend_direction: Literal["upward", "downward", "stable"]
    trend_strength: Share
    data_points: Annotated[list[TrendPoint], Field(max_length=1_000)] = Field(
        default_factory=list[TrendPoint]
    )
    insights: list[Text] = Field(default_factory=list[str])
    recommendations: list[Text] = Field(default_factory=list[str])

    # Metric and period were appended: strength and endurance of one day had the same key.
    primary = GymCoach.primary.key(
        "PERFORMANCE_TRENDS",
        "USER#{user_id}#{start_date}#{metric_type}#{period}",
        earlier="USER#{user_id}#{start_date}",
    )


@pattern("A progress photo by id", rate="5/s")
def progress_photo(photo_id: str) -> Op[ProgressPhoto | None]:
    """Return a photo's record."""
    return ProgressPhoto.get(id=photo_id)


@pattern("A user's metrics of a period", rate="5/s")
def metrics_of_period(user_id: str, period: str, start_date: date) -> Op[ProgressMetrics | None]:
    """Return the metrics of the period that starts on a day."""
    return ProgressMetrics.get(user_id=user_id, period=period, start_date=start_date)


@pattern(
    "A user's metrics of every period",
    rate="1/s",
    page=PAGE,
    where=lambda metrics, user_id: metrics.user_id == user_id,
    order=lambda metrics: (metrics.period, metrics.start_date),
    descending=True,
)
def metrics_of_user(user_id: str, after: str | None = None) -> Op[Page[ProgressMetrics]]:
    """Return a page of metrics by period, each newest first."""
    return ProgressMetrics.query(user_id=user_id).reverse().page(PAGE, after)


@pattern("A user's strength in an exercise on a day", rate="1/s", fresh=True)
def strength_on_day(user_id: str, exercise_id: str, day: date) -> Op[StrengthProgress | None]:
    """Return a record; a strongly consistent read."""
    found = StrengthProgress.get(
        user_id=user_id, exercise_id=exercise_id, measurement_date=first_moment(day)
    )
    return found.consistently()


@pattern(
    "A user's strength in a range of days",
    rate="5/s",
    page=PAGE,
    where=lambda strength, user_id, first, last: (
        strength.user_id == user_id and first <= strength.measurement_date.date() <= last
    ),
    order=lambda strength: (strength.measurement_date.date(), strength.exercise_id),
)
def strength_between(
    user_id: str, first: date = date.min, last: date = date.max, after: str | None = None
) -> Op[Page[StrengthProgress]]:
    """Return a page of records by day; both days are included."""
    days = (first_moment(first), last_moment(last))
    return StrengthProgress.query(user_id=user_id).between(measurement_date=days).page(PAGE, after)


@pattern(
    "A user's strength in all exercises on a day",
    rate="10/s",
    fresh=True,
    where=lambda strength, user_id, day: (
        strength.user_id == user_id and strength.measurement_date.date() == day
    ),
    order=lambda strength: strength.exercise_id,
)
def strength_of_day(user_id: str, day: date) -> Op[list[StrengthProgress]]:
    """Return the records; strongly consistent, because a second workout of the day updates them."""
    moments = (first_moment(day), last_moment(day))
    own = StrengthProgress.query(user_id=user_id).between(measurement_date=moments)
    return own.consistently()


@pattern(
    "A user's strength on all days",
    rate="1/min",
    fresh=True,
    where=lambda strength, user_id: strength.user_id == user_id,
    order=lambda strength: (strength.measurement_date.date(), strength.exercise_id),
)
def strength_of_user(user_id: str) -> Op[list[StrengthProgress]]:
    """Return all records by day; strongly consistent, because a correction is based on them."""
    return StrengthProgress.query(user_id=user_id).consistently()


@pattern("A body measurement", rate="1/s")
def body_measurement(
    user_id: str, day: date, measurement_type: str, measurement_id: str
) -> Op[BodyMeasurement | None]:
    """Return a measurement by its key."""
    return BodyMeasurement.get(
        user_id=user_id,
        measured_at=first_moment(day),
        measurement_type=measurement_type,
        id=measurement_id,
    )


@pattern(
    "A user's body measurements in a range of days",
    rate="5/s",
    page=PAGE,
    where=lambda measurement, user_id, first, last: (
        measurement.user_id == user_id and first <= measurement.measured_at.date() <= last
    ),
    order=lambda measurement: (
        measurement.measured_at.date(),
        measurement.measurement_type,
        measurement.id,
    ),
)
def measurements_between(
    user_id: str, first: date = date.min, last: date = date.max, after: str | None = None
) -> Op[Page[BodyMeasurement]]:
    """Return a page of measurements by day; both days are included."""
    days = (first_moment(first), last_moment(last))
    return BodyMeasurement.query(user_id=user_id).between(measured_at=days).page(PAGE, after)


@pattern("A progress chart by id", rate="5/s")
def progress_chart(chart_id: str) -> Op[ProgressChart | None]:
    """Return a chart with its values."""
    return ProgressChart.get(chart_id=chart_id)


@pattern("A milestone by id", rate="10/s", fresh=True)
def milestone(milestone_id: str) -> Op[Milestone | None]:
    """Return a milestone; strongly consistent, because workouts update it."""
    return Milestone.get(id=milestone_id).consistently()


@pattern(
    "A user's milestones that workouts update",
    rate="10/s",
    where=lambda milestone, user_id: (
        milestone.user_id == user_id
        and milestone.exercise_id is not None
        and not milestone.achieved
    ),
    order=lambda milestone: (milestone.created_at, milestone.id),
    ignore={"affordable": "a user has about twenty milestones in all"},
)
def milestones_under_way(user_id: str) -> Op[list[Milestone]]:
    """Return milestones with an exercise that are not achieved; a user has few others."""
    return Milestone.query(Milestone.by_user, user_id=user_id).where(
        lambda m: exists(m.exercise_id) & not_(m.achieved)
    )


@pattern("A performance trend", rate="1/s")
def performance_trend(
    user_id: str, start_date: date, metric_type: str, period: str
) -> Op[PerformanceTrend | None]:
    """Return a trend by its key."""
    return PerformanceTrend.get(
        user_id=user_id, start_date=start_date, metric_type=metric_type, period=period
    )


@pattern(
    "A user's performance trends in a range of days",
    rate="1/s",
    page=PAGE,
    where=lambda trend, user_id, first, last: (
        trend.user_id == user_id and first <= trend.start_date <= last
    ),
    order=lambda trend: (trend.start_date, trend.metric_type, trend.period),
)
def trends_between(
    user_id: str, first: date = date.min, last: date = date.max, after: str | None = None
) -> Op[Page[PerformanceTrend]]:
    """Return a page of trends by the first day of their period; both days are included."""
    return (
        PerformanceTrend.query(user_id=user_id).between(start_date=(first, last)).page(PAGE, after)
    )


progress_photos = Records(
    ProgressPhoto,
    progress_photo,
    create="1/s",
    update="1/min",
    delete="1/min",
    requires=has_account,
)
progress_metrics = Records(
    ProgressMetrics,
    metrics_of_period,
    create="1/s",
    update="1/min",
    delete="1/min",
    requires=has_account,
)
strength_progress = Records(
    StrengthProgress,
    strength_on_day,
    create="1/s",
    update="1/min",
    delete="1/min",
    requires=has_account,
)
body_measurements = Records(
    BodyMeasurement,
    body_measurement,
    create="2/s",
    update="1/min",
    delete="1/min",
    requires=has_account,
)
progress_charts = Records(
    ProgressChart, progress_chart, create="1/s", update="1/s", delete="1/min", requires=has_account
)
milestones = Records(
    Milestone, milestone, create="10/min", update="10/min", delete="1/min", requires=has_account
)
performance_trends = Records(
    PerformanceTrend,
    performance_trend,
    create="1/s",
    update="1/min",
    delete="1/min",
    requires=has_account,
)

progress_photos_of_user = of_user(ProgressPhoto, ProgressPhoto.by_user, "taken_at", rate="5/s")
progress_charts_of_user = of_user(ProgressChart, ProgressChart.by_user, "created_at", rate="5/s")
milestones_of_user = of_user(Milestone, Milestone.by_user, "created_at", rate="10/s")
