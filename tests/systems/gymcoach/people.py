"""Shared steps of GymCoach's tests."""

import json
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, cast

from tests.access.executors import stored_items

from sortkey import DB, Entity, Keyring, LocalKey
from sortkey.testing import clock
from sortkey.wire.values import AttributeValue, Item
from sortkey_systems.gymcoach.accounts import register
from sortkey_systems.gymcoach.crud import add, find
from sortkey_systems.gymcoach.design import (
    CoachingRule,
    GymCoach,
    Milestone,
    PerformedExercise,
    PerformedSet,
    RuleAction,
    RuleCondition,
    UserFitnessProfile,
    UserProfile,
    WorkoutRecommendation,
    WorkoutSession,
    fitness_profiles,
    milestones,
    workout_recommendations,
)
from sortkey_systems.gymcoach.generator import records
from sortkey_systems.gymcoach.training import start_session

KEYS = Keyring(LocalKey.new("tests"))
# Far enough ahead that no engine removes anything by its own clock.
MORNING = datetime(2032, 3, 1, 9, 30, tzinfo=UTC)
# The records of the schema document, by entity.
SAMPLES: dict[str, dict[str, Any]] = json.loads(
    Path(__file__).with_name("samples.json").read_text("utf-8"), parse_float=Decimal
)


def joined(db: DB, user_id: str = "ada") -> UserProfile:
    """Register a user and return the account."""
    return register(db, user_id, email=f"{user_id}@example.org", name=user_id.title())


def lifted(exercise_id: str = "squat", *weights: int | str, done: bool = True) -> PerformedExercise:
    """An exercise with a set for each weight."""
    return PerformedExercise(
        exercise_id=exercise_id,
        name=exercise_id.title(),
        sets=[
            PerformedSet(set_number=n, reps=8, weight=Decimal(weight), completed=done)
            for n, weight in enumerate(weights, 1)
        ],
        order=1,
    )


def started(
    db: DB, session_id: str, *exercises: PerformedExercise, user_id: str = "ada"
) -> WorkoutSession:
    """A workout with these exercises, which is not finished."""
    return start_session(
        db, user_id, name="Legs", exercises=[*exercises], session_id=session_id, started_at=MORNING
    )


def goal(db: DB, goal_id: str, target: int, exercise_id: str | None = "squat") -> Milestone:
    """A milestone of Ada's."""
    return add(
        db,
        milestones,
        Milestone(
            id=goal_id,
            user_id="ada",
            milestone_type="strength",
            title=f"{target} kg",
            exercise_id=exercise_id,
            target_value=Decimal(target),
        ),
    )


def fitness(db: DB, user_id: str = "ada") -> UserFitnessProfile:
    """The fitness profile as it is stored."""
    return find(db, fitness_profiles, user_id)


def rule(rule_id: str = "more", **condition: Any) -> CoachingRule:
    """A rule that advises more where workouts are completed."""
    defaults: dict[str, Any] = {
        "field": "completion_rate",
        "operator": ">=",
        "value": Decimal("0.9"),
        "time_window": 7,
    }
    return CoachingRule(
        id=rule_id,
        rule_type="progression",
        condition=RuleCondition(**(defaults | condition)),
        action=RuleAction(
            action_type="increase_difficulty",
            parameters={"weight_increase": Decimal("0.05")},
            message="Well done.",
        ),
        priority=3,
    )


def advice(db: DB, advice_id: str = "r1", user_id: str = "ada") -> WorkoutRecommendation:
    """A recommendation that is open."""
    return add(
        db,
        workout_recommendations,
        WorkoutRecommendation(
            id=advice_id,
            user_id=user_id,
            recommendation_type="rest",
            title="Rest",
            description="Take a day off.",
            reasoning="You trained a lot.",
            priority=4,
            expires_at=MORNING.replace(day=8),
        ),
    )


def population(users: int, *, seed: int = 1) -> list[Sequence[Entity]]:
    """Return the generated records of each user, as of the morning of the tests."""
    with clock(MORNING.timestamp):
        return list(records(users, seed=seed))


def generated(users: int, most: int) -> list[Entity]:
    """Generated records, of each kind at most so many for a user; for user3 ten times more."""
    kept: Counter[tuple[str, type]] = Counter()
    chosen: list[Entity] = []
    for record in (record for group in population(users) for record in group):
        owner = record.__dict__.get("user_id", "")
        kept[owner, type(record)] += 1
        if kept[owner, type(record)] <= (10 * most if owner in {"user3", ""} else most):
            chosen.append(record)
    return chosen


def everything(db: DB) -> list[Item]:
    """All that is stored."""
    return stored_items(db, GymCoach)


def remaining(db: DB) -> list[Item]:
    """All that is stored, except what names nobody: finished deletions, and the index search."""
    nobody = {"FinishedDeletion", "IndexSearch"}
    return [item for item in everything(db) if item["_type"]["S"] not in nobody]


def stored(value: Any) -> AttributeValue:
    """A value of the document as DynamoDB stores it."""
    match value:
        case None:
            return {"NULL": True}
        case bool():
            return {"BOOL": value}
        case int() | Decimal():
            return {"N": str(value)}
        case str():
            return {"S": value}
        case list():
            return {"L": [stored(member) for member in cast("list[Any]", value)]}
        case _:
            return {"M": {name: stored(member) for name, member in value.items()}}
