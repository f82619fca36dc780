"""The rules that GymCoach begins with advise whom they are meant for."""

from datetime import timedelta
from decimal import Decimal
from itertools import groupby
from typing import Any

import pytest
from tests.systems.gymcoach.people import MORNING

from sortkey.testing import clock
from sortkey_systems.gymcoach.coaching import recommend
from sortkey_systems.gymcoach.design import (
    ExercisePerformance,
    Level,
    Performance,
    UserFitnessProfile,
    WorkoutRecommendation,
)
from sortkey_systems.gymcoach.library import rules

TODAY = MORNING.date()
RULES = {rule.id: rule for rule in rules(MORNING)}


def advice(
    rule_id: str, days_ago: int, form: int = 5, **fields: Any
) -> WorkoutRecommendation | None:
    """Return the recommendation for an advanced user with one workout, ``days_ago``."""
    squat = ExercisePerformance(
        exercise_id="squat",
        sets_completed=1,
        total_sets=1,
        average_reps=Decimal(8),
        form_rating=form,
    )
    usual: dict[str, Any] = {"completion_rate": Decimal("0.5")}
    workout = Performance(
        workout_id="s1",
        date=TODAY - timedelta(days=days_ago),
        exercises=[squat],
        **(usual | fields),
    )
    fitness = UserFitnessProfile(
        user_id="ada", experience_level=Level.ADVANCED, recent_performance=[workout]
    )
    with clock(MORNING.timestamp):
        return recommend(RULES[rule_id], fitness, TODAY)


@pytest.mark.parametrize(
    ("rule_id", "days", "enough", "too_little"),
    [
        ("more", 7, {"completion_rate": Decimal("0.9")}, {"completion_rate": Decimal("0.89")}),
        ("easier", 14, {"difficulty_perceived": 5}, {"difficulty_perceived": 4}),
        ("form", 14, {"form": 2}, {"form": 3}),
        ("retired", 7, {"overall_rating": 5}, {"overall_rating": 4}),
    ],
)
def test_a_rule_looks_at_its_days_and_no_further(
    rule_id: str, days: int, enough: dict[str, Any], too_little: dict[str, Any]
) -> None:
    assert advice(rule_id, days - 1, **enough)
    assert not advice(rule_id, days, **enough)
    assert not advice(rule_id, 0, **too_little)


def test_a_user_without_a_workout_for_a_week_is_invited_back() -> None:
    assert advice("come-back", 7)
    assert not advice("come-back", 6)


def test_newcomers_are_encouraged_for_four_weeks() -> None:
    newcomer = UserFitnessProfile(user_id="eve", experience_level=Level.BEGINNER)
    with clock(MORNING.timestamp):
        made = recommend(RULES["newcomers"], newcomer, TODAY)
    assert made is not None
    assert made.expires_at == MORNING + timedelta(weeks=4)
    assert not advice("newcomers", 0)


def test_rest_matters_most_and_encouragement_least_of_five() -> None:
    ranked = sorted(RULES.values(), key=lambda rule: (-rule.priority, rule.id))
    by_rank = groupby(ranked, key=lambda rule: rule.priority)
    assert {rank: [rule.id for rule in among] for rank, among in by_rank} == {
        5: ["easier"],
        4: ["come-back", "form"],
        3: ["more"],
        2: ["retired"],
        1: ["newcomers"],
    }


def test_a_retired_rule_is_inactive() -> None:
    assert [rule.id for rule in RULES.values() if not rule.is_active] == ["retired"]
