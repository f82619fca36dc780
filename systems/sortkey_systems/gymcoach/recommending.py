"""Recommendations: what somebody makes of advice."""

from sortkey import DB, TransactionFailed
from sortkey_systems.gymcoach.design.coaching import (
    WorkoutRecommendation,
    apply_recommendation,
    workout_recommendations,
)
from sortkey_systems.gymcoach.errors import AlreadyApplied, ChangedMeanwhile
from sortkey_systems.gymcoach.keeping import find_own


def apply(db: DB, user_id: str, recommendation_id: str) -> WorkoutRecommendation:
    """The recommendation, applied; it leaves the list of those that are open."""
    loaded = find_own(db, user_id, workout_recommendations, recommendation_id)
    try:
        db(apply_recommendation(loaded))
    except TransactionFailed:
        if find_own(db, user_id, workout_recommendations, recommendation_id).is_applied:
            raise AlreadyApplied(recommendation_id) from None
        raise ChangedMeanwhile(f"the recommendation {recommendation_id}") from None
    return find_own(db, user_id, workout_recommendations, recommendation_id)
