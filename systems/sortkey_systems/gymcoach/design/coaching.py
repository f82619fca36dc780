"""Coaching: rules, recommendations, and adaptive and recovery plans."""

from decimal import Decimal
from typing import Annotated, Literal, Self

from pydantic import BaseModel, Field, model_validator
from pydantic.alias_generators import to_camel

from sortkey import (
    TTL,
    Entity,
    Expected,
    Op,
    Page,
    Stored,
    invariant,
    not_,
    pattern,
    refers,
    transact,
)
from sortkey_systems.gymcoach.design.people import UserProfile, has_account
from sortkey_systems.gymcoach.design.records import Records, of_user
from sortkey_systems.gymcoach.design.table import (
    PAGE,
    Count,
    CreatedAt,
    GymCoach,
    Id,
    Level,
    Moment,
    Owner,
    Priority,
    Share,
    Text,
    Title,
    UpdatedAt,
    Word,
    stamped,
)
from sortkey_systems.gymcoach.design.training import WorkoutPlan

# By name, such as `weight_increase`.
Parameters = Annotated[dict[Word, Decimal], Field(max_length=20)]


class RecommendationMetadata(BaseModel):
    """Details of a recommendation; stored in snake case, as documented."""

    confidence_score: Annotated[Share | None, Stored("confidence_score")] = None
    impact_level: Annotated[Literal["low", "medium", "high"] | None, Stored("impact_level")] = None
    category: Word | None = None


class WorkoutRecommendation(
    Entity,
    table=GymCoach,
    stored=to_camel,
    expected=Expected(count=1_000_000, per_partition=10, size_bytes=700),
    relations=(refers("user_id", UserProfile),),
):
    """A recommendation, which expires."""

    id: Id
    user_id: Owner
    recommendation_type: Word
    title: Title
    description: Text
    reasoning: Text
    priority: Priority
    expires_at: Moment
    is_applied: bool = False
    metadata: RecommendationMetadata = Field(default_factory=RecommendationMetadata)
    # Added: the parameters of the rule's action; None without a rule.
    parameters: Parameters | None = None
    # Added: the user until the recommendation is applied, else absent. It keeps applied ones out of
    # GSI2; a Boolean cannot be part of a key.
    open_for: Id | None = None
    # Added: DynamoDB expires items by a number, and `expiresAt` is text.
    ttl: TTL | None = None
    created_at: CreatedAt = stamped()

    primary = GymCoach.primary.key("WORKOUT_RECOMMENDATIONS", "RECOMMENDATION#{id}")
    by_user = GymCoach.by_user.key(
        "USER#{user_id}", "WORKOUT_RECOMMENDATION#{created_at:%Y-%m-%dT%H:%M:%SZ}#{id}"
    )
    by_priority = GymCoach.by_state.key(
        "OPEN_RECOMMENDATIONS#{open_for}",
        "{priority:03d}#{created_at:%Y-%m-%dT%H:%M:%SZ}#{id}",
    )

    @model_validator(mode="after")
    def _derive(self) -> Self:
        self.open_for = None if self.is_applied else self.user_id
        self.ttl = self.expires_at
        return self


class AdviceGiven(
    Entity,
    table=GymCoach,
    stored=to_camel,
    immutable=True,
    expected=Expected(count=1_000_000, per_partition=10, size_bytes=150),
    relations=(refers("user_id", UserProfile),),
):
    """Records that a rule made a recommendation in a time window, even if it was deleted."""

    user_id: Owner
    recommendation_id: Id
    # Expires with the recommendation, after the end of the window.
    ttl: TTL

    primary = GymCoach.primary.key("USER#{user_id}", "ADVICE_GIVEN#{recommendation_id}")


class ExerciseSummary(BaseModel):
    """An exercise at the time when a plan was adapted."""

    id: Id
    name: Title
    category: Word
    muscle_groups: list[Word] = Field(default_factory=list[str])
    equipment: list[Word] = Field(default_factory=list[str])
    difficulty: Level


class Adaptation(BaseModel):
    """A change to a plan, with its reason."""

    exercise_id: Id
    adaptation_type: Word
    original_exercise: ExerciseSummary
    new_exercise: ExerciseSummary | None = None
    reason: Text


class AdaptivePlan(
    Entity,
    table=GymCoach,
    stored=to_camel,
    expected=Expected(count=200_000, per_partition=2, size_bytes=1_500),
    relations=(refers("user_id", UserProfile), refers("base_plan_id", WorkoutPlan)),
):
    """A plan adapted to a user."""

    id: Id
    user_id: Owner
    base_plan_id: Id
    adaptations: list[Adaptation] = Field(default_factory=list[Adaptation])
    adaptation_reason: Text
    is_active: bool = True
    # Added: as in `WorkoutPlan`.
    active_for: Id | None = None
    created_at: CreatedAt = stamped()
    updated_at: UpdatedAt = stamped()

    primary = GymCoach.primary.key("ADAPTIVE_PLANS", "PLAN#{id}")
    by_user = GymCoach.by_user.key(
        "USER#{user_id}", "ADAPTIVE_PLAN#{created_at:%Y-%m-%dT%H:%M:%SZ}#{id}"
    )
    active = GymCoach.by_state.key(
        "ACTIVE_PLANS#{active_for}", "ADAPTIVE_PLAN#{created_at:%Y-%m-%dT%H:%M:%SZ}#{id}"
    )

    @model_validator(mode="after")
    def _derive(self) -> Self:
        self.active_for = self.user_id if self.is_active else None
        return self


class RecoveryActivity(BaseModel):
    """An activity of a recovery plan."""

    id: Id
    name: Title
    activity_type: Word
    duration_minutes: Count
    intensity: Word
    instructions: list[Text] = Field(default_factory=list[str])
    equipment_needed: list[Word] = Field(default_factory=list[str])
    order: Annotated[int, Field(ge=1)]


class RecoveryPlan(
    Entity,
    table=GymCoach,
    stored=to_camel,
    expected=Expected(count=200_000, per_partition=2, size_bytes=1_200),
    relations=(refers("user_id", UserProfile),),
):
    """A plan for days of recovery."""

    id: Id
    user_id: Owner
    plan_type: Word
    duration_days: Annotated[int, Field(ge=1, le=366)]
    activities: list[RecoveryActivity] = Field(default_factory=list[RecoveryActivity])
    starts_at: Moment
    ends_at: Moment
    is_completed: bool = False
    created_at: CreatedAt = stamped()

    primary = GymCoach.primary.key("RECOVERY_PLANS", "PLAN#{id}")
    by_user = GymCoach.by_user.key(
        "USER#{user_id}", "RECOVERY_PLAN#{starts_at:%Y-%m-%dT%H:%M:%SZ}#{id}"
    )

    @model_validator(mode="after")
    def _ends_after_it_starts(self) -> Self:
        if self.ends_at < self.starts_at:
            raise ValueError("ends_at must not be before starts_at")
        return self


class RuleCondition(BaseModel):
    """A condition on the last days; `coaching` has the fields and operators."""

    field: Word
    operator: Word
    value: Decimal | str | list[str]
    time_window: int  # in days


class RuleAction(BaseModel):
    """The recommendation to make if the condition holds."""

    action_type: Word
    parameters: Parameters = Field(default_factory=dict[str, Decimal])
    message: Text


class CoachingRule(
    Entity,
    table=GymCoach,
    stored=to_camel,
    expected=Expected(count=200, size_bytes=500),
):
    """A rule that makes recommendations to all users."""

    id: Id
    rule_type: Word
    condition: RuleCondition
    action: RuleAction
    priority: Priority
    is_active: bool = True
    # Added: the rule's type while it is active, else absent; a key of GSI2.
    active_type: Word | None = None
    created_at: CreatedAt = stamped()
    updated_at: UpdatedAt = stamped()

    primary = GymCoach.primary.key("COACHING_RULES", "RULE#{id}")
    active = GymCoach.by_state.key("COACHING_RULES", "ACTIVE#{active_type}#{priority:03d}#{id}")

    @model_validator(mode="after")
    def _derive(self) -> Self:
        self.active_type = self.rule_type if self.is_active else None
        return self


@pattern("A recommendation by id", rate="5/s", fresh=True)
def workout_recommendation(recommendation_id: str) -> Op[WorkoutRecommendation | None]:
    """Return a recommendation, or None if it has expired; strongly consistent."""
    return WorkoutRecommendation.get(id=recommendation_id).consistently()


@pattern(
    "A user's open recommendations, highest priority first",
    rate="20/s",
    page=PAGE,
    where=lambda advice, user_id: advice.user_id == user_id and not advice.is_applied,
    order=lambda advice: (advice.priority, advice.created_at, advice.id),
    descending=True,
)
def open_recommendations(user_id: str, after: str | None = None) -> Op[Page[WorkoutRecommendation]]:
    """Return a page of recommendations; applied ones are not in the index."""
    advice = WorkoutRecommendation.query(WorkoutRecommendation.by_priority, open_for=user_id)
    return advice.reverse().page(PAGE, after)


@pattern("Make a rule's recommendation, once for each time window", rate="2/s")
def give_advice(advice: WorkoutRecommendation) -> Op[None]:
    """Create the recommendation, whose id identifies the window, and its `AdviceGiven`."""
    given = AdviceGiven(user_id=advice.user_id, recommendation_id=advice.id, ttl=advice.expires_at)
    return transact(advice.create(), given.create(), has_account(advice.user_id))


@pattern("Whether a rule's recommendation was made", rate="1/min")
def advice_given(user_id: str, recommendation_id: str) -> Op[AdviceGiven | None]:
    """Return the record by its key."""
    return AdviceGiven.get(user_id=user_id, recommendation_id=recommendation_id)


@pattern(
    "The recommendations that rules made to a user",
    rate="1/min",
    where=lambda given, user_id: given.user_id == user_id,
    order=lambda given: given.recommendation_id,
)
def advice_given_to(user_id: str) -> Op[list[AdviceGiven]]:
    """Return the records of all current windows, also for deleted recommendations."""
    return AdviceGiven.query(user_id=user_id)


@pattern("Apply a recommendation, once", rate="1/s")
def apply_recommendation(loaded: WorkoutRecommendation) -> Op[None]:
    """Mark it as applied, which removes it from the open recommendations."""
    return transact(
        loaded.update()
        .set(is_applied=True)
        .remove(lambda r: r.open_for)
        .where(lambda r: not_(r.is_applied)),
        has_account(loaded.user_id),
    )


@pattern("An adaptive plan by id", rate="5/s")
def adaptive_plan(plan_id: str) -> Op[AdaptivePlan | None]:
    """Return a plan with its adaptations."""
    return AdaptivePlan.get(id=plan_id)


@pattern(
    "A user's active adaptive plans, newest first",
    rate="10/s",
    where=lambda plan, user_id: plan.user_id == user_id and plan.is_active,
    order=lambda plan: (plan.created_at, plan.id),
    descending=True,
)
def active_adaptive_plans(user_id: str) -> Op[list[AdaptivePlan]]:
    """Return active plans; inactive ones are not in the index."""
    return AdaptivePlan.query(AdaptivePlan.active, active_for=user_id).reverse()


@pattern("A recovery plan by id", rate="1/s")
def recovery_plan(plan_id: str) -> Op[RecoveryPlan | None]:
    """Return a plan with its activities."""
    return RecoveryPlan.get(id=plan_id)


@pattern("A coaching rule by id", rate="1/min")
def coaching_rule(rule_id: str) -> Op[CoachingRule | None]:
    """Return a rule."""
    return CoachingRule.get(id=rule_id)


@pattern(
    "All coaching rules",
    rate="1/min",
    page=PAGE,
    where=lambda rule: True,  # noqa: ARG005 - every rule is returned
    order=lambda rule: rule.id,
)
def all_coaching_rules(after: str | None = None) -> Op[Page[CoachingRule]]:
    """Return a page of rules, active or not, ordered by id."""
    return CoachingRule.query().page(PAGE, after)


@pattern(
    "Active coaching rules of every type",
    rate="2/s",
    where=lambda rule: rule.is_active,
    # The key has "#" after the type, and "a!" sorts before "a#".
    order=lambda rule: (f"{rule.rule_type}#", rule.priority, rule.id),
    descending=True,
)
def active_rules() -> Op[list[CoachingRule]]:
    """Return all active rules."""
    return CoachingRule.query(CoachingRule.active).reverse()


@pattern(
    "Active coaching rules of a type, highest priority first",
    rate="2/s",
    where=lambda rule, rule_type: rule.is_active and rule.rule_type == rule_type,
    order=lambda rule: (rule.priority, rule.id),
    descending=True,
)
def active_rules_of_type(rule_type: str) -> Op[list[CoachingRule]]:
    """Return the active rules of a type."""
    return CoachingRule.query(CoachingRule.active, active_type=rule_type).reverse()


workout_recommendations = Records(
    WorkoutRecommendation,
    workout_recommendation,
    create="2/s",
    update="1/s",
    delete="1/min",
    requires=has_account,
    depends_on={"open_for": ("user_id", "is_applied")},
)
adaptive_plans = Records(
    AdaptivePlan,
    adaptive_plan,
    create="10/min",
    update="10/min",
    delete="1/min",
    requires=has_account,
    depends_on={"active_for": ("user_id", "is_active")},
)
recovery_plans = Records(
    RecoveryPlan,
    recovery_plan,
    create="10/min",
    update="10/min",
    delete="1/min",
    requires=has_account,
    depends_on={"starts_at": ("ends_at",), "ends_at": ("starts_at",)},
)
coaching_rules = Records(
    CoachingRule,
    coaching_rule,
    create="1/day",
    update="1/day",
    delete="1/day",
    depends_on={"active_type": ("rule_type", "is_active")},
)

workout_recommendations_of_user = of_user(
    WorkoutRecommendation, WorkoutRecommendation.by_user, "created_at", rate="5/s"
)
adaptive_plans_of_user = of_user(AdaptivePlan, AdaptivePlan.by_user, "created_at", rate="1/s")
recovery_plans_of_user = of_user(RecoveryPlan, RecoveryPlan.by_user, "starts_at", rate="1/s")


# Invariants: they hold after every write, even if the caller sets the derived fields.


@invariant("A recommendation is in its user's list until it is applied")
def is_open_until_applied(advice: WorkoutRecommendation) -> bool:
    """``open_for`` is the key of that list."""
    return advice.open_for == (None if advice.is_applied else advice.user_id)


@invariant("An adaptive plan is in its user's list while it is active")
def is_listed_while_active(plan: AdaptivePlan) -> bool:
    """``active_for`` is the key of that list."""
    return plan.active_for == (plan.user_id if plan.is_active else None)


@invariant("A rule is among those of its type while it is active")
def rule_is_listed_while_active(rule: CoachingRule) -> bool:
    """``active_type`` is the key of that list."""
    return rule.active_type == (rule.rule_type if rule.is_active else None)
