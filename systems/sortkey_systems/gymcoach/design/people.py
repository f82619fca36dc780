"""Users: accounts and fitness profiles."""

import datetime as dt
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import BaseModel, Field
from pydantic.alias_generators import to_camel

from sortkey import (
    Check,
    Entity,
    Expected,
    Op,
    Version,
    accepts_plaintext,
    missing,
    pattern,
    refers,
    secret,
    transact,
)
from sortkey_systems.gymcoach.design.records import Records
from sortkey_systems.gymcoach.design.table import (
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

# Workouts in a fitness profile.
RECENT_WORKOUTS = 20


class NotificationChannels(BaseModel):
    """The notifications that a user accepts."""

    email: bool = True
    push: bool = True
    workout_reminders: bool = True
    nutrition_reminders: bool = True


class Privacy(BaseModel):
    """What other users can see."""

    profile_visibility: Literal["private", "friends", "public"] = "private"
    workout_sharing: bool = False
    progress_sharing: bool = False


class AppPreferences(BaseModel):
    """The application settings of a user."""

    units: Literal["metric", "imperial"] = "metric"
    timezone: Word = "UTC"
    notifications: NotificationChannels = Field(default_factory=NotificationChannels)
    privacy: Privacy = Field(default_factory=Privacy)


class UserProfile(
    Entity,
    table=GymCoach,
    stored=to_camel,
    expected=Expected(count=100_000, per_partition=1),
):
    """A user's account; without it, no other record of the user can be created."""

    id: Id
    user_id: Owner
    email: Annotated[str, Field(pattern=r"^[^@\s]+@[^@\s]+$", max_length=254)]
    name: Title
    profile_image: Url | None = None
    fitness_goals: Text | None = None
    experience_level: Level = Level.BEGINNER
    preferences: AppPreferences = Field(default_factory=AppPreferences)
    # Added: from this time nothing is created or changed for the user. A deletion does not fit into
    # one transaction; with this mark it leaves nothing behind and can be resumed.
    deleting_since: Moment | None = None
    # Added: identifies the deletion; another one may begin in the same second.
    deletion_id: Id | None = None
    created_at: CreatedAt = stamped()
    updated_at: UpdatedAt = stamped()

    primary = GymCoach.primary.key("USER#{user_id}", "PROFILE#{user_id}")
    # Only while the account is being deleted, so that a schedule can finish the deletion.
    by_deletion = GymCoach.by_state.key(
        "DELETIONS", "{deleting_since:%Y-%m-%dT%H:%M:%SZ}#{user_id}"
    )


class ExercisePerformance(BaseModel):
    """The performance in one exercise of a workout."""

    exercise_id: Id
    sets_completed: Count
    total_sets: Count
    # Of the completed sets; None for exercises without a weight.
    average_weight: Amount | None = None
    average_reps: Amount
    perceived_difficulty: Rating | None = None
    form_rating: Rating | None = None


class Performance(BaseModel):
    """The performance in a workout."""

    workout_id: Id
    date: dt.date
    exercises: list[ExercisePerformance] = Field(default_factory=list[ExercisePerformance])
    overall_rating: Rating | None = None
    difficulty_perceived: Rating | None = None
    completion_rate: Share


class Injury(BaseModel):
    """An injury, and what to avoid because of it."""

    id: Id
    body_part: Word
    injury_type: Word
    severity: Word
    date_occurred: dt.date
    date_recovered: dt.date | None = None
    restrictions: list[Word] = Field(default_factory=list[str])
    notes: Text | None = None


class TrainingPreferences(BaseModel):
    """The training preferences of a user."""

    workout_duration_preference: Count = 60  # in minutes
    frequency_preference: Count = 3  # times a week
    intensity_preference: Word = "moderate"
    equipment_available: list[Word] = Field(default_factory=list[str])
    time_of_day_preference: Word | None = None
    workout_types: list[Word] = Field(default_factory=list[str])
    avoid_exercises: list[Word] = Field(default_factory=list[str])
    preferred_exercises: list[Word] = Field(default_factory=list[str])


class UserFitnessProfile(
    Entity,
    table=GymCoach,
    stored=to_camel,
    expected=Expected(count=100_000, per_partition=1, size_bytes=6_000),
    relations=(refers("user_id", UserProfile),),
):
    """A user's strength levels and recent workouts."""

    user_id: Owner
    experience_level: Level = Level.BEGINNER
    fitness_goals: list[Word] = Field(default_factory=list[str])
    # The best weight of each exercise in a completed set.
    current_strength_levels: dict[Id, Amount] = Field(default_factory=dict[str, Decimal])
    # Oldest first.
    recent_performance: Annotated[list[Performance], Field(max_length=RECENT_WORKOUTS)] = Field(
        default_factory=list[Performance]
    )
    injury_history: Annotated[list[Injury], secret, accepts_plaintext] = Field(
        default_factory=list[Injury]
    )
    preferences: TrainingPreferences = Field(default_factory=TrainingPreferences)
    # Added: finishing a workout rewrites the list and the levels, so two that finish at the same
    # time must not overwrite each other.
    version: Version = 0
    last_updated: UpdatedAt = stamped()

    primary = GymCoach.primary.key("USER_FITNESS_PROFILES", "PROFILE#{user_id}")


def is_not_being_deleted(account: UserProfile) -> bool:
    """Condition: no deletion of the account has begun."""
    return missing(account.deleting_since)


def has_account(user_id: str) -> Check[UserProfile]:
    """Return the condition of every write that creates or changes a record of a user."""
    return UserProfile.check(user_id=user_id).where(is_not_being_deleted)


@pattern("A user by id", rate="200/s", fresh=True)
def user(user_id: str) -> Op[UserProfile | None]:
    """Return an account, also while it is being deleted; a strongly consistent read."""
    return UserProfile.get(user_id=user_id).consistently()


@pattern("Register an account with its fitness profile", rate="10/min")
def register_user(profile: UserProfile, fitness: UserFitnessProfile) -> Op[None]:
    """Create both in one transaction: finishing a workout requires the fitness profile."""
    return transact(profile.create(), fitness.create())


@pattern("A user's fitness profile", rate="50/s", fresh=True)
def fitness_profile(user_id: str) -> Op[UserFitnessProfile | None]:
    """Return the profile; strongly consistent, because the next workout is added to it."""
    return UserFitnessProfile.get(user_id=user_id).consistently()


users = Records(
    UserProfile,
    user,
    create="10/min",
    update="1/s",
    delete="1/min",
    update_while=is_not_being_deleted,
)
fitness_profiles = Records(
    UserFitnessProfile,
    fitness_profile,
    create="10/min",
    update="1/s",
    delete="1/min",
    requires=has_account,
)
