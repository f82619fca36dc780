"""AgentCore over HTTP, for administrators: tiers, assignments, overrides and costs."""

from datetime import UTC, datetime
from typing import Annotated

from fastapi import Depends, Path, Query
from pydantic import Field

from sortkey import BadCursor, Contended, Page
from sortkey_systems.agentcore import assigning, defining, overriding
from sortkey_systems.agentcore.api_models import (
    AdjustAssignmentRequest,
    AssignTierRequest,
    ChangeTierRequest,
    DefineTierRequest,
    GrantOverrideRequest,
    Id,
    QuotaUsageResponse,
    SwitchOverrideRequest,
    TierIdRequest,
    Within,
    quota_usage,
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
    OverrideNotFound,
    TierExists,
    TierInUse,
    TierNotFound,
)
from sortkey_systems.agentcore.resolving import Person
from sortkey_systems.api.app import Cursor, Database, Operations
from sortkey_systems.api.callers import Caller
from sortkey_systems.api.identity import NotAllowed, RequireRole

administration = Operations()

Admin = Annotated[Caller, Depends(RequireRole("admin"))]

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
    """List all tiers by name."""
    return sorted(db(all_tiers()), key=lambda tier: (tier.tier_name, tier.tier_id))


@administration.post("/tiers", NotAllowed, BadInput, TierExists, status=201)
def define_tier(db: Database, admin: Admin, request: DefineTierRequest) -> QuotaTier:
    """Define a tier."""
    return defining.define_tier(db, request.tier_id, request.terms(), by=admin.user_id)


@administration.get("/tiers/{tier_id}", NotAllowed, TierNotFound)
def tier(db: Database, _admin: Admin, tier_id: TierId) -> QuotaTier:
    """Get a tier."""
    found = db(tier_by_id(tier_id))
    if found is None:
        raise TierNotFound(tier_id)
    return found


@administration.put("/tiers/{tier_id}", NotAllowed, BadInput, TierNotFound)
def change_tier(
    db: Database, _admin: Admin, tier_id: TierId, request: ChangeTierRequest
) -> QuotaTier:
    """Replace the terms of a tier, for all its assignments."""
    return defining.change_tier(db, tier_id, request)


@administration.delete("/tiers/{tier_id}", NotAllowed, TierNotFound, TierInUse, Contended)
def delete_tier(db: Database, _admin: Admin, tier_id: TierId) -> None:
    """Delete a tier that has no assignments and is not the default."""
    defining.delete_tier(db, tier_id)


@administration.get("/tiers/{tier_id}/assignments", NotAllowed, BadCursor)
def list_of_tier(
    db: Database, _admin: Admin, tier_id: TierId, cursor: Cursor = None
) -> Page[Assignment]:
    """List the assignments of a tier, by id."""
    return db(assignments_of_tier(tier_id, cursor))


@administration.get("/tiers/{tier_id}/events", NotAllowed, BadInput, BadCursor)
def list_events_of_tier(
    db: Database, _admin: Admin, tier_id: TierId, within: Within, cursor: Cursor = None
) -> Page[QuotaEvent]:
    """List the warnings and blocks of a tier, newest first."""
    return db(events_of_tier(tier_id, within.since, within.until, cursor))


@administration.get("/default-tier", NotAllowed)
def default_tier(db: Database, _admin: Admin) -> QuotaConfig:
    """Get the tier of users to whom nothing else applies, if there is one."""
    return db(quota_config()) or QuotaConfig()


@administration.put("/default-tier", NotAllowed, TierNotFound)
def set_default_tier(db: Database, _admin: Admin, request: TierIdRequest) -> QuotaConfig:
    """Set the tier of users to whom nothing else applies."""
    defining.set_default_tier(db, request.tier_id)
    return QuotaConfig(default_tier_id=request.tier_id)


@administration.delete("/default-tier", NotAllowed)
def clear_default_tier(db: Database, _admin: Admin) -> None:
    """Clear the default tier: users to whom nothing applies have no limit."""
    defining.clear_default_tier(db)


# Assignments.


@administration.get("/assignments", NotAllowed, BadCursor)
def list_of_type(
    db: Database, _admin: Admin, assignment_type: AssignmentType, cursor: Cursor = None
) -> Page[Assignment]:
    """List the assignments of a type, highest priority first."""
    return db(assignments_of_type(assignment_type, cursor))


@administration.post(
    "/assignments", NotAllowed, BadInput, TierNotFound, AlreadyAssigned, status=201
)
def assign(db: Database, _admin: Admin, request: AssignTierRequest) -> Assignment:
    """Assign a tier; a user and an application role have one assignment each."""
    return assigning.assign(
        db,
        request.assignment_type,
        request.who,
        request.tier_id,
        priority=request.priority,
        enabled=request.enabled,
    )


@administration.get("/assignments/{assignment_id}", NotAllowed, BadInput, AssignmentNotFound)
def assignment(db: Database, _admin: Admin, assignment_id: AssignmentId) -> Assignment:
    """Get an assignment."""
    return assigning.find_assignment(db, assignment_id)


@administration.patch(
    "/assignments/{assignment_id}", NotAllowed, BadInput, AssignmentNotFound, Contended
)
def adjust(
    db: Database, _admin: Admin, assignment_id: AssignmentId, request: AdjustAssignmentRequest
) -> Assignment:
    """Change the priority of an assignment, or enable or disable it."""
    return assigning.adjust(db, assignment_id, priority=request.priority, enabled=request.enabled)


@administration.put(
    "/assignments/{assignment_id}/tier",
    NotAllowed,
    BadInput,
    AssignmentNotFound,
    TierNotFound,
    Contended,
)
def reassign(
    db: Database, _admin: Admin, assignment_id: AssignmentId, request: TierIdRequest
) -> Assignment:
    """Assign another tier."""
    return assigning.reassign(db, assignment_id, request.tier_id)


@administration.delete(
    "/assignments/{assignment_id}", NotAllowed, BadInput, AssignmentNotFound, Contended
)
def unassign(db: Database, _admin: Admin, assignment_id: AssignmentId) -> None:
    """Remove an assignment."""
    assigning.unassign(db, assignment_id)


@administration.get("/users/{user_id}/assignments", NotAllowed)
def list_of_user(db: Database, _admin: Admin, user_id: UserId) -> list[Assignment]:
    """List the assignments of a user."""
    return db(assignments_of_user(user_id))


@administration.get("/app-roles/{role}/assignments", NotAllowed)
def list_of_app_role(db: Database, _admin: Admin, role: Id) -> list[Assignment]:
    """List the assignments of an application role."""
    return db(assignments_of_app_role(role))


@administration.get("/jwt-roles/{role}/assignments", NotAllowed)
def list_of_role(db: Database, _admin: Admin, role: Id) -> list[Assignment]:
    """List the assignments of a token role, highest priority first."""
    return db(assignments_of_role(role))


@administration.get("/domains/{domain}/assignments", NotAllowed)
def list_of_domain(db: Database, _admin: Admin, domain: AssignedDomain) -> list[Assignment]:
    """List the assignments of a mail domain, or of `*.` and a domain, highest priority first."""
    return db(assignments_of_domain(domain))


# Overrides.


@administration.get("/users/{user_id}/overrides", NotAllowed)
def overrides(db: Database, _admin: Admin, user_id: UserId) -> list[Override]:
    """List all overrides of a user, latest end first."""
    return db(overrides_of_user(user_id))


@administration.post("/users/{user_id}/overrides", NotAllowed, BadInput, status=201)
def grant_override(
    db: Database, _admin: Admin, user_id: UserId, request: GrantOverrideRequest
) -> Override:
    """Grant an override to a user; both ends of its time range are included."""
    return overriding.grant_override(
        db,
        user_id,
        request.override_type,
        valid_from=request.valid_from,
        valid_until=request.valid_until,
        reason=request.reason,
        monthly_cost_limit=request.monthly_cost_limit,
        daily_cost_limit=request.daily_cost_limit,
    )


@administration.get("/overrides/{override_id}", NotAllowed, OverrideNotFound)
def override(db: Database, _admin: Admin, override_id: OverrideId) -> Override:
    """Get an override."""
    found = db(override_by_id(override_id))
    if found is None:
        raise OverrideNotFound(override_id)
    return found


@administration.patch("/overrides/{override_id}", NotAllowed, BadInput, OverrideNotFound)
def switch_override(
    db: Database, _admin: Admin, override_id: OverrideId, request: SwitchOverrideRequest
) -> Override:
    """Enable or disable an override."""
    return overriding.switch_override(db, override_id, enabled=request.enabled)


# Quotas and costs of users.


@administration.get("/users/{user_id}/quota", NotAllowed, BadInput)
def quota_of_user(
    *,
    db: Database,
    _admin: Admin,
    user_id: UserId,
    email: Annotated[str | None, Query(max_length=320)] = None,
    app_role: Roles = (),
    jwt_role: Roles = (),
) -> QuotaUsageResponse:
    """Get the quota and usage of a user with this mail address and these roles."""
    return quota_usage(db, Person(user_id, email, app_role, jwt_role))


@administration.get("/users/{user_id}/events", NotAllowed, BadInput, BadCursor)
def list_events_of_user(
    db: Database, _admin: Admin, user_id: UserId, within: Within, cursor: Cursor = None
) -> Page[QuotaEvent]:
    """List the warnings, blocks and overrides of a user, newest first."""
    return db(events_of_user(user_id, within.since, within.until, cursor))


@administration.get("/users/{user_id}/costs", NotAllowed, BadInput, BadCursor)
def list_costs_of_user(
    db: Database, _admin: Admin, user_id: UserId, within: Within, cursor: Cursor = None
) -> Page[CostRecord]:
    """List the costs of a user's messages, newest first."""
    return db(costs_of_user(user_id, within.since, within.until, cursor))


@administration.get("/users/{user_id}/summaries/{period}", NotAllowed)
def summary_of_user(db: Database, _admin: Admin, user_id: UserId, period: Spent) -> CostSummary:
    """Get the costs of a user in a day or a month."""
    return db(summary_of(user_id, period)) or CostSummary(user_id=user_id, period=period)


@administration.get("/spenders/{period}", NotAllowed, BadCursor)
def spenders(
    db: Database, _admin: Admin, period: Spent, cursor: Cursor = None
) -> Page[CostSummary]:
    """List the users with the highest costs of a day or a month."""
    return db(top_spenders(period, cursor))


# Assistants of all users.


@administration.get("/domains/{domain}/assistants", NotAllowed, BadCursor)
def list_assistants_of_domain(
    db: Database,
    _admin: Admin,
    domain: Annotated[Domain, Path(examples=["uni.edu"])],
    cursor: Cursor = None,
) -> Page[Assistant]:
    """List the assistants of a mail domain, newest first."""
    return db(assistants_of_domain(domain, cursor))


@administration.get("/months/{month}/assistants", NotAllowed, BadCursor)
def list_assistants_of_month(
    db: Database, _admin: Admin, month: Month, cursor: Cursor = None
) -> Page[Assistant]:
    """List the assistants created in a month, newest first."""
    year, number = map(int, month.split("-"))
    return db(assistants_of_month(datetime(year, number, 1, tzinfo=UTC), cursor))
