"""Invariants of the records, and records that break them."""

from datetime import time

import pytest

from sortkey_systems.gymcoach.design.coaching import (
    AdaptivePlan,
    CoachingRule,
    WorkoutRecommendation,
    is_listed_while_active,
    is_open_until_applied,
    rule_is_listed_while_active,
)
from sortkey_systems.gymcoach.design.notifying import (
    NotificationPreferences,
    Reminder,
    ReminderKind,
    reminder_is_preferred,
)

EARLY, NOON = time(7), time(12)


def preferences(user_id: str) -> NotificationPreferences:
    return NotificationPreferences.model_construct(
        user_id=user_id, workout_reminder_time=EARLY, nutrition_reminder_times=[NOON]
    )


@pytest.mark.parametrize(
    ("kind", "at", "holds"),
    [
        (ReminderKind.WORKOUT, EARLY, True),
        (ReminderKind.WORKOUT, NOON, False),
        (ReminderKind.NUTRITION, NOON, True),
        (ReminderKind.NUTRITION, EARLY, False),
    ],
)
def test_reminders_are_those_of_a_user_s_preferences(
    kind: ReminderKind, at: time, holds: bool
) -> None:
    reminder = Reminder.model_construct(user_id="ada", kind=kind, at=at)

    assert reminder_is_preferred(reminder, [preferences("ada")]) is holds
    assert not reminder_is_preferred(reminder, [preferences("ben")])


@pytest.mark.parametrize(
    ("applied", "listed", "holds"),
    [(False, "ada", True), (True, None, True), (False, None, False), (True, "ada", False)],
)
def test_a_recommendation_is_listed_until_it_is_applied(
    applied: bool, listed: str | None, holds: bool
) -> None:
    advice = WorkoutRecommendation.model_construct(
        user_id="ada", is_applied=applied, open_for=listed
    )

    assert is_open_until_applied(advice) is holds


@pytest.mark.parametrize(
    ("active", "listed", "holds"),
    [(True, "ada", True), (False, None, True), (True, None, False), (False, "ada", False)],
)
def test_a_plan_and_a_rule_are_listed_while_they_are_active(
    active: bool, listed: str | None, holds: bool
) -> None:
    plan = AdaptivePlan.model_construct(user_id="ada", is_active=active, active_for=listed)
    rule = CoachingRule.model_construct(rule_type="ada", is_active=active, active_type=listed)

    assert is_listed_while_active(plan) is holds
    assert rule_is_listed_while_active(rule) is holds
