"""The crowd of AgentCore reports violated guarantees."""

from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from benchmarks.load.agentcore import AgentCore

from sortkey import DB
from sortkey.testing import clock
from sortkey_systems.agentcore.assigning import assign
from sortkey_systems.agentcore.conversing import start_session
from sortkey_systems.agentcore.design import TABLES
from sortkey_systems.agentcore.design.events import EventType, QuotaEvent
from sortkey_systems.agentcore.design.quotas import Assignment, AssignmentType, QuotaTier
from sortkey_systems.agentcore.design.sessions import CostRecord, DeletedSession, Session
from sortkey_systems.agentcore.design.summaries import CostSummary
from sortkey_systems.agentcore.recording import Cost, record_cost
from sortkey_systems.agentcore.signing_in import begin_sign_in

NOW = datetime(2033, 5, 14, 10, tzinfo=UTC)
BACK = "https://chat.uni.edu/callback"


@pytest.fixture
def db() -> Iterator[DB]:
    """Yield a database in which Ann has a tier, a session and a cost."""
    with clock(NOW.timestamp):
        db = DB.memory(*TABLES)
        AgentCore().prepare(db)
        assign(db, AssignmentType.DIRECT_USER, "ann", "tier1")
        session = start_session(db, "ann", "Hegel")
        record_cost(
            db,
            Cost(
                user_id="ann",
                record_id="r1",
                timestamp=NOW,
                session_id=session.session_id,
                message_id="m1",
                cost_micros=70,
                input_tokens=10,
                output_tokens=5,
                model_id="haiku",
            ),
        )
        yield db


def faults(db: DB, crowd: AgentCore | None = None) -> list[str]:
    return list((crowd or AgentCore()).faults(db))


def test_what_the_services_write_is_as_it_should_be(db: DB) -> None:
    assert faults(db) == []


def test_a_wrong_sum_is_found(db: DB) -> None:
    more = CostSummary.update(user_id="ann", period="2033-05")
    db(more.add(lambda summary: summary.total_cost_micros).by(1))

    [fault] = faults(db)
    assert "'total_cost_micros': 70" in fault
    assert "'total_cost_micros': 71" in fault


def test_a_missing_sum_is_found(db: DB) -> None:
    db(CostSummary.delete(user_id="ann", period="2033-05-14"))

    assert faults(db) == ["ann has no sum for 2033-05-14"]


def test_a_lost_cost_is_found(db: DB) -> None:
    [cost] = db.each(CostRecord.scan())
    db(CostRecord.erase(user_id="ann", timestamp=cost.timestamp, record_id="r1"))

    assert len(faults(db)) == 2  # of the day and of the month


def test_a_wrong_count_of_a_tier_is_found(db: DB) -> None:
    db(QuotaTier.update(tier_id="tier1").add(lambda tier: tier.assignment_count).by(1))

    assert faults(db) == ["tier1 counts 2 assignments but has 1"]


def test_a_tier_deleted_while_in_use_is_found(db: DB) -> None:
    db(QuotaTier.delete(tier_id="tier1"))
    db(QuotaTier.delete(tier_id="tier0"))

    assert faults(db) == [
        "an assignment refers to the deleted tier tier1",
        "the default tier tier0 is deleted",
    ]


def test_a_second_assignment_of_a_user_is_found(db: DB) -> None:
    second = Assignment(
        assignment_id="other",
        tier_id="tier1",
        assignment_type=AssignmentType.DIRECT_USER,
        subject="USER#ann",
    )
    db(second.create())
    db(QuotaTier.update(tier_id="tier1").add(lambda tier: tier.assignment_count).by(1))

    assert faults(db) == ["USER#ann has 2 assignments"]


def test_a_message_that_is_not_counted_is_found(db: DB) -> None:
    [session] = db(Session.query(user_id="ann"))
    db(session.update().add(lambda each: each.message_count).by(1))

    [fault] = faults(db)
    assert fault.endswith("counts 1 messages but got 0")


def test_a_session_stored_twice_is_found(db: DB) -> None:
    [session] = db(Session.query(user_id="ann"))
    db(DeletedSession(deleted_at=NOW, **session.model_dump(exclude={"rev"})).create())

    [fault] = faults(db)
    assert fault == f"the session {session.session_id} is stored 2 times"


def test_a_state_that_remains_after_it_was_accepted_is_found(db: DB) -> None:
    crowd = AgentCore()
    state = begin_sign_in(db, BACK, allowed=[BACK]).state
    crowd.accept_state(state)
    crowd.accept_state(state)

    assert faults(db, crowd) == [
        f"the state {state} was accepted 2 times",
        f"the state {state} was accepted but still exists",
    ]


def test_too_many_warnings_are_found(db: DB) -> None:
    for number in range(4):
        event = QuotaEvent(
            user_id="ann",
            event_id=f"e{number}",
            timestamp=NOW,
            event_type=EventType.WARNING,
            current_usage=Decimal(1),
            quota_limit=Decimal(1),
            percentage_used=Decimal(100),
        )
        db(event.create())

    assert faults(db) == ["ann was warned 4 times in the hour 14 10"]
