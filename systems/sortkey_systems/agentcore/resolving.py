"""Resolving: which quota applies to somebody, of all that could."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from types import MappingProxyType
from typing import Self

from sortkey import DB, utc_now
from sortkey_systems.agentcore.design.quotas import (
    ActionOnLimit,
    Assignment,
    AssignmentType,
    Override,
    PeriodType,
    QuotaTier,
    assignments_of_app_role,
    assignments_of_domain,
    assignments_of_role,
    assignments_of_user,
    default_assignments,
    live_overrides,
    quota_config,
    tier_by_id,
)
from sortkey_systems.agentcore.design.standard import is_id
from sortkey_systems.agentcore.errors import BadInput
from sortkey_systems.agentcore.mail import covering, domain_of

# Also of an override, which says nothing else.
SOFT_LIMIT = 80


@dataclass(frozen=True, slots=True)
class Person:
    """Who sends a request, as the token of the identity provider tells."""

    user_id: str
    email: str | None = None
    app_roles: tuple[str, ...] = ()
    jwt_roles: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        # Here, since a check that cannot be read allows: nobody gets through by an odd id.
        if not is_id(self.user_id):
            raise BadInput("user_id", "it has 1 to 128 characters, and no #")


class Source(StrEnum):
    """Why a quota applies."""

    OVERRIDE = "override"
    DIRECT_USER = "direct_user"
    APP_ROLE = "app_role"
    JWT_ROLE = "jwt_role"
    EMAIL_DOMAIN = "email_domain"
    DEFAULT_TIER = "default_tier"
    CONFIG = "config"


@dataclass(frozen=True, slots=True)
class Quota:
    """What applies to somebody: a limit for each period that has one, and what to do there."""

    source: Source
    limits: Mapping[PeriodType, Decimal]
    tier_id: str | None = None
    soft_limit_percentage: int = SOFT_LIMIT
    action_on_limit: ActionOnLimit = ActionOnLimit.BLOCK

    @classmethod
    def of_tier(cls, tier: QuotaTier, source: Source) -> Self:
        """The quota of whoever has this tier."""
        return cls(
            source,
            MappingProxyType({tier.period_type: tier.limit}),
            tier.tier_id,
            tier.soft_limit_percentage,
            tier.action_on_limit,
        )

    @classmethod
    def of_override(cls, override: Override) -> Self:
        """The quota of whoever has this override."""
        limits = {
            PeriodType.MONTHLY: override.monthly_cost_limit,
            PeriodType.DAILY: override.daily_cost_limit,
        }
        said = {period: limit for period, limit in limits.items() if limit is not None}
        return cls(Source.OVERRIDE, MappingProxyType(said))


def effective_quota(db: DB, person: Person) -> Quota | None:
    """The quota that applies, or None, which allows.

    The first of: an active override, the user's own assignment, one of the application roles, one
    of the token's roles, the mail domain and then its parents, the defaults. Of several of a kind
    it is the highest priority that is enabled and whose tier is.
    """
    override = active_override(db, person.user_id)
    if override is not None:
        return Quota.of_override(override)
    for assignments in _assignments(db, person):
        quota = _first_enabled(db, assignments)
        if quota is not None:
            return quota
    return _configured(db)


def active_override(db: DB, user_id: str) -> Override | None:
    """The override that counts now; of several, the one that ends last."""
    moment = utc_now()
    overrides = db(live_overrides(user_id, moment))
    return next((each for each in overrides if each.is_active_at(moment)), None)


def _assignments(db: DB, person: Person) -> Iterator[list[Assignment]]:
    """Those of each kind, as far as anybody asks for the next kind."""
    yield db(assignments_of_user(person.user_id))
    app_roles = map(assignments_of_app_role, _assignable(person.app_roles))
    yield _together(db.all(*app_roles))
    jwt_roles = map(assignments_of_role, _assignable(person.jwt_roles))
    yield _together(db.all(*jwt_roles))
    domain = domain_of(person.email)
    if domain is not None:
        # The nearest domain counts before any priority.
        yield from db.all(*map(assignments_of_domain, covering(domain)))
    yield db(default_assignments())


def _assignable(roles: Iterable[str]) -> Iterator[str]:
    """The roles, each once, without those that no assignment can be for."""
    return (role for role in dict.fromkeys(roles) if is_id(role))


def _together(found: Iterable[list[Assignment]]) -> list[Assignment]:
    every = [assignment for assignments in found for assignment in assignments]
    return sorted(every, key=lambda a: (a.priority, a.assignment_id), reverse=True)


def _first_enabled(db: DB, assignments: Iterable[Assignment]) -> Quota | None:
    for assignment in assignments:
        tier = db(tier_by_id(assignment.tier_id)) if assignment.enabled else None
        if tier is not None and tier.enabled:
            return Quota.of_tier(tier, _SOURCES[assignment.assignment_type])
    return None


def _configured(db: DB) -> Quota | None:
    config = db(quota_config())
    if config is None or config.default_tier_id is None:
        return None
    tier = db(tier_by_id(config.default_tier_id))
    return Quota.of_tier(tier, Source.CONFIG) if tier is not None and tier.enabled else None


_SOURCES = MappingProxyType({kind: Source(kind.value) for kind in AssignmentType})
