"""What AgentCore is sent over HTTP, and what it tells where a record holds more or less."""

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
from sortkey_systems.api.bodies import Given
from sortkey_systems.api.times import Times, within

# Without what stands between the parts of a key, or of a path.
Id = Annotated[str, Field(min_length=1, max_length=128, pattern=r"^[^#/]+$")]
Micros = Annotated[int, Field(ge=0, le=10**12)]
Tokens = Annotated[int, Field(ge=0, le=10**9)]

DEMO_REDIRECT_URI = "https://chat.example.org/callback"

Within = Annotated[Times, within(BadInput)]


class GivenTitle(Given):
    """What a session is about."""

    title: Title


class GivenEdit(Given):
    """What of a session changes; the rest stays."""

    title: Title | None = None
    starred: bool | None = None
    tags: Annotated[set[Tag], Field(max_length=20)] | None = None


class GivenName(Given):
    """What an assistant is called."""

    name: Name


class GivenStatus(Given):
    """What becomes of an assistant."""

    status: AssistantStatus


class GivenReturn(Given):
    """Where the identity provider sends the browser."""

    redirect_uri: Annotated[
        str,
        Field(max_length=2048, pattern=r"^https?://[^\s#]+$", examples=[DEMO_REDIRECT_URI]),
    ]


class GivenState(Given):
    """What the browser has brought back."""

    state: Id


class GivenCost(Given):
    """What a message of somebody cost."""

    # Whoever can sign in can be charged, also under an id that no path takes.
    user_id: standard.Id
    record_id: Id
    timestamp: Moment
    session_id: Id
    message_id: Id
    cost_micros: Micros
    input_tokens: Tokens
    output_tokens: Tokens
    model_id: Annotated[str, Field(min_length=1, max_length=200)]

    def cost(self) -> Cost:
        """The same, as it is recorded."""
        return Cost(**self.model_dump())


class GivenTerms(Given, TierTerms):
    """All that a tier allows."""


class GivenTier(GivenTerms):
    """A tier to define."""

    tier_id: Id

    def terms(self) -> TierTerms:
        """What it allows."""
        return TierTerms(**self.model_dump(exclude={"tier_id"}))


class GivenTierId(Given):
    """A tier that exists."""

    tier_id: Id


class GivenAssignment(Given):
    """A tier for a user, a role, a mail domain (or `*.` and a domain), or everybody else."""

    assignment_type: AssignmentType
    who: Annotated[str, Field(max_length=253, pattern=r"^[^#/]+$")] | None = None
    tier_id: Id
    priority: Priority = 0
    enabled: bool = True


class GivenAdjustment(Given):
    """What of an assignment changes; the rest stays."""

    priority: Priority | None = None
    enabled: bool | None = None


class GivenOverride(Given):
    """What counts for a user instead of any tier, for a time."""

    override_type: OverrideType
    monthly_cost_limit: Amount | None = None
    daily_cost_limit: Amount | None = None
    valid_from: Moment
    valid_until: Moment
    reason: Annotated[str, Field(min_length=1, max_length=500)]


class GivenSwitch(Given):
    """Whether it counts."""

    enabled: bool


class BegunSignIn(BaseModel):
    """What the browser takes to the identity provider; the verifier stays here."""

    state: str
    nonce: str
    code_challenge: str
    code_challenge_method: str = "S256"
    expires_at: datetime

    @classmethod
    def of(cls, state: SignInState) -> Self:
        """What of a state the browser may see."""
        digest = hashlib.sha256(state.code_verifier.encode()).digest()
        return cls(
            state=state.state,
            nonce=state.nonce,
            code_challenge=base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
            expires_at=state.ttl,
        )


class FinishedSignIn(BaseModel):
    """What a code is redeemed with: told once, and to nobody but who redeems codes."""

    redirect_uri: str
    code_verifier: str
    nonce: str

    @classmethod
    def of(cls, state: SignInState) -> Self:
        """What was stored with a state."""
        return cls(
            redirect_uri=state.redirect_uri, code_verifier=state.code_verifier, nonce=state.nonce
        )


class UsedLimit(BaseModel):
    """What was spent in a period, held against its limit."""

    period: str
    spent: Decimal
    limit: Decimal | None
    percentage: Decimal

    @classmethod
    def of(cls, usage: Usage) -> Self:
        """A usage, with how much of its limit it is."""
        return cls(
            period=usage.period,
            spent=usage.spent,
            limit=usage.limit,
            percentage=usage.percentage,
        )


class AppliedQuota(BaseModel):
    """The quota that applies to somebody, and why; a period that is not named has no limit."""

    source: Source
    tier_id: str | None
    limits: dict[PeriodType, Decimal]
    soft_limit_percentage: int
    action_on_limit: ActionOnLimit

    @classmethod
    def of(cls, quota: Quota) -> Self:
        """A quota."""
        return cls(
            source=quota.source,
            tier_id=quota.tier_id,
            limits=dict(quota.limits),
            soft_limit_percentage=quota.soft_limit_percentage,
            action_on_limit=quota.action_on_limit,
        )


class UsedQuota(BaseModel):
    """The quota of somebody and what was used of it; no quota allows everything."""

    quota: AppliedQuota | None
    usage: list[UsedLimit]


class CheckedQuota(BaseModel):
    """Whether a request may be sent, and why; `warned_of` is the threshold just warned of."""

    is_allowed: bool
    reason: Reason
    quota: AppliedQuota | None
    usage: UsedLimit | None
    warned_of: int | None

    @classmethod
    def of(cls, verdict: Verdict) -> Self:
        """A verdict."""
        return cls(
            is_allowed=verdict.is_allowed,
            reason=verdict.reason,
            quota=verdict.quota and AppliedQuota.of(verdict.quota),
            usage=verdict.usage and UsedLimit.of(verdict.usage),
            warned_of=verdict.warned_of,
        )


def used_quota(db: DB, person: Person) -> UsedQuota:
    """The quota that applies to a person, and what was used of each of its limits."""
    quota = effective_quota(db, person)
    if quota is None:
        return UsedQuota(quota=None, usage=[])
    usages = [usage_of(db, person.user_id, *limit) for limit in quota.limits.items()]
    return UsedQuota(quota=AppliedQuota.of(quota), usage=list(map(UsedLimit.of, usages)))
