"""A university's chat: tiers, users, and a clock that only the test moves."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from tests.systems.guards import Unguard, fails_unless, unguard
from tests.systems.watch import Watch

from sortkey import DB, utc_now
from sortkey.testing import clock
from sortkey_systems.agentcore.assigning import assign
from sortkey_systems.agentcore.conversing import start_session
from sortkey_systems.agentcore.defining import define_tier
from sortkey_systems.agentcore.design import TABLES
from sortkey_systems.agentcore.design.quotas import (
    ActionOnLimit,
    Assignment,
    AssignmentType,
    PeriodType,
    QuotaTier,
    TierTerms,
    tier_by_id,
)
from sortkey_systems.agentcore.design.sessions import Session
from sortkey_systems.agentcore.recording import Cost, record_cost

__all__ = ["Unguard", "Watch", "fails_unless", "unguard"]

# So far in the future that no engine expires anything by its own clock.
MORNING = datetime(2033, 5, 14, 10, tzinfo=UTC)
# The time of generated records.
NOW = datetime(2036, 5, 14, 18, 30, tzinfo=UTC)


@pytest.fixture
def watch() -> Iterator[Watch]:
    watch = Watch(MORNING)
    with clock(watch.read):
        yield watch


@pytest.fixture
def db(opened: Callable[..., DB], watch: Watch) -> DB:
    """Return an empty database on each of the places where the test runs."""
    return opened(*TABLES)


@pytest.fixture
def memory(watch: Watch) -> DB:
    """Return an empty database in memory."""
    return DB.memory(*TABLES)


def terms(
    monthly: str = "10",
    *,
    name: str = "Basic",
    daily: str | None = None,
    soft: int = 80,
    action: ActionOnLimit = ActionOnLimit.BLOCK,
    enabled: bool = True,
) -> TierTerms:
    """Return the terms of a tier, which is daily if it has a daily limit."""
    return TierTerms(
        tier_name=name,
        monthly_cost_limit=Decimal(monthly),
        daily_cost_limit=None if daily is None else Decimal(daily),
        period_type=PeriodType.MONTHLY if daily is None else PeriodType.DAILY,
        soft_limit_percentage=soft,
        action_on_limit=action,
        enabled=enabled,
    )


def define_tiers(db: DB, *tier_ids: str, allowing: TierTerms | None = None) -> None:
    """Define tiers with these ids."""
    for tier_id in tier_ids:
        define_tier(db, tier_id, allowing or terms(name=tier_id.title()), by="root")


def assign_tier(db: DB, user_id: str, tier_id: str) -> Assignment:
    """Assign a tier directly to a user."""
    return assign(db, AssignmentType.DIRECT_USER, user_id, tier_id)


def stored_tier(db: DB, tier_id: str) -> QuotaTier:
    """Return the stored tier."""
    found = db(tier_by_id(tier_id))
    assert found is not None
    return found


def start_sessions(db: DB, *user_ids: str) -> None:
    """Give each user a session, to which a `cost` belongs."""
    for user_id in user_ids:
        now = utc_now()
        session = Session(
            user_id=user_id,
            session_id=f"of-{user_id}",
            title="Hegel",
            created_at=now,
            last_message_at=now,
        )
        db(session.create())


def cost(user_id: str, record_id: str, micros: int, *, session_id: str | None = None) -> Cost:
    """Return the cost of a message sent now."""
    return Cost(
        user_id=user_id,
        record_id=record_id,
        timestamp=utc_now(),
        session_id=session_id or f"of-{user_id}",
        message_id=f"m-{record_id}",
        cost_micros=micros,
        input_tokens=100,
        output_tokens=20,
        model_id="haiku",
    )


def spend(db: DB, user_id: str, dollars: str) -> None:
    """Record this cost now."""
    micros = int(Decimal(dollars) * 1_000_000)
    session_id = start_session(db, user_id, "Hegel").session_id
    name = f"{utc_now().timestamp()}-{dollars}"
    record_cost(db, cost(user_id, name, micros, session_id=session_id))
