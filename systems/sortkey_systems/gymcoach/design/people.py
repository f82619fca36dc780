"""Who trains: the account, and what is known of their fitness."""

import datetime as dt
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import BaseModel, Field
from pydantic.alias_generators import to_camel

from sortkey import Entity, Expected, Op, Version, missing, pattern, refers, secret, transact
from sortkey.operations.delete import Check
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

# As many workouts as a fitness profile remembers.
REMEMBERED = 20


class NotificationChannels(BaseModel):
    """How somebody may be reached."""

    email: bool = True
    push: bool = True
    workout_reminders: bool = True
    nutrition_reminders: bool = True


class Privacy(BaseModel):
    """What others may see."""

    profile_visibility: Literal["private", "friends", "public"] = "private"
    workout_sharing: bool = False
    progress_sharing: bool = False


class AppPreferences(BaseModel):
    """How somebody likes the application."""

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
    """Somebody with an account; every other record of theirs needs it to be created."""

    id: Id
    user_id: Owner
    email: Annotated[str, Field(pattern=r"^[^@\s]+@[^@\s]+$", max_length=254)]
    name: Title
    profile_image: Url | None = None
    fitness_goals: Text | None = None
    experience_level: Level = Level.BEGINNER
    preferences: AppPreferences = Field(default_factory=AppPreferences)
    # Added: from this moment nothing is created for the user, so that a deletion, which no single
    # transaction can be, leaves nothing behind and can be taken up again.
    deleting_since: Moment | None = None
    created_at: CreatedAt = stamped()
    updated_at: UpdatedAt = stamped()

    primary = GymCoach.primary.key("USER#{user_id}", "PROFILE#{user_id}")
    # Only while it is being deleted: whoever leaves need not come back to finish it.
    by_deletion = GymCoach.by_state.key(
        "DELETIONS", "{deleting_since:%Y-%m-%dT%H:%M:%SZ}#{user_id}"
    )


class ExercisePerformance(BaseModel):
    """How one exercise went in a workout."""

    exercise_id: Id
    sets_completed: Count
    total_sets: Count
    # Of the completed sets; none where no weight is lifted.
    average_weight: Amount | None = None
    average_reps: Amount
    perceived_difficulty: Rating | None = None
    form_rating: Rating | None = None


class Performance(BaseModel):
    """How a workout went."""

    workout_id: Id
    date: dt.date
    exercises: list[ExercisePerformance] = Field(default_factory=list[ExercisePerformance])
    overall_rating: Rating | None = None
    difficulty_perceived: Rating | None = None
    completion_rate: Share


class Injury(BaseModel):
    """Something that hurt, and what it rules out."""

    id: Id
    body_part: Word
    injury_type: Word
    severity: Word
    date_occurred: dt.date
    date_recovered: dt.date | None = None
    restrictions: list[Word] = Field(default_factory=list[str])
    notes: Text | None = None


class TrainingPreferences(BaseModel):
    """How somebody likes to train."""

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
    """What somebody can lift, and how the last workouts went."""

    user_id: Owner
    experience_level: Level = Level.BEGINNER
    fitness_goals: list[Word] = Field(default_factory=list[str])
    # The best weight of each exercise in a completed set.
    current_strength_levels: dict[Id, Amount] = Field(default_factory=dict[str, Decimal])
    # The oldest first.
    recent_performance: Annotated[list[Performance], Field(max_length=REMEMBERED)] = Field(
        default_factory=list[Performance]
    )
    injury_history: Annotated[list[Injury], secret] = Field(default_factory=list[Injury])
    preferences: TrainingPreferences = Field(default_factory=TrainingPreferences)
    # Added: two workouts that end at once both change the list and the levels, which are
    # written whole; whoever comes second must know.
    version: Version = 0
    last_updated: UpdatedAt = stamped()

    primary = GymCoach.primary.key("USER_FITNESS_PROFILES", "PROFILE#{user_id}")


def has_account(user_id: str) -> Check[UserProfile]:
    """A condition of every write that creates a record of a user."""
    return UserProfile.check(user_id=user_id).where(lambda u: missing(u.deleting_since))


@pattern("A user by id", rate="200/s", fresh=True)
def user(user_id: str) -> Op[UserProfile | None]:
    """Consistent: whether somebody is being deleted is read here."""
    return UserProfile.get(user_id=user_id).consistently()


@pattern("Register: the account, with a fitness profile", rate="10/min")
def register_user(profile: UserProfile, fitness: UserFitnessProfile) -> Op[None]:
    """Both or none, so that every workout has a profile to count in."""
    return transact(profile.create(), fitness.create())


@pattern("A user's fitness profile", rate="50/s", fresh=True)
def fitness_profile(user_id: str) -> Op[UserFitnessProfile | None]:
    """Consistent: the next workout is counted on top of it."""
    return UserFitnessProfile.get(user_id=user_id).consistently()


users = Records(UserProfile, user, create="10/min", update="1/s", delete="1/min")
fitness_profiles = Records(
    UserFitnessProfile,
    fitness_profile,
    create="10/min",
    update="1/s",
    delete="1/min",
    requires=has_account,
)
