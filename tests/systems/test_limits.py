"""Each field accepts values at its bounds, and nothing beyond."""

from datetime import UTC, datetime
from decimal import Decimal
from importlib import import_module
from typing import Any, TypeAlias

import pytest
from pydantic import BaseModel, TypeAdapter, ValidationError

# The values that a field accepts, and those that it rejects.
Limits: TypeAlias = tuple[list[Any], list[Any]]

NOT_NEGATIVE: Limits = ([0, 1], [-1])
PERCENT: Limits = ([1, 100], [0, 101])
ID_128: Limits = (["x", "x" * 128], ["", "x" * 129, "a#b"])
POSITIVE: Limits = ([Decimal("0.000001")], [Decimal(0)])
MAIL: Limits = (["a@b"], ["a", "a@", "@b", "a b@c", "a@b@c"])
ULID = "01ARZ3NDEKTSV4RRFFQ69G5FAV"


def text(least: int, most: int) -> Limits:
    """Return texts of these lengths."""
    short = ["x" * (least - 1)] if least else []
    return ["x" * least, "x" * most], [*short, "x" * (most + 1)]


def several(most: int, one: Any) -> Limits:
    """Return lists of up to this many items."""
    return [[], [one] * most], [[one] * (most + 1)]


SET = {"set_number": 1, "reps": 1}
EXERCISE = {"exercise_id": "e", "name": "E", "sets": 1, "reps": 1, "order": 1}
PERFORMED = {"exercise_id": "e", "name": "E", "order": 1}
DAY = {"workout_id": "w", "date": "2026-05-01", "completion_rate": 1}
SYSTEMS: dict[str, dict[str, Limits]] = {
    "oneonone": {
        "design.User.points_left": ([0, 15], [-1, 16]),
        "design.Session.connections": several(40, {"participant": "p", "user_id": "u"}),
    },
    "commitcollect": {
        "design.accounts.UserProfile.user_id": ID_128,
        "design.accounts.UserProfile.email": (
            [*MAIL[0], "a@" + "b" * 318],
            [*MAIL[1], "a@" + "b" * 319],
        ),
        "design.audit.AuditEvent.event_id": ([ULID], [ULID[:-1], ULID + "0", ULID.lower()]),
        "design.milestones.Award.part_index": ([1, 99], [0, 100]),
        "design.workouts.Workout.distance_meters": NOT_NEGATIVE,
        "design.workouts.Workout.sport_type": (["x", None], [""]),
        "design.workouts.Workout.moving_time_sec": NOT_NEGATIVE,
        "design.milestones.Milestone.total_target": POSITIVE,
        "design.milestones.Milestone.part_target": POSITIVE,
        "design.milestones.Milestone.percent_complete": ([0, 100], [-1, 101]),
        "design.milestones.Milestone.parts_earned": ([0, 99], [-1, 100]),
    },
    "agentcore": {
        "design.assistants.Assistant.assistant_id": ID_128,
        "design.assistants.Assistant.name": text(1, 120),
        "design.assistants.Assistant.owner_email_domain": (
            ["a.b", "a-1.example.com", "a." + "b" * 251],
            ["a", "A.b", "a..b", ".a", "a." + "b" * 252],
        ),
        "design.events.WarningMark.threshold": PERCENT,
        "design.quotas.QuotaTier.monthly_cost_limit": (
            [Decimal("0.000001"), Decimal("999999999999.999999")],
            [Decimal(0), Decimal("0.0000001"), Decimal(10**12)],
        ),
        "design.quotas.QuotaTier.soft_limit_percentage": PERCENT,
        "design.quotas.QuotaTier.assignment_count": NOT_NEGATIVE,
        "design.quotas.QuotaTier.tier_name": (["x", "x" * 100], ["", "x" * 101, "a#b"]),
        "design.quotas.Assignment.priority": ([0, 999_999], [-1, 1_000_000]),
        "design.quotas.Assignment.assignment_id": (["x", "x" * 200], ["", "x" * 201, "a#b"]),
        "design.quotas.Assignment.subject": (
            ["DEFAULT", "USER#a", "APPROLE#a", "ROLE#a", "DOMAIN#a.b", "ROLE#" + "x" * 295],
            ["", "USER#", "USER#a#b", "a", "DEFAULT#a", "xUSER#a", "ROLE#" + "x" * 296],
        ),
        "design.quotas.Override.reason": text(1, 500),
        "design.sessions.Session.title": text(1, 200),
        "design.sessions.Session.tags": (
            [set(), {str(number) for number in range(20)}, {"x" * 50}],
            [{str(number) for number in range(21)}, {""}, {"x" * 51}],
        ),
        "design.sessions.CostRecord.model_id": text(1, 200),
        "design.sign_in.SignInState.redirect_uri": text(1, 2048),
        "design.sign_in.SignInState.code_verifier": text(43, 128),
        "design.sign_in.SignInState.nonce": text(1, 128),
        "design.summaries.CostSummary.period": (
            ["2026-01", "2026-12", "2026-02-28", "2028-02-29"],
            ["2026", "2026-00", "2026-13", "2026-02-29", "2026-04-31", "2026-01-1", "2026-01-011"],
        ),
    },
    "shuttle": {
        "design.shops.Shop.domain": (
            ["a.b", "a-1.example.com", "a." + "b" * 251],
            ["a", "A.b", "-a.b", "a..b", "a." + "b" * 252],
        ),
        "design.shops.Shop.shop_name": text(1, 255),
        "design.shops.Shop.active_jobs": NOT_NEGATIVE,
        "design.jobs.Job.job_id": ([ULID], [ULID[:-1], ULID + "0", "8" + ULID[1:], ULID.lower()]),
        "design.jobs.Job.file_key": text(1, 1024),
        "design.jobs.Job.created_by": text(1, 255),
        "design.usage.UsageMonthly.month": (
            ["2026-01", "2026-12"],
            ["2026-00", "2026-13", "2026-1", "26-01", "2026-01-01"],
        ),
        "design.schemas.FieldDefinition.key": text(1, 64),
        "design.schemas.FieldDefinition.type": text(1, 64),
        "design.schemas.MetafieldDefinition.namespace": text(1, 255),
        "design.schemas.MetaobjectDefinition.type": text(1, 255),
        "design.schemas.CurrentSchema.version": ([1, 999_999], [0, 1_000_000]),
        "design.schemas.SchemaVersion.version": ([1, 999_999], [0, 1_000_000]),
        "design.sessions.Session.session_id": (["x", "x" * 250], ["", "x" * 251, "a#b"]),
    },
    "gymcoach": {
        "design.UserProfile.user_id": (["x", "x" * 100], ["", "x" * 101, "a#b"]),
        "design.UserProfile.email": ([*MAIL[0], "a@" + "b" * 252], [*MAIL[1], "a@" + "b" * 253]),
        "design.UserFitnessProfile.recent_performance": several(20, DAY),
        "design.DeviceToken.device_token": text(1, 4_096),
        "design.NotificationPreferences.nutrition_reminder_times": several(24, "00:00"),
        "design.Reminder.timezone": (["x", "x" * 40], ["", "x" * 41, "a#b"]),
        "design.ProgressMetrics.period": (["x", "x" * 40, "a-1_b"], ["", "x" * 41, "a#b", "a b"]),
        "design.WorkoutPlan.name": text(1, 200),
        "design.WorkoutPlan.description": text(0, 4_000),
        "design.WorkoutPlan.duration_weeks": ([1, 520], [0, 521]),
        "design.WorkoutPlan.frequency_per_week": ([1, 21], [0, 22]),
        "design.WorkoutPlan.exercises": several(30, EXERCISE),
        "design.training.PlannedExercise.sets": ([1, 50], [0, 51]),
        "design.training.PlannedExercise.reps": ([1, 10_000], [0, 10_001]),
        "design.training.PlannedExercise.order": ([1], [0]),
        "design.training.PerformedSet.set_number": ([1], [0]),
        "design.training.PerformedSet.reps": ([0, 10**10], [-1, 10**10 + 1]),
        "design.training.PerformedSet.weight": (
            [0, 10**10, Decimal("0." + "0" * 17 + "1")],
            [-1, 10**10 + 1, Decimal("0." + "0" * 18 + "1")],
        ),
        "design.training.PerformedExercise.sets": several(50, SET),
        "design.training.PerformedExercise.order": ([1], [0]),
        "design.WorkoutSession.exercises": several(30, PERFORMED),
        "design.ProgressPhoto.s3_key": text(1, 1_024),
        "design.ProgressPhoto.photo_url": text(1, 2_048),
        "design.progress.ChartPoint.x_value": text(1, 64),
        "design.progress.ChartPoint.label": text(0, 200),
        "design.ProgressChart.x_axis_label": text(0, 100),
        "design.ProgressChart.y_axis_label": text(0, 100),
        "design.ProgressChart.data_points": several(1_000, {"x_value": "a", "y_value": 1}),
        "design.PerformanceTrend.trend_strength": ([0, 1], [-1, Decimal("1.1")]),
        "design.PerformanceTrend.data_points": several(1_000, {"date": "2026-05-01", "value": 1}),
        "design.progress.Milestone.progress_percentage": NOT_NEGATIVE,
        "design.progress.Milestone.target_value": POSITIVE,
        "design.CoachingRule.priority": ([0, 999], [-1, 1_000]),
        "design.RuleAction.parameters": (
            [{str(number): 1 for number in range(20)}],
            [{str(number): 1 for number in range(21)}, {"": 1}],
        ),
        "design.RecoveryPlan.duration_days": ([1, 366], [0, 367]),
        "design.RecoveryActivity.order": ([1], [0]),
        "design.people.ExercisePerformance.form_rating": ([1, 5], [0, 6]),
        "design.WorkoutSession.started_at": (
            [datetime(2026, 5, 1, tzinfo=UTC)],
            [datetime(2026, 5, 1)],  # noqa: DTZ001 - the time zone is missing on purpose
        ),
    },
}
EACH = [(system, field, *limits) for system, of in SYSTEMS.items() for field, limits in of.items()]


@pytest.mark.parametrize(
    ("system", "field", "taken", "refused"), EACH, ids=[f"{row[0]}-{row[1]}" for row in EACH]
)
def test_a_field_accepts_values_at_its_bounds_and_nothing_beyond(
    system: str, field: str, taken: list[Any], refused: list[Any]
) -> None:
    where, entity, name = f"sortkey_systems.{system}.{field}".rsplit(".", 2)
    model: type[BaseModel] = getattr(import_module(where), entity)

    assert [value for value in taken if not is_taken(model, name, value)] == []
    assert [value for value in refused if is_taken(model, name, value)] == []


def is_taken(model: type[BaseModel], field: str, value: Any) -> bool:
    annotation: Any = model.model_fields[field].rebuild_annotation()
    try:
        TypeAdapter[object](annotation).validate_python(value)
    except ValidationError:
        return False
    return True
