"""The initial exercises and coaching rules."""

from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal

from sortkey_systems.gymcoach.design import CoachingRule, Exercise, Level, RuleAction, RuleCondition

# Id, name, category, muscles and equipment.
EXERCISES = (
    ("bench-press", "Bench press", "strength", ("chest", "triceps"), ("barbell", "bench")),
    ("squat", "Squat", "strength", ("legs", "glutes"), ("barbell",)),
    ("deadlift", "Deadlift", "strength", ("back", "legs"), ("barbell",)),
    ("overhead-press", "Overhead press", "strength", ("shoulders",), ("barbell",)),
    ("row", "Row", "strength", ("back",), ("dumbbells",)),
    ("push-up", "Push-up", "strength", ("chest",), ("bodyweight",)),
    ("plank", "Plank", "core", ("core",), ("bodyweight",)),
    ("burpee", "Burpee", "cardio", ("legs", "core"), ("bodyweight",)),
    ("cyclo-ergo", "Vélo d'appartement", "cardio", ("legs",), ("ergometer",)),
    ("pigeon", "Pigeon pose", "mobility", ("hips",), ("yoga mat",)),
)
# By category.
_TIPS = {"strength": "Keep the core tight"}
# Id, type, condition, days, priority, is active.
_RULES = (
    ("more", "progression", "completion_rate", ">=", Decimal("0.9"), 7, 3, True),
    ("easier", "recovery", "difficulty_perceived", ">", Decimal("4.2"), 14, 5, True),
    ("come-back", "motivation", "workout_count", "<", Decimal(1), 7, 4, True),
    ("form", "technique", "form_rating", "<=", Decimal("2.5"), 14, 4, True),
    ("newcomers", "motivation", "experience_level", "==", "beginner", 28, 1, True),
    ("retired", "progression", "overall_rating", "==", Decimal(5), 7, 2, False),
)


def exercises(written: datetime) -> Iterator[Exercise]:
    """Yield the exercises."""
    for number, (key, name, category, muscles, equipment) in enumerate(EXERCISES):
        yield Exercise(
            id=key,
            name=name,
            description=f"{name}, done well",
            category=category,
            muscle_groups=[*muscles],
            equipment=[*equipment],
            difficulty=[*Level][number % 3],
            instructions=["Get ready", "Do it", "Come back slowly"],
            tips=_TIPS.get(category),
            video_url=f"https://videos.example.org/{key}",
            image_url=f"https://images.example.org/{key}.jpg",
            created_at=written,
            updated_at=written,
        )


def rules(written: datetime) -> Iterator[CoachingRule]:
    """Yield the coaching rules."""
    for key, kind, field, operator, value, days, priority, is_active in _RULES:
        yield CoachingRule(
            id=key,
            rule_type=kind,
            condition=RuleCondition(field=field, operator=operator, value=value, time_window=days),
            action=RuleAction(
                action_type=f"advise_{key.replace('-', '_')}",
                parameters={"weight_increase": Decimal("0.05")},
                message="Great job. Let us change one thing.",
            ),
            priority=priority,
            is_active=is_active,
            created_at=written,
            updated_at=written,
        )
