"""AgentCore over HTTP, for administrators: tiers, who has which, overrides, and what was spent."""

from datetime import UTC, datetime
from typing import Annotated

from fastapi import Depends, Path, Query
from pydantic import Field

from sortkey import BadCursor, Page
from sortkey_systems.agentcore import assigning, defining, overriding
from sortkey_systems.agentcore.api_models import (
    GivenAdjustment,
    GivenAssignment,
    GivenOverride,
    GivenSwitch,
    GivenTerms,
    GivenTier,
    GivenTierId,
    Id,
    UsedQuota,
    Within,
    used_quota,
)
from sortkey_systems.agentcore.design.assistants import (
    Assistant,
    assistants_of_domain,
    assistants_of_month,
)
from sortkey_systems.agentcore.design.events import QuotaEvent, events_of_tier, events_of_user
from sortkey_systems.agentcore.design.quotas import (
    Assignment,
    AssignmentType,
    Override,
    QuotaConfig,
    QuotaTier,
    all_tiers,
    assignments_of_app_role,
    assignments_of_domain,
    assignments_of_role,
    assignments_of_tier,
    assignments_of_type,
    assignments_of_user,
    override_by_id,
    overrides_of_user,
    quota_config,
    tier_by_id,
)
from sortkey_systems.agentcore.design.sessions import CostRecord, costs_of_user
from sortkey_systems.agentcore.design.standard import Domain
from sortkey_systems.agentcore.design.summaries import CostSummary, Period, summary_of, top_spenders
from sortkey_systems.agentcore.errors import (
    AlreadyAssigned,
    AssignmentNotFound,
    BadInput,
    Contended,
    OverrideNotFound,
    TierExists,
    TierInUse,
    TierNotFound,
)
from sortkey_systems.agentcore.resolving import Person
from sortkey_systems.api.app import Cursor, Database, Operations
from sortkey_systems.api.identity import Caller, Having, NotAllowed

administration = Operations()

Admin = Annotated[Caller, Depends(Having("admin"))]

AssignedDomain = Annotated[
    str,
    Path(max_length=255, pattern=r"^(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*$", examples=["*.uni.edu"]),
]
AssignmentId = Annotated[
    str, Path(max_length=300, pattern=r"^[^#/]+$", examples=["direct_user:user3"])
]
Month = Annotated[str, Path(pattern=r"^[12][0-9]{3}-(0[1-9]|1[0-2])$", examples=["2036-05"])]
Spent = Annotated[Period, Path(examples=["2036-05"])]
OverrideId = Annotated[Id, Path(examples=["0000001-0"])]
TierId = Annotated[Id, Path(examples=["staff"])]
UserId = Annotated[Id, Path(examples=["user3"])]
Roles = Annotated[tuple[Annotated[str, Field(max_length=128)], ...], Query(max_length=20)]


# Tiers.


@administration.get("/tiers", NotAllowed)
def tiers(db: Database, _admin: Admin) -> list[QuotaTier]:
    """All tiers, by name."""
    return sorted(db(all_tiers()), key=lambda tier: (tier.tier_name, tier.tier_id))


@administration.post("/tiers", NotAllowed, BadInput, TierExists, status=201)
def define_tier(db: Database, admin: Admin, given: GivenTier) -> QuotaTier:
    """Define a tier, to which nobody is assigned yet."""
    return defining.define_tier(db, given.tier_id, given.terms(), by=admin.user_id)


@administration.get("/tiers/{tier_id}", NotAllowed, TierNotFound)
def tier(db: Database, _admin: Admin, tier_id: TierId) -> QuotaTier:
    """A tier."""
    found = db(tier_by_id(tier_id))
    if found is None:
        raise TierNotFound(tier_id)
    return found


@administration.put("/tiers/{tier_id}", NotAllowed, BadInput, TierNotFound)
def change_tier(db: Database, _admin: Admin, tier_id: TierId, given: GivenTerms) -> QuotaTier:
    """Change what a tier allows, for all who are assigned to it."""
    return defining.change_tier(db, tier_id, given)


@administration.delete("/tiers/{tier_id}", NotAllowed, TierNotFound, TierInUse, Contended)
def delete_tier(db: Database, _admin: Admin, tier_id: TierId) -> None:
    """Delete a tier to which nobody is assigned, and which is not the default."""
    defining.delete_tier(db, tier_id)


@administration.get("/tiers/{tier_id}/assignments", NotAllowed, BadCursor)
def list_of_tier(
    db: Database, _admin: Admin, tier_id: TierId, cursor: Cursor = None
) -> Page[Assignment]:
    """Who is assigned to a tier, by the ids of the assignments."""
    return db(assignments_of_tier(tier_id, cursor))


@administration.get("/tiers/{tier_id}/events", NotAllowed, BadInput, BadCursor)
def list_events_of_tier(
    db: Database, _admin: Admin, tier_id: TierId, within: Within, cursor: Cursor = None
) -> Page[QuotaEvent]:
    """Who of a tier was warned or blocked, newest first."""
    return db(events_of_tier(tier_id, within.since, within.until, cursor))


@administration.get("/default-tier", NotAllowed)
def default_tier(db: Database, _admin: Admin) -> QuotaConfig:
    """The tier of everybody to whom nothing else applies, if there is one."""
    return db(quota_config()) or QuotaConfig()


@administration.put("/default-tier", NotAllowed, TierNotFound)
def set_default_tier(db: Database, _admin: Admin, given: GivenTierId) -> QuotaConfig:
    """Say which tier is everybody's to whom nothing else applies."""
    defining.set_default_tier(db, given.tier_id)
    return QuotaConfig(default_tier_id=given.tier_id)


@administration.delete("/default-tier", NotAllowed)
def clear_default_tier(db: Database, _admin: Admin) -> None:
    """Limit nobody to whom nothing applies."""
    defining.clear_default_tier(db)


# Assignments.


@administration.get("/assignments", NotAllowed, BadCursor)
def list_of_type(
    db: Database, _admin: Admin, assignment_type: AssignmentType, cursor: Cursor = None
) -> Page[Assignment]:
    """The assignments of a type, the highest priority first."""
    return db(assignments_of_type(assignment_type, cursor))


@administration.post(
    "/assignments", NotAllowed, BadInput, TierNotFound, AlreadyAssigned, status=201
)
def assign(db: Database, _admin: Admin, given: GivenAssignment) -> Assignment:
    """Assign a tier; a user and an application role have one assignment each."""
    return assigning.assign(
        db,
        given.assignment_type,
        given.who,
        given.tier_id,
        priority=given.priority,
        enabled=given.enabled,
    )


@administration.get("/assignments/{assignment_id}", NotAllowed, BadInput, AssignmentNotFound)
def assignment(db: Database, _admin: Admin, assignment_id: AssignmentId) -> Assignment:
    """An assignment."""
    return assigning.find_assignment(db, assignment_id)


@administration.patch(
    "/assignments/{assignment_id}", NotAllowed, BadInput, AssignmentNotFound, Contended
)
def adjust(
    db: Database, _admin: Admin, assignment_id: AssignmentId, given: GivenAdjustment
) -> Assignment:
    """Give an assignment another priority, or switch it on or off."""
    return assigning.adjust(db, assignment_id, priority=given.priority, enabled=given.enabled)


@administration.put(
    "/assignments/{assignment_id}/tier",
    NotAllowed,
    BadInput,
    AssignmentNotFound,
    TierNotFound,
    Contended,
)
def reassign(
    db: Database, _admin: Admin, assignment_id: AssignmentId, given: GivenTierId
) -> Assignment:
    """Assign another tier instead."""
    return assigning.reassign(db, assignment_id, given.tier_id)


@administration.delete(
    "/assignments/{assignment_id}", NotAllowed, BadInput, AssignmentNotFound, Contended
)
def unassign(db: Database, _admin: Admin, assignment_id: AssignmentId) -> None:
    """Remove an assignment."""
    assigning.unassign(db, assignment_id)


@administration.get("/users/{user_id}/assignments", NotAllowed)
def list_of_user(db: Database, _admin: Admin, user_id: UserId) -> list[Assignment]:
    """The assignment of a user."""
    return db(assignments_of_user(user_id))


@administration.get("/app-roles/{role}/assignments", NotAllowed)
def list_of_app_role(db: Database, _admin: Admin, role: Id) -> list[Assignment]:
    """The assignment of an application role."""
    return db(assignments_of_app_role(role))


@administration.get("/jwt-roles/{role}/assignments", NotAllowed)
def list_of_role(db: Database, _admin: Admin, role: Id) -> list[Assignment]:
    """The assignments of a role that tokens carry, the highest priority first."""
    return db(assignments_of_role(role))


@administration.get("/domains/{domain}/assignments", NotAllowed)
def list_of_domain(db: Database, _admin: Admin, domain: AssignedDomain) -> list[Assignment]:
    """The assignments of a mail domain, or of `*.` and a domain, the highest priority first."""
    return db(assignments_of_domain(domain))


# Overrides.


@administration.get("/users/{user_id}/overrides", NotAllowed)
def overrides(db: Database, _admin: Admin, user_id: UserId) -> list[Override]:
    """All overrides of a user, the last to end first."""
    return db(overrides_of_user(user_id))


@administration.post("/users/{user_id}/overrides", NotAllowed, BadInput, status=201)
def give_override(db: Database, _admin: Admin, user_id: UserId, given: GivenOverride) -> Override:
    """Give a user an override; both ends of its time are included."""
    return overriding.give_override(
        db,
        user_id,
        given.override_type,
        valid_from=given.valid_from,
        valid_until=given.valid_until,
        reason=given.reason,
        monthly_cost_limit=given.monthly_cost_limit,
        daily_cost_limit=given.daily_cost_limit,
    )


@administration.get("/overrides/{override_id}", NotAllowed, OverrideNotFound)
def override(db: Database, _admin: Admin, override_id: OverrideId) -> Override:
    """An override."""
    found = db(override_by_id(override_id))
    if found is None:
        raise OverrideNotFound(override_id)
    return found


@administration.patch("/overrides/{override_id}", NotAllowed, BadInput, OverrideNotFound)
def switch_override(
    db: Database, _admin: Admin, override_id: OverrideId, given: GivenSwitch
) -> Override:
    """Switch an override on or off."""
    return overriding.switch_override(db, override_id, enabled=given.enabled)


# What people may spend, and have spent.


@administration.get("/users/{user_id}/quota", NotAllowed, BadInput)
def quota_of_user(
    *,
    db: Database,
    _admin: Admin,
    user_id: UserId,
    email: Annotated[str | None, Query(max_length=320)] = None,
    app_role: Roles = (),
    jwt_role: Roles = (),
) -> UsedQuota:
    """The quota that applies to a user with this mail address and these roles, and its use."""
    return used_quota(db, Person(user_id, email, app_role, jwt_role))


@administration.get("/users/{user_id}/events", NotAllowed, BadInput, BadCursor)
def list_events_of_user(
    db: Database, _admin: Admin, user_id: UserId, within: Within, cursor: Cursor = None
) -> Page[QuotaEvent]:
    """When a user was warned or blocked, and got overrides, newest first."""
    return db(events_of_user(user_id, within.since, within.until, cursor))


@administration.get("/users/{user_id}/costs", NotAllowed, BadInput, BadCursor)
def list_costs_of_user(
    db: Database, _admin: Admin, user_id: UserId, within: Within, cursor: Cursor = None
) -> Page[CostRecord]:
    """What a user's messages cost, newest first."""
    return db(costs_of_user(user_id, within.since, within.until, cursor))


@administration.get("/users/{user_id}/summaries/{period}", NotAllowed)
def summary_of_user(db: Database, _admin: Admin, user_id: UserId, period: Spent) -> CostSummary:
    """What a user has spent on a day or in a month."""
    return db(summary_of(user_id, period)) or CostSummary(user_id=user_id, period=period)


@administration.get("/spenders/{period}", NotAllowed, BadCursor)
def spenders(
    db: Database, _admin: Admin, period: Spent, cursor: Cursor = None
) -> Page[CostSummary]:
    """Who has spent most on a day or in a month."""
    return db(top_spenders(period, cursor))


# Assistants of others.


@administration.get("/domains/{domain}/assistants", NotAllowed, BadCursor)
def list_assistants_of_domain(
    db: Database,
    _admin: Admin,
    domain: Annotated[Domain, Path(examples=["uni.edu"])],
    cursor: Cursor = None,
) -> Page[Assistant]:
    """The assistants of a mail domain, newest first."""
    return db(assistants_of_domain(domain, cursor))


@administration.get("/months/{month}/assistants", NotAllowed, BadCursor)
def list_assistants_of_month(
    db: Database, _admin: Admin, month: Month, cursor: Cursor = None
) -> Page[Assistant]:
    """The assistants that were begun in a month, newest first."""
    year, number = map(int, month.split("-"))
    return db(assistants_of_month(datetime(year, number, 1, tzinfo=UTC), cursor))
