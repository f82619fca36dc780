"""GymCoach's HTTP API: plans, workouts and the exercise library."""

from typing import Annotated

from fastapi import Depends

from sortkey import BadCursor, Contended, Page
from sortkey_systems.api.app import Cursor, Database, Operations
from sortkey_systems.api.callers import Caller
from sortkey_systems.api.identity import NotAllowed, RequireRole, SignedIn
from sortkey_systems.gymcoach import correcting, finishing
from sortkey_systems.gymcoach import training as workouts
from sortkey_systems.gymcoach.api_models import (
    CreateExerciseRequest,
    CreatePlanRequest,
    CreateSubstitutionRequest,
    ExerciseInput,
    FinishSessionRequest,
    FinishSessionResponse,
    LogExercisesRequest,
    PathId,
    PathWord,
    QueryTimes,
    StartSessionRequest,
    UpdateExerciseRequest,
    UpdateSessionRequest,
    list_response,
    page_response,
    response_model,
)
from sortkey_systems.gymcoach.api_records import add_crud_operations
from sortkey_systems.gymcoach.crud import add, change, find, find_own, remove
from sortkey_systems.gymcoach.design.table import Level
from sortkey_systems.gymcoach.design.training import (
    Exercise,
    PerformedExercise,
    WorkoutPlan,
    WorkoutSession,
    active_workout_plans,
    all_exercises,
    exercise_substitutions,
    exercise_substitutions_of_user,
    exercises,
    exercises_of_category,
    exercises_of_difficulty,
    workout_plans,
    workout_plans_of_user,
    workout_sessions,
    workout_sessions_of_user,
)
from sortkey_systems.gymcoach.errors import (
    AccountNotFound,
    BadInput,
    FitnessProfileFull,
    RecordChanged,
    RecordExists,
    RecordNotFound,
    SessionFinished,
    TooManyChanges,
    raising_bad_input,
)

training = Operations()

Editor = Annotated[Caller, Depends(RequireRole("editor"))]

# Plans.

add_crud_operations(training, "plan", workout_plans, workout_plans_of_user, CreatePlanRequest)
add_crud_operations(
    training,
    "substitution",
    exercise_substitutions,
    exercise_substitutions_of_user,
    CreateSubstitutionRequest,
)


@training.get("/active-plans", response=list_response(WorkoutPlan))
def active_plans(db: Database, caller: SignedIn) -> list[WorkoutPlan]:
    """List your active plans, newest first."""
    return db(active_workout_plans(caller.user_id))


# Workouts.


@training.get("/sessions", BadInput, BadCursor, response=page_response(WorkoutSession))
def sessions(
    db: Database, caller: SignedIn, times: QueryTimes, cursor: Cursor = None
) -> Page[WorkoutSession]:
    """List your workouts, newest first."""
    return db(workout_sessions_of_user(caller.user_id, times.since, times.until, cursor))


@training.post(
    "/sessions",
    BadInput,
    RecordNotFound,
    AccountNotFound,
    status=201,
    response=response_model(WorkoutSession),
)
def start_session(db: Database, caller: SignedIn, body: StartSessionRequest) -> WorkoutSession:
    """Start a workout, with the exercises of a plan or your own."""
    started_at = body.started_at
    return workouts.start_session(
        db,
        caller.user_id,
        name=body.name,
        exercises=None if body.exercises is None else _stored(body.exercises),
        workout_plan_id=body.workout_plan_id,
        started_at=started_at and started_at.replace(microsecond=0),
    )


@training.get(
    "/sessions/{session_id}", BadInput, RecordNotFound, response=response_model(WorkoutSession)
)
def session(db: Database, caller: SignedIn, session_id: PathId) -> WorkoutSession:
    """Get one of your workouts."""
    return find_own(db, caller.user_id, workout_sessions, session_id)


@training.patch(
    "/sessions/{session_id}",
    BadInput,
    AccountNotFound,
    RecordNotFound,
    SessionFinished,
    RecordChanged,
    response=response_model(WorkoutSession),
)
def update_session(
    db: Database, caller: SignedIn, session_id: PathId, body: UpdateSessionRequest
) -> WorkoutSession:
    """Update the name or notes of a workout that is not finished."""
    found = find_own(db, caller.user_id, workout_sessions, session_id)
    return workouts.change_session(db, found, **body.sent_fields())


@training.put(
    "/sessions/{session_id}/exercises",
    BadInput,
    RecordNotFound,
    AccountNotFound,
    SessionFinished,
    RecordChanged,
    FitnessProfileFull,
    TooManyChanges,
    Contended,
    response=response_model(WorkoutSession),
)
def log_exercises(
    db: Database, caller: SignedIn, session_id: PathId, body: LogExercisesRequest
) -> WorkoutSession:
    """Replace all exercises and sets of a workout.

    If it is finished, your levels, strength and milestones are computed again.
    """
    found = find_own(db, caller.user_id, workout_sessions, session_id)
    if found.completed_at is not None:
        return correcting.correct(db, caller.user_id, session_id, _stored(body.exercises))
    return workouts.log_exercises(db, found, _stored(body.exercises))


def _stored(exercises: list[ExerciseInput]) -> list[PerformedExercise]:
    return [exercise.to_stored() for exercise in exercises]


@training.post(
    "/sessions/{session_id}/finish",
    BadInput,
    RecordNotFound,
    AccountNotFound,
    SessionFinished,
    FitnessProfileFull,
    TooManyChanges,
    Contended,
    response=FinishSessionResponse,
)
def finish_session(
    db: Database, caller: SignedIn, session_id: PathId, body: FinishSessionRequest
) -> finishing.Finished:
    """Finish a workout.

    This also updates your fitness profile, your strength of the day, and the milestones of the
    workout's exercises. A workout can be finished only once.
    """
    return finishing.finish(
        db,
        caller.user_id,
        session_id,
        rating=body.rating,
        difficulty=body.difficulty,
        efforts=body.efforts_by_exercise(),
        notes=body.notes,
    )


@training.delete(
    "/sessions/{session_id}",
    BadInput,
    RecordNotFound,
    AccountNotFound,
    RecordChanged,
    TooManyChanges,
    Contended,
)
def delete_session(db: Database, caller: SignedIn, session_id: PathId) -> None:
    """Delete one of your workouts, and the progress that it added."""
    found = find_own(db, caller.user_id, workout_sessions, session_id)
    if found.completed_at is not None:
        correcting.withdraw(db, caller.user_id, session_id)
    else:
        remove(db, workout_sessions, found)


# The exercise library: every caller can read it, editors can change it.


@training.get("/exercises", BadCursor, response=page_response(Exercise))
def list_exercises(db: Database, _caller: SignedIn, cursor: Cursor = None) -> Page[Exercise]:
    """List all exercises, by id."""
    return db(all_exercises(cursor))


@training.get("/categories/{category}/exercises", BadCursor, response=page_response(Exercise))
def list_of_category(
    db: Database, _caller: SignedIn, category: PathWord, cursor: Cursor = None
) -> Page[Exercise]:
    """List the exercises of a category, by id."""
    return db(exercises_of_category(category, cursor))


@training.get("/difficulties/{difficulty}/exercises", BadCursor, response=page_response(Exercise))
def list_of_difficulty(
    db: Database, _caller: SignedIn, difficulty: Level, cursor: Cursor = None
) -> Page[Exercise]:
    """List the exercises of a difficulty, by id."""
    return db(exercises_of_difficulty(difficulty, cursor))


@training.get(
    "/exercises/{exercise_id}", BadInput, RecordNotFound, response=response_model(Exercise)
)
def exercise(db: Database, _caller: SignedIn, exercise_id: PathId) -> Exercise:
    """Get an exercise."""
    return find(db, exercises, exercise_id)


@training.post(
    "/exercises", NotAllowed, BadInput, RecordExists, status=201, response=response_model(Exercise)
)
def add_exercise(db: Database, _editor: Editor, body: CreateExerciseRequest) -> Exercise:
    """Create an exercise."""
    with raising_bad_input():
        new = Exercise.model_validate(body.model_dump())
    return add(db, exercises, new)


@training.patch(
    "/exercises/{exercise_id}",
    NotAllowed,
    BadInput,
    RecordNotFound,
    response=response_model(Exercise),
)
def change_exercise(
    db: Database, _editor: Editor, exercise_id: PathId, body: UpdateExerciseRequest
) -> Exercise:
    """Update some fields of an exercise."""
    return change(db, exercises, find(db, exercises, exercise_id), **body.sent_fields())


@training.delete("/exercises/{exercise_id}", NotAllowed, BadInput, RecordNotFound)
def delete_exercise(db: Database, _editor: Editor, exercise_id: PathId) -> None:
    """Delete an exercise."""
    remove(db, exercises, find(db, exercises, exercise_id))
