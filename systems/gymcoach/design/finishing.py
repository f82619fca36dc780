"""The end of a workout: everything that follows from it, in one transaction."""

from typing import TypeAlias, TypeVar

from sortkey import Op, pattern, transact
from sortkey.operations.update import Update
from systems.gymcoach.design.people import UserFitnessProfile, has_account
from systems.gymcoach.design.progress import Milestone, StrengthProgress
from systems.gymcoach.design.records import changes
from systems.gymcoach.design.training import WorkoutSession, is_open

E = TypeVar("E")
# A record as it was loaded, and as it should be.
Change: TypeAlias = tuple[E, E]


@pattern("Finish a workout, with all that follows", rate="10/s")
def finish_session(
    session: Change[WorkoutSession],
    fitness: Change[UserFitnessProfile],
    recorded: list[StrengthProgress],
    raised: list[Change[StrengthProgress]],
    moved: list[Change[Milestone]],
) -> Op[None]:
    """Once, and only over the records as they were loaded.

    ``recorded`` is the strength of exercises that had none on that day, ``raised`` that of those
    which had, and ``moved`` are the milestones that it brings further.
    """
    return transact(
        changes(*session).where(is_open),
        changes(*fitness),
        has_account(session[0].user_id),
        *(strength.create() for strength in recorded),
        *(_raising(*strength) for strength in raised),
        *(_moving(*milestone) for milestone in moved),
    )


def _raising(before: StrengthProgress, after: StrengthProgress) -> Update[StrengthProgress]:
    """Unless somebody has changed what the day's record counts from."""
    return changes(before, after).where(
        lambda s: (
            (s.current_max_weight == before.current_max_weight)
            & (s.previous_max_weight == before.previous_max_weight)
        )
    )


def _moving(before: Milestone, after: Milestone) -> Update[Milestone]:
    """Unless somebody has changed the target, or moved or achieved it."""
    return changes(before, after).where(
        lambda m: (
            (m.target_value == before.target_value)
            & (m.current_value == before.current_value)
            & (m.achieved == before.achieved)
            & (m.exercise_id == before.exercise_id)
        )
    )
