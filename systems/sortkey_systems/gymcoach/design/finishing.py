"""Finish, correct or delete a workout with everything that depends on it, in one transaction."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from decimal import Decimal
from typing import Annotated, Any, TypeAlias, TypeVar

from pydantic import Field

from sortkey import Op, Update, Write, exists, pattern, transact
from sortkey_systems.gymcoach.design.people import UserFitnessProfile, has_account
from sortkey_systems.gymcoach.design.progress import Milestone, StrengthProgress
from sortkey_systems.gymcoach.design.records import changes
from sortkey_systems.gymcoach.design.training import MAX_EXERCISES, WorkoutSession, is_open

E = TypeVar("E")
# A record as loaded, and as it should be.
Change: TypeAlias = tuple[E, E]
Gains: TypeAlias = Annotated[list[StrengthProgress], Field(max_length=MAX_EXERCISES)]
ChangedGains: TypeAlias = Annotated[list[Change[StrengthProgress]], Field(max_length=MAX_EXERCISES)]
ChangedMilestones: TypeAlias = Annotated[list[Change[Milestone]], Field(max_length=MAX_EXERCISES)]


@pattern("Finish a workout, with everything that depends on it", rate="10/s")
def finish_session(
    session: Change[WorkoutSession],
    fitness: Change[UserFitnessProfile],
    recorded: Gains,
    raised: ChangedGains,
    moved: ChangedMilestones,
) -> Op[None]:
    """Finish an open workout; every record must still have the version that was loaded.

    ``recorded`` are gains in strength without a record of that day, ``raised`` those with one, and
    ``moved`` are the milestones that change.
    """
    return transact(
        changes(*session).where(is_open),
        changes(*fitness),
        has_account(session[0].user_id),
        *_progress(recorded, raised, moved),
    )


@pattern("Correct a finished workout, with everything that depends on it", rate="1/min")
def correct_session(  # noqa: PLR0917 - the records of one transaction
    session: Change[WorkoutSession],
    fitness: Change[UserFitnessProfile],
    recorded: Gains,
    changed: ChangedGains,
    dropped: Gains,
    moved: ChangedMilestones,
) -> Op[None]:
    """Replace the exercises of a finished workout; ``dropped`` are gains that there were not."""
    return transact(
        session[0].update().set(exercises=session[1].exercises).where(is_finished),
        _with_workouts(*fitness),
        has_account(session[0].user_id),
        *_progress(recorded, changed, moved),
        *(strength.delete() for strength in dropped),
    )


@pattern("Delete a finished workout, with everything that depends on it", rate="1/min")
def withdraw_session(  # noqa: PLR0917 - the records of one transaction
    session: WorkoutSession,
    fitness: Change[UserFitnessProfile],
    recorded: Gains,
    changed: ChangedGains,
    dropped: Gains,
    moved: ChangedMilestones,
) -> Op[None]:
    """Delete a finished workout; ``dropped`` are gains that there were not."""
    return transact(
        session.delete().where(is_finished),
        _with_workouts(*fitness),
        has_account(session.user_id),
        *_progress(recorded, changed, moved),
        *(strength.delete() for strength in dropped),
    )


def is_finished(session: WorkoutSession) -> bool:
    """Condition: the workout is finished."""
    return exists(session.completed_at)


def _with_workouts(
    before: UserFitnessProfile, after: UserFitnessProfile
) -> Update[UserFitnessProfile]:
    """Write the workouts and levels even if they are equal: the version must be as loaded."""
    return before.update().set(
        recent_performance=after.recent_performance,
        current_strength_levels=after.current_strength_levels,
    )


def _progress(
    recorded: Iterable[StrengthProgress],
    changed: Iterable[Change[StrengthProgress]],
    moved: Iterable[Change[Milestone]],
) -> Iterator[Write[Any]]:
    yield from (strength.create() for strength in recorded)
    yield from (changes(*strength) for strength in changed)
    yield from (changes(*milestone) for milestone in moved)


def strategies() -> dict[Any, Any]:
    """Return strategies for `prove`: ``recorded`` must not exist yet."""
    from hypothesis import strategies as st  # noqa: PLC0415 - only prove needs it

    first = StrengthProgress(
        user_id="a",
        exercise_id="new",
        exercise_name="New",
        current_max_weight=Decimal(10),
        previous_max_weight=Decimal(0),
        period="month",
        measurement_date=datetime(2032, 2, 29, tzinfo=UTC),
        trend="increasing",
    )
    recorded = {"recorded": st.sampled_from([[], [first]])}
    return dict.fromkeys((finish_session, correct_session, withdraw_session), recorded)
