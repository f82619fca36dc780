"""Generated users, quotas and costs; the same seed and time give the same data."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from random import Random

from sortkey import Entity, utc_now
from sortkey_systems.agentcore.design import TABLES
from sortkey_systems.agentcore.design.assistants import Assistant, AssistantStatus
from sortkey_systems.agentcore.design.events import (
    EVENT_RETENTION,
    EventType,
    QuotaEvent,
    WarningMark,
)
from sortkey_systems.agentcore.design.quotas import (
    ActionOnLimit,
    Assignment,
    AssignmentType,
    Override,
    OverrideType,
    PeriodType,
    QuotaConfig,
    QuotaTier,
)
from sortkey_systems.agentcore.design.sessions import (
    COST_RETENTION,
    CostRecord,
    DeletedSession,
    Session,
)
from sortkey_systems.agentcore.design.sign_in import STATE_LIFETIME, SignInState
from sortkey_systems.agentcore.design.summaries import CostSummary, day_of, month_of

__all__ = ["TABLES", "records", "user_id"]

_NAMES = ("ana", "björn", "chloé", "dmitri", "émile", "fatima", "giulia", "hiro", "łukasz", "zoë")
_DOMAINS = ("uni.edu", "cs.uni.edu", "med.uni.edu", "library.org", "example.com")
_MODELS = {"haiku": (1, 5), "sonnet": (3, 15), "opus": (15, 75)}  # micros a token, in and out
_TAGS = ("thesis", "course", "fun", "später", "to do")
_TITLES = ("Regression in R", "Reading list", "Über Hegel", "Grant proposal", "New chat")
_MOST_SESSIONS = 60
_CENT = Decimal("0.01")

_TIERS = (
    # id, name, monthly, daily, period, soft, action, enabled
    ("basic", "Basic", "5", None, PeriodType.MONTHLY, 80, ActionOnLimit.BLOCK, True),
    ("staff", "Staff", "50", "5", PeriodType.MONTHLY, 80, ActionOnLimit.WARN, True),
    ("student", "Student", "10", "1", PeriodType.DAILY, 75, ActionOnLimit.BLOCK, True),
    ("research", "Research", "500", None, PeriodType.MONTHLY, 95, ActionOnLimit.WARN, True),
    ("pilot", "Pilot (2034)", "20", None, PeriodType.MONTHLY, 80, ActionOnLimit.BLOCK, False),
    ("unused", "Staff", "1", None, PeriodType.MONTHLY, 80, ActionOnLimit.BLOCK, True),
)
_SHARED = (
    # type, subject, tier, priority, enabled
    (AssignmentType.APP_ROLE, "APPROLE#researcher", "research", 300, True),
    (AssignmentType.APP_ROLE, "APPROLE#tutor", "staff", 90, False),
    (AssignmentType.JWT_ROLE, "ROLE#Faculty", "staff", 1000, True),
    (AssignmentType.JWT_ROLE, "ROLE#Faculty", "pilot", 200, True),
    (AssignmentType.JWT_ROLE, "ROLE#Faculty", "basic", 9, True),
    (AssignmentType.JWT_ROLE, "ROLE#Student", "student", 100, True),
    (AssignmentType.EMAIL_DOMAIN, "DOMAIN#cs.uni.edu", "research", 10, True),
    (AssignmentType.EMAIL_DOMAIN, "DOMAIN#cs.uni.edu", "staff", 10, True),
    (AssignmentType.EMAIL_DOMAIN, "DOMAIN#*.uni.edu", "student", 10, True),
    (AssignmentType.DEFAULT_TIER, "DEFAULT", "pilot", 20, True),
    (AssignmentType.DEFAULT_TIER, "DEFAULT", "basic", 10, True),
)


def records(
    users: int, *, seed: int = 1, now: datetime | None = None
) -> Iterator[Sequence[Entity]]:
    """Yield the records of each user up to ``now``, which is the current time unless it is given.

    The first group also has the tiers and shared assignments.
    """
    now = now or utc_now()
    for number in range(users):
        # Each user has a random generator of their own, and can be generated without the others.
        chance = Random(f"{seed}/{number}")
        shared = list(_shared(users, now)) if number == 0 else []
        yield [*shared, *_of_user(chance, number, now)]


def user_id(number: int) -> str:
    """Return the id of a user: a name for one in ten, otherwise one that shares a prefix."""
    name = _NAMES[number // 10 % len(_NAMES)]
    return f"{name}-{number}" if number % 10 == 0 else f"user{number}"


def _shared(users: int, now: datetime) -> Iterator[Entity]:
    assignments = [
        Assignment(
            assignment_id=_assignment_id(kind, subject, place),
            tier_id=tier,
            assignment_type=kind,
            subject=subject,
            priority=priority,
            enabled=enabled,
        )
        for place, (kind, subject, tier, priority, enabled) in enumerate(_SHARED)
    ]
    direct = [own for number in range(users) if (own := _direct(number)) is not None]
    counts = Counter(assignment.tier_id for assignment in (*assignments, *direct))
    yield from (_tier(place, counts, now) for place in range(len(_TIERS)))
    yield from assignments
    yield QuotaConfig(default_tier_id="basic")


def _tier(place: int, counts: Counter[str], now: datetime) -> QuotaTier:
    tier_id, name, monthly, daily, period, soft, action, enabled = _TIERS[place]
    made = now - timedelta(days=500 - place)
    return QuotaTier(
        tier_id=tier_id,
        tier_name=name,
        monthly_cost_limit=Decimal(monthly),
        daily_cost_limit=None if daily is None else Decimal(daily),
        period_type=period,
        soft_limit_percentage=soft,
        action_on_limit=action,
        enabled=enabled,
        assignment_count=counts[tier_id],
        created_at=made,
        updated_at=made,
        created_by=user_id(0),
    )


def _assignment_id(kind: AssignmentType, subject: str, place: int) -> str:
    if kind is AssignmentType.APP_ROLE:
        return f"{kind}:{subject.partition('#')[2]}"
    return f"shared-{place:02d}"


def _direct(number: int) -> Assignment | None:
    """Return the direct assignment that one user in eight has.

    It depends on the number alone, so that tiers can count assignments before users are generated.
    """
    if number % 8 != 3:
        return None
    name = user_id(number)
    return Assignment(
        assignment_id=f"{AssignmentType.DIRECT_USER}:{name}",
        tier_id=("staff", "research", "pilot")[number % 3],
        assignment_type=AssignmentType.DIRECT_USER,
        subject=f"USER#{name}",
        priority=(9, 10, 200, 1000)[number % 4],
        enabled=number % 5 != 0,
    )


def _of_user(chance: Random, number: int, now: datetime) -> Iterator[Entity]:
    direct = _direct(number)
    if direct is not None:
        yield direct
    yield from _overrides(chance, number, now)
    costs: list[CostRecord] = []
    for session in range(min(_MOST_SESSIONS, int(chance.paretovariate(0.8)) - 1)):
        own = list(_costs(chance, number, session, now))
        costs += own
        yield _session(chance, number, session, own, now)
    yield from costs
    yield from _summaries(costs)
    yield from _events(chance, number, now)
    yield from _assistants(chance, number, now)
    if chance.random() < 0.05:
        yield _state(chance, number, now)


def _overrides(chance: Random, number: int, now: datetime) -> Iterator[Override]:
    """Yield overrides for one user in ten: active, disabled, not started and ended ones."""
    if chance.random() > 0.1:
        return
    for place, (start, end, enabled) in enumerate(
        ((-10, 20, True), (-10, 40, False), (5, 60, True), (-90, -60, True))
    ):
        if chance.random() < 0.7:
            is_unlimited = chance.random() < 0.3
            kind = OverrideType.UNLIMITED if is_unlimited else OverrideType.CUSTOM_LIMIT
            yield Override(
                override_id=f"{number:07d}-{place}",
                user_id=user_id(number),
                override_type=kind,
                monthly_cost_limit=None if is_unlimited else Decimal(chance.randint(20, 200)),
                valid_from=now + timedelta(days=start),
                valid_until=now + timedelta(days=end),
                reason="The end of term",
                enabled=enabled,
            )


def _costs(chance: Random, number: int, session: int, now: datetime) -> Iterator[CostRecord]:
    """Yield the costs of the messages of a session, in order of time."""
    at = now - timedelta(days=chance.expovariate(0.03) % 300, minutes=chance.randint(30, 600))
    if chance.random() < 0.05:  # at the very end of a month
        at = at.replace(day=1, hour=0, minute=0, second=0, microsecond=0) - timedelta(seconds=3)
    for message in range(chance.randint(0, 12)):
        model = chance.choice(list(_MODELS))
        tokens = chance.randint(20, 4000), chance.randint(5, 1500)
        name = f"{number:07d}-{session:03d}-{message:03d}"
        yield CostRecord(
            user_id=user_id(number),
            timestamp=at,
            record_id=f"r{name}",
            session_id=_session_id(number, session),
            message_id=f"m{name}",
            cost_micros=sum(a * b for a, b in zip(tokens, _MODELS[model], strict=True)),
            input_tokens=tokens[0],
            output_tokens=tokens[1],
            model_id=model,
            ttl=at + COST_RETENTION,
        )
        if chance.random() < 0.9:  # otherwise two have the same timestamp
            at += timedelta(milliseconds=chance.randint(500, 90_000))


def _session_id(number: int, session: int) -> str:
    return f"s{number:07d}-{session:03d}"


def _session(
    chance: Random, number: int, session: int, costs: Sequence[CostRecord], now: datetime
) -> Session | DeletedSession:
    begun = now - timedelta(days=session, hours=chance.randint(1, 20))
    first = costs[0].timestamp - timedelta(seconds=5) if costs else begun
    last = costs[-1].timestamp if costs else begun
    name, title = _session_id(number, session), chance.choice(_TITLES)
    starred, tags = chance.random() < 0.1, {*chance.sample(_TAGS, chance.choice((0, 0, 1, 2)))}
    if chance.random() < 0.2:
        return DeletedSession(
            user_id=user_id(number),
            session_id=name,
            title=title,
            created_at=first,
            last_message_at=last,
            message_count=len(costs),
            starred=starred,
            tags=tags,
            deleted_at=last + timedelta(minutes=chance.randint(1, 25)),
        )
    return Session(
        user_id=user_id(number),
        session_id=name,
        title=title,
        created_at=first,
        last_message_at=last,
        message_count=len(costs),
        starred=starred,
        tags=tags,
    )


def _summaries(costs: Sequence[CostRecord]) -> Iterator[CostSummary]:
    """Yield the sums of these costs for each day and month."""
    sums: dict[str, CostSummary] = {}
    for cost in costs:
        for period in (day_of(cost.timestamp), month_of(cost.timestamp)):
            summary = sums.setdefault(period, CostSummary(user_id=cost.user_id, period=period))
            summary.total_cost_micros += cost.cost_micros
            summary.request_count += 1
            summary.input_tokens += cost.input_tokens
            summary.output_tokens += cost.output_tokens
    yield from sums.values()


def _events(chance: Random, number: int, now: datetime) -> Iterator[Entity]:
    if chance.random() > 0.3:
        return
    at = now - timedelta(minutes=chance.randint(1, 50))
    name, limit = user_id(number), Decimal(chance.choice((5, 10, 50)))
    for place in range(chance.randint(1, 8)):
        percentage, then = chance.choice((82, 91, 100)), at - timedelta(minutes=61 * place)
        kind = EventType.BLOCK if percentage == 100 else EventType.WARNING
        yield QuotaEvent(
            user_id=name,
            event_id=f"e{number:07d}-{place:03d}",
            timestamp=then,
            event_type=kind if place != 5 else EventType.OVERRIDE_APPLIED,
            tier_id=None if place == 5 else chance.choice(("basic", "student", "staff")),
            current_usage=(limit * percentage / 100).quantize(_CENT),
            quota_limit=limit,
            percentage_used=Decimal(percentage),
            ttl=then + EVENT_RETENTION,
        )
    yield WarningMark(user_id=name, threshold=80, warned_at=at)


def _assistants(chance: Random, number: int, now: datetime) -> Iterator[Assistant]:
    if chance.random() > 0.2:
        return
    made = now - timedelta(days=chance.randint(0, 90), seconds=chance.randint(0, 3600))
    domain = chance.choice(_DOMAINS)
    for place in range(min(40, int(chance.paretovariate(1)))):
        yield Assistant(
            assistant_id=f"a{number:07d}-{place:03d}",
            owner_id=user_id(number),
            owner_email_domain=domain,
            name=chance.choice(_TITLES),
            status=chance.choice(list(AssistantStatus)),
            created_at=made,
            updated_at=made,
        )
        if chance.random() < 0.8:  # otherwise two have the same timestamp
            made += timedelta(hours=chance.randint(1, 200))


def _state(chance: Random, number: int, now: datetime) -> SignInState:
    made = now - timedelta(seconds=chance.randint(0, 500))
    return SignInState(
        state=f"state-{number:07d}",
        redirect_uri="https://chat.uni.edu/callback",
        code_verifier=f"{chance.getrandbits(256):064x}",
        nonce=f"{chance.getrandbits(128):032x}",
        created_at=made,
        ttl=made + STATE_LIFETIME,
    )
