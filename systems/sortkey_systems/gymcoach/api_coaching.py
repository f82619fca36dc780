"""GymCoach's HTTP API: recommendations, rules, and adaptive and recovery plans."""

from typing import Annotated

from fastapi import Depends, Query

from sortkey import DB, BadCursor, Page
from sortkey_systems.api.app import Cursor, Database, Operations
from sortkey_systems.api.callers import Caller
from sortkey_systems.api.identity import NotAllowed, RequireRole, SignedIn
from sortkey_systems.gymcoach import coaching as advising
from sortkey_systems.gymcoach import recommending
from sortkey_systems.gymcoach.api_models import (
    PathId,
    QueryTimes,
    list_response,
    page_response,
    response_model,
)
from sortkey_systems.gymcoach.api_models_coaching import (
    CreateAdaptivePlanRequest,
    CreateRecommendationRequest,
    CreateRecoveryPlanRequest,
    CreateRuleRequest,
    EvaluationResponse,
    UpdateRecommendationRequest,
    UpdateRuleRequest,
)
from sortkey_systems.gymcoach.api_records import add_crud_operations, new_record
from sortkey_systems.gymcoach.crud import change, find, find_own, remove
from sortkey_systems.gymcoach.design.coaching import (
    AdaptivePlan,
    CoachingRule,
    WorkoutRecommendation,
    active_adaptive_plans,
    active_rules,
    active_rules_of_type,
    adaptive_plans,
    adaptive_plans_of_user,
    all_coaching_rules,
    coaching_rules,
    open_recommendations,
    recovery_plans,
    recovery_plans_of_user,
    workout_recommendations,
    workout_recommendations_of_user,
)
from sortkey_systems.gymcoach.design.table import Word
from sortkey_systems.gymcoach.errors import (
    AccountNotFound,
    AlreadyApplied,
    BadInput,
    InvalidRule,
    RecordChanged,
    RecordExists,
    RecordNotFound,
    raising_bad_input,
)

coaching = Operations()

Coach = Annotated[Caller, Depends(RequireRole("coach"))]
Editor = Annotated[Caller, Depends(RequireRole("editor"))]

# Plans.

add_crud_operations(
    coaching, "adaptive plan", adaptive_plans, adaptive_plans_of_user, CreateAdaptivePlanRequest
)
add_crud_operations(
    coaching, "recovery plan", recovery_plans, recovery_plans_of_user, CreateRecoveryPlanRequest
)


@coaching.get("/active-adaptive-plans", response=list_response(AdaptivePlan))
def list_active(db: Database, caller: SignedIn) -> list[AdaptivePlan]:
    """List your active adaptive plans, newest first."""
    return db(active_adaptive_plans(caller.user_id))


# Recommendations.


@coaching.get(
    "/recommendations", BadInput, BadCursor, response=page_response(WorkoutRecommendation)
)
def recommendations(
    db: Database, caller: SignedIn, times: QueryTimes, cursor: Cursor = None
) -> Page[WorkoutRecommendation]:
    """List your recommendations, newest first."""
    return db(workout_recommendations_of_user(caller.user_id, times.since, times.until, cursor))


@coaching.get("/open-recommendations", BadCursor, response=page_response(WorkoutRecommendation))
def list_open(db: Database, caller: SignedIn, cursor: Cursor = None) -> Page[WorkoutRecommendation]:
    """List your open recommendations, highest priority first."""
    return db(open_recommendations(caller.user_id, cursor))


@coaching.get(
    "/recommendations/{recommendation_id}",
    BadInput,
    RecordNotFound,
    response=response_model(WorkoutRecommendation),
)
def recommendation(
    db: Database, caller: SignedIn, recommendation_id: PathId
) -> WorkoutRecommendation:
    """Get one of your recommendations."""
    return find_own(db, caller.user_id, workout_recommendations, recommendation_id)


@coaching.post(
    "/recommendations/{recommendation_id}/apply",
    BadInput,
    AccountNotFound,
    RecordNotFound,
    AlreadyApplied,
    RecordChanged,
    response=response_model(WorkoutRecommendation),
)
def apply_recommendation(
    db: Database, caller: SignedIn, recommendation_id: PathId
) -> WorkoutRecommendation:
    """Mark a recommendation as applied."""
    return recommending.apply(db, caller.user_id, recommendation_id)


@coaching.delete("/recommendations/{recommendation_id}", BadInput, RecordNotFound, RecordChanged)
def delete_recommendation(db: Database, caller: SignedIn, recommendation_id: PathId) -> None:
    """Delete one of your recommendations."""
    found = find_own(db, caller.user_id, workout_recommendations, recommendation_id)
    remove(db, workout_recommendations, found)


@coaching.post(
    "/evaluations", BadInput, RecordNotFound, AccountNotFound, response=EvaluationResponse
)
def evaluate(db: Database, caller: SignedIn) -> advising.Evaluation:
    """Evaluate the rules on your recent workouts, and return new recommendations."""
    return advising.evaluate(db, caller.user_id)


@coaching.post(
    "/users/{user_id}/evaluations",
    NotAllowed,
    BadInput,
    RecordNotFound,
    AccountNotFound,
    response=EvaluationResponse,
)
def evaluate_for(db: Database, _coach: Coach, user_id: PathId) -> advising.Evaluation:
    """Evaluate the rules on the recent workouts of a user."""
    return advising.evaluate(db, user_id)


@coaching.post(
    "/users/{user_id}/recommendations",
    NotAllowed,
    BadInput,
    AccountNotFound,
    status=201,
    response=response_model(WorkoutRecommendation),
)
def recommend(
    db: Database, _coach: Coach, user_id: PathId, body: CreateRecommendationRequest
) -> WorkoutRecommendation:
    """Create a recommendation for a user."""
    return recommending.recommend(db, new_record(WorkoutRecommendation, user_id, body))


@coaching.patch(
    "/users/{user_id}/recommendations/{recommendation_id}",
    NotAllowed,
    BadInput,
    AccountNotFound,
    RecordNotFound,
    RecordChanged,
    response=response_model(WorkoutRecommendation),
)
def revise(
    *,
    db: Database,
    _coach: Coach,
    user_id: PathId,
    recommendation_id: PathId,
    body: UpdateRecommendationRequest,
) -> WorkoutRecommendation:
    """Update some fields of a recommendation of a user."""
    found = find_own(db, user_id, workout_recommendations, recommendation_id)
    return recommending.revise(db, found, **body.sent_fields())


# Rules.


@coaching.get("/rules", NotAllowed, BadCursor, response=page_response(CoachingRule))
def rules(db: Database, _editor: Editor, cursor: Cursor = None) -> Page[CoachingRule]:
    """List all rules, by id."""
    return db(all_coaching_rules(cursor))


@coaching.get("/active-rules", NotAllowed, response=list_response(CoachingRule))
def list_active_rules(
    db: Database, _editor: Editor, rule_type: Annotated[Word | None, Query()] = None
) -> list[CoachingRule]:
    """List the active rules, optionally of one type, highest priority first."""
    return db(active_rules() if rule_type is None else active_rules_of_type(rule_type))


@coaching.post(
    "/rules",
    NotAllowed,
    BadInput,
    InvalidRule,
    RecordExists,
    status=201,
    response=response_model(CoachingRule),
)
def add_rule(db: Database, _editor: Editor, body: CreateRuleRequest) -> CoachingRule:
    """Create a rule."""
    with raising_bad_input():
        rule = CoachingRule.model_validate(body.model_dump())
    return advising.add_rule(db, rule)


@coaching.get(
    "/rules/{rule_id}", NotAllowed, BadInput, RecordNotFound, response=response_model(CoachingRule)
)
def rule(db: Database, _editor: Editor, rule_id: PathId) -> CoachingRule:
    """Get a rule."""
    return find(db, coaching_rules, rule_id)


@coaching.patch(
    "/rules/{rule_id}",
    NotAllowed,
    BadInput,
    InvalidRule,
    RecordNotFound,
    response=response_model(CoachingRule),
)
def change_rule(
    db: Database, _editor: Editor, rule_id: PathId, body: UpdateRuleRequest
) -> CoachingRule:
    """Update some fields of a rule."""
    return _update_rule(db, find(db, coaching_rules, rule_id), body)


def _update_rule(db: DB, found: CoachingRule, body: UpdateRuleRequest) -> CoachingRule:
    with raising_bad_input():
        advising.validate_rule(CoachingRule.model_validate(found.model_dump() | body.sent_fields()))
    return change(db, coaching_rules, found, **body.sent_fields())


@coaching.delete("/rules/{rule_id}", NotAllowed, BadInput, RecordNotFound)
def delete_rule(db: Database, _editor: Editor, rule_id: PathId) -> None:
    """Delete a rule; its recommendations stay."""
    remove(db, coaching_rules, find(db, coaching_rules, rule_id))
