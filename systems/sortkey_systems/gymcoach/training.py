"""Workouts while they last: they begin, their sets are logged, and `finishing` ends them."""

from datetime import datetime
from typing import Any
from uuid import uuid4

from sortkey import DB
from sortkey_systems.gymcoach.design.table import now_to_the_second
from sortkey_systems.gymcoach.design.training import (
    PerformedExercise,
    PerformedSet,
    WorkoutPlan,
    WorkoutSession,
    workout_plans,
    workout_sessions,
)
from sortkey_systems.gymcoach.errors import ChangedMeanwhile, SessionFinished, refusing_bad_input
from sortkey_systems.gymcoach.keeping import add, change, find_own


def start_session(
    db: DB,
    user_id: str,
    *,
    name: str,
    exercises: list[PerformedExercise] | None = None,
    workout_plan_id: str | None = None,
    session_id: str | None = None,
    started_at: datetime | None = None,
) -> WorkoutSession:
    """A workout that begins; of a plan it has the exercises, with no set done yet."""
    planned = exercises or []
    if workout_plan_id is not None and exercises is None:
        planned = planned_exercises(find_own(db, user_id, workout_plans, workout_plan_id))
    with refusing_bad_input():
        session = WorkoutSession(
            id=session_id or uuid4().hex,
            user_id=user_id,
            workout_plan_id=workout_plan_id,
            name=name,
            started_at=started_at or now_to_the_second(),
            exercises=planned,
        )
    return add(db, workout_sessions, session)


def planned_exercises(plan: WorkoutPlan) -> list[PerformedExercise]:
    """The exercises of a plan, to be done."""
    return [
        PerformedExercise(
            exercise_id=exercise.exercise_id,
            name=exercise.name,
            sets=[
                PerformedSet(set_number=number, reps=exercise.reps)
                for number in range(1, exercise.sets + 1)
            ],
            order=exercise.order,
        )
        for exercise in plan.exercises
    ]


def log_exercises(
    db: DB, session: WorkoutSession, exercises: list[PerformedExercise]
) -> WorkoutSession:
    """The workout with these exercises and sets, on top of how it was loaded."""
    return change_session(db, session, exercises=exercises)


def change_session(db: DB, session: WorkoutSession, **changes: Any) -> WorkoutSession:
    """The workout with some fields changed, until it is finished."""
    try:
        return change(db, workout_sessions, session, **changes)
    except ChangedMeanwhile:
        if find_own(db, session.user_id, workout_sessions, session.id).completed_at is not None:
            raise SessionFinished(session.id) from None
        raise
