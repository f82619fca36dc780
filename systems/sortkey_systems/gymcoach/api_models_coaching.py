"""Request and response models of GymCoach's API: plans, recommendations and rules."""

from pydantic import BaseModel, create_model

from sortkey_systems.gymcoach.api_models import PathId, entity_body, list_response, partial_body
from sortkey_systems.gymcoach.design.coaching import (
    AdaptivePlan,
    CoachingRule,
    RecoveryPlan,
    WorkoutRecommendation,
)


class CreateAdaptivePlanRequest(
    entity_body(AdaptivePlan, "base_plan_id", "adaptations", "adaptation_reason", "is_active")
):
    """A plan that is adapted to its owner."""


class CreateRecoveryPlanRequest(
    entity_body(
        RecoveryPlan,
        "plan_type",
        "duration_days",
        "activities",
        "starts_at",
        "ends_at",
        "is_completed",
    )
):
    """A plan for days of recovery."""


class CreateRecommendationRequest(
    entity_body(
        WorkoutRecommendation,
        "recommendation_type",
        "title",
        "description",
        "reasoning",
        "priority",
        "expires_at",
        "metadata",
    )
):
    """A recommendation for a user."""


class UpdateRecommendationRequest(partial_body(CreateRecommendationRequest)):
    """The fields of a recommendation to update."""


class CreateRuleRequest(
    entity_body(
        CoachingRule, "rule_type", "condition", "action", "priority", "is_active", id=(PathId, ...)
    )
):
    """A rule: a condition and the recommendation to make."""


class UpdateRuleRequest(partial_body(CreateRuleRequest, "id")):
    """The fields of a rule to update."""


class RuleError(BaseModel):
    """A rule that cannot be evaluated, and the part of its condition that is wrong."""

    rule_id: str
    part: str
    reason: str


EvaluationResponse = create_model(
    "EvaluationResponse",
    __doc__="The new recommendations, and the rules that cannot be evaluated.",
    recommendations=(list_response(WorkoutRecommendation), ...),
    invalid_rules=(list[RuleError], ...),
)
