"""Resolving: find the quota that applies to a person."""

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

# The default percentage, which also applies to overrides: they have no setting of their own.
SOFT_LIMIT = 80


@dataclass(frozen=True, slots=True)
class Person:
    """The sender of a request, as named by the token of the identity provider."""

    user_id: str
    email: str | None = None
    app_roles: tuple[str, ...] = ()
    jwt_roles: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        # Checked here: an invalid id would make the quota unreadable, which allows the request.
        if not is_id(self.user_id):
            raise BadInput("user_id", "must have 1 to 128 characters, without #")


class Source(StrEnum):
    """The reason why a quota applies."""

    OVERRIDE = "override"
    DIRECT_USER = "direct_user"
    APP_ROLE = "app_role"
    JWT_ROLE = "jwt_role"
    EMAIL_DOMAIN = "email_domain"
    DEFAULT_TIER = "default_tier"
    CONFIG = "config"


@dataclass(frozen=True, slots=True)
class Quota:
    """The quota of a person: a limit for each limited period, and the action at the limit."""

    source: Source
    limits: Mapping[PeriodType, Decimal]
    tier_id: str | None = None
    soft_limit_percentage: int = SOFT_LIMIT
    action_on_limit: ActionOnLimit = ActionOnLimit.BLOCK

    @classmethod
    def of_tier(cls, tier: QuotaTier, source: Source) -> Self:
        """Return the quota that a tier sets."""
        return cls(
            source,
            MappingProxyType(tier.limits),
            tier.tier_id,
            tier.soft_limit_percentage,
            tier.action_on_limit,
        )

    @classmethod
    def of_override(cls, override: Override) -> Self:
        """Return the quota that an override sets."""
        limits = {
            PeriodType.MONTHLY: override.monthly_cost_limit,
            PeriodType.DAILY: override.daily_cost_limit,
        }
        limited = {period: limit for period, limit in limits.items() if limit is not None}
        return cls(Source.OVERRIDE, MappingProxyType(limited))


def effective_quota(db: DB, person: Person) -> Quota | None:
    """Return the quota that applies; None means no limit.

    The first of these applies: an active override, the user's own assignment, the application
    roles, the token's roles, the mail domain and then its parents, the default assignments, the
    configured default. Within a kind, the highest priority applies whose assignment and tier are
    both enabled.
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
    """Return the override that applies now; of several, the one that ends last."""
    moment = utc_now()
    overrides = db(live_overrides(user_id, moment))
    return next((each for each in overrides if each.is_active_at(moment)), None)


def _assignments(db: DB, person: Person) -> Iterator[list[Assignment]]:
    """Yield the assignments of each kind, reading the next kind only when it is needed."""
    yield db(assignments_of_user(person.user_id))
    app_roles = map(assignments_of_app_role, _assignable(person.app_roles))
    yield _merged(db.all(*app_roles))
    jwt_roles = map(assignments_of_role, _assignable(person.jwt_roles))
    yield _merged(db.all(*jwt_roles))
    domain = domain_of(person.email)
    if domain is not None:
        # A nearer domain takes precedence over a higher priority.
        yield from db.all(*map(assignments_of_domain, covering(domain)))
    yield db(default_assignments())


def _assignable(roles: Iterable[str]) -> Iterator[str]:
    """Return the distinct roles that an assignment can be for."""
    return (role for role in dict.fromkeys(roles) if is_id(role))


def _merged(found: Iterable[list[Assignment]]) -> list[Assignment]:
    merged = [assignment for assignments in found for assignment in assignments]
    return sorted(merged, key=lambda a: (a.priority, a.assignment_id), reverse=True)


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
