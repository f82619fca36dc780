"""Request models of GymCoach's API: photos, charts, milestones, strength and measurements."""

from sortkey_systems.api.days import Day
from sortkey_systems.gymcoach.api_models import Link, PathId, PathWord, entity_body, partial_body
from sortkey_systems.gymcoach.design.progress import (
    BodyMeasurement,
    Milestone,
    PerformanceTrend,
    ProgressChart,
    ProgressMetrics,
    ProgressPhoto,
    StrengthProgress,
)


class CreatePhotoRequest(
    entity_body(
        ProgressPhoto,
        "workout_session_id",
        "photo_type",
        "taken_at",
        "notes",
        photo_url=(Link, ...),
    )
):
    """The location of a photo, and its type."""


class CreateChartRequest(
    entity_body(
        ProgressChart,
        "chart_type",
        "title",
        "description",
        "data_points",
        "x_axis_label",
        "y_axis_label",
    )
):
    """A chart with its values."""


class CreateMilestoneRequest(
    entity_body(
        Milestone,
        "milestone_type",
        "title",
        "description",
        "exercise_id",
        "target_value",
        "current_value",
        "target_date",
    )
):
    """A target; with ``exercise_id``, workouts update its value."""


class CreateStrengthRequest(
    entity_body(
        StrengthProgress,
        "exercise_name",
        "current_max_weight",
        "previous_max_weight",
        "period",
        "trend",
        exercise_id=(PathId, ...),
        day=(Day, ...),
    )
):
    """A gain in strength on a day."""


class UpdateStrengthRequest(partial_body(CreateStrengthRequest, "exercise_id", "day")):
    """The fields of a gain in strength to update."""


class CreateMetricsRequest(
    entity_body(
        ProgressMetrics,
        "period",
        "start_date",
        "end_date",
        "strength_gains",
        "volume_increase",
        "consistency_score",
        "improvement_areas",
        "recommendations",
    )
):
    """The metrics of a period."""


class UpdateMetricsRequest(partial_body(CreateMetricsRequest, "period", "start_date")):
    """The fields of the metrics to update."""


class CreateTrendRequest(
    entity_body(
        PerformanceTrend,
        "metric_type",
        "period",
        "start_date",
        "end_date",
        "trend_direction",
        "trend_strength",
        "data_points",
        "insights",
        "recommendations",
    )
):
    """The trend of a metric."""


class UpdateTrendRequest(partial_body(CreateTrendRequest, "metric_type", "period", "start_date")):
    """The fields of a trend to update."""


class CreateMeasurementRequest(
    entity_body(
        BodyMeasurement, "value", "unit", "measured_at", "notes", measurement_type=(PathWord, ...)
    )
):
    """A body measurement."""


class UpdateMeasurementRequest(
    partial_body(CreateMeasurementRequest, "measured_at", "measurement_type")
):
    """The fields of a measurement to update."""
