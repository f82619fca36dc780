"""Transactions that conflict with others, and writes whose first response was lost."""

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from tests.access.executors import stored_items
from tests.systems.agentcore.conftest import (
    Watch,
    assign_tier,
    cost,
    define_tiers,
    spend,
    start_sessions,
)

from sortkey import DB, Entity, Retries, SortkeyError, TransactionFailed
from sortkey.testing import Outcome, explore
from sortkey.wire.errors import TransactionCanceledException, TransactionConflictException
from sortkey.wire.messages import Request
from sortkey_systems.agentcore.assigning import assign, reassign, unassign
from sortkey_systems.agentcore.assisting import create_assistant
from sortkey_systems.agentcore.checking import Reason, check_quota
from sortkey_systems.agentcore.conversing import add_message, delete_session, start_session
from sortkey_systems.agentcore.defining import delete_tier, set_default_tier
from sortkey_systems.agentcore.design import TABLES
from sortkey_systems.agentcore.design.assistants import Assistant
from sortkey_systems.agentcore.design.quotas import AssignmentType
from sortkey_systems.agentcore.design.sessions import Session
from sortkey_systems.agentcore.design.sign_in import SignInState
from sortkey_systems.agentcore.recording import record_cost
from sortkey_systems.agentcore.resolving import Person
from sortkey_systems.agentcore.signing_in import begin_sign_in

BACK = "https://chat.uni.edu/callback"


@pytest.fixture
def db(watch: Watch) -> Iterator[DB]:
    """Yield a database without retries, with tiers, an assignment and a session."""
    with DB.memory(*TABLES, retries=Retries(attempts=1)) as db:
        define_tiers(db, "basic", "staff", "best")
        assign_tier(db, "ann", "basic")
        start_sessions(db, "ann")
        yield db


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
