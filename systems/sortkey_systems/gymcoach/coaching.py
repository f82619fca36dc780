"""Evaluate coaching rules on recent workouts, and recommend where their conditions hold."""

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal
from enum import StrEnum
from fractions import Fraction
from hashlib import blake2b
from typing import Any, TypeAlias

from sortkey import DB, AlreadyExists, RecordError, TransactionFailed
from sortkey_systems.gymcoach.crud import add, find, written
from sortkey_systems.gymcoach.design.coaching import (
    CoachingRule,
    RecommendationMetadata,
    WorkoutRecommendation,
    active_rules,
    coaching_rules,
    give_advice,
)
from sortkey_systems.gymcoach.design.people import Performance, UserFitnessProfile, fitness_profiles
from sortkey_systems.gymcoach.design.table import now_to_the_second
from sortkey_systems.gymcoach.errors import AccountNotFound, InvalidRule, raising_bad_input
from sortkey_systems.gymcoach.scales import shown

MAX_WINDOW = 366
# In characters, so that the reasoning of a recommendation can contain the value.
MAX_VALUE_LENGTH = 1_000
_HUNDREDTH = Decimal("0.01")
# In a text; comparisons are exact.
_SHOWN = Decimal("0.0001")
_FIRST_DAY = date(1970, 1, 1)

# An exact number, a string or several strings; None if the time window has no data.
Value: TypeAlias = Fraction | str | tuple[str, ...] | None


class Operator(StrEnum):
    """The comparison of a condition."""

    GREATER = ">"
    AT_LEAST = ">="
    LESS = "<"
    AT_MOST = "<="
    EQUAL = "=="
    UNEQUAL = "!="
    IN = "in"  # a string is one of several
    CONTAINS = "contains"  # several strings have one among them


_COMPARISONS: Mapping[Operator, Callable[[Any, Any], bool]] = {
    Operator.GREATER: operator.gt,
    Operator.AT_LEAST: operator.ge,
    Operator.LESS: operator.lt,
    Operator.AT_MOST: operator.le,
    Operator.EQUAL: operator.eq,
    Operator.UNEQUAL: operator.ne,
    Operator.IN: lambda found, wanted: found in wanted,
    Operator.CONTAINS: lambda found, wanted: wanted in found,
}


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a condition: how to measure it, and its operators."""

    measure: Callable[[UserFitnessProfile, Sequence[Performance]], Value]
    operators: Mapping[Operator, type[Any]]


_NUMBER: Mapping[Operator, type[Any]] = {
    op: Decimal for op in Operator if op not in {Operator.IN, Operator.CONTAINS}
}
_TEXT: Mapping[Operator, type[Any]] = {
    Operator.EQUAL: str,
    Operator.UNEQUAL: str,
    Operator.IN: list,
}
_TEXTS: Mapping[Operator, type[Any]] = {Operator.CONTAINS: str}


def _mean(values: Iterable[Decimal | int | None]) -> Fraction | None:
    known = [Fraction(value) for value in values if value is not None]
    return sum(known, Fraction(0)) / len(known) if known else None


def _mean_of_workouts(select: Callable[[Performance], Decimal | int | None]) -> Field:
    """Return a field that is a mean over workouts."""
    return Field(lambda _, done: _mean(select(workout) for workout in done), _NUMBER)


def _mean_of_exercises(select: Callable[[Any], Decimal | int | None]) -> Field:
    """Return a field that is a mean over the exercises of all workouts."""
    return Field(
        lambda _, done: _mean(select(e) for workout in done for e in workout.exercises), _NUMBER
    )


FIELDS: Mapping[str, Field] = {
    "completion_rate": _mean_of_workouts(lambda workout: workout.completion_rate),
    "overall_rating": _mean_of_workouts(lambda workout: workout.overall_rating),
    "difficulty_perceived": _mean_of_workouts(lambda workout: workout.difficulty_perceived),
    "perceived_difficulty": _mean_of_exercises(lambda exercise: exercise.perceived_difficulty),
    "form_rating": _mean_of_exercises(lambda exercise: exercise.form_rating),
    "average_reps": _mean_of_exercises(lambda exercise: exercise.average_reps),
    "average_weight": _mean_of_exercises(lambda exercise: exercise.average_weight),
    "workout_count": Field(lambda _, done: Fraction(len(done)), _NUMBER),
    "sets_completed": Field(
        lambda _, done: Fraction(sum(e.sets_completed for w in done for e in w.exercises)), _NUMBER
    ),
    "experience_level": Field(lambda fitness, _: fitness.experience_level.value, _TEXT),
    "fitness_goals": Field(lambda fitness, _: tuple(fitness.fitness_goals), _TEXTS),
}


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The new recommendations, and the rules that cannot be evaluated."""

    recommendations: tuple[WorkoutRecommendation, ...] = ()
    invalid_rules: tuple[InvalidRule, ...] = ()


def add_rule(db: DB, rule: CoachingRule) -> CoachingRule:
    """Create a rule that can be evaluated."""
    validate_rule(rule)
    return add(db, coaching_rules, rule)


def evaluate(db: DB, user_id: str) -> Evaluation:
    """Evaluate the active rules; each recommends at most once in its time window.

    A rule that cannot be evaluated is reported, and the others are still evaluated.
    """
    fitness = find(db, fitness_profiles, user_id)
    recommendations: list[WorkoutRecommendation] = []
    invalid_rules: list[InvalidRule] = []
    for rule in db(active_rules()):
        try:
            advice = recommend(rule, fitness, now_to_the_second().date())
        except InvalidRule as error:
            invalid_rules.append(error)
            continue
        stored = None if advice is None else _store(db, advice)
        if stored is not None:
            recommendations.append(stored)
    return Evaluation(tuple(recommendations), tuple(invalid_rules))


def _store(db: DB, advice: WorkoutRecommendation) -> WorkoutRecommendation | None:
    """Store a recommendation; return None if the rule already recommended in this window."""
    with raising_bad_input():
        creation = give_advice(advice)
    try:
        db(creation)
    except TransactionFailed as failed:
        *existing, account = failed.failures
        if isinstance(account, RecordError):
            raise AccountNotFound(advice.user_id) from None
        if any(isinstance(failure, AlreadyExists) for failure in existing):
            return None
        raise
    return written(creation)


def recommend(
    rule: CoachingRule, fitness: UserFitnessProfile, today: date
) -> WorkoutRecommendation | None:
    """Return the recommendation of a rule, or None if its condition does not hold.

    The id is derived from the user, the rule and the time window.
    """
    field, compared = validate_rule(rule)
    condition, action = rule.condition, rule.action
    first = today - timedelta(days=condition.time_window)
    done = [workout for workout in fitness.recent_performance if first < workout.date <= today]
    found = field.measure(fitness, done)
    if found is None or not _COMPARISONS[compared](found, _exact(condition.value)):
        return None
    now = now_to_the_second()
    return WorkoutRecommendation(
        id=_id(fitness.user_id, rule, today),
        user_id=fitness.user_id,
        recommendation_type=action.action_type,
        title=action.action_type.replace("_", " ").capitalize(),
        description=action.message,
        reasoning=(
            f"{condition.field} was {_shown(found)} over {condition.time_window} days, "
            f"and the rule requires {condition.operator} {_shown(condition.value)}."
        ),
        priority=rule.priority,
        expires_at=now + timedelta(days=condition.time_window),
        metadata=RecommendationMetadata(
            # More workouts give more confidence.
            confidence_score=(1 - Decimal(1) / (1 + len(done))).quantize(_HUNDREDTH),
            impact_level=_impact(rule.priority),
            category=rule.rule_type,
        ),
        parameters=action.parameters or None,
    )


def validate_rule(rule: CoachingRule) -> tuple[Field, Operator]:
    """Return the field and the operator of a rule's condition, or raise `InvalidRule`."""
    condition = rule.condition
    field = FIELDS.get(condition.field)
    if field is None:
        known = ", ".join(FIELDS)
        raise InvalidRule(rule.id, "field", f"{condition.field} is not one of {known}")
    compared = next((op for op in field.operators if op == condition.operator), None)
    if compared is None:
        fitting = " ".join(field.operators)
        raise InvalidRule(rule.id, "operator", f"{condition.operator} is not one of {fitting}")
    wanted = field.operators[compared]
    if not isinstance(condition.value, wanted):
        raise InvalidRule(
            rule.id, "value", f"{condition.field} {compared} requires {_NAMES[wanted]}"
        )
    if len(_shown(condition.value)) > MAX_VALUE_LENGTH:
        raise InvalidRule(rule.id, "value", f"must have at most {MAX_VALUE_LENGTH:,} characters")
    if not 1 <= condition.time_window <= MAX_WINDOW:
        raise InvalidRule(rule.id, "time_window", f"must be 1 to {MAX_WINDOW} days")
    return field, compared


_NAMES: Mapping[type[Any], str] = {Decimal: "a number", str: "a string", list: "a list of strings"}


def window_of(today: date, days: int) -> date:
    """Return the first day of the window that a day is in; windows are counted from 1970."""
    return today - timedelta(days=(today - _FIRST_DAY).days % days)


def _id(user_id: str, rule: CoachingRule, today: date) -> str:
    days = rule.condition.time_window
    # Ids contain no #, so these texts are unique.
    text = f"{user_id}#{rule.id}#{days}#{window_of(today, days)}"
    return f"rule-{blake2b(text.encode(), digest_size=16).hexdigest()}"


def _impact(priority: int) -> Any:
    return "low" if priority < 3 else "medium" if priority < 5 else "high"  # noqa: PLR2004 - of 1 to 5


def _exact(value: Decimal | str | list[str]) -> Fraction | str | list[str]:
    return Fraction(value) if isinstance(value, Decimal) else value


def _shown(value: Value | Decimal | list[str]) -> str:
    match value:
        case Fraction():
            places = Decimal(value.numerator) / Decimal(value.denominator)
            return str(shown(places.quantize(_SHOWN, ROUND_HALF_UP)))
        case tuple() | list():
            return ", ".join(value)
        case _:
            return str(value)
