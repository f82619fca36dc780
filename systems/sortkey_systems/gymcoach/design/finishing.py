"""The end of a workout: everything that follows from it, in one transaction."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Annotated, Any, TypeAlias, TypeVar

from pydantic import Field

from sortkey import Op, pattern, transact
from sortkey_systems.gymcoach.design.people import UserFitnessProfile, has_account
from sortkey_systems.gymcoach.design.progress import Milestone, StrengthProgress
from sortkey_systems.gymcoach.design.records import changes
from sortkey_systems.gymcoach.design.training import WorkoutSession, is_open

E = TypeVar("E")
# A record as it was loaded, and as it should be.
Change: TypeAlias = tuple[E, E]


@pattern("Finish a workout, with all that follows", rate="10/s")
def finish_session(
    session: Change[WorkoutSession],
    fitness: Change[UserFitnessProfile],
    recorded: Annotated[list[StrengthProgress], Field(max_length=30)],
    raised: Annotated[list[Change[StrengthProgress]], Field(max_length=30)],
    moved: Annotated[list[Change[Milestone]], Field(max_length=30)],
) -> Op[None]:
    """Once, and only over the records as they were loaded: each has a version.

    ``recorded`` is the strength of exercises that had none on that day, ``raised`` that of those
    which had, and ``moved`` are the milestones that it brings further.
    """
    return transact(
        changes(*session).where(is_open),
        changes(*fitness),
        has_account(session[0].user_id),
        *(strength.create() for strength in recorded),
        *(changes(*strength) for strength in raised),
        *(changes(*milestone) for milestone in moved),
    )


def strategies() -> dict[Any, Any]:
    """What is recorded for the first time is not among the records that are there."""
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
    return {finish_session: {"recorded": st.sampled_from([[], [first]])}}
