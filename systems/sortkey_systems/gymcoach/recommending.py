"""Apply recommendations."""

from sortkey import DB, TransactionFailed
from sortkey_systems.gymcoach.crud import find_own
from sortkey_systems.gymcoach.design.coaching import (
    WorkoutRecommendation,
    apply_recommendation,
    workout_recommendations,
)
from sortkey_systems.gymcoach.errors import AlreadyApplied, RecordChanged


def apply(db: DB, user_id: str, recommendation_id: str) -> WorkoutRecommendation:
    """Mark a recommendation as applied, and return it."""
    loaded = find_own(db, user_id, workout_recommendations, recommendation_id)
    try:
        db(apply_recommendation(loaded))
    except TransactionFailed:
        if find_own(db, user_id, workout_recommendations, recommendation_id).is_applied:
            raise AlreadyApplied(recommendation_id) from None
        raise RecordChanged(f"WorkoutRecommendation {recommendation_id}") from None
    return find_own(db, user_id, workout_recommendations, recommendation_id)
