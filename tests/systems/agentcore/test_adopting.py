"""Items with the documented keys, and nothing that was added, are read, back-filled and used.

The document shows the beginnings of keys and no item. These have its examples of ids, and of each
record the attributes that are required.
"""

import pytest
from tests.access.executors import put_item, stored_items
from tests.systems.agentcore.conftest import MORNING, terms

from sortkey import DB, Backfill
from sortkey.wire.values import Item
from sortkey_systems.agentcore.assigning import assign, reassign, unassign
from sortkey_systems.agentcore.conversing import (
    add_message,
    delete_session,
    find_session,
    session_costs,
)
from sortkey_systems.agentcore.defining import change_tier, delete_tier, set_default_tier
from sortkey_systems.agentcore.design.quotas import (
    AssignmentType,
    QuotaConfig,
    QuotaTier,
    UserQuotas,
    all_tiers,
    quota_config,
    tier_by_id,
)
from sortkey_systems.agentcore.design.sessions import (
    CostRecord,
    Session,
    SessionsMetadata,
    active_sessions,
    costs_of_user,
)

AT = "2033-05-14T10:00:00.000000Z"
TIER: Item = {
    "PK": {"S": "QUOTA#monthly"},
    "SK": {"S": "METADATA"},
    "tierName": {"S": "Monthly"},
    "monthlyCostLimit": {"N": "10"},
    "createdAt": {"S": "2024-01-15T10:30:00Z"},
    "updatedAt": {"S": "2024-01-15T10:30:00Z"},
    "createdBy": {"S": "admin"},
}
CONFIG: Item = {"PK": {"S": "CONFIG"}, "SK": {"S": "QUOTA"}, "defaultTierId": {"S": "monthly"}}
SESSION: Item = {
    "PK": {"S": "USER#abc123"},
    "SK": {"S": f"S#ACTIVE#{AT}#sess-001"},
    "title": {"S": "Hegel"},
    "createdAt": {"S": "2024-01-15T10:30:00Z"},
}
COST: Item = {
    "PK": {"S": "USER#abc123"},
    "SK": {"S": f"C#{AT}#r1"},
    "sessionId": {"S": "sess-001"},
    "messageId": {"S": "msg-001"},
    "costMicros": {"N": "5"},
    "inputTokens": {"N": "1"},
    "outputTokens": {"N": "1"},
    "modelId": {"S": "m"},
    "ttl": {"N": str(int(MORNING.timestamp()) + 86_400)},
}


@pytest.fixture
def adopted(db: DB) -> DB:
    """Return a database with these items, verbatim."""
    for item in (TIER, CONFIG):
        put_item(db, UserQuotas, item)
    for item in (SESSION, COST):
        put_item(db, SessionsMetadata, item)
    return db


@pytest.fixture
def filled(adopted: DB) -> DB:
    """Return a database with these items after the back-fill."""
    *_, last = Backfill(adopted, [QuotaTier, QuotaConfig, Session, CostRecord]).run()
    assert (last.rewritten, last.failed, last.other) == (4, 0, 0)
    return adopted


def test_they_are_read_by_their_documented_keys(adopted: DB) -> None:
    tier, config = adopted(tier_by_id("monthly")), adopted(quota_config())
    assert tier is not None
    assert (tier.tier_id, tier.assignment_count) == ("monthly", 0)
    assert config is not None
    assert config.default_tier_id == "monthly"
    [session] = adopted(active_sessions("abc123"))
    assert (session.session_id, session.message_count) == ("sess-001", 0)
    [cost] = adopted(costs_of_user("abc123", MORNING, MORNING))
    assert (cost.record_id, cost.cost_micros) == ("r1", 5)


def test_they_are_changed_and_deleted_as_they_are(adopted: DB) -> None:
    assert add_message(adopted, "abc123", "sess-001").message_count == 1
    delete_session(adopted, "abc123", "sess-001")
    assert change_tier(adopted, "monthly", terms("20")).monthly_cost_limit == 20
    set_default_tier(adopted, "monthly")


def test_then_they_are_listed_used_and_deleted_like_any_other(filled: DB) -> None:
    assert [tier.tier_id for tier in filled(all_tiers())] == ["monthly"]
    assert find_session(filled, "abc123", "sess-001").title == "Hegel"
    assert [cost.record_id for cost in session_costs(filled, "abc123", "sess-001")] == ["r1"]
    filled(QuotaConfig.erase())
    given = assign(filled, AssignmentType.DIRECT_USER, "abc123", "monthly")
    assert reassign(filled, given.assignment_id, "monthly") == given
    unassign(filled, given.assignment_id)
    delete_tier(filled, "monthly")
    add_message(filled, "abc123", "sess-001")
    delete_session(filled, "abc123", "sess-001")

    assert stored_items(filled, UserQuotas) == []
    assert list(filled(active_sessions("abc123"))) == []


def test_the_back_fill_leaves_nothing_to_do(filled: DB) -> None:
    *_, again = Backfill(filled, [QuotaTier, QuotaConfig, Session, CostRecord]).run()

    assert (again.rewritten, again.current) == (0, 4)
