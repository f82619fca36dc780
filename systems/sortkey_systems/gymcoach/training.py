"""Start workouts and log their sets; `finishing` finishes them."""

from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from sortkey import DB
from sortkey_systems.gymcoach.crud import add, change, find_own
from sortkey_systems.gymcoach.design.table import now_to_the_second
from sortkey_systems.gymcoach.design.training import (
    PerformedExercise,
    PerformedSet,
    WorkoutPlan,
    WorkoutSession,
    workout_plans,
    workout_sessions,
)
from sortkey_systems.gymcoach.errors import (
    BadInput,
    RecordChanged,
    SessionFinished,
    raising_bad_input,
)

# How far the clock of a device may be ahead.
_CLOCK_DIFFERENCE = timedelta(minutes=5)


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
    """Start a workout; without ``exercises`` it has those of the plan, with no set completed."""
    now = now_to_the_second()
    if started_at is not None and started_at > now + _CLOCK_DIFFERENCE:
        raise BadInput("started_at", "must not be in the future")
    planned = exercises or []
    if workout_plan_id is not None and exercises is None:
        planned = planned_exercises(find_own(db, user_id, workout_plans, workout_plan_id))
    with raising_bad_input():
        session = WorkoutSession(
            id=session_id or uuid4().hex,
            user_id=user_id,
            workout_plan_id=workout_plan_id,
            name=name,
            started_at=started_at or now,
            exercises=planned,
        )
    return add(db, workout_sessions, session)


def planned_exercises(plan: WorkoutPlan) -> list[PerformedExercise]:
    """Return the exercises of a plan as those of a workout."""
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
    """Replace the exercises of a loaded workout, and return it."""
    return change_session(db, session, exercises=exercises)


def change_session(db: DB, session: WorkoutSession, **changes: Any) -> WorkoutSession:
    """Update some fields of a workout that is not finished, and return it."""
    try:
        return change(db, workout_sessions, session, **changes)
    except RecordChanged:
        if find_own(db, session.user_id, workout_sessions, session.id).completed_at is not None:
            raise SessionFinished(session.id) from None
        raise
