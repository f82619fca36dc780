"""Requests and responses of AgentCore over HTTP, where a record has too many or too few fields."""

import base64
import hashlib
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Self

from pydantic import BaseModel, Field

from sortkey import DB
from sortkey_systems.agentcore.checking import Reason, Verdict
from sortkey_systems.agentcore.design import standard
from sortkey_systems.agentcore.design.assistants import AssistantStatus, Name
from sortkey_systems.agentcore.design.quotas import (
    ActionOnLimit,
    Amount,
    AssignmentType,
    OverrideType,
    PeriodType,
    Priority,
    TierTerms,
)
from sortkey_systems.agentcore.design.sessions import Tag, Title
from sortkey_systems.agentcore.design.sign_in import SignInState
from sortkey_systems.agentcore.errors import BadInput
from sortkey_systems.agentcore.measuring import Usage, usage_of
from sortkey_systems.agentcore.recording import Cost
from sortkey_systems.agentcore.resolving import Person, Quota, Source, effective_quota
from sortkey_systems.api.app import Moment
from sortkey_systems.api.bodies import RequestBody
from sortkey_systems.api.times import TimeRange, time_range

# Without the separators of key parts and of paths.
Id = Annotated[str, Field(min_length=1, max_length=128, pattern=r"^[^#/]+$")]
Micros = Annotated[int, Field(ge=0, le=10**12)]
Tokens = Annotated[int, Field(ge=0, le=10**9)]

DEMO_REDIRECT_URI = "https://chat.example.org/callback"

Within = Annotated[TimeRange, time_range(BadInput)]


class StartSessionRequest(RequestBody):
    """A session to start."""

    title: Title


class EditSessionRequest(RequestBody):
    """The fields of a session to change; the others keep their values."""

    title: Title | None = None
    starred: bool | None = None
    tags: Annotated[set[Tag], Field(max_length=20)] | None = None


class AssistantNameRequest(RequestBody):
    """The name of an assistant."""

    name: Name


class AssistantStatusRequest(RequestBody):
    """The new status of an assistant."""

    status: AssistantStatus


class BeginSignInRequest(RequestBody):
    """The address to which the identity provider redirects the browser."""

    redirect_uri: Annotated[
        str,
        Field(max_length=2048, pattern=r"^https?://[^\s#]+$", examples=[DEMO_REDIRECT_URI]),
    ]


class FinishSignInRequest(RequestBody):
    """The state that the browser brought back."""

    state: Id


class RecordCostRequest(RequestBody):
    """The cost of a user's message."""

    # Every user who can sign in can be charged, even with an id that no path allows.
    user_id: standard.Id
    record_id: Id
    timestamp: Moment
    session_id: Id
    message_id: Id
    cost_micros: Micros
    input_tokens: Tokens
    output_tokens: Tokens
    model_id: Annotated[str, Field(min_length=1, max_length=200)]

    def to_cost(self) -> Cost:
        """Return the cost to record."""
        return Cost(**self.model_dump())


class ChangeTierRequest(RequestBody, TierTerms):
    """All terms of a tier."""


class DefineTierRequest(ChangeTierRequest):
    """A tier to define."""

    tier_id: Id

    def terms(self) -> TierTerms:
        """Return the terms of the tier."""
        return TierTerms(**self.model_dump(exclude={"tier_id"}))


class TierIdRequest(RequestBody):
    """The id of an existing tier."""

    tier_id: Id


class AssignTierRequest(RequestBody):
    """A tier for a user, a role, a mail domain (or `*.` and a domain), or all other users."""

    assignment_type: AssignmentType
    who: Annotated[str, Field(max_length=253, pattern=r"^[^#/]+$")] | None = None
    tier_id: Id
    priority: Priority = 0
    enabled: bool = True


class AdjustAssignmentRequest(RequestBody):
    """The fields of an assignment to change; the others keep their values."""

    priority: Priority | None = None
    enabled: bool | None = None


class GrantOverrideRequest(RequestBody):
    """A quota that replaces the tier of a user for a time."""

    override_type: OverrideType
    monthly_cost_limit: Amount | None = None
    daily_cost_limit: Amount | None = None
    valid_from: Moment
    valid_until: Moment
    reason: Annotated[str, Field(min_length=1, max_length=500)]


class SwitchOverrideRequest(RequestBody):
    """Whether the override applies."""

    enabled: bool


class BeginSignInResponse(BaseModel):
    """The parameters for the identity provider; the code verifier stays on the server."""

    state: str
    nonce: str
    code_challenge: str
    code_challenge_method: str = "S256"
    expires_at: datetime

    @classmethod
    def of(cls, state: SignInState) -> Self:
        """Return the parts of a state that the browser may see."""
        digest = hashlib.sha256(state.code_verifier.encode()).digest()
        return cls(
            state=state.state,
            nonce=state.nonce,
            code_challenge=base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
            expires_at=state.ttl,
        )


class FinishSignInResponse(BaseModel):
    """The values that redeem a code, returned once and only to the service that redeems codes."""

    redirect_uri: str
    code_verifier: str
    nonce: str

    @classmethod
    def of(cls, state: SignInState) -> Self:
        """Return the values stored with a state."""
        return cls(
            redirect_uri=state.redirect_uri, code_verifier=state.code_verifier, nonce=state.nonce
        )


class UsageResponse(BaseModel):
    """The costs of a period, compared with its limit."""

    period: str
    spent: Decimal
    limit: Decimal | None
    percentage: Decimal

    @classmethod
    def of(cls, usage: Usage) -> Self:
        """Return the response for a usage."""
        return cls(
            period=usage.period,
            spent=usage.spent,
            limit=usage.limit,
            percentage=usage.percentage,
        )


class QuotaResponse(BaseModel):
    """The quota that applies to a user, and its source; a period not in `limits` has no limit."""

    source: Source
    tier_id: str | None
    limits: dict[PeriodType, Decimal]
    soft_limit_percentage: int
    action_on_limit: ActionOnLimit

    @classmethod
    def of(cls, quota: Quota) -> Self:
        """Return the response for a quota."""
        return cls(
            source=quota.source,
            tier_id=quota.tier_id,
            limits=dict(quota.limits),
            soft_limit_percentage=quota.soft_limit_percentage,
            action_on_limit=quota.action_on_limit,
        )


class QuotaUsageResponse(BaseModel):
    """The quota of a user and its usage; without a quota, everything is allowed."""

    quota: QuotaResponse | None
    usage: list[UsageResponse]


class QuotaCheckResponse(BaseModel):
    """Whether a request is allowed, and why; `warned_of` is the threshold of a new warning."""

    is_allowed: bool
    reason: Reason
    quota: QuotaResponse | None
    usage: UsageResponse | None
    warned_of: int | None

    @classmethod
    def of(cls, verdict: Verdict) -> Self:
        """Return the response for a verdict."""
        return cls(
            is_allowed=verdict.is_allowed,
            reason=verdict.reason,
            quota=verdict.quota and QuotaResponse.of(verdict.quota),
            usage=verdict.usage and UsageResponse.of(verdict.usage),
            warned_of=verdict.warned_of,
        )


def quota_usage(db: DB, person: Person) -> QuotaUsageResponse:
    """Return the quota that applies to a person, and the usage of each of its limits."""
    quota = effective_quota(db, person)
    if quota is None:
        return QuotaUsageResponse(quota=None, usage=[])
    usages = [usage_of(db, person.user_id, *limit) for limit in quota.limits.items()]
    return QuotaUsageResponse(
        quota=QuotaResponse.of(quota), usage=list(map(UsageResponse.of, usages))
    )
