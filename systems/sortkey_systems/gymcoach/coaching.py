"""Coaching: rules are held against how the last workouts went, and advise where they hold."""

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal
from enum import StrEnum
from hashlib import blake2b
from typing import Any, TypeAlias

from sortkey import DB, AlreadyExists, TransactionFailed, WriteFailed
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
from sortkey_systems.gymcoach.errors import AccountGone, RuleUnusable, refusing_bad_input
from sortkey_systems.gymcoach.keeping import add, find, written

LONGEST_WINDOW = 366
# Of characters, so that a recommendation can say what was asked for.
LONGEST_VALUE = 1_000
_HUNDREDTH = Decimal("0.01")
_FIRST_DAY = date(1970, 1, 1)

# A number, a text or several texts; None where the last days have nothing to tell.
Value: TypeAlias = Decimal | str | tuple[str, ...] | None


class Operator(StrEnum):
    """How a condition compares."""

    GREATER = ">"
    AT_LEAST = ">="
    LESS = "<"
    AT_MOST = "<="
    EQUAL = "=="
    UNEQUAL = "!="
    IN = "in"  # a text is one of several
    CONTAINS = "contains"  # several texts have one among them


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
    """Something that a condition can be about: what it is of, and how it is compared."""

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


def _mean(values: Iterable[Decimal | int | None]) -> Decimal | None:
    told = [Decimal(value) for value in values if value is not None]
    if not told:
        return None
    return (sum(told, Decimal(0)) / len(told)).quantize(_HUNDREDTH, ROUND_HALF_UP)


def _of_workouts(select: Callable[[Performance], Decimal | int | None]) -> Field:
    """The mean over workouts."""
    return Field(lambda _, done: _mean(select(workout) for workout in done), _NUMBER)


def _of_exercises(select: Callable[[Any], Decimal | int | None]) -> Field:
    """The mean over the exercises of all workouts."""
    return Field(
        lambda _, done: _mean(select(e) for workout in done for e in workout.exercises), _NUMBER
    )


FIELDS: Mapping[str, Field] = {
    "completion_rate": _of_workouts(lambda workout: workout.completion_rate),
    "overall_rating": _of_workouts(lambda workout: workout.overall_rating),
    "difficulty_perceived": _of_workouts(lambda workout: workout.difficulty_perceived),
    "perceived_difficulty": _of_exercises(lambda exercise: exercise.perceived_difficulty),
    "form_rating": _of_exercises(lambda exercise: exercise.form_rating),
    "average_reps": _of_exercises(lambda exercise: exercise.average_reps),
    "average_weight": _of_exercises(lambda exercise: exercise.average_weight),
    "workout_count": Field(lambda _, done: Decimal(len(done)), _NUMBER),
    "sets_completed": Field(
        lambda _, done: Decimal(sum(e.sets_completed for w in done for e in w.exercises)), _NUMBER
    ),
    "experience_level": Field(lambda fitness, _: fitness.experience_level.value, _TEXT),
    "fitness_goals": Field(lambda fitness, _: tuple(fitness.fitness_goals), _TEXTS),
}


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What was recommended that was not before, and the rules that could not be evaluated."""

    recommended: tuple[WorkoutRecommendation, ...] = ()
    unusable: tuple[RuleUnusable, ...] = ()


def add_rule(db: DB, rule: CoachingRule) -> CoachingRule:
    """The rule, where it can be evaluated."""
    refuse_unusable(rule)
    return add(db, coaching_rules, rule)


def evaluate(db: DB, user_id: str) -> Evaluation:
    """Recommend what the active rules advise, once for each rule and window.

    A rule that cannot be evaluated is told and hinders no other.
    """
    fitness = find(db, fitness_profiles, user_id)
    recommended: list[WorkoutRecommendation] = []
    unusable: list[RuleUnusable] = []
    for rule in db(active_rules()):
        try:
            advice = advised(rule, fitness, now_to_the_second().date())
        except RuleUnusable as error:
            unusable.append(error)
            continue
        given = None if advice is None else _given(db, advice)
        if given is not None:
            recommended.append(given)
    return Evaluation(tuple(recommended), tuple(unusable))


def _given(db: DB, advice: WorkoutRecommendation) -> WorkoutRecommendation | None:
    """The advice as it is stored; none where its window had it, also if it was deleted since."""
    with refusing_bad_input():
        giving = give_advice(advice)
    try:
        db(giving)
    except TransactionFailed as failed:
        *there, account = failed.failures
        if isinstance(account, WriteFailed):
            raise AccountGone(advice.user_id) from None
        if any(isinstance(failure, AlreadyExists) for failure in there):
            return None  # perhaps by somebody who evaluated at the same time
        raise
    return written(giving)


def advised(
    rule: CoachingRule, fitness: UserFitnessProfile, today: date
) -> WorkoutRecommendation | None:
    """The recommendation of a rule that holds; its id is that of the user, rule and window."""
    field, compared = refuse_unusable(rule)
    condition, action = rule.condition, rule.action
    first = today - timedelta(days=condition.time_window)
    done = [workout for workout in fitness.recent_performance if first < workout.date <= today]
    found = field.measure(fitness, done)
    if found is None or not _COMPARISONS[compared](found, condition.value):
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
            f"and {condition.operator} {_shown(condition.value)} was asked for."
        ),
        priority=rule.priority,
        expires_at=now + timedelta(days=condition.time_window),
        metadata=RecommendationMetadata(
            # The more workouts it rests on, the surer.
            confidence_score=(1 - Decimal(1) / (1 + len(done))).quantize(_HUNDREDTH),
            impact_level=_impact(rule.priority),
            category=rule.rule_type,
        ),
        parameters=action.parameters or None,
    )


def refuse_unusable(rule: CoachingRule) -> tuple[Field, Operator]:
    """What a rule's condition is about and how it compares; `RuleUnusable` says what is wrong."""
    condition = rule.condition
    field = FIELDS.get(condition.field)
    if field is None:
        known = ", ".join(FIELDS)
        raise RuleUnusable(rule.id, "field", f"{condition.field} is none of {known}")
    compared = next((op for op in field.operators if op == condition.operator), None)
    if compared is None:
        fitting = " ".join(field.operators)
        raise RuleUnusable(
            rule.id, "operator", f"{condition.operator} does not fit {condition.field}: {fitting}"
        )
    wanted = field.operators[compared]
    if not isinstance(condition.value, wanted):
        raise RuleUnusable(rule.id, "value", f"{condition.field} {compared} takes {_NAMES[wanted]}")
    if len(_shown(condition.value)) > LONGEST_VALUE:
        raise RuleUnusable(rule.id, "value", f"has over {LONGEST_VALUE:,} characters")
    if not 1 <= condition.time_window <= LONGEST_WINDOW:
        raise RuleUnusable(rule.id, "time_window", f"wants 1 to {LONGEST_WINDOW} days")
    return field, compared


_NAMES: Mapping[type[Any], str] = {Decimal: "a number", str: "a text", list: "a list of texts"}


def window_of(today: date, days: int) -> date:
    """The first day of the window that a day is in: they follow each other from 1970 on."""
    return today - timedelta(days=(today - _FIRST_DAY).days % days)


def _id(user_id: str, rule: CoachingRule, today: date) -> str:
    days = rule.condition.time_window
    # No id has a #, so that no two of these texts are alike.
    text = f"{user_id}#{rule.id}#{days}#{window_of(today, days)}"
    return f"rule-{blake2b(text.encode(), digest_size=16).hexdigest()}"


def _impact(priority: int) -> Any:
    return "low" if priority < 3 else "medium" if priority < 5 else "high"  # noqa: PLR2004 - of 1 to 5


def _shown(value: Value | list[str]) -> str:
    return ", ".join(value) if isinstance(value, tuple | list) else str(value)
