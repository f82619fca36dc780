"""Workouts: the activities of each user, as reported by Strava."""

from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Self

from pydantic import BaseModel, Field, model_validator
from pydantic.alias_generators import to_camel

from sortkey import (
    Entity,
    EpochSeconds,
    Expected,
    Op,
    Page,
    Stored,
    not_,
    one_of,
    pattern,
    refers,
    value_of,
)
from sortkey_systems.commitcollect.design.accounts import UserProfile
from sortkey_systems.commitcollect.design.tables import CommitCollect, Id, NumericId

Measure = Annotated[Decimal, Field(ge=0)]


class Sport(StrEnum):
    """A sport that milestones can count."""

    RIDE = "RIDE"
    RUN = "RUN"
    SWIM = "SWIM"


class Workout(
    Entity,
    table=CommitCollect,
    stored=to_camel,
    expected=Expected(count=20_000_000, per_partition=200, size_bytes=400, hottest_share=0.0005),
    relations=(refers("user_id", UserProfile),),
):
    """An activity; a deleted one stays as a tombstone, which rejects older events."""

    user_id: Id
    activity_id: NumericId
    # Strava's name in upper case; RIDE, RUN and SWIM count towards milestones. Until the back-fill,
    # another program's items may have it as Strava writes it.
    sport_type: Annotated[str, Field(min_length=1)] | None = None
    start_date_utc: EpochSeconds | None = None
    # The time of the last event; without it, the workout is older than every event.
    event_time_utc: EpochSeconds | None = None
    distance_meters: Measure | None = None
    total_elevation_gain: Annotated[Measure | None, Stored("total_elevation_gain")] = None
    is_deleted: bool = False
    deleted_at_utc: EpochSeconds | None = None
    activity_name: str | None = None
    moving_time_sec: Annotated[int, Field(ge=0)] | None = None

    primary = CommitCollect.primary.key("USER#{user_id}", "WORKOUT#STRAVA#{activity_id}")
    # Sparse: a deletion that arrived before its activity has no start. The id orders activities
    # that start in the same second.
    by_start = CommitCollect.lists.key(
        "USER#{user_id}#WORKOUTS", "{start_date_utc:%s}#{activity_id}"
    )

    @model_validator(mode="after")
    def _is_complete(self) -> Self:
        if not self.is_deleted and (self.sport_type is None or self.start_date_utc is None):
            raise ValueError("sport_type and start_date_utc are required unless is_deleted")
        self.sport_type = self.sport_type and self.sport_type.upper()
        return self


def is_in_sport(workout: Workout, sport: Sport) -> bool:
    """Condition: the workout is in this sport, whose name may be as Strava writes it."""
    return one_of(workout.sport_type, (sport, sport.capitalize()))


class WorkoutMeasures(BaseModel):
    """The values of a workout that count towards a milestone."""

    distance_meters: Decimal | None = None
    total_elevation_gain: Decimal | None = None


@pattern("A workout by its activity", rate="10/s")
def workout(user_id: str, activity_id: str) -> Op[Workout | None]:
    """Return the workout, which may be a deleted one."""
    return Workout.get(user_id=user_id, activity_id=activity_id)


@pattern(
    "A user's workouts in a sport since a date",
    rate="20/s",
    where=lambda workout, user_id, sport, since: (
        workout.user_id == user_id
        and not workout.is_deleted
        and workout.sport_type == sport
        and workout.start_date_utc >= since
    ),
    order=lambda workout: (workout.start_date_utc, workout.activity_id),
    ignore={"affordable": "a user has about 200 workouts, in few sports, and deletes few"},
)
def workouts_since(user_id: str, sport: Sport, since: datetime) -> Op[list[Workout]]:
    """Return the oldest first, without deleted ones."""
    return (
        Workout.query(Workout.by_start, user_id=user_id)
        .ge(start_date_utc=since)
        .where(lambda w: is_in_sport(w, sport) & not_(w.is_deleted))
    )


@pattern(
    "A user's workouts, newest first",
    rate="50/s",
    page=20,
    where=lambda workout, user_id: (
        workout.user_id == user_id and not workout.is_deleted and workout.start_date_utc is not None
    ),
    order=lambda workout: (workout.start_date_utc, workout.activity_id),
    descending=True,
    ignore={"affordable": "a user deletes few workouts"},
)
def recent_workouts(user_id: str, after: str | None = None) -> Op[Page[Workout]]:
    """Leave out deleted workouts."""
    return (
        Workout.query(Workout.by_start, user_id=user_id)
        .where(lambda w: not_(w.is_deleted))
        .reverse()
        .page(20, after)
    )


@pattern(
    "Measures of the workouts that count towards a milestone",
    rate="10/s",
    fresh=True,
    where=lambda workout, user_id, sport, since: (
        workout.user_id == user_id
        and not workout.is_deleted
        and workout.sport_type == sport
        and workout.start_date_utc >= since
    ),
    order=lambda workout: workout.activity_id,
    ignore={"affordable": "a user has about 200 workouts, and an index could miss the last"},
)
def counting_workouts(user_id: str, sport: Sport, since: EpochSeconds) -> Op[list[WorkoutMeasures]]:
    """Read the user's partition consistently, since an index could miss the last workout."""
    return (
        Workout.query(user_id=user_id)
        .where(
            lambda w: (
                is_in_sport(w, sport) & (value_of(w.start_date_utc) >= since) & not_(w.is_deleted)
            )
        )
        .consistently()
        .select(WorkoutMeasures)
    )
