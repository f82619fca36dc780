"""Workouts begin, are logged and stay as they are once they are finished."""

from datetime import timedelta

import pytest
from tests.systems.gymcoach.people import everything, joined, lifted, started
from tests.systems.watch import Watch

from sortkey import DB
from sortkey_systems.gymcoach.crud import add, change, find
from sortkey_systems.gymcoach.design import (
    PlannedExercise,
    WorkoutPlan,
    workout_plans,
    workout_sessions,
)
from sortkey_systems.gymcoach.errors import (
    AccountNotFound,
    BadInput,
    RecordChanged,
    RecordNotFound,
    SessionFinished,
)
from sortkey_systems.gymcoach.finishing import finish
from sortkey_systems.gymcoach.training import change_session, log_exercises, start_session


def plan(db: DB) -> WorkoutPlan:
    return add(
        db,
        workout_plans,
        WorkoutPlan(
            id="p1",
            user_id="ada",
            name="Strength",
            duration_weeks=4,
            frequency_per_week=3,
            exercises=[PlannedExercise(exercise_id="squat", name="Squat", sets=3, reps=5, order=1)],
        ),
    )


def test_a_workout_of_a_plan_has_its_exercises_with_nothing_done(db: DB, watch: Watch) -> None:
    joined(db)
    session = start_session(db, "ada", name="Legs", workout_plan_id=plan(db).id)

    assert session.started_at == watch.now
    [exercise] = session.exercises
    assert [(s.set_number, s.reps, s.completed) for s in exercise.sets] == [
        (1, 5, False),
        (2, 5, False),
        (3, 5, False),
    ]
    assert find(db, workout_sessions, session.id) == session


def test_a_workout_can_be_logged_later_with_its_start(memory: DB, watch: Watch) -> None:
    joined(memory)
    earlier = watch.now - timedelta(hours=3)

    assert start_session(memory, "ada", name="Run", started_at=earlier).started_at == earlier


def test_exercises_that_are_given_take_the_place_of_those_of_the_plan(memory: DB) -> None:
    joined(memory)
    row = lifted("row", 40)
    session = start_session(
        memory, "ada", name="Back", exercises=[row], workout_plan_id=plan(memory).id
    )
    assert (session.exercises, session.workout_plan_id) == ([row], "p1")


def test_a_workout_cannot_use_another_users_plan(db: DB) -> None:
    joined(db)
    joined(db, "eve")
    plan(db)
    with pytest.raises(RecordNotFound):
        start_session(db, "eve", name="Legs", workout_plan_id="p1")


def test_sets_are_logged_as_they_are_done(db: DB) -> None:
    joined(db)
    session = started(db, "s1", lifted("squat", 100, done=False))
    logged = log_exercises(db, session, [lifted("squat", 100)])
    assert logged.exercises[0].sets[0].completed
    assert logged.version == session.version + 1


def test_two_devices_that_log_at_once_do_not_undo_each_other(db: DB) -> None:
    joined(db)
    session = started(db, "s1", lifted("squat", 100, done=False))
    log_exercises(db, session, [lifted("squat", 100)])
    with pytest.raises(RecordChanged):
        log_exercises(db, session, [lifted("squat", 90)])


def test_a_finished_workout_stays_as_it_is(db: DB) -> None:
    joined(db)
    session = started(db, "s1", lifted("squat", 100))
    finished = finish(db, "ada", "s1").session
    for loaded in (session, finished):
        with pytest.raises(SessionFinished):
            log_exercises(db, loaded, [lifted("squat", 500)])
        with pytest.raises(SessionFinished):
            change_session(db, loaded, notes="x")
    # Nor by calling the pattern directly.
    with pytest.raises(RecordChanged):
        change(db, workout_sessions, finished, notes="x")
    assert find(db, workout_sessions, "s1") == finished


def test_a_user_without_an_account_cannot_start_a_workout(db: DB) -> None:
    with pytest.raises(AccountNotFound):
        started(db, "s1")
    assert everything(db) == []


def test_more_exercises_than_can_be_finished_at_once_are_refused(db: DB) -> None:
    joined(db)
    many = [lifted(f"e{number}", 10) for number in range(31)]
    with pytest.raises(BadInput) as refused:
        started(db, "s1", *many)
    assert refused.value.field == "exercises"


def test_a_workout_does_not_start_in_the_future(db: DB, watch: Watch) -> None:
    joined(db)
    soon = watch.now + timedelta(minutes=5)
    assert start_session(db, "ada", name="Legs", started_at=soon).started_at == soon
    for late in (soon + timedelta(seconds=1), soon.replace(year=2040)):
        with pytest.raises(BadInput) as refused:
            start_session(db, "ada", name="Legs", started_at=late)
        assert refused.value.field == "started_at"
