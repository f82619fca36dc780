"""Apply recommendations."""

from sortkey import DB, RecordError, TransactionFailed
from sortkey_systems.gymcoach.crud import find_own
from sortkey_systems.gymcoach.design.coaching import (
    WorkoutRecommendation,
    apply_recommendation,
    workout_recommendations,
)
from sortkey_systems.gymcoach.errors import AccountNotFound, AlreadyApplied, RecordChanged


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
