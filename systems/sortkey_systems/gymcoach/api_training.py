"""GymCoach over HTTP: plans, workouts, and the library of exercises."""

from typing import Annotated

from fastapi import Depends

from sortkey import BadCursor, Page
from sortkey_systems.api.app import Cursor, Database, Operations
from sortkey_systems.api.identity import Caller, Having, NotAllowed, SignedIn
from sortkey_systems.gymcoach import finishing
from sortkey_systems.gymcoach import training as workouts
from sortkey_systems.gymcoach.api_models import (
    ChangedExercise,
    GivenExercise,
    GivenExercises,
    GivenFinish,
    GivenNote,
    GivenSession,
    NewExercise,
    NewPlan,
    NewSubstitution,
    PathId,
    PathWord,
    ToldFinish,
    Within,
    list_of,
    page_of,
    told,
)
from sortkey_systems.gymcoach.api_records import keep
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
    AccountGone,
    AlreadyThere,
    BadInput,
    ChangedMeanwhile,
    Contended,
    NotThere,
    SessionFinished,
    TooManyMilestones,
    refusing_bad_input,
)
from sortkey_systems.gymcoach.keeping import add, change, find, find_own, remove

training = Operations()

Editor = Annotated[Caller, Depends(Having("editor"))]

# Plans.

keep(training, "plan", workout_plans, workout_plans_of_user, NewPlan)
keep(
    training,
    "substitution",
    exercise_substitutions,
    exercise_substitutions_of_user,
    NewSubstitution,
)


@training.get("/active-plans", answer=list_of(WorkoutPlan))
def active_plans(db: Database, caller: SignedIn) -> list[WorkoutPlan]:
    """Your plans that are not over, newest first."""
    return db(active_workout_plans(caller.user_id))


# Workouts.


@training.get("/sessions", BadInput, BadCursor, answer=page_of(WorkoutSession))
def sessions(
    db: Database, caller: SignedIn, within: Within, cursor: Cursor = None
) -> Page[WorkoutSession]:
    """Your workouts between two moments, newest first."""
    return db(workout_sessions_of_user(caller.user_id, within.since, within.until, cursor))


@training.post(
    "/sessions", BadInput, NotThere, AccountGone, status=201, answer=told(WorkoutSession)
)
def start_session(db: Database, caller: SignedIn, given: GivenSession) -> WorkoutSession:
    """Begin a workout; of one of your plans it has the exercises, with no set done yet."""
    begun = given.started_at
    return workouts.start_session(
        db,
        caller.user_id,
        name=given.name,
        exercises=None if given.exercises is None else _performed(given.exercises),
        workout_plan_id=given.workout_plan_id,
        started_at=begun and begun.replace(microsecond=0),
    )


@training.get("/sessions/{session_id}", BadInput, NotThere, answer=told(WorkoutSession))
def session(db: Database, caller: SignedIn, session_id: PathId) -> WorkoutSession:
    """One of your workouts."""
    return find_own(db, caller.user_id, workout_sessions, session_id)


@training.patch(
    "/sessions/{session_id}",
    BadInput,
    NotThere,
    SessionFinished,
    ChangedMeanwhile,
    answer=told(WorkoutSession),
)
def note_session(
    db: Database, caller: SignedIn, session_id: PathId, given: GivenNote
) -> WorkoutSession:
    """Name one of your workouts, or write something to it, until it is finished."""
    found = find_own(db, caller.user_id, workout_sessions, session_id)
    return workouts.change_session(db, found, **given.chosen())


@training.put(
    "/sessions/{session_id}/exercises",
    BadInput,
    NotThere,
    SessionFinished,
    ChangedMeanwhile,
    answer=told(WorkoutSession),
)
def log_exercises(
    db: Database, caller: SignedIn, session_id: PathId, given: GivenExercises
) -> WorkoutSession:
    """Log what you have done of a workout: all of its exercises and sets."""
    found = find_own(db, caller.user_id, workout_sessions, session_id)
    return workouts.log_exercises(db, found, _performed(given.exercises))


def _performed(sent: list[GivenExercise]) -> list[PerformedExercise]:
    return [exercise.performed() for exercise in sent]


@training.post(
    "/sessions/{session_id}/finish",
    BadInput,
    NotThere,
    AccountGone,
    SessionFinished,
    TooManyMilestones,
    Contended,
    answer=ToldFinish,
)
def finish_session(
    db: Database, caller: SignedIn, session_id: PathId, given: GivenFinish
) -> finishing.Finished:
    """Finish a workout, which counts once.

    Your fitness profile remembers it, your strength is recorded for the day, and the milestones
    that are bound to its exercises move.
    """
    return finishing.finish(
        db,
        caller.user_id,
        session_id,
        rating=given.rating,
        difficulty=given.difficulty,
        efforts=given.by_exercise(),
        notes=given.notes,
    )


@training.delete("/sessions/{session_id}", BadInput, NotThere, ChangedMeanwhile)
def delete_session(db: Database, caller: SignedIn, session_id: PathId) -> None:
    """Delete one of your workouts; what it counted for stays."""
    found = find_own(db, caller.user_id, workout_sessions, session_id)
    remove(db, workout_sessions, found)


# The library, which everybody reads and editors write.


@training.get("/exercises", BadCursor, answer=page_of(Exercise))
def list_exercises(db: Database, _caller: SignedIn, cursor: Cursor = None) -> Page[Exercise]:
    """All exercises, by id."""
    return db(all_exercises(cursor))


@training.get("/categories/{category}/exercises", BadCursor, answer=page_of(Exercise))
def list_of_category(
    db: Database, _caller: SignedIn, category: PathWord, cursor: Cursor = None
) -> Page[Exercise]:
    """The exercises of a category, by id."""
    return db(exercises_of_category(category, cursor))


@training.get("/difficulties/{difficulty}/exercises", BadCursor, answer=page_of(Exercise))
def list_of_difficulty(
    db: Database, _caller: SignedIn, difficulty: Level, cursor: Cursor = None
) -> Page[Exercise]:
    """The exercises of a difficulty, by id."""
    return db(exercises_of_difficulty(difficulty, cursor))


@training.get("/exercises/{exercise_id}", BadInput, NotThere, answer=told(Exercise))
def exercise(db: Database, _caller: SignedIn, exercise_id: PathId) -> Exercise:
    """How an exercise is done."""
    return find(db, exercises, exercise_id)


@training.post("/exercises", NotAllowed, BadInput, AlreadyThere, status=201, answer=told(Exercise))
def add_exercise(db: Database, _editor: Editor, given: NewExercise) -> Exercise:
    """Put an exercise into the library."""
    with refusing_bad_input():
        new = Exercise.model_validate(given.model_dump())
    return add(db, exercises, new)


@training.patch("/exercises/{exercise_id}", NotAllowed, BadInput, NotThere, answer=told(Exercise))
def change_exercise(
    db: Database, _editor: Editor, exercise_id: PathId, given: ChangedExercise
) -> Exercise:
    """Change an exercise of the library: what is left out stays as it is."""
    return change(db, exercises, find(db, exercises, exercise_id), **given.chosen())


@training.delete("/exercises/{exercise_id}", NotAllowed, BadInput, NotThere)
def delete_exercise(db: Database, _editor: Editor, exercise_id: PathId) -> None:
    """Take an exercise out of the library."""
    remove(db, exercises, find(db, exercises, exercise_id))
