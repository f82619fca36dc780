"""GymCoach over HTTP: advice, the plans that follow from it, and the rules that it comes from."""

from typing import Annotated

from fastapi import Depends, Query

from sortkey import DB, BadCursor, Page
from sortkey_systems.api.app import Cursor, Database, Operations
from sortkey_systems.api.identity import Caller, Having, NotAllowed, SignedIn
from sortkey_systems.gymcoach import coaching as advising
from sortkey_systems.gymcoach import recommending
from sortkey_systems.gymcoach.api_models import (
    ChangedRule,
    NewAdaptivePlan,
    NewRecommendation,
    NewRecoveryPlan,
    NewRule,
    PathId,
    ToldEvaluation,
    Within,
    list_of,
    page_of,
    told,
)
from sortkey_systems.gymcoach.api_records import keep, new_record
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
    AccountGone,
    AlreadyApplied,
    AlreadyThere,
    BadInput,
    ChangedMeanwhile,
    NotThere,
    RuleUnusable,
    refusing_bad_input,
)
from sortkey_systems.gymcoach.keeping import add, change, find, find_own, remove

coaching = Operations()

Coach = Annotated[Caller, Depends(Having("coach"))]
Editor = Annotated[Caller, Depends(Having("editor"))]

# Plans.

keep(coaching, "adaptive plan", adaptive_plans, adaptive_plans_of_user, NewAdaptivePlan)
keep(coaching, "recovery plan", recovery_plans, recovery_plans_of_user, NewRecoveryPlan)


@coaching.get("/active-adaptive-plans", answer=list_of(AdaptivePlan))
def list_active(db: Database, caller: SignedIn) -> list[AdaptivePlan]:
    """Your adaptive plans that are not over, newest first."""
    return db(active_adaptive_plans(caller.user_id))


# Recommendations.


@coaching.get("/recommendations", BadInput, BadCursor, answer=page_of(WorkoutRecommendation))
def recommendations(
    db: Database, caller: SignedIn, within: Within, cursor: Cursor = None
) -> Page[WorkoutRecommendation]:
    """What you were advised, newest first."""
    return db(workout_recommendations_of_user(caller.user_id, within.since, within.until, cursor))


@coaching.get("/open-recommendations", BadCursor, answer=page_of(WorkoutRecommendation))
def list_open(db: Database, caller: SignedIn, cursor: Cursor = None) -> Page[WorkoutRecommendation]:
    """Advice that you have not applied, the most important first."""
    return db(open_recommendations(caller.user_id, cursor))


@coaching.get(
    "/recommendations/{recommendation_id}",
    BadInput,
    NotThere,
    answer=told(WorkoutRecommendation),
)
def recommendation(
    db: Database, caller: SignedIn, recommendation_id: PathId
) -> WorkoutRecommendation:
    """One piece of advice for you."""
    return find_own(db, caller.user_id, workout_recommendations, recommendation_id)


@coaching.post(
    "/recommendations/{recommendation_id}/apply",
    BadInput,
    NotThere,
    AlreadyApplied,
    ChangedMeanwhile,
    answer=told(WorkoutRecommendation),
)
def apply_recommendation(
    db: Database, caller: SignedIn, recommendation_id: PathId
) -> WorkoutRecommendation:
    """Apply advice, once; it is not open any more."""
    return recommending.apply(db, caller.user_id, recommendation_id)


@coaching.delete("/recommendations/{recommendation_id}", BadInput, NotThere, ChangedMeanwhile)
def delete_recommendation(db: Database, caller: SignedIn, recommendation_id: PathId) -> None:
    """Delete advice that you were given."""
    found = find_own(db, caller.user_id, workout_recommendations, recommendation_id)
    remove(db, workout_recommendations, found)


@coaching.post("/evaluations", BadInput, NotThere, AccountGone, answer=ToldEvaluation)
def evaluate(db: Database, caller: SignedIn) -> advising.Evaluation:
    """Hold the rules against your last workouts: what they advise that they did not before."""
    return advising.evaluate(db, caller.user_id)


@coaching.post(
    "/users/{user_id}/evaluations",
    NotAllowed,
    BadInput,
    NotThere,
    AccountGone,
    answer=ToldEvaluation,
)
def evaluate_for(db: Database, _coach: Coach, user_id: PathId) -> advising.Evaluation:
    """Hold the rules against the last workouts of somebody."""
    return advising.evaluate(db, user_id)


@coaching.post(
    "/users/{user_id}/recommendations",
    NotAllowed,
    BadInput,
    AccountGone,
    status=201,
    answer=told(WorkoutRecommendation),
)
def recommend(
    db: Database, _coach: Coach, user_id: PathId, given: NewRecommendation
) -> WorkoutRecommendation:
    """Advise somebody."""
    return add(db, workout_recommendations, new_record(WorkoutRecommendation, user_id, given))


# Rules.


@coaching.get("/rules", NotAllowed, BadCursor, answer=page_of(CoachingRule))
def rules(db: Database, _editor: Editor, cursor: Cursor = None) -> Page[CoachingRule]:
    """All rules, active or not, by id."""
    return db(all_coaching_rules(cursor))


@coaching.get("/active-rules", NotAllowed, answer=list_of(CoachingRule))
def list_active_rules(
    db: Database, _editor: Editor, rule_type: Annotated[Word | None, Query()] = None
) -> list[CoachingRule]:
    """The rules that count, of one type or of every, the most important of each first."""
    return db(active_rules() if rule_type is None else active_rules_of_type(rule_type))


@coaching.post(
    "/rules",
    NotAllowed,
    BadInput,
    RuleUnusable,
    AlreadyThere,
    status=201,
    answer=told(CoachingRule),
)
def add_rule(db: Database, _editor: Editor, given: NewRule) -> CoachingRule:
    """Add a rule that can be evaluated."""
    with refusing_bad_input():
        rule = CoachingRule.model_validate(given.model_dump())
    return advising.add_rule(db, rule)


@coaching.get("/rules/{rule_id}", NotAllowed, BadInput, NotThere, answer=told(CoachingRule))
def rule(db: Database, _editor: Editor, rule_id: PathId) -> CoachingRule:
    """A rule."""
    return find(db, coaching_rules, rule_id)


@coaching.patch(
    "/rules/{rule_id}",
    NotAllowed,
    BadInput,
    RuleUnusable,
    NotThere,
    answer=told(CoachingRule),
)
def change_rule(db: Database, _editor: Editor, rule_id: PathId, given: ChangedRule) -> CoachingRule:
    """Change a rule to one that can be evaluated: what is left out stays as it is."""
    return _changed_rule(db, find(db, coaching_rules, rule_id), given)


def _changed_rule(db: DB, found: CoachingRule, given: ChangedRule) -> CoachingRule:
    with refusing_bad_input():
        advising.refuse_unusable(CoachingRule.model_validate(found.model_dump() | given.chosen()))
    return change(db, coaching_rules, found, **given.chosen())


@coaching.delete("/rules/{rule_id}", NotAllowed, BadInput, NotThere)
def delete_rule(db: Database, _editor: Editor, rule_id: PathId) -> None:
    """Delete a rule; what it advised stays."""
    remove(db, coaching_rules, find(db, coaching_rules, rule_id))
