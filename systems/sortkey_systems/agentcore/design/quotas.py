"""The table ``user-quotas``: tiers, assignments, overrides and the default tier."""

from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Self

from pydantic import BaseModel, Field, model_validator
from pydantic.alias_generators import to_camel

from sortkey import (
    Entity,
    Expected,
    Export,
    Op,
    Page,
    Table,
    Update,
    gsi,
    immutable,
    invariant,
    missing,
    pattern,
    refers,
    transact,
)
from sortkey_systems.agentcore.design.events import QuotaEvent
from sortkey_systems.agentcore.design.standard import ALARMS, STANDARD, Count, Id

ASSIGNMENTS_PAGE = 50

# Whole micros, so that a limit can be compared with a sum of costs exactly.
Amount = Annotated[Decimal, Field(gt=0, max_digits=18, decimal_places=6)]
Percentage = Annotated[int, Field(ge=1, le=100)]
Priority = Annotated[int, Field(ge=0, le=999_999)]
# Together with an id it fits the 1,024 bytes of a sort key, in any script.
TierName = Annotated[str, Field(min_length=1, max_length=100, pattern=r"^[^#]+$")]
# The only assignment of a subject has an id made from its type and its subject.
AssignmentId = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^#]+$")]
Subject = Annotated[
    str, Field(max_length=300, pattern=r"^(((USER|APPROLE|ROLE|DOMAIN)#[^#]+)|DEFAULT)$")
]


class PeriodType(StrEnum):
    """The period whose costs are compared with a limit."""

    DAILY = "daily"
    MONTHLY = "monthly"


class ActionOnLimit(StrEnum):
    """The response to a request when the limit is reached."""

    BLOCK = "block"
    WARN = "warn"


class AssignmentType(StrEnum):
    """The kind of subject that an assignment is for."""

    DIRECT_USER = "direct_user"
    APP_ROLE = "app_role"
    JWT_ROLE = "jwt_role"
    EMAIL_DOMAIN = "email_domain"
    DEFAULT_TIER = "default_tier"


class OverrideType(StrEnum):
    """The kind of quota that an override sets."""

    CUSTOM_LIMIT = "custom_limit"
    UNLIMITED = "unlimited"


class UserQuotas(
    Table,
    name=STANDARD.named("user-quotas"),
    settings=STANDARD.settings(
        alarms=ALARMS,
        exported=Export("quota", "user-quotas", "User quotas DynamoDB table name"),
    ),
):
    """The quotas of users: tiers, assignments and overrides."""

    tier_lookup_index = gsi("GSI1PK", "GSI1SK", name="TierLookupIndex")
    subject_index = gsi(
        "GSI2PK",
        "GSI2SK",
        name="SubjectIndex",
        ignore={
            "prefixes": "an assignment stores its subject with the prefix of its type: USER#, "
            "APPROLE#, ROLE#, DOMAIN#, or the constant DEFAULT"
        },
    )
    assignment_type_index = gsi("GSI3PK", "GSI3SK", name="AssignmentTypeIndex")


class TierTerms(BaseModel):
    """The terms of a tier; a change replaces all of them."""

    tier_name: TierName
    monthly_cost_limit: Amount
    daily_cost_limit: Amount | None = None
    period_type: PeriodType = PeriodType.MONTHLY
    soft_limit_percentage: Percentage = 80
    action_on_limit: ActionOnLimit = ActionOnLimit.BLOCK
    enabled: bool = True

    @model_validator(mode="after")
    def _has_its_limit(self) -> Self:
        if self.period_type is PeriodType.DAILY and self.daily_cost_limit is None:
            raise ValueError("a daily tier needs a daily_cost_limit")
        return self

    @property
    def limits(self) -> dict[PeriodType, Decimal]:
        """The most that may be spent in each limited period; a daily tier limits only days."""
        limits: dict[PeriodType, Decimal] = {}
        if self.period_type is PeriodType.MONTHLY:
            limits[PeriodType.MONTHLY] = self.monthly_cost_limit
        if self.daily_cost_limit is not None:
            limits[PeriodType.DAILY] = self.daily_cost_limit
        return limits


class QuotaTier(
    Entity,
    TierTerms,
    table=UserQuotas,
    stored=to_camel,
    expected=Expected(count=20, size_bytes=450),
):
    """A quota that can be assigned to users, roles and mail domains."""

    tier_id: Id
    # Updated in the transaction of each assignment, so that a delete can see that a tier is in use.
    assignment_count: Count = 0
    created_at: Annotated[datetime, immutable]
    updated_at: datetime
    created_by: Annotated[Id, immutable]

    primary = UserQuotas.primary.key("QUOTA#{tier_id}", "METADATA")
    by_name = UserQuotas.tier_lookup_index.key("QUOTA_TIERS", "{tier_name}#{tier_id}")


class Assignment(
    Entity,
    table=UserQuotas,
    stored=to_camel,
    expected=Expected(count=5_000, per_partition=5, size_bytes=400),
    relations=(refers("tier_id", QuotaTier),),
):
    """The tier of a user, a role, a mail domain, or all other users."""

    # A user and an application role have one assignment each. Its id is made from the subject, so
    # that a second one would have the same key.
    assignment_id: AssignmentId
    tier_id: Id
    assignment_type: Annotated[AssignmentType, immutable]
    subject: Annotated[Subject, immutable]
    priority: Priority = 0
    enabled: bool = True

    primary = UserQuotas.primary.key("ASSIGNMENT#{assignment_id}", "METADATA")
    by_tier = UserQuotas.tier_lookup_index.key("QUOTA#{tier_id}", "ASSIGNMENT#{assignment_id}")
    by_subject = UserQuotas.subject_index.key(
        "{subject}", "PRIORITY#{priority:06d}#{assignment_id}"
    )
    by_type = UserQuotas.assignment_type_index.key(
        "ASSIGNMENT_TYPE#{assignment_type}", "PRIORITY#{priority:06d}#{assignment_id}"
    )


class Override(
    Entity,
    table=UserQuotas,
    stored=to_camel,
    expected=Expected(count=1_000, per_partition=2, size_bytes=400),
    ignore={"SK611": "only administrators change overrides, by id; users have no access to them"},
):
    """A quota that replaces the tier of one user for a time."""

    override_id: Id
    user_id: Annotated[Id, immutable]
    override_type: OverrideType
    monthly_cost_limit: Amount | None = None
    daily_cost_limit: Amount | None = None
    valid_from: Annotated[datetime, immutable]
    valid_until: Annotated[datetime, immutable]
    reason: Annotated[str, Field(min_length=1, max_length=500)]
    enabled: bool = True

    primary = UserQuotas.primary.key("OVERRIDE#{override_id}", "METADATA")
    by_user = UserQuotas.subject_index.key(
        "USER#{user_id}", "VALID_UNTIL#{valid_until}#{override_id}"
    )

    @model_validator(mode="after")
    def _has_its_limit(self) -> Self:
        has_limit = self.monthly_cost_limit is not None or self.daily_cost_limit is not None
        if has_limit is not (self.override_type is OverrideType.CUSTOM_LIMIT):
            raise ValueError(
                "a custom_limit override needs a limit, and an unlimited override must have none"
            )
        if self.valid_until < self.valid_from:
            raise ValueError("valid_until is before valid_from")
        return self

    def is_active_at(self, moment: datetime) -> bool:
        """Return whether the override is enabled and applies; both ends are included."""
        return self.enabled and self.valid_from <= moment <= self.valid_until


class QuotaConfig(
    Entity, table=UserQuotas, stored=to_camel, expected=Expected(count=1, size_bytes=120)
):
    """The configuration of the whole chat."""

    default_tier_id: Id | None = None

    primary = UserQuotas.primary.key("CONFIG", "QUOTA")


# Reads of tiers.


@pattern("A tier by its id", rate="20/s", fresh=True)
def tier_by_id(tier_id: str) -> Op[QuotaTier | None]:
    """Use a strongly consistent read, so that changes to a tier apply at once."""
    return QuotaTier.get(tier_id=tier_id).consistently()


@pattern(
    "All tiers",
    rate="5/min",
    where=lambda tier: True,  # noqa: ARG005 - every tier belongs to the answer
)
def all_tiers() -> Op[list[QuotaTier]]:
    """Return a few dozen tiers at most, by name (but ``A!`` before ``A``, as ``!`` precedes #)."""
    return QuotaTier.query(QuotaTier.by_name)


@pattern("The quota configuration", rate="10/s", fresh=True)
def quota_config() -> Op[QuotaConfig | None]:
    """Return None if nothing is configured."""
    return QuotaConfig.get().consistently()


# Reads of assignments. A subject has few, and the highest priority comes first.


@pattern("An assignment by its id", rate="10/min", fresh=True)
def assignment_by_id(assignment_id: str) -> Op[Assignment | None]:
    """Use a strongly consistent read: changes are decided from its result."""
    return Assignment.get(assignment_id=assignment_id).consistently()


@pattern(
    "Assignments of a tier",
    rate="5/min",
    page=ASSIGNMENTS_PAGE,
    where=lambda assignment, tier_id: assignment.tier_id == tier_id,
    order=lambda assignment: assignment.assignment_id,
)
def assignments_of_tier(tier_id: str, after: str | None = None) -> Op[Page[Assignment]]:
    """Order them by id."""
    return Assignment.query(Assignment.by_tier, tier_id=tier_id).page(ASSIGNMENTS_PAGE, after)


@pattern(
    "Assignment of a user",
    rate="20/s",
    where=lambda assignment, user_id: assignment.subject == f"USER#{user_id}",
    order=lambda assignment: (assignment.priority, assignment.assignment_id),
    descending=True,
)
def assignments_of_user(user_id: str) -> Op[list[Assignment]]:
    """Return one or none; older data may have several."""
    return Assignment.query(Assignment.by_subject, subject=f"USER#{user_id}").reverse()


@pattern(
    "Assignment of an application role",
    rate="20/s",
    where=lambda assignment, role_id: assignment.subject == f"APPROLE#{role_id}",
    order=lambda assignment: (assignment.priority, assignment.assignment_id),
    descending=True,
)
def assignments_of_app_role(role_id: str) -> Op[list[Assignment]]:
    """Return one or none; older data may have several."""
    return Assignment.query(Assignment.by_subject, subject=f"APPROLE#{role_id}").reverse()


@pattern(
    "Assignments of a role, highest priority first",
    rate="20/s",
    where=lambda assignment, role: assignment.subject == f"ROLE#{role}",
    order=lambda assignment: (assignment.priority, assignment.assignment_id),
    descending=True,
)
def assignments_of_role(role: str) -> Op[list[Assignment]]:
    """Find a role that the identity provider puts into its tokens."""
    return Assignment.query(Assignment.by_subject, subject=f"ROLE#{role}").reverse()


@pattern(
    "Assignments of a mail domain, highest priority first",
    rate="40/s",
    where=lambda assignment, domain: assignment.subject == f"DOMAIN#{domain}",
    order=lambda assignment: (assignment.priority, assignment.assignment_id),
    descending=True,
)
def assignments_of_domain(domain: str) -> Op[list[Assignment]]:
    """Take a domain, or ``*.`` and a domain for all its subdomains."""
    return Assignment.query(Assignment.by_subject, subject=f"DOMAIN#{domain}").reverse()


@pattern(
    "Default assignments, highest priority first",
    rate="10/s",
    where=lambda assignment: assignment.subject == "DEFAULT",
    order=lambda assignment: (assignment.priority, assignment.assignment_id),
    descending=True,
    ignore={"SK414": "there are only a few default assignments"},
)
def default_assignments() -> Op[list[Assignment]]:
    """Return the assignments of users to whom nothing else applies."""
    return Assignment.query(Assignment.by_subject, subject="DEFAULT").reverse()


@pattern(
    "Assignments of a type, highest priority first",
    rate="5/min",
    page=ASSIGNMENTS_PAGE,
    where=lambda assignment, assignment_type: assignment.assignment_type is assignment_type,
    order=lambda assignment: (assignment.priority, assignment.assignment_id),
    descending=True,
)
def assignments_of_type(
    assignment_type: AssignmentType, after: str | None = None
) -> Op[Page[Assignment]]:
    """List them for administrators."""
    query = Assignment.query(Assignment.by_type, assignment_type=assignment_type)
    return query.reverse().page(ASSIGNMENTS_PAGE, after)


# Reads of overrides.


@pattern("An override by its id", rate="1/min", fresh=True)
def override_by_id(override_id: str) -> Op[Override | None]:
    """Use a strongly consistent read."""
    return Override.get(override_id=override_id).consistently()


@pattern(
    "Overrides of a user that have not ended, latest end first",
    rate="20/s",
    where=lambda override, user_id, moment: (
        override.user_id == user_id and override.valid_until >= moment
    ),
    order=lambda override: (override.valid_until, override.override_id),
    descending=True,
)
def live_overrides(user_id: str, moment: datetime) -> Op[list[Override]]:
    """Return all of them: the first may be disabled or not have started."""
    query = Override.query(Override.by_user, user_id=user_id).ge(valid_until=moment)
    return query.reverse()


@pattern(
    "All overrides of a user, latest end first",
    rate="1/min",
    where=lambda override, user_id: override.user_id == user_id,
    order=lambda override: (override.valid_until, override.override_id),
    descending=True,
)
def overrides_of_user(user_id: str) -> Op[list[Override]]:
    """Include ended overrides."""
    return Override.query(Override.by_user, user_id=user_id).reverse()


# Writes of tiers.


def is_unused(tier: QuotaTier) -> bool:
    """Return whether the tier has no assignments."""
    return tier.assignment_count == 0


def is_not_default(config: QuotaConfig, tier_id: str) -> bool:
    """Return whether this tier is not the configured default."""
    return missing(config.default_tier_id) | (config.default_tier_id != tier_id)


@pattern("Define a tier", rate="1/day")
def add_tier(tier: QuotaTier) -> Op[QuotaTier]:
    """Require that the id is new."""
    return tier.create()


@pattern("Change the terms of a tier", rate="1/day")
def change_terms(tier_id: str, terms: TierTerms, moment: datetime) -> Op[QuotaTier]:
    """Replace all terms; assignments stay."""
    return QuotaTier.update(tier_id=tier_id).set(
        tier_name=terms.tier_name,
        monthly_cost_limit=terms.monthly_cost_limit,
        daily_cost_limit=terms.daily_cost_limit,
        period_type=terms.period_type,
        soft_limit_percentage=terms.soft_limit_percentage,
        action_on_limit=terms.action_on_limit,
        enabled=terms.enabled,
        updated_at=moment,
    )


@pattern("Delete an unused tier", rate="1/day")
def remove_tier(tier_id: str) -> Op[None]:
    """Require that the tier has no assignments and is not the configured default."""
    return transact(
        QuotaTier.delete(tier_id=tier_id).where(is_unused),
        QuotaConfig.check().where(lambda c: is_not_default(c, tier_id)),
    )


@pattern("Delete an unused tier when there is no configuration", rate="1/day")
def remove_tier_without_config(tier_id: str) -> Op[None]:
    """Require that the tier has no assignments and that no configuration exists."""
    return transact(
        QuotaTier.delete(tier_id=tier_id).where(is_unused), QuotaConfig.check().is_absent()
    )


@pattern(
    "Set the default tier",
    rate="1/day",
    ignore={"SK703": "the configuration is one record, and every write replaces all of it"},
)
def write_default_tier(tier_id: str) -> Op[None]:
    """Require that the tier exists; while it is the default, it cannot be deleted."""
    return transact(QuotaConfig(default_tier_id=tier_id).put(), QuotaTier.check(tier_id=tier_id))


@pattern(
    "Clear the default tier",
    rate="1/day",
    ignore={"SK703": "the configuration is one record, and every write replaces all of it"},
)
def write_no_default_tier() -> Op[QuotaConfig]:
    """Leave users without an assignment unlimited."""
    return QuotaConfig().put()


# Writes of assignments.


def is_of_tier(assignment: Assignment, tier_id: str) -> bool:
    """Return whether the assignment is to this tier."""
    return assignment.tier_id == tier_id


def is_unadjusted(assignment: Assignment, read: Assignment) -> bool:
    """Return whether the priority and the switch are unchanged since the assignment was read."""
    return (assignment.priority == read.priority) & (assignment.enabled == read.enabled)


@pattern("Assign a tier", rate="1/min")
def add_assignment(assignment: Assignment) -> Op[None]:
    """Require that the tier exists, and count the assignment in it."""
    tier = QuotaTier.update(tier_id=assignment.tier_id)
    return transact(assignment.create(), tier.add(assignment_count=1))


@pattern("Assign another tier", rate="1/h")
def move_assignment(assignment: Assignment, tier_id: str) -> Op[None]:
    """Update the counts of both tiers."""
    new_tier = QuotaTier.update(tier_id=tier_id)
    moved = assignment.update().set(tier_id=tier_id)
    return transact(
        moved.where(lambda a: is_of_tier(a, assignment.tier_id)),
        _count_one_less(assignment.tier_id),
        new_tier.add(assignment_count=1),
    )


@pattern("Change an assignment's priority, or enable or disable it", rate="1/h")
def change_assignment(assignment: Assignment, priority: int, *, enabled: bool) -> Op[Assignment]:
    """Require both unchanged since the read; the index entries move with the priority."""
    return (
        assignment.update()
        .set(priority=priority, enabled=enabled)
        .where(lambda a: is_unadjusted(a, assignment))
    )


@pattern("Remove an assignment", rate="1/h")
def remove_assignment(assignment: Assignment) -> Op[None]:
    """Decrement the count of its tier."""
    return transact(
        Assignment.delete(assignment_id=assignment.assignment_id).where(
            lambda a: is_of_tier(a, assignment.tier_id)
        ),
        _count_one_less(assignment.tier_id),
    )


def _count_one_less(tier_id: str) -> Update[QuotaTier]:
    """Never go below zero: a tier with a negative count could not be read."""
    tier = QuotaTier.update(tier_id=tier_id)
    return tier.add(assignment_count=-1).where(lambda t: t.assignment_count > 0)


# Writes of overrides.


@pattern("Grant an override", rate="1/h")
def add_override(override: Override, event: QuotaEvent) -> Op[None]:
    """Create the override together with its event."""
    return transact(override.create(), event.create())


@pattern("Enable or disable an override", rate="1/h")
def change_override(override_id: str, *, enabled: bool) -> Op[Override]:
    """Keep the record, for later questions."""
    return Override.update(override_id=override_id).set(enabled=enabled)


# Invariants.


@invariant("The count of a tier is the number of its assignments")
def counts_its_assignments(tier: QuotaTier, assignments: list[Assignment]) -> bool:
    """Return whether they agree, so that a tier in use is never deleted."""
    return tier.assignment_count == sum(each.tier_id == tier.tier_id for each in assignments)


@invariant("An assignment is to a tier that exists")
def assignment_has_its_tier(assignment: Assignment, tiers: list[QuotaTier]) -> bool:
    """Return whether the tier exists: a tier in use cannot be deleted."""
    return any(tier.tier_id == assignment.tier_id for tier in tiers)


@invariant("The default tier exists")
def default_tier_exists(config: QuotaConfig, tiers: list[QuotaTier]) -> bool:
    """Return whether the configured default, if any, exists."""
    return config.default_tier_id is None or any(
        tier.tier_id == config.default_tier_id for tier in tiers
    )
