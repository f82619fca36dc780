"""Rules advise where they hold, once for each user, rule and window."""

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.systems.gymcoach.people import MORNING, everything, fitness, joined, rule, started
from tests.systems.watch import Watch

from sortkey import DB
from sortkey.testing import clock
from sortkey_systems.gymcoach.coaching import (
    FIELDS,
    MAX_WINDOW,
    Operator,
    add_rule,
    evaluate,
    recommend,
    validate_rule,
    window_of,
)
from sortkey_systems.gymcoach.crud import add, change, find, remove
from sortkey_systems.gymcoach.design import (
    ExercisePerformance,
    Level,
    Performance,
    PerformedExercise,
    PerformedSet,
    UserFitnessProfile,
    active_rules,
    coaching_rules,
    fitness_profiles,
    open_recommendations,
    workout_recommendations,
)
from sortkey_systems.gymcoach.errors import (
    AccountNotFound,
    InvalidRule,
    RecordChanged,
    RecordNotFound,
)
from sortkey_systems.gymcoach.finishing import finish
from sortkey_systems.gymcoach.recommending import apply

TODAY = MORNING.date()


def performance(days_ago: int = 0, **fields: Any) -> Performance:
    usual: dict[str, Any] = {
        "workout_id": f"s{days_ago}",
        "date": TODAY - timedelta(days=days_ago),
        "completion_rate": Decimal(1),
        "overall_rating": 4,
        "difficulty_perceived": 3,
    }
    return Performance(**(usual | fields))


def profile(*performances: Performance, **fields: Any) -> UserFitnessProfile:
    return UserFitnessProfile(user_id="ada", recent_performance=[*performances], **fields)


def trained(db: DB, *performances: Performance) -> None:
    joined(db)
    change(db, fitness_profiles, fitness(db), recent_performance=[*performances])


def holds(found: UserFitnessProfile, **condition: Any) -> bool:
    with clock(MORNING.timestamp):
        return recommend(rule(**condition), found, TODAY) is not None


def test_a_rule_that_holds_recommends_what_its_action_says(db: DB, watch: Watch) -> None:
    trained(db, performance(1), performance(2), performance(3))
    add_rule(db, rule())

    [made] = evaluate(db, "ada").recommendations

    assert find(db, workout_recommendations, made.id) == made
    assert made.recommendation_type == "increase_difficulty"
    assert (made.title, made.description) == ("Increase difficulty", "Well done.")
    assert made.reasoning == ("completion_rate was 1 over 7 days, and the rule requires >= 0.9.")
    assert made.expires_at == made.ttl == watch.now + timedelta(days=7)
    assert made.metadata.model_dump() == {
        "confidence_score": Decimal("0.75"),
        "impact_level": "medium",
        "category": "progression",
    }
    assert made.parameters == {"weight_increase": Decimal("0.05")}
    assert [*db(open_recommendations("ada"))] == [made]


@pytest.mark.parametrize(
    ("priority", "impact"),
    [(0, "low"), (2, "low"), (3, "medium"), (4, "medium"), (5, "high"), (999, "high")],
)
def test_the_more_important_a_rule_the_greater_its_impact(priority: int, impact: str) -> None:
    urgent = rule().model_copy(update={"priority": priority})
    made = recommend(urgent, profile(performance(0)), TODAY)
    assert made is not None
    assert (made.priority, made.metadata.impact_level) == (priority, impact)


def test_a_rule_without_parameters_gives_none() -> None:
    plain = rule()
    plain.action.parameters.clear()
    made = recommend(plain, profile(performance(0)), TODAY)
    assert made is not None
    assert made.parameters is None


def test_a_rule_that_does_not_hold_recommends_nothing(db: DB) -> None:
    trained(db, performance(1, completion_rate=Decimal("0.5")))
    add_rule(db, rule())
    assert evaluate(db, "ada").recommendations == ()


def test_it_is_recommended_once_for_each_window(db: DB, watch: Watch) -> None:
    trained(db, performance(0), performance(1))
    add_rule(db, rule(time_window=14))
    # The window that the morning is in, and the one after it.
    first = window_of(TODAY, 14)
    assert len(evaluate(db, "ada").recommendations) == 1
    assert evaluate(db, "ada").recommendations == ()
    watch.wait(days=(first + timedelta(days=13) - TODAY).days)
    assert evaluate(db, "ada").recommendations == ()
    watch.wait(days=1)
    assert len(evaluate(db, "ada").recommendations) == 1


def test_it_is_not_recommended_again_once_it_is_applied(db: DB) -> None:
    trained(db, performance(0))
    add_rule(db, rule())
    [made] = evaluate(db, "ada").recommendations
    apply(db, "ada", made.id)
    assert evaluate(db, "ada").recommendations == ()


def test_advice_has_one_id_in_every_release() -> None:
    """A recommendation made before an update is not made again after it."""
    made = recommend(rule(), profile(performance(0)), TODAY)
    assert made is not None
    assert made.id == "rule-3e0c8d6de5275fd1566e4f0d992ca0c7"


def test_each_user_and_rule_is_advised_for_itself(db: DB) -> None:
    for user_id in ("ada", "eve"):
        joined(db, user_id)
        change(db, fitness_profiles, fitness(db, user_id), recent_performance=[performance()])
    for rule_id in ("r1", "r2"):
        add_rule(db, rule(rule_id))
    made = [r.id for user_id in ("ada", "eve") for r in evaluate(db, user_id).recommendations]
    assert len({*made}) == 4


def test_rules_that_are_not_active_advise_nothing(db: DB) -> None:
    trained(db, performance(0))
    made = add_rule(db, rule())
    change(db, coaching_rules, made, is_active=False)
    assert evaluate(db, "ada").recommendations == ()


def test_a_rule_that_was_switched_off_is_not_switched_on_by_another_change(db: DB) -> None:
    """Its place among the active ones follows from both fields."""
    trained(db, performance(0))
    loaded = add_rule(db, rule())
    change(db, coaching_rules, loaded, is_active=False)

    with pytest.raises(RecordChanged):
        change(db, coaching_rules, loaded, rule_type="other")
    assert list(db(active_rules())) == []


def test_a_rule_that_cannot_be_evaluated_is_reported_and_the_others_are_evaluated(db: DB) -> None:
    trained(db, performance(0))
    add(db, coaching_rules, rule("bad", field="mood"))
    add_rule(db, rule("good"))
    found = evaluate(db, "ada")
    assert len(found.recommendations) == 1
    assert [(error.rule_id, error.part) for error in found.invalid_rules] == [("bad", "field")]


@pytest.mark.parametrize(
    ("condition", "part"),
    [
        ({"field": "mood"}, "field"),
        ({"operator": "~"}, "operator"),
        ({"operator": "in"}, "operator"),
        ({"operator": "contains"}, "operator"),
        ({"field": "experience_level", "operator": ">=", "value": "beginner"}, "operator"),
        ({"field": "fitness_goals", "operator": "==", "value": "run"}, "operator"),
        ({"value": "much"}, "value"),
        ({"value": ["0.9"]}, "value"),
        ({"field": "experience_level", "operator": "==", "value": Decimal(1)}, "value"),
        ({"field": "experience_level", "operator": "in", "value": "beginner"}, "value"),
        ({"field": "experience_level", "operator": "!=", "value": "x" * 1_001}, "value"),
        ({"field": "experience_level", "operator": "in", "value": ["beginner"] * 200}, "value"),
        ({"time_window": 0}, "time_window"),
        ({"time_window": -7}, "time_window"),
        ({"time_window": 367}, "time_window"),
    ],
)
def test_a_rule_that_cannot_be_evaluated_is_refused_with_what_is_wrong(
    memory: DB, condition: dict[str, Any], part: str
) -> None:
    with pytest.raises(InvalidRule) as refused:
        add_rule(memory, rule(**condition))
    assert refused.value.part == part
    assert refused.value.rule_id == "more"
    assert everything(memory) == []


@pytest.mark.parametrize(
    "condition",
    [
        {"time_window": 1},
        {"time_window": 366},
        {"field": "experience_level", "operator": "!=", "value": "x" * 1_000},
    ],
)
def test_a_rule_may_be_as_long_as_it_is_said_to_be(memory: DB, condition: dict[str, Any]) -> None:
    made = add_rule(memory, rule(**condition))
    assert find(memory, coaching_rules, "more") == made


@pytest.mark.parametrize(
    ("operator", "value", "expected"),
    [
        (">", "0.5", False),
        (">", "0.49", True),
        (">=", "0.5", True),
        (">=", "0.51", False),
        ("<", "0.5", False),
        ("<", "0.51", True),
        ("<=", "0.5", True),
        ("<=", "0.49", False),
        ("==", "0.50", True),
        ("==", "0.51", False),
        ("!=", "0.5", False),
        ("!=", "0.51", True),
    ],
)
def test_numbers_compare_as_the_operator_says(operator: str, value: str, *, expected: bool) -> None:
    found = profile(performance(0, completion_rate=Decimal("0.5")))
    assert holds(found, operator=operator, value=Decimal(value)) is expected


def test_texts_compare_as_the_operator_says() -> None:
    found = profile(experience_level=Level.ADVANCED, fitness_goals=["run", "swim"])
    level: dict[str, Any] = {"field": "experience_level"}
    assert holds(found, **level, operator="==", value="advanced")
    assert not holds(found, **level, operator="==", value="beginner")
    assert holds(found, **level, operator="!=", value="beginner")
    assert holds(found, **level, operator="in", value=["advanced", "intermediate"])
    assert not holds(found, **level, operator="in", value=["beginner"])
    assert holds(found, field="fitness_goals", operator="contains", value="swim")
    assert not holds(found, field="fitness_goals", operator="contains", value="sw")


def test_every_operator_fits_some_field_and_every_field_some_operator() -> None:
    assert {op for field in FIELDS.values() for op in field.operators} == set(Operator)
    assert all(field.operators for field in FIELDS.values())


def test_every_field_measures_what_its_name_says() -> None:
    done = performance(
        0,
        exercises=[
            ExercisePerformance(
                exercise_id="squat",
                sets_completed=3,
                total_sets=4,
                average_weight=Decimal(100),
                average_reps=Decimal(8),
                perceived_difficulty=4,
                form_rating=5,
            ),
            ExercisePerformance(
                exercise_id="plank", sets_completed=1, total_sets=1, average_reps=Decimal(2)
            ),
        ],
    )
    found = profile(done, experience_level=Level.ADVANCED, fitness_goals=["run"])
    assert {name: field.measure(found, [done, done]) for name, field in FIELDS.items()} == {
        "completion_rate": 1,
        "overall_rating": 4,
        "difficulty_perceived": 3,
        "perceived_difficulty": 4,
        "form_rating": 5,
        "average_reps": 5,
        "average_weight": 100,
        "workout_count": 2,
        "sets_completed": 8,
        "experience_level": "advanced",
        "fitness_goals": ("run",),
    }


def test_only_the_days_of_the_window_count() -> None:
    found = profile(
        performance(7, completion_rate=Decimal(0)),
        performance(6),
        performance(0),
        performance(-1, completion_rate=Decimal(0)),
    )
    assert holds(found, operator="==", value=Decimal(1))
    assert not holds(found, operator="==", value=Decimal(1), time_window=8)


def test_without_workouts_only_their_number_has_a_value() -> None:
    assert not holds(profile(), operator=">=", value=Decimal(0))
    assert holds(profile(), field="workout_count", operator="<", value=Decimal(1))


def test_windows_begin_with_1970() -> None:
    assert window_of(date(1970, 1, 8), 7) == date(1970, 1, 8)
    assert window_of(date(1970, 1, 31), 30) == date(1970, 1, 31)


@given(day=st.dates(date(1970, 1, 1), date(2100, 1, 1)), days=st.integers(1, MAX_WINDOW))
def test_every_day_is_in_one_window_and_windows_follow_each_other(day: date, days: int) -> None:
    first = window_of(day, days)
    assert timedelta(0) <= day - first < timedelta(days=days)
    assert window_of(first, days) == first
    assert window_of(first + timedelta(days=days), days) == first + timedelta(days=days)


def test_a_missing_fitness_profile_or_account_raises(db: DB) -> None:
    with pytest.raises(RecordNotFound):
        evaluate(db, "ada")
    db(profile(performance(0)).create())
    add_rule(db, rule())
    with pytest.raises(AccountNotFound):
        evaluate(db, "ada")


def test_a_deleted_recommendation_does_not_come_back_within_its_window(
    db: DB, watch: Watch
) -> None:
    trained(db, performance(0), performance(-7))
    add_rule(db, rule())
    [made] = evaluate(db, "ada").recommendations
    remove(db, workout_recommendations, made)
    last = window_of(TODAY, 7) + timedelta(days=6)
    watch.now = datetime.combine(last, time(23, 59, 59), UTC)
    assert evaluate(db, "ada").recommendations == ()
    watch.wait(seconds=1)
    assert len(evaluate(db, "ada").recommendations) == 1


def test_a_usable_rule_is_said_to_be() -> None:
    assert validate_rule(rule())[1] is Operator.AT_LEAST


@pytest.mark.parametrize(
    ("done", "fires"), [(((9, 10), (89, 100)), False), (((179, 200),), False), (((9, 10),), True)]
)
def test_a_mean_is_compared_exactly(db: DB, done: tuple[tuple[int, int], ...], fires: bool) -> None:
    """0.895 is less than 0.9, whether it is a mean of workouts or of the sets of one."""
    joined(db)
    add_rule(db, rule())
    for number, (completed, total) in enumerate(done):
        exercises = [
            PerformedExercise(
                exercise_id=f"e{first}",
                name="Squat",
                sets=[
                    PerformedSet(set_number=n + 1, reps=5, completed=n < completed)
                    for n in range(first, min(first + 50, total))
                ],
                order=1,
            )
            for first in range(0, total, 50)
        ]
        started(db, f"s{number}", *exercises)
        finish(db, "ada", f"s{number}")

    assert bool(evaluate(db, "ada").recommendations) is fires
