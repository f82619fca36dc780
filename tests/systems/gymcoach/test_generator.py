"""Generated people keep every rule of the services, and are the same each time."""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import cache

from tests.systems.gymcoach.people import KEYS, MORNING, everything, population

from sortkey import DB, Entity, load_design
from sortkey.access.filling import fill
from sortkey.testing import clock
from sortkey_systems.gymcoach.design import (
    Milestone,
    NotificationPreferences,
    NotificationRecord,
    Reminder,
    StrengthProgress,
    UserFitnessProfile,
    UserProfile,
    WorkoutRecommendation,
    WorkoutSession,
)
from sortkey_systems.gymcoach.finishing import best_weights
from sortkey_systems.gymcoach.generator import TABLES, records
from sortkey_systems.gymcoach.reminding import reminders_of


@cache
def people() -> list[Sequence[Entity]]:
    return population(60)


def of(group: Sequence[Entity], kind: type) -> list[Entity]:
    return [record for record in group if type(record) is kind]


def test_the_same_seed_makes_the_same_people_and_another_others() -> None:
    again = population(5, seed=1)
    assert again == population(5, seed=1)
    assert population(5, seed=2) != again


def test_the_records_are_of_the_days_before_today() -> None:
    for moment in (MORNING, datetime(2027, 7, 4, 12, tzinfo=UTC)):
        with clock(moment.timestamp):
            sessions = [r for group in records(8) for r in of(group, WorkoutSession)]
        latest = max(s.started_at for s in sessions if isinstance(s, WorkoutSession))
        assert timedelta(0) < moment - latest < timedelta(hours=1), "one is under way"


def test_every_record_can_be_stored_and_no_two_have_one_key() -> None:
    made = [record for group in people()[:20] for record in group]
    with DB.memory(*TABLES, secrets=KEYS) as db:
        fill(db, made)
        assert len(everything(db)) == len(made)


def test_every_entity_is_met() -> None:
    kinds = {type(record).__name__ for group in people() for record in group}
    assert kinds == {kind.name for kind in load_design("sortkey_systems.gymcoach.design").kinds}


def test_some_train_far_more_than_others() -> None:
    sizes = sorted(len(of(group, WorkoutSession)) for group in people())
    assert sizes[-1] > 10 * sizes[len(sizes) // 2]


def test_each_fitness_profile_is_what_its_workouts_came_to() -> None:
    for group in people():
        sessions = [r for r in group if isinstance(r, WorkoutSession) and r.completed_at]
        [fitness] = [r for r in group if isinstance(r, UserFitnessProfile)]
        assert [p.workout_id for p in fitness.recent_performance] == [s.id for s in sessions][-20:]
        best = Counter[str]()
        for session in sessions:
            for exercise_id, weight in best_weights(session).items():
                best[exercise_id] = max(best[exercise_id], weight)  # pyright: ignore[reportArgumentType]
        assert fitness.current_strength_levels == best


def test_strength_ends_where_the_fitness_profile_is() -> None:
    for group in people():
        [fitness] = [r for r in group if isinstance(r, UserFitnessProfile)]
        latest = {
            r.exercise_id: r.current_max_weight
            for r in sorted(
                (r for r in group if isinstance(r, StrengthProgress)),
                key=lambda r: r.current_max_weight,
            )
        }
        assert latest == fitness.current_strength_levels
        for record in group:
            if isinstance(record, StrengthProgress):
                rose = record.current_max_weight - record.previous_max_weight
                assert record.weight_increase == rose > 0


def test_milestones_are_as_far_as_the_best_weights() -> None:
    reached: list[bool] = []
    for group in people():
        [fitness] = [r for r in group if isinstance(r, UserFitnessProfile)]
        levels = fitness.current_strength_levels
        for goal in (r for r in group if isinstance(r, Milestone) and r.exercise_id):
            assert goal.current_value == levels.get(goal.exercise_id or "", 0)
            assert goal.achieved == (goal.current_value >= goal.target_value)
            assert (goal.progress_percentage == 100) == goal.achieved
            reached.append(goal.achieved)
    assert {*reached} == {True, False}


def test_reminders_are_those_of_the_preferences() -> None:
    for group in people():
        [chosen] = [r for r in group if isinstance(r, NotificationPreferences)]
        assert of(group, Reminder) == reminders_of(chosen)


def test_nothing_has_expired_and_everybody_has_an_account() -> None:
    for group in people():
        [profile] = [r for r in group if isinstance(r, UserProfile)]
        for record in group:
            assert getattr(record, "user_id", profile.user_id) == profile.user_id
            if isinstance(record, NotificationRecord | WorkoutRecommendation):
                assert record.ttl is not None
                assert record.ttl > MORNING


def test_the_values_that_break_designs_are_met() -> None:
    made = [record for group in people() for record in group]
    users = {r.user_id for r in made if isinstance(r, UserProfile)}
    assert {"user1", "user10", "user12"} < users
    starts = Counter((r.user_id, r.started_at) for r in made if isinstance(r, WorkoutSession))
    assert max(starts.values()) > 1, "two in one second"
    days = Counter((r.user_id, r.started_at.date()) for r in made if isinstance(r, WorkoutSession))
    assert max(days.values()) > 1, "two on one day"
    assert any(not r.name.isascii() for r in made if isinstance(r, UserProfile))
    assert any(r.completed_at is None for r in made if isinstance(r, WorkoutSession))
