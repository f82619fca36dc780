"""A finished workout can be corrected or deleted, and all that it changed with it."""

from collections.abc import Callable, Sequence
from datetime import date, timedelta
from decimal import Decimal
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.systems.gymcoach.people import (
    KEYS,
    MORNING,
    fitness,
    goal,
    joined,
    lifted,
    started,
)
from tests.systems.watch import Watch

from sortkey import DB, Op
from sortkey.testing import Outcome, clock, explore
from sortkey_systems.gymcoach import correcting
from sortkey_systems.gymcoach.correcting import correct, withdraw
from sortkey_systems.gymcoach.crud import change, find
from sortkey_systems.gymcoach.design import (
    GymCoach,
    Milestone,
    PerformedExercise,
    fitness_profiles,
    milestone,
    milestones,
    strength_of_user,
    workout_session,
    workout_sessions,
)
from sortkey_systems.gymcoach.errors import (
    GymCoachError,
    RecordNotFound,
    SessionOpen,
    TooManyChanges,
)
from sortkey_systems.gymcoach.finishing import Effort, finish
from sortkey_systems.gymcoach.training import start_session

TODAY = MORNING.date()


def trained(db: DB, session_id: str, *exercises: PerformedExercise, day: int = 0) -> None:
    """A finished workout, some days before today."""
    moment = MORNING - timedelta(days=day)
    start_session(
        db, "ada", name="Legs", exercises=[*exercises], session_id=session_id, started_at=moment
    )
    finish(db, "ada", session_id, rating=4)


def gains(db: DB, exercise_id: str = "squat") -> list[tuple[date, Decimal, Decimal]]:
    return [
        (s.measurement_date.date(), s.previous_max_weight, s.current_max_weight)
        for s in db(strength_of_user("ada"))
        if s.exercise_id == exercise_id
    ]


def test_a_mistyped_weight_is_corrected_with_all_that_it_changed(db: DB) -> None:
    joined(db)
    goal(db, "m1", 100)
    trained(db, "s1", lifted("squat", 90), day=2)
    trained(db, "s2", lifted("squat", 967), lifted("row", 40), day=1)
    trained(db, "s3", lifted("squat", 98))
    assert find(db, milestones, "m1").achieved

    corrected = correct(db, "ada", "s2", [lifted("squat", "96.7"), lifted("row", 40)])

    assert corrected.exercises[0].sets[0].weight == Decimal("96.7")
    assert fitness(db).current_strength_levels == {"squat": 98, "row": 40}
    found = find(db, milestones, "m1")
    assert (found.current_value, found.achieved, found.progress_percentage) == (98, False, 98)
    yesterday = TODAY - timedelta(days=1)
    assert gains(db) == [
        (TODAY - timedelta(days=2), 0, 90),
        (yesterday, 90, Decimal("96.7")),
        (TODAY, Decimal("96.7"), 98),
    ]
    recent = {p.workout_id: p for p in fitness(db).recent_performance}
    assert recent["s2"].exercises[0].average_weight == Decimal("96.7")
    assert recent["s2"].overall_rating == 4


def test_a_deleted_workout_takes_its_progress_with_it(db: DB) -> None:
    joined(db)
    goal(db, "m1", 100)
    trained(db, "s1", lifted("squat", 90), day=1)
    trained(db, "s2", lifted("squat", 120), lifted("row", 40))

    withdraw(db, "ada", "s2")

    assert db(workout_session("s2")) is None
    assert fitness(db).current_strength_levels == {"squat": 90}
    assert [p.workout_id for p in fitness(db).recent_performance] == ["s1"]
    assert gains(db) == [(TODAY - timedelta(days=1), 0, 90)]
    assert gains(db, "row") == []
    found = find(db, milestones, "m1")
    assert (found.current_value, found.achieved) == (90, False)


def test_a_correction_that_is_heavier_counts_too(db: DB) -> None:
    joined(db)
    goal(db, "m1", 100)
    trained(db, "s1", lifted("squat", "9.67"))
    correct(db, "ada", "s1", [lifted("squat", "96.7")])
    assert fitness(db).current_strength_levels == {"squat": Decimal("96.7")}
    assert gains(db) == [(TODAY, 0, Decimal("96.7"))]
    assert find(db, milestones, "m1").current_value == Decimal("96.7")


def test_a_level_that_no_workout_explains_stays(db: DB) -> None:
    joined(db)
    change(db, fitness_profiles, fitness(db), current_strength_levels={"squat": Decimal(135)})
    trained(db, "s1", lifted("squat", 967))
    correct(db, "ada", "s1", [lifted("squat", "96.7")])
    assert fitness(db).current_strength_levels == {"squat": 135}
    assert gains(db) == []


def test_a_milestone_that_another_way_achieved_stays_achieved(db: DB) -> None:
    joined(db)
    goal(db, "m1", 50)
    trained(db, "s1", lifted("squat", 60), day=1)
    trained(db, "s2", lifted("squat", 967))
    correct(db, "ada", "s2", [lifted("squat", "96.7")])
    found = find(db, milestones, "m1")
    assert (found.current_value, found.achieved) == (60, True)


def test_a_milestone_that_the_index_shows_as_it_was_is_left_alone(
    memory: DB, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It belongs to another exercise meanwhile, which the correction does not change."""
    joined(memory)
    goal(memory, "m1", 150)
    trained(memory, "s1", lifted("squat", 100), lifted("row", 40))
    listed = find(memory, milestones, "m1")

    def just_before(milestone_id: str) -> Op[Milestone | None]:
        monkeypatch.undo()
        change(memory, milestones, listed, exercise_id="row", current_value=Decimal(0))
        return milestone(milestone_id)

    monkeypatch.setattr(correcting, "milestone", just_before)
    correct(memory, "ada", "s1", [lifted("squat", 110), lifted("row", 40)])

    assert find(memory, milestones, "m1").current_value == 0


def test_ratings_stay_and_reps_are_counted_again(db: DB) -> None:
    joined(db)
    started(db, "s1", lifted("squat", 90))
    finish(db, "ada", "s1", difficulty=3, efforts={"squat": Effort(4, 5)})
    correct(db, "ada", "s1", [lifted("squat", 90, 90)])
    [workout] = fitness(db).recent_performance
    assert workout.difficulty_perceived == 3
    [squat] = workout.exercises
    assert (squat.perceived_difficulty, squat.form_rating, squat.total_sets) == (4, 5, 2)


def test_an_open_or_foreign_workout_is_not_corrected(db: DB) -> None:
    joined(db)
    joined(db, "eve")
    started(db, "s1", lifted("squat", 90))
    for call in (lambda: correct(db, "ada", "s1", []), lambda: withdraw(db, "ada", "s1")):
        with pytest.raises(SessionOpen):
            call()
    finish(db, "ada", "s1")
    for call in (lambda: correct(db, "eve", "s1", []), lambda: withdraw(db, "eve", "s1")):
        with pytest.raises(RecordNotFound):
            call()


def test_more_changes_than_fit_are_refused_and_nothing_is_written(memory: DB) -> None:
    joined(memory)
    trained(memory, "s1", lifted("squat", 90))
    before = find(memory, workout_sessions, "s1")
    for number in range(97):
        goal(memory, f"m{number}", 200)
    with pytest.raises(TooManyChanges):
        correct(memory, "ada", "s1", [lifted("squat", 95)])
    assert find(memory, workout_sessions, "s1") == before


# Every order of their requests.

# Schedules of each race with faults and lag together.
FEW, SAMPLE = 50, 200


def recounted(db: DB, _: list[Outcome]) -> None:
    """Assert that levels and gains are those of the workouts that are stored."""
    sessions = [s for s in (db(workout_session(f"s{n}")) for n in (1, 2)) if s is not None]
    done = [s for s in sessions if s.completed_at is not None]
    weights = [e.sets[0].weight or Decimal(0) for s in done for e in s.exercises]
    best = max(weights, default=Decimal(0))
    profile = fitness(db)
    assert profile.current_strength_levels.get("squat", 0) == best, "another level"
    assert {p.workout_id for p in profile.recent_performance} == {s.id for s in done}
    assert max((g[2] for g in gains(db)), default=0) == best, "another gain"
    assert find(db, milestones, "m1").current_value == best, "another value"


def corrects(db: DB) -> Any:
    return correct(db, "ada", "s1", [lifted("squat", "96.7")])


def withdraws(db: DB) -> Any:
    return withdraw(db, "ada", "s1")


def finishes(db: DB) -> Any:
    return finish(db, "ada", "s2")


BOTH = [(corrects, finishes), (withdraws, finishes)]


@pytest.mark.acceptance
@pytest.mark.parametrize("sample", [FEW, pytest.param(SAMPLE, marks=pytest.mark.slow)])
@pytest.mark.parametrize("calls", BOTH)
def test_a_correction_beside_another_finish_holds_with_faults_and_lag(
    memory: DB, calls: Sequence[Callable[[DB], Any]], sample: int
) -> None:
    """There are too many schedules to run them all."""
    joined(memory)
    goal(memory, "m1", 2000)
    trained(memory, "s1", lifted("squat", 967))
    started(memory, "s2", lifted("squat", 98))

    explored = explore(
        *(partial(call, memory) for call in calls),
        db=memory,
        invariant=partial(recounted, memory),
        errors=(GymCoachError,),
        index_lag=True,
        stale_reads=True,
        sample=sample,
    )

    assert explored.schedules > 10


@pytest.mark.parametrize("calls", BOTH)
def test_a_correction_while_another_workout_is_finished(
    memory: DB, calls: Sequence[Callable[[DB], Any]]
) -> None:
    joined(memory)
    goal(memory, "m1", 2000)
    trained(memory, "s1", lifted("squat", 967))
    started(memory, "s2", lifted("squat", 98))

    explored = explore(
        *(partial(call, memory) for call in calls),
        db=memory,
        invariant=partial(recounted, memory),
        errors=(GymCoachError,),
        crashes=False,
        lost_responses=False,
        most=50_000,
    )

    assert explored.schedules > 1


@pytest.mark.parametrize("call", [corrects, withdraws])
def test_a_correction_succeeds_although_a_response_is_lost(
    memory: DB, call: Callable[[DB], Any]
) -> None:
    joined(memory)
    goal(memory, "m1", 2000)
    trained(memory, "s1", lifted("squat", 967))

    def counted(outcomes: list[Outcome]) -> None:
        assert outcomes[0].succeeded, f"{outcomes[0].error!r}"
        recounted(memory, outcomes)

    explore(
        partial(call, memory),
        db=memory,
        invariant=counted,
        errors=(GymCoachError,),
        crashes=False,
        index_lag=True,
    )


# Whatever was typed, a correction comes to what the right weights would have come to.

WEIGHTS = st.lists(st.integers(0, 5), min_size=1, max_size=5)


@given(typed=WEIGHTS, right=WEIGHTS)
def test_a_correction_comes_to_the_same_as_the_right_weights(
    typed: list[int], right: list[int]
) -> None:
    count = min(len(typed), len(right))
    watch = Watch(MORNING)
    with clock(watch.read):
        ends: list[Any] = []
        for corrected in (False, True):
            with DB.memory(GymCoach, secrets=KEYS) as db:
                joined(db)
                goal(db, "m1", 4)
                for n in range(count):
                    weight = typed[n] if corrected else right[n]
                    trained(db, f"s{n}", lifted("squat", weight), day=count - n)
                for n in range(count if corrected else 0):
                    correct(db, "ada", f"s{n}", [lifted("squat", right[n])])
                profile = fitness(db)
                ends.append(
                    (profile.current_strength_levels, profile.recent_performance, gains(db))
                )
        assert ends[0] == ends[1]


def test_a_workout_that_is_corrected_keeps_its_times(db: DB, watch: Watch) -> None:
    joined(db)
    trained(db, "s1", lifted("squat", 90))
    before = find(db, workout_sessions, "s1")
    watch.wait(days=2)
    after = correct(db, "ada", "s1", [lifted("squat", 91)])
    assert (after.started_at, after.completed_at) == (before.started_at, before.completed_at)
    assert after.duration_minutes == before.duration_minutes
