"""Each operation succeeds if a response is lost: its own write is recognised."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from tests.access.executors import stored_items
from tests.systems.commitcollect.people import (
    TRACE,
    activity,
    connected,
    event,
    goal,
    grant,
    ride,
    signed_in,
    statue,
    under_way,
)

from sortkey import DB
from sortkey.testing import Outcome, explore
from sortkey_systems.commitcollect.connecting import (
    begin_connecting,
    connect,
    disconnect,
    finish_connecting,
)
from sortkey_systems.commitcollect.deleting import Deletion, delete_account, finish_deletions
from sortkey_systems.commitcollect.design.accounts import AccountRole, Plan
from sortkey_systems.commitcollect.design.models import ModelStatus
from sortkey_systems.commitcollect.design.tables import CommitCollectAudit
from sortkey_systems.commitcollect.earning import recompute
from sortkey_systems.commitcollect.operating import change_plan, change_role
from sortkey_systems.commitcollect.publishing import publish, retire
from sortkey_systems.commitcollect.receiving import Aspect, DeliveryOutcome, receive
from sortkey_systems.commitcollect.signing_in import sign_in, sign_out

AT_ONCE = timedelta(0)
Before = Callable[[DB], Any]
Call = Callable[[DB, Any], Any]


def with_a_state(db: DB) -> Any:
    session = signed_in(db)
    return session, begin_connecting(db, session).state


def a_ride_ahead(db: DB) -> Any:
    made = under_way(db)
    ride(db, "1", 60_000)
    return made.milestone_id


def published(db: DB) -> None:
    signed_in(db)
    publish(db, *statue())


def marked(db: DB) -> None:
    under_way(db)
    delete_account(db, "ada", TRACE)


def receiving(aspect: Aspect) -> Call:
    details = None if aspect is Aspect.DELETE else activity()
    return lambda db, _: receive(db, event(aspect=aspect), details, TRACE)


# The setup, the call, and its result (None if any result is right).
OPERATIONS: dict[str, tuple[Before, Call, Any]] = {
    "sign up": (
        lambda _: None,
        lambda db, _: sign_in(db, "ada", "ada@example.org", TRACE).is_new,
        True,
    ),
    "sign in": (
        signed_in,
        lambda db, _: sign_in(db, "ada", "ada@example.org", TRACE).is_new,
        False,
    ),
    "sign out": (signed_in, lambda db, s: sign_out(db, s.session_id, TRACE), None),
    "begin connecting": (signed_in, lambda db, s: begin_connecting(db, s).user_id, "ada"),
    "finish connecting": (
        with_a_state,
        lambda db, made: finish_connecting(db, made[0], made[1], grant(), TRACE),
        None,
    ),
    "connect again": (connected, lambda db, _: connect(db, "ada", grant(), TRACE), None),
    "connect another": (connected, lambda db, _: connect(db, "ada", grant("78"), TRACE), None),
    "disconnect": (connected, lambda db, _: disconnect(db, "ada", TRACE), None),
    **{
        f"receive a {aspect}": (connected, receiving(aspect), DeliveryOutcome.APPLIED)
        for aspect in Aspect
    },
    "create a milestone": (published, lambda db, _: goal(db).user_id, "ada"),
    "recompute": (
        a_ride_ahead,
        lambda db, made: recompute(db, "ada", made, TRACE).minted,
        (1, 2),
    ),
    "publish": (lambda _: None, lambda db, _: publish(db, *statue()), None),
    "retire": (published, lambda db, _: retire(db, "nike").status, ModelStatus.RETIRED),
    "change a plan": (
        signed_in,
        lambda db, _: change_plan(db, "ada", Plan.PRO, operator="olga", trace=TRACE).plan,
        Plan.PRO,
    ),
    "change a role": (
        signed_in,
        lambda db, _: change_role(db, "ada", AccountRole.ADMIN, operator="o", trace=TRACE).role,
        AccountRole.ADMIN,
    ),
    "begin a deletion": (
        under_way,
        lambda db, _: delete_account(db, "ada", TRACE).is_complete,
        False,
    ),
    "delete": (
        signed_in,
        lambda db, _: delete_account(db, "ada", TRACE, settled_after=AT_ONCE),
        Deletion({"Session": 1, "UserProfile": 1}),
    ),
    "finish deletions": (
        marked,
        lambda db, _: finish_deletions(db, TRACE, settled_after=AT_ONCE).finished,
        ("ada",),
    ),
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation_whose_response_is_lost_succeeds(name: str, memory: DB) -> None:
    before, call, result = OPERATIONS[name]
    made = before(memory)

    def it_succeeded(outcomes: list[Outcome]) -> None:
        [outcome] = outcomes
        assert outcome.succeeded, outcome
        assert outcome.result == result

    explored = explore(
        lambda: call(memory, made), db=memory, invariant=it_succeeded, crashes=False, errors=()
    )

    assert explored.schedules > 1


def test_an_audit_event_is_written_once(memory: DB) -> None:
    explore(
        lambda: sign_in(memory, "ada", "ada@example.org", TRACE),
        db=memory,
        invariant=lambda: len(stored_items(memory, CommitCollectAudit)) == 1,
        crashes=False,
    )
