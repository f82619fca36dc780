"""What GymCoach is sent over HTTP, and what it tells of its records.

Models of bodies have the fields of an entity that a caller may choose, each by its name. Models of
answers have all but those that only the database needs, and secrets.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import cache
from typing import Annotated, Any, TypeAlias

from fastapi import Depends
from pydantic import BaseModel, Field, create_model

from sortkey import Entity, Page, secret
from sortkey_systems.api.app import Day, Moment
from sortkey_systems.api.bodies import Given, given_as
from sortkey_systems.api.times import Times, within
from sortkey_systems.gymcoach.design.coaching import (
    AdaptivePlan,
    CoachingRule,
    RecoveryPlan,
    WorkoutRecommendation,
)
from sortkey_systems.gymcoach.design.notifying import (
    DeviceToken,
    NotificationPreferences,
)
from sortkey_systems.gymcoach.design.people import Injury, UserFitnessProfile, UserProfile
from sortkey_systems.gymcoach.design.progress import (
    BodyMeasurement,
    Milestone,
    PerformanceTrend,
    ProgressChart,
    ProgressMetrics,
    ProgressPhoto,
    StrengthProgress,
)
from sortkey_systems.gymcoach.design.table import Count, Rating, Text, Title, Word
from sortkey_systems.gymcoach.design.training import (
    MOST_EXERCISES,
    MOST_SETS,
    Exercise,
    ExerciseSubstitution,
    PerformedExercise,
    PerformedSet,
    WorkoutPlan,
    WorkoutSession,
)
from sortkey_systems.gymcoach.errors import BadInput
from sortkey_systems.gymcoach.finishing import Effort

# Without what stands between the parts of a key, or of a path.
PathId = Annotated[str, Field(min_length=1, max_length=128, pattern=r"^[^#/]+$")]
PathWord = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[^#/]+$")]
Link = Annotated[str, Field(max_length=2_048, pattern=r"^https://[^\s]+$")]

# What keeps a record in an index or from being overwritten, and says nothing to its reader.
INTERNAL = frozenset({"active_for", "open_for", "active_type", "ttl", "version", "deleting_since"})


def given(entity: type[Entity], *names: str, **others: Any) -> type[Given]:
    """A body with these fields of an entity; ``others`` have a type of their own."""
    fields: dict[str, Any] = {
        name: (_MOMENTS.get(field.annotation) or given_as(field.annotation), field)
        for name, field in entity.model_fields.items()
        if name in names
    }
    return create_model(f"Given{entity.__name__}", __base__=Given, **fields, **others)


# A record refuses a time without a zone when it is stored. Sent, it is refused before anything
# is compared with it.
_MaybeMoment: TypeAlias = Moment | None
_MOMENTS: Mapping[Any, Any] = {datetime: Moment, datetime | None: _MaybeMoment}


def partly(body: type[Given], *without: str) -> type[Given]:
    """The same body with nothing that has to be sent: what is left out stays as it is."""
    fields: dict[str, Any] = {
        name: (field.rebuild_annotation() | None, None)
        for name, field in body.model_fields.items()
        if name not in without
    }
    name = body.__name__.replace("New", "Changed")
    return create_model(name, __base__=Given, __doc__="What changes; the rest stays.", **fields)


@cache
def told(entity: type[Entity]) -> type[BaseModel]:
    """What an answer says of a record."""
    fields: dict[str, Any] = {
        name: (field.annotation, field)
        for name, field in entity.model_fields.items()
        if name not in INTERNAL and secret not in field.metadata
    }
    return create_model(entity.__name__, __doc__=entity.__doc__, **fields)


def list_of(entity: type[Entity]) -> Any:
    """What an answer says of several records."""
    lists: Any = list
    return lists[told(entity)]


def page_of(entity: type[Entity]) -> Any:
    """What an answer says of a page of records."""
    pages: Any = Page
    return pages[told(entity)]


@dataclass(frozen=True, slots=True)
class Days:
    """Two days, both included."""

    first: date
    last: date


# Awaited, though nothing waits: FastAPI would send a plain function to a thread of its own.
async def _days(first: Day = date.min, last: Day = date.max) -> Days:
    if last < first:
        raise BadInput("last", "it comes before first")
    return Days(first, last)


Within = Annotated[Times, within(BadInput)]
OnDays = Annotated[Days, Depends(_days)]

# Accounts.


class NewAccount(
    given(
        UserProfile,
        "name",
        "fitness_goals",
        "experience_level",
        "preferences",
        profile_image=(Link | None, None),
    )
):
    """Who joins, beside what the token tells."""


class ChangedAccount(partly(NewAccount)):
    """What of an account changes; the rest stays."""


class ChangedFitness(
    partly(given(UserFitnessProfile, "experience_level", "fitness_goals", "preferences"))
):
    """What of a fitness profile changes; the rest stays."""


class GivenInjury(Injury, Given):
    """Something that hurts, or did."""


class GivenInjuries(Given):
    """Everything that hurts, or did."""

    injuries: Annotated[list[GivenInjury], Field(max_length=50)]


class Exported(BaseModel):
    """A record of the caller, by its kind."""

    kind: str
    record: dict[str, Any]


class ToldDeletion(BaseModel):
    """What was removed, by kind; where it is not done, the account goes after this time."""

    is_done: bool
    again_at: datetime | None
    removed: dict[str, int]


class ToldDeletions(BaseModel):
    """How many deletions were finished, and how many failed."""

    finished: Count
    failed: Count


# Training.


class NewPlan(
    given(
        WorkoutPlan,
        "name",
        "description",
        "difficulty",
        "duration_weeks",
        "frequency_per_week",
        "exercises",
        "is_active",
    )
):
    """A plan for some weeks."""


class NewSubstitution(
    given(
        ExerciseSubstitution,
        "original_exercise_id",
        "substitute_exercise_id",
        "reason",
        "confidence_score",
        "muscle_groups_match",
        "equipment_available",
        "difficulty_match",
    )
):
    """One exercise in the place of another."""


class NewExercise(
    given(
        Exercise,
        "name",
        "description",
        "category",
        "muscle_groups",
        "equipment",
        "difficulty",
        "instructions",
        "tips",
        id=(PathId, ...),
        video_url=(Link | None, None),
        image_url=(Link | None, None),
    )
):
    """An exercise for the library."""


class ChangedExercise(partly(NewExercise, "id")):
    """What of an exercise changes; the rest stays."""


class GivenSet(PerformedSet, Given):
    """One set of an exercise, done or not."""


class GivenExercise(PerformedExercise, Given):
    """An exercise of a workout, with its sets."""

    sets: Annotated[list[GivenSet], Field(max_length=MOST_SETS)] = Field(  # pyright: ignore[reportIncompatibleVariableOverride] - nobody adds to what was sent
        default_factory=list[GivenSet]
    )

    def performed(self) -> PerformedExercise:
        """The same, as it is stored."""
        return PerformedExercise.model_validate(self.model_dump())


GivenWorkout = Annotated[list[GivenExercise], Field(max_length=MOST_EXERCISES)]


class GivenSession(Given):
    """A workout to begin; of a plan it has the exercises, unless they are given."""

    name: Title
    exercises: GivenWorkout | None = None
    workout_plan_id: PathId | None = None
    started_at: Moment | None = None


class GivenExercises(Given):
    """What was done so far."""

    exercises: GivenWorkout


class GivenNote(Given):
    """What somebody writes to a workout."""

    name: Title | None = None
    notes: Text | None = None


class GivenEffort(Given):
    """How one exercise was, from 1 to 5."""

    perceived_difficulty: Rating | None = None
    form_rating: Rating | None = None


class GivenFinish(Given):
    """How the workout was, and each exercise by its id."""

    rating: Rating | None = None
    difficulty: Rating | None = None
    efforts: Annotated[dict[PathId, GivenEffort], Field(max_length=MOST_EXERCISES)] = Field(
        default_factory=dict[str, GivenEffort]
    )
    notes: Text | None = None

    def by_exercise(self) -> dict[str, Effort]:
        """What was said of each exercise."""
        return {name: Effort(**effort.model_dump()) for name, effort in self.efforts.items()}


# Coaching.


class NewAdaptivePlan(
    given(AdaptivePlan, "base_plan_id", "adaptations", "adaptation_reason", "is_active")
):
    """A plan, fitted to its owner."""


class NewRecoveryPlan(
    given(
        RecoveryPlan,
        "plan_type",
        "duration_days",
        "activities",
        "starts_at",
        "ends_at",
        "is_completed",
    )
):
    """Some days of less."""


class NewRecommendation(
    given(
        WorkoutRecommendation,
        "recommendation_type",
        "title",
        "description",
        "reasoning",
        "priority",
        "expires_at",
        "metadata",
    )
):
    """Advice for somebody."""


class NewRule(
    given(
        CoachingRule, "rule_type", "condition", "action", "priority", "is_active", id=(PathId, ...)
    )
):
    """When to advise what."""


class ChangedRule(partly(NewRule, "id")):
    """What of a rule changes; the rest stays."""


class UnusableRule(BaseModel):
    """A rule that could not be evaluated, and what of its condition is wrong."""

    rule_id: str
    part: str
    reason: str


ToldEvaluation = create_model(
    "Evaluation",
    __doc__="What was recommended that was not before, and which rules are unusable.",
    recommended=(list_of(WorkoutRecommendation), ...),
    unusable=(list[UnusableRule], ...),
)

# Progress.


class NewPhoto(
    given(
        ProgressPhoto,
        "workout_session_id",
        "photo_type",
        "taken_at",
        "notes",
        photo_url=(Link, ...),
    )
):
    """Where a picture is, and what of."""


class NewChart(
    given(
        ProgressChart,
        "chart_type",
        "title",
        "description",
        "data_points",
        "x_axis_label",
        "y_axis_label",
    )
):
    """Values to look at."""


class NewMilestone(
    given(
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
    """Something to reach; where it is bound to an exercise, workouts move it."""


class NewMetrics(
    given(
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
    """What a period came to."""


class NewTrend(
    given(
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
    """Where something is going."""


class NewMeasurement(
    given(
        BodyMeasurement, "value", "unit", "measured_at", "notes", measurement_type=(PathWord, ...)
    )
):
    """A value that was measured."""


class ChangedMeasurement(partly(NewMeasurement, "measured_at", "measurement_type")):
    """What of a measurement changes; the rest stays."""


ToldFinish = create_model(
    "FinishedWorkout",
    __doc__="What a workout came to.",
    session=(told(WorkoutSession), ...),
    fitness=(told(UserFitnessProfile), ...),
    strength=(list_of(StrengthProgress), ...),
    milestones=(list_of(Milestone), ...),
)

# Notifying.


class NewDevice(given(DeviceToken, "device_token", "platform", "device_name")):
    """Where a device can be reached."""


class ChangedPreferences(
    partly(
        given(
            NotificationPreferences,
            "workout_reminders",
            "nutrition_reminders",
            "water_reminders",
            "progress_photos",
            "achievements",
            "ai_suggestions",
            "workout_reminder_time",
            "nutrition_reminder_times",
            "timezone",
        )
    )
):
    """What of the preferences changes; the rest stays."""


Data = Annotated[dict[PathWord, Annotated[str, Field(max_length=1_000)]], Field(max_length=20)]


class GivenNotification(Given):
    """What somebody is told; one id is used once for each."""

    notification_type: Word
    title: Title
    body: Text
    data: Data = Field(default_factory=dict[str, str])
    notification_id: PathId | None = None


class GivenDelivery(Given):
    """What became of a notification."""

    delivery_status: Word


class GivenMinute(Given):
    """A minute in a time zone."""

    timezone: Word
    # Within years that have a day before and after in every zone.
    moment: Annotated[
        Moment,
        Field(gt=datetime(1970, 1, 1, tzinfo=UTC), lt=datetime(9999, 1, 1, tzinfo=UTC)),
    ]


class ToldReminders(BaseModel):
    """How many were notified."""

    sent: Count
