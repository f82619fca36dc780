"""Finish a workout and update everything that depends on it, in one transaction."""

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
# A record as loaded, and as it should be.
Change: TypeAlias = tuple[E, E]


@pattern("Finish a workout, with everything that depends on it", rate="10/s")
def finish_session(
    session: Change[WorkoutSession],
    fitness: Change[UserFitnessProfile],
    recorded: Annotated[list[StrengthProgress], Field(max_length=30)],
    raised: Annotated[list[Change[StrengthProgress]], Field(max_length=30)],
    moved: Annotated[list[Change[Milestone]], Field(max_length=30)],
) -> Op[None]:
    """Finish an open workout; every record must still have the version that was loaded.

    ``recorded`` are gains in strength without a record of that day, ``raised`` those with one, and
    ``moved`` are the milestones that change.
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
    return {finish_session: {"recorded": st.sampled_from([[], [first]])}}
