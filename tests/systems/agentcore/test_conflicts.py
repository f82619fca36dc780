"""Transactions that conflict with others, and writes whose first response was lost."""

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from tests.access.executors import stored_items
from tests.systems.agentcore.conftest import (
    MORNING,
    Watch,
    assign_tier,
    cost,
    define_tiers,
    spend,
    start_sessions,
    terms,
)

from sortkey import DB, Entity, Retries, SortkeyError, TransactionFailed, utc_now
from sortkey.testing import Outcome, explore
from sortkey.wire.errors import TransactionCanceledException, TransactionConflictException
from sortkey.wire.messages import Request
from sortkey_systems.agentcore.assigning import adjust, assign, reassign, unassign
from sortkey_systems.agentcore.assisting import (
    change_status,
    create_assistant,
    delete_assistant,
    rename_assistant,
)
from sortkey_systems.agentcore.checking import Reason, check_quota
from sortkey_systems.agentcore.conversing import (
    add_message,
    delete_session,
    edit_session,
    start_session,
)
from sortkey_systems.agentcore.defining import (
    change_tier,
    clear_default_tier,
    define_tier,
    delete_tier,
    set_default_tier,
)
from sortkey_systems.agentcore.design import TABLES
from sortkey_systems.agentcore.design.assistants import Assistant, AssistantStatus
from sortkey_systems.agentcore.design.quotas import AssignmentType, Override, OverrideType
from sortkey_systems.agentcore.design.sessions import Session
from sortkey_systems.agentcore.design.sign_in import SignInState
from sortkey_systems.agentcore.overriding import grant_override, switch_override
from sortkey_systems.agentcore.recording import record_cost
from sortkey_systems.agentcore.resolving import Person
from sortkey_systems.agentcore.signing_in import begin_sign_in, finish_sign_in

BACK = "https://chat.uni.edu/callback"
STATE = SignInState(
    state="s",
    redirect_uri=BACK,
    code_verifier="v" * 43,
    nonce="n",
    created_at=MORNING,
    ttl=MORNING + timedelta(minutes=9),
)
TUTOR = Assistant(
    assistant_id="tutor",
    owner_id="ann",
    owner_email_domain="uni.edu",
    name="Tutor",
    created_at=MORNING,
    updated_at=MORNING,
)
EXAMS = Override(
    override_id="exams",
    user_id="bob",
    override_type=OverrideType.UNLIMITED,
    valid_from=MORNING,
    valid_until=MORNING,
    reason="exams",
)


@pytest.fixture
def db(watch: Watch) -> Iterator[DB]:
    """Yield a database without retries, with records to change."""
    with DB.memory(*TABLES, retries=Retries(attempts=1)) as db:
        add_records(db)
        yield db


def add_records(db: DB) -> None:
    """Add tiers, an assignment, an override, a session, a state and an assistant."""
    define_tiers(db, "basic", "staff", "best")
    assign_tier(db, "ann", "basic")
    start_sessions(db, "ann")
    for record in (STATE, TUTOR, EXAMS):
        db(record.create())


@contextmanager
def conflicting(db: DB, place: int, monkeypatch: pytest.MonkeyPatch) -> Generator[list[Request]]:
    """Make every transaction conflict at one of its records; yield those that were sent."""
    send = db._transport.send
    tried: list[Request] = []

    def busy(request: Request) -> Any:
        if request.operation != "TransactWriteItems":
            return send(request)
        tried.append(request)
        reasons = [{"Code": "None"} for _ in request.body["TransactItems"]]
        reasons[place] = {"Code": "TransactionConflict"}
        raise TransactionCanceledException(reasons)

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(db._transport, "send", busy)
        yield tried


CALLS: dict[str, Callable[[DB], object]] = {
    "assign": lambda db: assign(db, AssignmentType.JWT_ROLE, "Faculty", "basic"),
    "reassign": lambda db: reassign(db, "direct_user:ann", "staff"),
    "unassign": lambda db: unassign(db, "direct_user:ann"),
    "delete_tier": lambda db: delete_tier(db, "best"),
    "set_default_tier": lambda db: set_default_tier(db, "best"),
    "record_cost": lambda db: record_cost(db, cost("ann", "r1", 5)),
    "add_message": lambda db: add_message(db, "ann", "of-ann"),
    "delete_session": lambda db: delete_session(db, "ann", "of-ann"),
    "define_tier": lambda db: define_tier(db, "new", terms(), by="root"),
    "delete_assistant": lambda db: delete_assistant(db, "ann", "tutor"),
    "finish_sign_in": lambda db: finish_sign_in(db, "s"),
}


@pytest.mark.parametrize("place", [0, -1])
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_transaction_conflict_is_raised_unchanged(
    db: DB, monkeypatch: pytest.MonkeyPatch, call: Callable[[DB], object], place: int
) -> None:
    before = [stored_items(db, table) for table in TABLES]

    either = (TransactionFailed, TransactionConflictException)
    with conflicting(db, place, monkeypatch) as tried, pytest.raises(either) as caught:
        call(db)

    if isinstance(caught.value, TransactionFailed):  # a write alone raises the conflict itself
        assert isinstance(caught.value.failures[place], TransactionConflictException)
    assert len(tried) == 1
    assert [stored_items(db, table) for table in TABLES] == before


@pytest.mark.parametrize("place", [0, -1])
def test_a_warning_with_a_transaction_conflict_is_reported_as_a_failure(
    db: DB, monkeypatch: pytest.MonkeyPatch, place: int
) -> None:
    spend(db, "ann", "9")
    seen: list[SortkeyError] = []

    with conflicting(db, place, monkeypatch):
        verdict = check_quota(db, Person("ann"), report=lambda _, failure: seen.append(failure))

    assert (verdict.reason, verdict.warned_of) == (Reason.WITHIN_LIMIT, None)
    assert [type(failure) for failure in seen] == [TransactionFailed]


BEGUN: dict[type[Entity], Callable[[DB], Entity]] = {
    SignInState: lambda db: begin_sign_in(db, BACK, allowed=[BACK]),
    Assistant: lambda db: create_assistant(db, "ann", "ann@uni.edu", "Tutor"),
    Session: lambda db: start_session(db, "ann", "Hegel"),
}


@pytest.mark.parametrize(("entity", "begin"), BEGUN.items())
def test_a_create_whose_first_response_is_lost_happens_once(
    memory: DB, entity: type[Entity], begin: Callable[[DB], Entity]
) -> None:
    def once(outcomes: list[Outcome]) -> None:
        assert [outcome.result for outcome in outcomes] == memory(entity.scan())

    explored = explore(lambda: begin(memory), db=memory, invariant=once, crashes=False)

    assert explored.schedules > 1


ALONE: dict[str, Callable[[DB], object]] = {
    **CALLS,
    "adjust": lambda db: adjust(db, "direct_user:ann", priority=7),
    "change_tier": lambda db: change_tier(db, "basic", terms("20")),
    "clear_default_tier": clear_default_tier,
    "grant_override": lambda db: (
        grant_override(
            db,
            "ann",
            OverrideType.UNLIMITED,
            valid_from=utc_now(),
            valid_until=utc_now(),
            reason="exams",
        ).reason
    ),
    "switch_override": lambda db: switch_override(db, "exams", enabled=False),
    "edit_session": lambda db: edit_session(db, "ann", "of-ann", starred=True),
    "change_status": lambda db: change_status(db, "ann", "tutor", AssistantStatus.ACTIVE),
    "rename_assistant": lambda db: rename_assistant(db, "ann", "tutor", "Coach"),
    "check_quota": lambda db: check_quota(db, Person("ann")),
    # It has a new id each time.
    "assign": lambda db: assign(db, AssignmentType.JWT_ROLE, "Faculty", "basic").subject,
}


@pytest.mark.parametrize("call", ALONE.values(), ids=ALONE)
def test_a_call_whose_first_response_is_lost_returns_the_same(
    memory: DB, call: Callable[[DB], object]
) -> None:
    add_records(memory)

    explored = explore(lambda: call(memory), db=memory, errors=(), crashes=False)

    assert explored.schedules > 1
    assert len(explored.endings) == 1, explored
