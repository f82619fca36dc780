"""Training: plans, workouts and the exercise library."""

from typing import Annotated, Self

from pydantic import BaseModel, Field, model_validator
from pydantic.alias_generators import to_camel

from sortkey import Entity, Expected, Op, Page, Version, missing, pattern, refers
from sortkey_systems.gymcoach.design.people import UserProfile, has_account
from sortkey_systems.gymcoach.design.records import Records, of_user
from sortkey_systems.gymcoach.design.table import (
    PAGE,
    Amount,
    Count,
    CreatedAt,
    GymCoach,
    Id,
    Level,
    Moment,
    Owner,
    Rating,
    Share,
    Text,
    Title,
    UpdatedAt,
    Url,
    Word,
    stamped,
)

# With this limit, finishing a workout fits into one transaction.
MAX_EXERCISES = 30
# Of one exercise, planned or performed.
MAX_SETS = 50


class PlannedExercise(BaseModel):
    """An exercise of a plan."""

    exercise_id: Id
    name: Title
    sets: Annotated[int, Field(ge=1, le=MAX_SETS)]
    reps: Annotated[int, Field(ge=1, le=10_000)]
    rest_seconds: Count = 60
    order: Annotated[int, Field(ge=1)]


class WorkoutPlan(
    Entity,
    table=GymCoach,
    stored=to_camel,
    expected=Expected(count=500_000, per_partition=5, size_bytes=1_200),
    relations=(refers("user_id", UserProfile),),
):
    """A user's training plan for some weeks."""

    id: Id
    user_id: Owner
    name: Title
    description: Text | None = None
    difficulty: Level = Level.BEGINNER
    duration_weeks: Annotated[int, Field(ge=1, le=520)]
    frequency_per_week: Annotated[int, Field(ge=1, le=21)]
    exercises: Annotated[list[PlannedExercise], Field(max_length=MAX_EXERCISES)] = Field(
        default_factory=list[PlannedExercise]
    )
    is_active: bool = True
    # Added: the user while the plan is active, else absent. It keeps inactive plans out of GSI2; a
    # Boolean cannot be part of a key.
    active_for: Id | None = None
    created_at: CreatedAt = stamped()
    updated_at: UpdatedAt = stamped()

    primary = GymCoach.primary.key("WORKOUT_PLANS", "PLAN#{id}")
    by_user = GymCoach.by_user.key(
        "USER#{user_id}", "WORKOUT_PLAN#{created_at:%Y-%m-%dT%H:%M:%SZ}#{id}"
    )
    active = GymCoach.by_state.key(
        "ACTIVE_PLANS#{active_for}", "WORKOUT_PLAN#{created_at:%Y-%m-%dT%H:%M:%SZ}#{id}"
    )

    @model_validator(mode="after")
    def _derive(self) -> Self:
        self.active_for = self.user_id if self.is_active else None
        return self


class PerformedSet(BaseModel):
    """A set of an exercise, completed or not."""

    set_number: Annotated[int, Field(ge=1)]
    reps: Count
    weight: Amount | None = None
    completed: bool = False
    notes: Text | None = None


class PerformedExercise(BaseModel):
    """An exercise of a workout, with its sets."""

    exercise_id: Id
    name: Title
    sets: Annotated[list[PerformedSet], Field(max_length=MAX_SETS)] = Field(
        default_factory=list[PerformedSet]
    )
    order: Annotated[int, Field(ge=1)]


class WorkoutSession(
    Entity,
    table=GymCoach,
    stored=to_camel,
    expected=Expected(count=20_000_000, per_partition=200, size_bytes=2_500),
    relations=(refers("user_id", UserProfile), refers("workout_plan_id", WorkoutPlan)),
    ignore={
        "SK803": "the partition is documented: it takes 13 workouts a second, with ten sets logged "
        "in each; the system's page shows the cost of shards"
    },
):
    """A workout; once finished, it changes only together with what depends on it."""

    id: Id
    user_id: Owner
    workout_plan_id: Id | None = None
    name: Title
    started_at: Moment
    completed_at: Moment | None = None
    duration_minutes: Count | None = None
    rating: Rating | None = None
    notes: Text | None = None
    exercises: Annotated[list[PerformedExercise], Field(max_length=MAX_EXERCISES)] = Field(
        default_factory=list[PerformedExercise]
    )
    # Added: logging a set rewrites all exercises, and a user may have two devices.
    version: Version = 0
    created_at: CreatedAt = stamped()
    updated_at: UpdatedAt = stamped()

    primary = GymCoach.primary.key("WORKOUT_SESSIONS", "SESSION#{id}")
    by_user = GymCoach.by_user.key(
        "USER#{user_id}", "WORKOUT_SESSION#{started_at:%Y-%m-%dT%H:%M:%SZ}#{id}"
    )


class Exercise(
    Entity,
    table=GymCoach,
    stored=to_camel,
    expected=Expected(count=1_500, size_bytes=1_000),
):
    """An exercise of the library, which all users share."""

    id: Id
    name: Title
    description: Text | None = None
    category: Word
    muscle_groups: list[Word] = Field(default_factory=list[str])
    equipment: list[Word] = Field(default_factory=list[str])
    difficulty: Level = Level.BEGINNER
    instructions: list[Text] = Field(default_factory=list[str])
    tips: Text | None = None
    video_url: Url | None = None
    image_url: Url | None = None
    created_at: CreatedAt = stamped()
    updated_at: UpdatedAt = stamped()

    primary = GymCoach.primary.key("EXERCISES", "EXERCISE#{id}")
    # In GSI1, because an item has only one entry in each index.
    by_difficulty = GymCoach.by_user.key("EXERCISES", "DIFFICULTY#{difficulty}#{id}")
    by_category = GymCoach.by_state.key("EXERCISES", "CATEGORY#{category}#{id}")


class ExerciseSubstitution(
    Entity,
    table=GymCoach,
    stored=to_camel,
    expected=Expected(count=1_000_000, per_partition=10, size_bytes=400),
    relations=(
        refers("user_id", UserProfile),
        refers("original_exercise_id", Exercise),
        refers("substitute_exercise_id", Exercise),
    ),
):
    """An exercise that replaces another; the original document has no sample."""

    id: Id
    user_id: Owner
    original_exercise_id: Id
    substitute_exercise_id: Id
    reason: Text
    confidence_score: Share
    muscle_groups_match: bool
    equipment_available: bool
    difficulty_match: bool
    created_at: CreatedAt = stamped()

    primary = GymCoach.primary.key("EXERCISE_SUBSTITUTIONS", "SUBSTITUTION#{id}")
    by_user = GymCoach.by_user.key(
        "USER#{user_id}", "EXERCISE_SUBSTITUTION#{created_at:%Y-%m-%dT%H:%M:%SZ}#{id}"
    )


def is_open(session: WorkoutSession) -> bool:
    """Condition: the workout is not finished."""
    return missing(session.completed_at)


@pattern("A workout plan by id", rate="20/s")
def workout_plan(plan_id: str) -> Op[WorkoutPlan | None]:
    """Return a plan with its exercises."""
    return WorkoutPlan.get(id=plan_id)


@pattern(
    "A user's active workout plans, newest first",
    rate="20/s",
    where=lambda plan, user_id: plan.user_id == user_id and plan.is_active,
    order=lambda plan: (plan.created_at, plan.id),
    descending=True,
)
def active_workout_plans(user_id: str) -> Op[list[WorkoutPlan]]:
    """Return active plans; inactive ones are not in the index."""
    return WorkoutPlan.query(WorkoutPlan.active, active_for=user_id).reverse()


@pattern("A workout session by id", rate="50/s", fresh=True)
def workout_session(session_id: str) -> Op[WorkoutSession | None]:
    """Return a workout; strongly consistent, because finishing it is based on this read."""
    return WorkoutSession.get(id=session_id).consistently()


@pattern("An exercise by id", rate="100/s")
def exercise(exercise_id: str) -> Op[Exercise | None]:
    """Return an exercise."""
    return Exercise.get(id=exercise_id)


@pattern(
    "All exercises",
    rate="2/s",
    page=PAGE,
    where=lambda exercise: True,  # noqa: ARG005 - every exercise is returned
    order=lambda exercise: exercise.id,
)
def all_exercises(after: str | None = None) -> Op[Page[Exercise]]:
    """Return a page of exercises, ordered by id."""
    return Exercise.query().page(PAGE, after)


@pattern(
    "Exercises of a category",
    rate="20/s",
    page=PAGE,
    where=lambda exercise, category: exercise.category == category,
    order=lambda exercise: exercise.id,
)
def exercises_of_category(category: str, after: str | None = None) -> Op[Page[Exercise]]:
    """Return a page of exercises, ordered by id."""
    return Exercise.query(Exercise.by_category, category=category).page(PAGE, after)


@pattern(
    "Exercises of a difficulty",
    rate="20/s",
    page=PAGE,
    where=lambda exercise, difficulty: exercise.difficulty is difficulty,
    order=lambda exercise: exercise.id,
)
def exercises_of_difficulty(difficulty: Level, after: str | None = None) -> Op[Page[Exercise]]:
    """Return a page of exercises, ordered by id."""
    return Exercise.query(Exercise.by_difficulty, difficulty=difficulty).page(PAGE, after)


@pattern("An exercise substitution by id", rate="1/s")
def exercise_substitution(substitution_id: str) -> Op[ExerciseSubstitution | None]:
    """Return a substitution."""
    return ExerciseSubstitution.get(id=substitution_id)


workout_plans = Records(
    WorkoutPlan,
    workout_plan,
    create="1/s",
    update="1/s",
    delete="1/min",
    requires=has_account,
    depends_on={"active_for": ("user_id", "is_active")},
)
workout_sessions = Records(
    WorkoutSession,
    workout_session,
    create="10/s",
    update="30/s",
    delete="1/min",
    requires=has_account,
    update_while=is_open,
)
exercises = Records(Exercise, exercise, create="1/day", update="1/day", delete="1/day")
exercise_substitutions = Records(
    ExerciseSubstitution,
    exercise_substitution,
    create="1/s",
    update="1/min",
    delete="1/min",
    requires=has_account,
)

workout_plans_of_user = of_user(WorkoutPlan, WorkoutPlan.by_user, "created_at", rate="10/s")
workout_sessions_of_user = of_user(
    WorkoutSession, WorkoutSession.by_user, "started_at", rate="30/s"
)
exercise_substitutions_of_user = of_user(
    ExerciseSubstitution, ExerciseSubstitution.by_user, "created_at", rate="1/s"
)
