"""The table ``user-quotas``: tiers, who is assigned to them, overrides and the default."""

from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Self

from pydantic import BaseModel, Field, model_validator
from pydantic.alias_generators import to_camel

from sortkey import (
    Entity,
    Exemption,
    Expected,
    Export,
    Op,
    Page,
    Table,
    gsi,
    immutable,
    invariant,
    missing,
    pattern,
    refers,
    transact,
)
from sortkey.operations.update import Update
from sortkey_systems.agentcore.design.events import QuotaEvent
from sortkey_systems.agentcore.design.standard import ALARMS, STANDARD, Count, Id

ASSIGNMENTS_PAGE = 50

# Whole micros, so that a limit can be compared with a sum of costs exactly.
Amount = Annotated[Decimal, Field(gt=0, max_digits=18, decimal_places=6)]
Percentage = Annotated[int, Field(ge=1, le=100)]
Priority = Annotated[int, Field(ge=0, le=999_999)]
# Beside an id within the 1,024 bytes of a sort key, in any script.
TierName = Annotated[str, Field(min_length=1, max_length=100, pattern=r"^[^#]+$")]
# A sole assignment's id is made of its type and of its subject.
AssignmentId = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^#]+$")]
Subject = Annotated[
    str, Field(max_length=300, pattern=r"^(((USER|APPROLE|ROLE|DOMAIN)#[^#]+)|DEFAULT)$")
]


class PeriodType(StrEnum):
    """Which sum of costs a limit is held against."""

    DAILY = "daily"
    MONTHLY = "monthly"


class ActionOnLimit(StrEnum):
    """What happens to a request of somebody who has used everything."""

    BLOCK = "block"
    WARN = "warn"


class AssignmentType(StrEnum):
    """Whom an assignment is for."""

    DIRECT_USER = "direct_user"
    APP_ROLE = "app_role"
    JWT_ROLE = "jwt_role"
    EMAIL_DOMAIN = "email_domain"
    DEFAULT_TIER = "default_tier"


class OverrideType(StrEnum):
    """What an override puts in the place of a tier."""

    CUSTOM_LIMIT = "custom_limit"
    UNLIMITED = "unlimited"


class UserQuotas(
    Table,
    name=STANDARD.named("user-quotas"),
    settings=STANDARD.settings(
        alarms=ALARMS,
        exported=Export("quota", "user-quotas", "User quotas DynamoDB table name"),
        exemptions=(
            Exemption(
                "prefixes",
                "an assignment stores its subject with the prefix of its type, which differs from "
                "record to record: USER#, APPROLE#, ROLE#, DOMAIN#, or DEFAULT",
                index="SubjectIndex",
            ),
        ),
    ),
):
    """How much people may spend."""

    tier_lookup_index = gsi("GSI1PK", "GSI1SK", name="TierLookupIndex")
    subject_index = gsi("GSI2PK", "GSI2SK", name="SubjectIndex")
    assignment_type_index = gsi("GSI3PK", "GSI3SK", name="AssignmentTypeIndex")


class TierTerms(BaseModel):
    """What a tier allows; whoever changes a tier gives all of it."""

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
    def limit(self) -> Decimal:
        """The most that may be spent in one period."""
        if self.period_type is PeriodType.DAILY and self.daily_cost_limit is not None:
            return self.daily_cost_limit
        return self.monthly_cost_limit


class QuotaTier(
    Entity,
    TierTerms,
    table=UserQuotas,
    stored=to_camel,
    expected=Expected(count=20, size_bytes=450),
):
    """A quota that people can be assigned to."""

    tier_id: Id
    # Moves with each assignment, in its transaction, so that a tier in use can be told by itself.
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
    """A tier for a user, a role, a mail domain, or everybody else."""

    # Of a user and of an application role there is one, so its id says whose it is: a second one
    # has the same key.
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
    ignore={"SK611": "administrators give and switch overrides by id; users never reach them"},
):
    """What counts for one user instead of any tier, for a time."""

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
            raise ValueError("a custom_limit has a limit, and an unlimited override has none")
        if self.valid_until < self.valid_from:
            raise ValueError("valid_until is before valid_from")
        return self

    def is_active_at(self, moment: datetime) -> bool:
        """Whether it counts; both ends of its time are included."""
        return self.enabled and self.valid_from <= moment <= self.valid_until


class QuotaConfig(
    Entity, table=UserQuotas, stored=to_camel, expected=Expected(count=1, size_bytes=120)
):
    """What holds for the whole chat."""

    default_tier_id: Id | None = None

    primary = UserQuotas.primary.key("CONFIG", "QUOTA")


# What is asked of tiers.


@pattern("A tier by its id", rate="20/s", fresh=True)
def tier_by_id(tier_id: str) -> Op[QuotaTier | None]:
    """Consistent: a tier that was just changed or disabled counts so at once."""
    return QuotaTier.get(tier_id=tier_id).consistently()


@pattern(
    "All tiers",
    rate="5/min",
    where=lambda tier: True,  # noqa: ARG005 - every tier belongs to the answer
)
def all_tiers() -> Op[list[QuotaTier]]:
    """A few dozen at most, in one partition; by name, but for what a name has before its #."""
    return QuotaTier.query(QuotaTier.by_name)


@pattern("The quota configuration", rate="10/s", fresh=True)
def quota_config() -> Op[QuotaConfig | None]:
    """None where nobody has set anything."""
    return QuotaConfig.get().consistently()


# What is asked of assignments. Of one subject there are few, and the highest priority comes first.


@pattern("An assignment by its id", rate="10/min", fresh=True)
def assignment_by_id(assignment_id: str) -> Op[Assignment | None]:
    """Consistent: what changes an assignment is decided by what is read here."""
    return Assignment.get(assignment_id=assignment_id).consistently()


@pattern(
    "Assignments of a tier",
    rate="5/min",
    page=ASSIGNMENTS_PAGE,
    where=lambda assignment, tier_id: assignment.tier_id == tier_id,
    order=lambda assignment: assignment.assignment_id,
)
def assignments_of_tier(tier_id: str, after: str | None = None) -> Op[Page[Assignment]]:
    """By their ids."""
    return Assignment.query(Assignment.by_tier, tier_id=tier_id).page(ASSIGNMENTS_PAGE, after)


@pattern(
    "Assignment of a user",
    rate="20/s",
    where=lambda assignment, user_id: assignment.subject == f"USER#{user_id}",
    order=lambda assignment: (assignment.priority, assignment.assignment_id),
    descending=True,
)
def assignments_of_user(user_id: str) -> Op[list[Assignment]]:
    """One, or none; data of before this rule may have several."""
    return Assignment.query(Assignment.by_subject, subject=f"USER#{user_id}").reverse()


@pattern(
    "Assignment of an application role",
    rate="20/s",
    where=lambda assignment, role_id: assignment.subject == f"APPROLE#{role_id}",
    order=lambda assignment: (assignment.priority, assignment.assignment_id),
    descending=True,
)
def assignments_of_app_role(role_id: str) -> Op[list[Assignment]]:
    """One, or none; data of before this rule may have several."""
    return Assignment.query(Assignment.by_subject, subject=f"APPROLE#{role_id}").reverse()


@pattern(
    "Assignments of a role, highest priority first",
    rate="20/s",
    where=lambda assignment, role: assignment.subject == f"ROLE#{role}",
    order=lambda assignment: (assignment.priority, assignment.assignment_id),
    descending=True,
)
def assignments_of_role(role: str) -> Op[list[Assignment]]:
    """A role that the identity provider puts into its token."""
    return Assignment.query(Assignment.by_subject, subject=f"ROLE#{role}").reverse()


@pattern(
    "Assignments of a mail domain, highest priority first",
    rate="40/s",
    where=lambda assignment, domain: assignment.subject == f"DOMAIN#{domain}",
    order=lambda assignment: (assignment.priority, assignment.assignment_id),
    descending=True,
)
def assignments_of_domain(domain: str) -> Op[list[Assignment]]:
    """The domain itself, or ``*.`` and the domain for everything under it."""
    return Assignment.query(Assignment.by_subject, subject=f"DOMAIN#{domain}").reverse()


@pattern(
    "Assignments of everybody else, highest priority first",
    rate="10/s",
    where=lambda assignment: assignment.subject == "DEFAULT",
    order=lambda assignment: (assignment.priority, assignment.assignment_id),
    descending=True,
    ignore={"SK414": "there are a handful of defaults, of which one counts"},
)
def default_assignments() -> Op[list[Assignment]]:
    """For whom nothing else applies."""
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
    """For administrators."""
    query = Assignment.query(Assignment.by_type, assignment_type=assignment_type)
    return query.reverse().page(ASSIGNMENTS_PAGE, after)


# What is asked of overrides.


@pattern("An override by its id", rate="1/min", fresh=True)
def override_by_id(override_id: str) -> Op[Override | None]:
    """Consistent."""
    return Override.get(override_id=override_id).consistently()


@pattern(
    "Overrides of a user that are not over, the last to end first",
    rate="20/s",
    where=lambda override, user_id, moment: (
        override.user_id == user_id and override.valid_until >= moment
    ),
    order=lambda override: (override.valid_until, override.override_id),
    descending=True,
)
def live_overrides(user_id: str, moment: datetime) -> Op[list[Override]]:
    """All of them, so that one that is disabled or yet to begin does not hide one that counts."""
    query = Override.query(Override.by_user, user_id=user_id).ge(valid_until=moment)
    return query.reverse()


@pattern(
    "All overrides of a user, the last to end first",
    rate="1/min",
    where=lambda override, user_id: override.user_id == user_id,
    order=lambda override: (override.valid_until, override.override_id),
    descending=True,
)
def overrides_of_user(user_id: str) -> Op[list[Override]]:
    """Those that are over too."""
    return Override.query(Override.by_user, user_id=user_id).reverse()


# What is written of tiers.


def is_unused(tier: QuotaTier) -> bool:
    """Nobody is assigned to the tier."""
    return tier.assignment_count == 0


def is_not_default(config: QuotaConfig, tier_id: str) -> bool:
    """The tier is not everybody else's."""
    return missing(config.default_tier_id) | (config.default_tier_id != tier_id)


@pattern("Define a tier", rate="1/day")
def add_tier(tier: QuotaTier) -> Op[QuotaTier]:
    """Under an id that no tier has."""
    return tier.create()


@pattern("Change the terms of a tier", rate="1/day")
def change_terms(tier_id: str, terms: TierTerms, moment: datetime) -> Op[QuotaTier]:
    """All of the terms at once; who is assigned stays."""
    return (
        QuotaTier.update(tier_id=tier_id)
        .set(lambda t: t.tier_name)
        .to(terms.tier_name)
        .set(lambda t: t.monthly_cost_limit)
        .to(terms.monthly_cost_limit)
        .set(lambda t: t.daily_cost_limit)
        .to(terms.daily_cost_limit)
        .set(lambda t: t.period_type)
        .to(terms.period_type)
        .set(lambda t: t.soft_limit_percentage)
        .to(terms.soft_limit_percentage)
        .set(lambda t: t.action_on_limit)
        .to(terms.action_on_limit)
        .set(lambda t: t.enabled)
        .to(terms.enabled)
        .set(lambda t: t.updated_at)
        .to(moment)
    )


@pattern("Delete a tier that nobody uses", rate="1/day")
def remove_tier(tier_id: str) -> Op[None]:
    """Nor is it the configured default."""
    return transact(
        QuotaTier.delete(tier_id=tier_id).where(is_unused),
        QuotaConfig.check().where(lambda c: is_not_default(c, tier_id)),
    )


@pattern("Delete a tier that nobody uses, while nothing is configured", rate="1/day")
def remove_tier_without_config(tier_id: str) -> Op[None]:
    """The same, where there is no configuration to look at."""
    return transact(
        QuotaTier.delete(tier_id=tier_id).where(is_unused), QuotaConfig.check().is_absent()
    )


@pattern(
    "Set the default tier",
    rate="1/day",
    ignore={"SK703": "there is one configuration, and whoever sets it sets all of it"},
)
def write_default_tier(tier_id: str) -> Op[None]:
    """One that exists, and cannot be deleted from now on."""
    return transact(QuotaConfig(default_tier_id=tier_id).put(), QuotaTier.check(tier_id=tier_id))


@pattern(
    "Have no default tier",
    rate="1/day",
    ignore={"SK703": "there is one configuration, and whoever sets it sets all of it"},
)
def write_no_default_tier() -> Op[QuotaConfig]:
    """Whoever is assigned to nothing is not limited."""
    return QuotaConfig().put()


# What is written of assignments.


def is_of_tier(assignment: Assignment, tier_id: str) -> bool:
    """The assignment is to this tier, and not to another since it was read."""
    return assignment.tier_id == tier_id


def is_adjusted_alike(assignment: Assignment, read: Assignment) -> bool:
    """Nobody has given it another priority, or switched it, since it was read."""
    return (assignment.priority == read.priority) & (assignment.enabled == read.enabled)


@pattern("Assign a tier", rate="1/min")
def add_assignment(assignment: Assignment) -> Op[None]:
    """To a tier that exists, and counts it."""
    tier = QuotaTier.update(tier_id=assignment.tier_id)
    return transact(assignment.create(), tier.add(lambda t: t.assignment_count).by(1))


@pattern("Assign another tier instead", rate="1/h")
def move_assignment(assignment: Assignment, tier_id: str) -> Op[None]:
    """Both tiers count it."""
    becomes = QuotaTier.update(tier_id=tier_id)
    moved = assignment.update().set(lambda a: a.tier_id).to(tier_id)
    return transact(
        moved.where(lambda a: is_of_tier(a, assignment.tier_id)),
        _one_less(assignment.tier_id),
        becomes.add(lambda t: t.assignment_count).by(1),
    )


@pattern("Change an assignment's priority, or switch it", rate="1/h")
def change_assignment(assignment: Assignment, priority: int, *, enabled: bool) -> Op[Assignment]:
    """As it was read; its places in the indexes move with the priority."""
    return (
        assignment.update()
        .set(lambda a: a.priority)
        .to(priority)
        .set(lambda a: a.enabled)
        .to(enabled)
        .where(lambda a: is_adjusted_alike(a, assignment))
    )


@pattern("Remove an assignment", rate="1/h")
def remove_assignment(assignment: Assignment) -> Op[None]:
    """Its tier counts one less."""
    return transact(
        Assignment.delete(assignment_id=assignment.assignment_id).where(
            lambda a: is_of_tier(a, assignment.tier_id)
        ),
        _one_less(assignment.tier_id),
    )


def _one_less(tier_id: str) -> Update[QuotaTier]:
    """A count below nought would be a tier that nobody can read."""
    tier = QuotaTier.update(tier_id=tier_id)
    return tier.add(lambda t: t.assignment_count).by(-1).where(lambda t: t.assignment_count > 0)


# What is written of overrides.


@pattern("Give an override", rate="1/h")
def add_override(override: Override, event: QuotaEvent) -> Op[None]:
    """The override, and the event that tells of it."""
    return transact(override.create(), event.create())


@pattern("Switch an override on or off", rate="1/h")
def change_override(override_id: str, *, enabled: bool) -> Op[Override]:
    """It stays, for whoever asks why."""
    return Override.update(override_id=override_id).set(lambda o: o.enabled).to(enabled)


# What is true after every write.


@invariant("A tier counts its assignments")
def counts_its_assignments(tier: QuotaTier, assignments: list[Assignment]) -> bool:
    """So that a tier in use can be told by itself."""
    return tier.assignment_count == sum(each.tier_id == tier.tier_id for each in assignments)


@invariant("An assignment is to a tier that exists")
def assignment_has_its_tier(assignment: Assignment, tiers: list[QuotaTier]) -> bool:
    """A tier in use cannot be deleted."""
    return any(tier.tier_id == assignment.tier_id for tier in tiers)


@invariant("The default tier exists")
def default_tier_exists(config: QuotaConfig, tiers: list[QuotaTier]) -> bool:
    """Where there is one."""
    return config.default_tier_id is None or any(
        tier.tier_id == config.default_tier_id for tier in tiers
    )
