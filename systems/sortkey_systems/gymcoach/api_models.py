"""Request and response models of GymCoach's API.

A request has the fields of an entity that a caller may set. A response has all fields except
internal ones and secrets.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache
from typing import Annotated, Any, TypeAlias

from fastapi import Depends
from pydantic import BaseModel, Field, create_model

from sortkey import Entity, Page, secret
from sortkey_systems.api.app import Moment
from sortkey_systems.api.bodies import RequestBody, request_type
from sortkey_systems.api.days import Day
from sortkey_systems.api.times import TimeRange, time_range
from sortkey_systems.gymcoach.design.people import Injury, UserFitnessProfile, UserProfile
from sortkey_systems.gymcoach.design.progress import (
    Milestone,
    StrengthProgress,
)
from sortkey_systems.gymcoach.design.table import Count, Rating, Text, Title
from sortkey_systems.gymcoach.design.training import (
    MAX_EXERCISES,
    MAX_SETS,
    Exercise,
    ExerciseSubstitution,
    PerformedExercise,
    PerformedSet,
    WorkoutPlan,
    WorkoutSession,
)
from sortkey_systems.gymcoach.errors import BadInput
from sortkey_systems.gymcoach.finishing import Effort

# Without the separators of keys and paths.
PathId = Annotated[str, Field(min_length=1, max_length=128, pattern=r"^[^#/]+$")]
PathWord = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[^#/]+$")]
Link = Annotated[str, Field(max_length=2_048, pattern=r"^https://[^\s]+$")]

# Fields that only keys, conditions and expiry need.
INTERNAL = frozenset(
    {
        *("active_for", "open_for", "active_type", "ttl", "version"),
        *("deleting_since", "deletion_id"),
    }
)


def entity_body(entity: type[Entity], *names: str, **others: Any) -> type[RequestBody]:
    """Return a request model with these fields of an entity; ``others`` have their own types."""
    fields: dict[str, Any] = {
        name: (_MOMENTS.get(field.annotation) or request_type(field.annotation), field)
        for name, field in entity.model_fields.items()
        if name in names
    }
    return create_model(f"RequestBody{entity.__name__}", __base__=RequestBody, **fields, **others)


# A time without a time zone is rejected in the request, before it is compared with anything.
_MaybeMoment: TypeAlias = Moment | None
_MOMENTS: Mapping[Any, Any] = {datetime: Moment, datetime | None: _MaybeMoment}


def partial_body(body: type[RequestBody], *without: str) -> type[RequestBody]:
    """Return the request model of an update: every field is optional."""
    fields: dict[str, Any] = {
        name: (field.rebuild_annotation() | None, None)
        for name, field in body.model_fields.items()
        if name not in without
    }
    name = body.__name__.replace("Create", "Update")
    return create_model(
        name,
        __base__=RequestBody,
        __doc__="The fields to update; other fields keep their values.",
        **fields,
    )


@cache
def response_model(entity: type[Entity]) -> type[BaseModel]:
    """Return the response model of an entity."""
    fields: dict[str, Any] = {
        name: (field.annotation, field)
        for name, field in entity.model_fields.items()
        if name not in INTERNAL and secret not in field.metadata
    }
    return create_model(entity.__name__, __doc__=entity.__doc__, **fields)


def list_response(entity: type[Entity]) -> Any:
    """Return the response model of a list of records."""
    lists: Any = list
    return lists[response_model(entity)]


def page_response(entity: type[Entity]) -> Any:
    """Return the response model of a page of records."""
    pages: Any = Page
    return pages[response_model(entity)]


@dataclass(frozen=True, slots=True)
class DayRange:
    """A range of days; both ends are included."""

    first: date
    last: date


# Async although it awaits nothing: FastAPI would run a plain function in a thread.
async def _days(first: Day = date.min, last: Day = date.max) -> DayRange:
    if last < first:
        raise BadInput("last", "must not be before first")
    return DayRange(first, last)


QueryTimes = Annotated[TimeRange, time_range(BadInput)]
QueryDays = Annotated[DayRange, Depends(_days)]

# Accounts.


class CreateAccountRequest(
    entity_body(
        UserProfile,
        "name",
        "fitness_goals",
        "experience_level",
        "preferences",
        profile_image=(Link | None, None),
    )
):
    """A new account; the e-mail address comes from the token."""


class UpdateAccountRequest(partial_body(CreateAccountRequest)):
    """The fields of an account to update."""


class CreateFitnessRequest(
    entity_body(UserFitnessProfile, "experience_level", "fitness_goals", "preferences")
):
    """A fitness profile without workouts."""


class UpdateFitnessRequest(partial_body(CreateFitnessRequest)):
    """The fields of a fitness profile to update."""


class InjuryInput(Injury, RequestBody):
    """A current or past injury."""


class SetInjuriesRequest(RequestBody):
    """All current and past injuries."""

    injuries: Annotated[list[InjuryInput], Field(max_length=50)]


class ExportedRecord(BaseModel):
    """A record of the caller, with the name of its entity."""

    kind: str
    record: dict[str, Any]


class DeletionResponse(BaseModel):
    """The number of deleted records of each entity; the account is deleted after ``retry_at``.

    ``deletion_id`` identifies the record of its end; without an account there is none.
    """

    deletion_id: str | None
    is_complete: bool
    retry_at: datetime | None
    deleted: dict[str, int]


class FinishDeletionsResponse(BaseModel):
    """How many deletions were finished, and how many failed."""

    finished: Count
    failed: Count


# Training.


class CreatePlanRequest(
    entity_body(
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


class CreateSubstitutionRequest(
    entity_body(
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
    """An exercise that replaces another one."""


class CreateExerciseRequest(
    entity_body(
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


class UpdateExerciseRequest(partial_body(CreateExerciseRequest, "id")):
    """The fields of an exercise to update."""


class SetInput(PerformedSet, RequestBody):
    """A set of an exercise, completed or not."""


class ExerciseInput(PerformedExercise, RequestBody):
    """An exercise of a workout, with its sets."""

    sets: Annotated[list[SetInput], Field(max_length=MAX_SETS)] = Field(  # pyright: ignore[reportIncompatibleVariableOverride] - a request is not changed
        default_factory=list[SetInput]
    )

    def to_stored(self) -> PerformedExercise:
        """Return the exercise as a workout stores it."""
        return PerformedExercise.model_validate(self.model_dump())


ExerciseInputs = Annotated[list[ExerciseInput], Field(max_length=MAX_EXERCISES)]


class StartSessionRequest(RequestBody):
    """A workout to start; without ``exercises`` it has those of the plan."""

    name: Title
    exercises: ExerciseInputs | None = None
    workout_plan_id: PathId | None = None
    started_at: Moment | None = None


class LogExercisesRequest(RequestBody):
    """All exercises and sets so far."""

    exercises: ExerciseInputs


class UpdateSessionRequest(RequestBody):
    """The fields of a workout to update."""

    name: Title | None = None
    notes: Text | None = None


class EffortInput(RequestBody):
    """Ratings of an exercise, from 1 to 5."""

    perceived_difficulty: Rating | None = None
    form_rating: Rating | None = None


class FinishSessionRequest(RequestBody):
    """Ratings of the workout and, by id, of its exercises."""

    rating: Rating | None = None
    difficulty: Rating | None = None
    efforts: Annotated[dict[PathId, EffortInput], Field(max_length=MAX_EXERCISES)] = Field(
        default_factory=dict[str, EffortInput]
    )
    notes: Text | None = None

    def efforts_by_exercise(self) -> dict[str, Effort]:
        """Return the ratings of each exercise, by its id."""
        return {name: Effort(**effort.model_dump()) for name, effort in self.efforts.items()}


FinishSessionResponse = create_model(
    "FinishSessionResponse",
    __doc__="The finished workout, and the records that it changed.",
    session=(response_model(WorkoutSession), ...),
    fitness=(response_model(UserFitnessProfile), ...),
    strength=(list_response(StrengthProgress), ...),
    milestones=(list_response(Milestone), ...),
)
