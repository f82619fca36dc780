"""Make and apply recommendations."""

from typing import Any

from sortkey import DB, RecordError, TransactionFailed
from sortkey_systems.gymcoach.crud import add, change, find_own
from sortkey_systems.gymcoach.design.coaching import (
    WorkoutRecommendation,
    apply_recommendation,
    workout_recommendations,
)
from sortkey_systems.gymcoach.design.table import now_to_the_second
from sortkey_systems.gymcoach.errors import (
    AccountNotFound,
    AlreadyApplied,
    BadInput,
    RecordChanged,
    raising_bad_input,
)


def recommend(db: DB, advice: WorkoutRecommendation) -> WorkoutRecommendation:
    """Create a recommendation that has not expired yet, and return it."""
    _check_expiry(advice)
    return add(db, workout_recommendations, advice)


def revise(db: DB, advice: WorkoutRecommendation, **changes: Any) -> WorkoutRecommendation:
    """Update some fields of a loaded recommendation, and return it."""
    with raising_bad_input():
        _check_expiry(WorkoutRecommendation.model_validate(advice.model_dump() | changes))
    return change(db, workout_recommendations, advice, **changes)


def _check_expiry(advice: WorkoutRecommendation) -> None:
    if advice.expires_at <= now_to_the_second():
        raise BadInput("expires_at", "must be in the future")


def apply(db: DB, user_id: str, recommendation_id: str) -> WorkoutRecommendation:
    """Mark a recommendation as applied, and return it."""
    loaded = find_own(db, user_id, workout_recommendations, recommendation_id)
    try:
        db(apply_recommendation(loaded))
    except TransactionFailed as failed:
        if isinstance(failed.failures[1], RecordError):
            raise AccountNotFound(user_id) from None
        if find_own(db, user_id, workout_recommendations, recommendation_id).is_applied:
            raise AlreadyApplied(recommendation_id) from None
        raise RecordChanged(f"WorkoutRecommendation {recommendation_id}") from None
    return find_own(db, user_id, workout_recommendations, recommendation_id)
