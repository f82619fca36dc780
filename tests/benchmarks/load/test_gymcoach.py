"""The crowd of GymCoach reports violated guarantees."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from benchmarks.load.gymcoach import GymCoach

from sortkey import DB, Entity, Keyring, LocalKey
from sortkey.testing import clock
from sortkey_systems.gymcoach.accounts import register
from sortkey_systems.gymcoach.crud import add
from sortkey_systems.gymcoach.design import GymCoach as Table
from sortkey_systems.gymcoach.design import (
    Milestone,
    PerformedExercise,
    PerformedSet,
    Reminder,
    ReminderKind,
    StrengthProgress,
    UserFitnessProfile,
    UserProfile,
    WorkoutRecommendation,
    WorkoutSession,
    milestones,
)
from sortkey_systems.gymcoach.finishing import finish
from sortkey_systems.gymcoach.reminding import set_preferences
from sortkey_systems.gymcoach.training import start_session

NOW = datetime(2032, 3, 1, 9, 30, tzinfo=UTC)
SQUATS = PerformedExercise(
    exercise_id="squat",
    name="Squat",
    order=1,
    sets=[PerformedSet(set_number=1, reps=8, weight=Decimal(80), completed=True)],
)


@pytest.fixture
def db() -> DB:
    """Yield a database in which Ada has a milestone, a finished workout and a reminder."""
    db = DB.memory(Table, secrets=Keyring(LocalKey.new("test")))
    with clock(NOW.timestamp):
        register(db, "ada", email="ada@example.org", name="Ada")
        goal = Milestone(
            id="g1",
            user_id="ada",
            milestone_type="strength",
            title="100 kg",
            exercise_id="squat",
            target_value=Decimal(100),
        )
        add(db, milestones, goal)
        start_session(db, "ada", name="Legs", exercises=[SQUATS], session_id="s1")
        finish(db, "ada", "s1")
        set_preferences(db, "ada", workout_reminder_time="18:30")
    return db


def faults(db: DB, crowd: GymCoach | None = None) -> list[str]:
    return list((crowd or GymCoach()).faults(db))


def plant(db: DB, entity: type[Entity], name: str, value: object) -> None:
    """Write another value to the one record of an entity."""
    [record] = db.each(entity.scan())
    db(record.update().set(lambda each: getattr(each, name)).to(value))


def test_what_the_services_write_is_as_it_should_be(db: DB) -> None:
    assert faults(db) == []


def test_a_missing_recent_workout_is_found(db: DB) -> None:
    plant(db, UserFitnessProfile, "recent_performance", [])

    assert faults(db) == ["ada has 0 recent workouts of 1 finished"]


def test_a_recent_workout_that_is_not_finished_is_found(db: DB) -> None:
    plant(db, WorkoutSession, "completed_at", None)

    found = faults(db)
    assert "ada has the recent workout s1, which is not finished" in found
    assert "ada has 1 recent workouts of 0 finished" in found


def test_a_wrong_level_is_found(db: DB) -> None:
    plant(db, UserFitnessProfile, "current_strength_levels", {"squat": Decimal(90)})

    [fault] = faults(db)
    assert fault.startswith("ada has lifted {'squat': Decimal('80')}")


def test_a_strength_that_is_not_the_best_of_its_day_is_found(db: DB) -> None:
    plant(db, StrengthProgress, "current_max_weight", Decimal(70))

    assert faults(db) == [
        "ada lifted 80 in squat on 2032-03-01, not 70",
        "ada lifted 80 in squat, which no day has",
    ]


def test_a_milestone_that_is_ahead_of_its_workouts_is_found(db: DB) -> None:
    plant(db, Milestone, "current_value", Decimal(120))

    assert faults(db) == ["the milestone g1 is at 120, above 80"]


def test_reminders_that_differ_from_the_preferences_are_found(db: DB) -> None:
    for who in ("ada", "bob"):
        wrong = Reminder(user_id=who, kind=ReminderKind.WORKOUT, at="07:00", timezone="UTC")
        db(wrong.create())

    found = faults(db)
    assert found[0].startswith("ada wants reminders [")
    assert found[1] == "bob has reminders without preferences"


def test_advice_that_is_given_twice_or_half_applied_is_found(db: DB) -> None:
    for name in ("r1", "r2"):
        advice = WorkoutRecommendation(
            id=name,
            user_id="ada",
            recommendation_type="rest",
            title="Rest",
            description="Take a day off.",
            reasoning="You trained a lot.",
            priority=4,
            expires_at=NOW.replace(year=2040),
        )
        db(advice.create())
    *_, second = db.each(WorkoutRecommendation.scan())
    db(second.update().set(lambda each: each.is_applied).to(value=True))

    found = faults(db)
    assert found[0].startswith("ada got the advice rest 2 times on ")
    assert found[1] == "the recommendation r2 is both applied and open"


def test_remaining_records_of_a_deleted_account_are_found(db: DB) -> None:
    plant(db, UserProfile, "deleting_since", NOW)

    found = faults(db)
    assert "ada has left, but a WorkoutSession remains" in found
    assert "ada has left, but a Reminder remains" in found


def test_a_workout_that_was_finished_twice_is_found(db: DB) -> None:
    crowd = GymCoach()
    for _ in range(2):
        crowd.was_finished("s1")

    assert faults(db, crowd) == ["s1 was finished 2 times"]
