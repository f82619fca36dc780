"""A workout is finished once, with everything that follows from it."""

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.systems.gymcoach.people import (
    MORNING,
    everything,
    fitness,
    goal,
    joined,
    lifted,
    remaining,
    started,
)
from tests.systems.watch import Watch

from sortkey import DB, ConditionFailed, Contended, Op, TransactionFailed
from sortkey_systems.gymcoach import finishing
from sortkey_systems.gymcoach.crud import add, change, find, remove
from sortkey_systems.gymcoach.deleting import delete_user
from sortkey_systems.gymcoach.design import (
    Milestone,
    PerformedExercise,
    PerformedSet,
    StrengthProgress,
    finish_session,
    fitness_profiles,
    milestone,
    milestones,
    strength_progress,
    workout_sessions,
)
from sortkey_systems.gymcoach.design.progress import percent
from sortkey_systems.gymcoach.errors import (
    AccountNotFound,
    BadInput,
    FitnessProfileFull,
    RecordNotFound,
    SessionFinished,
    TooManyChanges,
)
from sortkey_systems.gymcoach.finishing import Effort, finish, strength_of, with_value

TODAY = MORNING.date()


def strength(db: DB, exercise_id: str = "squat") -> StrengthProgress:
    return find(db, strength_progress, "ada", exercise_id, TODAY)


def test_a_workout_is_completed_and_remembered(db: DB, watch: Watch) -> None:
    joined(db)
    undone = PerformedSet(set_number=2, reps=5, weight=Decimal(200))
    squat = lifted("squat", 100)
    started(db, "s1", squat.model_copy(update={"sets": [*squat.sets, undone]}))
    watch.wait(minutes=61)

    done = finish(
        db, "ada", "s1", rating=4, difficulty=3, efforts={"squat": Effort(4, 5)}, notes="Good"
    )

    session = find(db, workout_sessions, "s1")
    assert done.session == session
    assert (session.completed_at, session.duration_minutes) == (watch.now, 61)
    assert (session.rating, session.notes, session.updated_at) == (4, "Good", watch.now)
    profile = fitness(db)
    assert done.fitness == profile
    assert profile.last_updated == watch.now
    assert profile.current_strength_levels == {"squat": 100}, "a set that was not done counts not"
    [performance] = profile.recent_performance
    assert performance.model_dump(exclude={"exercises"}) == {
        "workout_id": "s1",
        "date": TODAY,
        "overall_rating": 4,
        "difficulty_perceived": 3,
        "completion_rate": Decimal("0.5"),
    }
    assert performance.exercises[0].model_dump() == {
        "exercise_id": "squat",
        "sets_completed": 1,
        "total_sets": 2,
        "average_weight": 100,
        "average_reps": 8,
        "perceived_difficulty": 4,
        "form_rating": 5,
    }


def test_a_workout_is_finished_once(db: DB, watch: Watch) -> None:
    joined(db)
    started(db, "s1", lifted("squat", 100))
    finish(db, "ada", "s1")
    before = everything(db)
    watch.wait(minutes=1)

    with pytest.raises(SessionFinished):
        finish(db, "ada", "s1", rating=5)

    assert everything(db) == before


def test_the_pattern_does_not_finish_a_finished_workout(memory: DB) -> None:
    """The pattern called directly, with the stored record."""
    joined(memory)
    started(memory, "s1")
    done = finish(memory, "ada", "s1")
    again = done.session.model_copy(update={"rating": 5})
    counted = done.fitness.model_copy(update={"recent_performance": []})
    with pytest.raises(TransactionFailed) as failed:
        memory(finish_session((done.session, again), (done.fitness, counted), [], [], []))
    assert isinstance(failed.value.failures[0], ConditionFailed)


def test_the_last_twenty_workouts_are_remembered(db: DB) -> None:
    joined(db)
    for number in range(22):
        started(db, f"s{number}")
        finish(db, "ada", f"s{number}")
    remembered = [performance.workout_id for performance in fitness(db).recent_performance]
    assert remembered == [f"s{number}" for number in range(2, 22)]


def test_strength_is_recorded_for_each_exercise_whose_best_weight_rose(db: DB) -> None:
    joined(db)
    started(db, "s1", lifted("squat", 100, 110), lifted("row", 40))
    done = finish(db, "ada", "s1")

    assert {s.exercise_id for s in done.strength} == {"squat", "row"}
    squat = strength(db)
    assert squat in done.strength
    assert (squat.previous_max_weight, squat.current_max_weight) == (0, 110)
    assert (squat.weight_increase, squat.percentage_increase) == (110, 100)
    assert (squat.exercise_name, squat.trend, squat.period) == ("Squat", "increasing", "day")

    started(db, "s2", lifted("squat", 110), lifted("row", 30))
    assert finish(db, "ada", "s2").strength == (), "nothing rose"
    assert fitness(db).current_strength_levels == {"squat": 110, "row": 40}


def test_a_second_workout_of_the_day_updates_its_record(db: DB, watch: Watch) -> None:
    joined(db)
    change(db, fitness_profiles, fitness(db), current_strength_levels={"squat": 135})
    started(db, "s1", lifted("squat", 140))
    finish(db, "ada", "s1")
    watch.wait(hours=3)
    started(db, "s2", lifted("squat", 145))
    finish(db, "ada", "s2")

    found = strength(db)
    assert (found.previous_max_weight, found.current_max_weight) == (135, 145)
    assert (found.weight_increase, found.percentage_increase) == (10, Decimal("7.41"))
    assert sum(i["_type"]["S"] == "StrengthProgress" for i in everything(db)) == 1


@pytest.mark.parametrize("weight", [100, 110])
def test_a_weight_that_is_not_beyond_the_best_so_far_makes_no_record(
    memory: DB, weight: int
) -> None:
    joined(memory)
    change(memory, fitness_profiles, fitness(memory), current_strength_levels={"squat": 110})
    started(memory, "s1", lifted("squat", weight))
    assert finish(memory, "ada", "s1").strength == ()


@pytest.mark.parametrize("weight", [150, 200])
def test_a_record_of_the_day_that_is_as_great_stays_as_it_is(db: DB, weight: int) -> None:
    joined(db)
    started(db, "s1", lifted("squat", 140))
    finish(db, "ada", "s1")
    corrected = change(db, strength_progress, strength(db), current_max_weight=Decimal(weight))
    started(db, "s2", lifted("squat", 150))
    assert finish(db, "ada", "s2").strength == ()
    assert strength(db) == corrected


def test_a_record_that_is_made_for_the_day_meanwhile_is_not_overwritten(
    memory: DB, monkeypatch: pytest.MonkeyPatch
) -> None:
    joined(memory)
    session = started(memory, "s1", lifted("squat", 100))
    made = strength_of(session, "squat", "Squat", Decimal(0), Decimal(200))

    def just_after(*given: Any) -> Op[None]:
        monkeypatch.undo()
        add(memory, strength_progress, made)
        return finish_session(*given)

    monkeypatch.setattr(finishing, "finish_session", just_after)
    assert finish(memory, "ada", "s1").strength == ()
    assert strength(memory).current_max_weight == 200


def test_an_exercise_that_comes_twice_counts_with_all_its_sets(db: DB) -> None:
    joined(db)
    started(db, "s1", lifted("squat", 100), lifted("row", 40), lifted("squat", 120))
    done = finish(db, "ada", "s1")
    [squat] = [e for e in done.fitness.recent_performance[0].exercises if e.exercise_id == "squat"]
    assert (squat.total_sets, squat.average_weight) == (2, 110)
    assert strength(db).current_max_weight == 120


def test_weights_that_are_none_make_no_strength(db: DB) -> None:
    joined(db)
    push_up = PerformedExercise(
        exercise_id="push-up",
        name="Push-up",
        sets=[PerformedSet(set_number=1, reps=10, completed=True)],
        order=1,
    )
    started(db, "s1", push_up)
    done = finish(db, "ada", "s1")
    assert done.strength == ()
    assert done.fitness.current_strength_levels == {}
    assert done.fitness.recent_performance[0].exercises[0].average_weight is None


def test_a_workout_without_exercises_can_be_finished(db: DB) -> None:
    joined(db)
    started(db, "s1")
    assert finish(db, "ada", "s1").fitness.recent_performance[0].completion_rate == 0


def test_milestones_of_the_exercises_move_and_others_do_not(db: DB) -> None:
    joined(db)
    near, far = goal(db, "near", 100), goal(db, "far", 150)
    others = goal(db, "row", 50, "row"), goal(db, "unbound", 5, None)
    started(db, "s1", lifted("squat", 145))

    moved = {m.id: m for m in finish(db, "ada", "s1").milestones}

    assert set(moved) == {near.id, far.id}
    assert (moved["near"].achieved, moved["near"].progress_percentage) == (True, 100)
    assert (moved["far"].achieved, moved["far"].progress_percentage) == (False, Decimal("96.67"))
    for each in (*moved.values(), *others):
        assert find(db, milestones, each.id) == each


def test_a_milestone_that_is_achieved_stays_as_it_is(db: DB) -> None:
    joined(db)
    goal(db, "near", 100)
    started(db, "s1", lifted("squat", 110))
    finish(db, "ada", "s1")
    started(db, "s2", lifted("squat", 120))
    assert finish(db, "ada", "s2").milestones == ()
    assert find(db, milestones, "near").current_value == 110


def test_a_milestone_that_is_achieved_stays_so_where_its_target_is_raised(memory: DB) -> None:
    joined(memory)
    goal(memory, "near", 100)
    started(memory, "s1", lifted("squat", 110))
    [achieved] = finish(memory, "ada", "s1").milestones
    raised = change(memory, milestones, achieved, target_value=Decimal(200))
    assert (raised.achieved, raised.progress_percentage) == (True, 100)


def test_a_milestone_set_later_moves_to_the_best_weight_so_far(db: DB) -> None:
    joined(db)
    started(db, "s1", lifted("squat", 110))
    finish(db, "ada", "s1")
    goal(db, "late", 200)
    started(db, "s2", lifted("squat", 90))
    [moved] = finish(db, "ada", "s2").milestones
    assert moved.current_value == 110


def test_a_milestone_that_is_as_far_already_is_not_written_again(memory: DB) -> None:
    joined(memory)
    goal(memory, "far", 200)
    started(memory, "s1", lifted("squat", 110))
    [moved] = finish(memory, "ada", "s1").milestones
    started(memory, "s2", lifted("squat", 110))
    assert finish(memory, "ada", "s2").milestones == ()
    assert find(memory, milestones, "far") == moved


def is_deleted(db: DB, one: Milestone) -> None:
    remove(db, milestones, one)


def is_achieved(db: DB, one: Milestone) -> None:
    change(db, milestones, one, current_value=Decimal(90), target_value=Decimal(90))


def is_of_another_exercise(db: DB, one: Milestone) -> None:
    change(db, milestones, one, exercise_id="row")


@pytest.mark.parametrize("meanwhile", [is_deleted, is_achieved, is_of_another_exercise])
def test_a_milestone_that_the_index_shows_as_it_was_is_left_alone(
    memory: DB, monkeypatch: pytest.MonkeyPatch, meanwhile: Callable[[DB, Milestone], None]
) -> None:
    joined(memory)
    listed = goal(memory, "m1", 150)
    started(memory, "s1", lifted("squat", 100))

    def just_before(milestone_id: str) -> Op[Milestone | None]:
        meanwhile(memory, listed)
        return milestone(milestone_id)

    monkeypatch.setattr(finishing, "milestone", just_before)
    assert finish(memory, "ada", "s1").milestones == ()


def test_only_milestones_of_the_exercises_are_read_one_by_one(memory: DB) -> None:
    joined(memory)
    for goal_id, exercise_id in (("m1", "squat"), ("m2", "row"), ("m3", "row")):
        goal(memory, goal_id, 150, exercise_id)
    started(memory, "s1", lifted("squat", 100))
    with memory.budget() as calls:
        finish(memory, "ada", "s1")
    assert sum(call.pattern == "milestone" for call in calls) == 1


def test_from_nothing_to_nothing_is_no_rise() -> None:
    none = StrengthProgress(
        user_id="ada",
        exercise_id="plank",
        exercise_name="Plank",
        current_max_weight=Decimal(0),
        previous_max_weight=Decimal(0),
        period="day",
        measurement_date=MORNING,
        trend="stable",
    )
    assert (none.weight_increase, none.percentage_increase) == (0, 0)


def test_a_percentage_is_exact_for_every_number_that_can_be_stored() -> None:
    """As near below half a hundredth as 38 digits come."""
    whole = 10**38 - 9999
    part = (10001 * whole - 1) // 20000
    assert percent(Decimal(part), Decimal(whole)) == 50


@given(
    value=st.decimals(0, 10**6, places=2, allow_nan=False),
    target=st.decimals(Decimal("0.01"), 10**6, places=2, allow_nan=False),
)
def test_a_milestone_is_at_a_hundred_where_it_is_achieved_and_only_there(
    value: Decimal, target: Decimal
) -> None:
    one = Milestone(id="m", user_id="a", milestone_type="strength", title="x", target_value=target)
    moved = with_value(one, value)
    assert Milestone.model_validate(moved.model_dump()) == moved
    assert (moved.progress_percentage == 100) == moved.achieved == (value >= target)
    assert 0 <= moved.progress_percentage <= 100


def test_another_users_workout_is_not_finished(db: DB) -> None:
    joined(db)
    joined(db, "eve")
    started(db, "s1")
    before = everything(db)
    for user_id, session_id in (("eve", "s1"), ("ada", "none")):
        with pytest.raises(RecordNotFound):
            finish(db, user_id, session_id)
    assert everything(db) == before


def test_without_a_fitness_profile_nothing_is_finished(db: DB) -> None:
    joined(db)
    started(db, "s1")
    remove(db, fitness_profiles, fitness(db))
    with pytest.raises(RecordNotFound) as refused:
        finish(db, "ada", "s1")
    assert refused.value.kind == "UserFitnessProfile"


def test_ratings_out_of_range_are_refused_by_name(db: DB) -> None:
    joined(db)
    started(db, "s1", lifted("squat", 100))
    before = everything(db)
    with pytest.raises(BadInput) as refused:
        finish(db, "ada", "s1", rating=6)
    assert refused.value.field == "rating"
    with pytest.raises(BadInput):
        finish(db, "ada", "s1", efforts={"squat": Effort(0)})
    assert everything(db) == before


def test_a_workout_that_starts_in_the_future_lasts_no_time(db: DB, watch: Watch) -> None:
    joined(db)
    started(db, "s1")
    watch.now = MORNING - timedelta(hours=1)
    assert finish(db, "ada", "s1").session.duration_minutes == 0


def test_everything_of_the_largest_workout_is_one_transaction(db: DB) -> None:
    joined(db)
    for number in range(67):
        goal(db, f"m{number}", 500, f"e{number % 30}")
    started(db, "s1", *(lifted(f"e{number}", 100) for number in range(30)))
    done = finish(db, "ada", "s1")
    assert (len(done.strength), len(done.milestones)) == (30, 67)


@pytest.mark.parametrize("trained_before", [False, True])
def test_one_milestone_more_than_fits_raises_and_nothing_is_written(
    memory: DB, *, trained_before: bool
) -> None:
    """With the strength that is recorded for the day, or raised."""
    joined(memory)
    if trained_before:
        started(memory, "s0", lifted("squat", 90))
        finish(memory, "ada", "s0")
    for number in range(97):
        goal(memory, f"m{number}", 500)
    started(memory, "s1", lifted("squat", 100))
    before = everything(memory)
    with pytest.raises(TooManyChanges):
        finish(memory, "ada", "s1")
    assert everything(memory) == before


def test_it_gives_up_after_five_attempts_where_others_are_always_faster(
    memory: DB, monkeypatch: pytest.MonkeyPatch
) -> None:
    joined(memory)
    started(memory, "s1", lifted("squat", 100))
    stale = fitness(memory)
    change(memory, fitness_profiles, stale, fitness_goals=["run"])

    def old(*_: object) -> object:
        return stale

    monkeypatch.setattr(finishing, "find", old)
    before = everything(memory)
    with memory.budget() as calls, pytest.raises(Contended):
        finish(memory, "ada", "s1")
    assert sum(call.pattern == "finish_session" for call in calls) == 5
    assert everything(memory) == before


def test_nothing_is_finished_of_an_account_that_is_being_deleted(
    memory: DB, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The deletion begins between what is read and what is written."""
    joined(memory)
    started(memory, "s1", lifted("squat", 100))
    ready = finish_session

    def just_after(*given: object) -> object:
        operation = ready(*given)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
        delete_user(memory, "ada")
        return operation

    monkeypatch.setattr(finishing, "finish_session", just_after)
    with pytest.raises(AccountNotFound):
        finish(memory, "ada", "s1")
    assert [item["_type"]["S"] for item in remaining(memory)] == ["UserProfile"]


def test_a_fitness_profile_that_is_full_is_reported_as_such(memory: DB) -> None:
    joined(memory)
    levels = {f"{n:05d}{'e' * 90}": Decimal(1) for n in range(4_100)}
    change(memory, fitness_profiles, fitness(memory), current_strength_levels=levels)
    started(memory, "s1", *(lifted(f"{n:02d}{'f' * 98}", 100) for n in range(30)))

    with pytest.raises(FitnessProfileFull, match="is full"):
        finish(memory, "ada", "s1")

    assert find(memory, workout_sessions, "s1").completed_at is None
